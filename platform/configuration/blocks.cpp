#include "platform/configuration/blocks.h"

#include "collectives/engine/engine_spec.h"
#include "gpu/gpu_spec.h"
#include "gpu/dma_spec.h"
#include "gpu/network_spec.h"
#include "infragraph/findings.h"
#include "platform/configuration/routing_spec.h"
#include "sc_models/hbm_spec.h"
#include "sc_models/l1_spec.h"
#include "sc_models/l2_spec.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

template <class Spec>
BlockInfo make_info(const char* name)
{
    BlockInfo info;
    info.name = name;
    const Spec defaults;
    for (const auto& entry : Spec::parameters().entries()) {
        info.parameters.push_back(&entry.info);
        info.defaults.push_back(defaults.*entry.member);
    }
    return info;
}

const char* example_of(Unit unit)
{
    switch (unit) {
    case Unit::bytes: return "a size such as 64 KiB";
    case Unit::time: return "a time such as 70 ns";
    case Unit::rate: return "a rate such as 25 GB/s or 400 Gbps";
    case Unit::frequency: return "a frequency such as 1980 MHz";
    case Unit::flops: return "a rate such as 989 TFLOP/s";
    case Unit::ratio: return "a number such as 1e-12";
    case Unit::count: return "a whole number";
    case Unit::choice: break;
    }
    return "";
}

}  // namespace

std::optional<std::size_t> BlockInfo::find(std::string_view parameter) const
{
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i]->name == parameter) return i;
    return std::nullopt;
}

std::vector<std::string> BlockInfo::parameter_names() const
{
    std::vector<std::string> names;
    for (const ParameterInfo* parameter : parameters) names.push_back(parameter->name);
    return names;
}

const BlockInfo& info_of(Block block)
{
    static const std::array<BlockInfo, block_count> infos{make_info<GpuSpec>("gpu"),
        make_info<NetworkSpec>("network"), make_info<L1Spec>("l1"), make_info<L2Spec>("l2"),
        make_info<MemorySideSpec>("memory_side"), make_info<HbmSpec>("hbm"), make_info<CopySpec>("copy"),
        make_info<BulkSpec>("bulk"), make_info<SwitchSpec>("switch"), make_info<LinkSpec>("link"),
        make_info<EngineSpec>("engine"),
        make_info<RoutingSpec>("routing")};
    return infos[static_cast<std::size_t>(block)];
}

std::optional<Block> block_from_name(std::string_view name)
{
    for (const Block block : all_blocks)
        if (info_of(block).name == name) return block;
    return std::nullopt;
}

std::vector<std::string> block_names()
{
    std::vector<std::string> names;
    for (const Block block : all_blocks) names.push_back(info_of(block).name);
    return names;
}

std::optional<std::uint64_t> checked_value(Block block, std::size_t parameter, std::string_view text,
    ValueProblem& problem)
{
    const ParameterInfo& info = *info_of(block).parameters[parameter];
    const std::optional<std::uint64_t> value = parse_value(info, text);
    const std::string name = parameter_name(block, parameter);
    if (!value) {
        problem.what = in_quotes(text) + " is no value of " + name;
        problem.expected = describe_range(info);
        if (info.unit != Unit::choice) problem.expected = example_of(info.unit) + (", " + problem.expected);
        return std::nullopt;
    }
    if (*value < info.low || *value > info.high) {
        problem.what = name + " = " + value_text(info, *value) + " is out of range";
        problem.expected = describe_range(info);
        return std::nullopt;
    }
    return value;
}

std::string value_text(const ParameterInfo& info, std::uint64_t value)
{
    const std::string text = format_value(info, value);
    constexpr std::uint64_t gigabyte = 1'000'000'000;
    if (info.unit == Unit::bytes && value > 0 && value % gigabyte == 0)
        return std::to_string(value / gigabyte) + " GB";
    const bool rounded =
        (info.unit == Unit::bytes || info.unit == Unit::time) && parse_value(info, text) != value;
    if (!rounded) return text;
    return std::to_string(value) + " " + name_of(info.unit);
}

std::string parameter_name(Block block, std::size_t parameter)
{
    const BlockInfo& info = info_of(block);
    return info.name + "." + info.parameters[parameter]->name;
}

}  // namespace weft
