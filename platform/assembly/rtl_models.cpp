#include "platform/assembly/rtl_models.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/cache/llc_rtl.h"
#include "rtl/cache/reference_slice.h"
#include "rtl/common/lockstep.h"
#include "rtl/dut/dut_link.h"
#include "rtl/dut/dut_switch.h"
#include "rtl/dut/port_map_reader.h"
#include "rtl/dut/registered_blocks.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "rtl/modules/block_statistics.h"
#include "rtl/modules/clocked_link.h"
#include "rtl/modules/clocked_slice.h"
#include "rtl/modules/clocked_switch.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace weft {

namespace {

using SwitchBlock = ClockedSwitch::Block;
using Grouped = std::unique_ptr<GroupSwitchBlock>;

// What makes the blocks of one instance.
struct BlockInstance {
    std::string path;
    const Waves* waves = nullptr;
    Time half_period = 0;
    std::uint64_t run_seed = 1;

    // Of registers that no reset sets: other bits for every run and instance.
    std::uint64_t seed() const { return RandomStream(run_seed, stream_of(path)).next(); }
    // Asked for where there is RTL, and only there.
    WaveWindow wave() const { return waves == nullptr ? WaveWindow{} : waves->window(path, half_period); }
};

using MakePlain = std::unique_ptr<SwitchBlock> (*)(const SwitchBlockParameters&, const BlockInstance&);
using MakeGrouped = Grouped (*)(const GroupSwitchParameters&, const BlockInstance&);

ModelRegistry::SwitchFactory clocked(MakePlain plain, MakeGrouped grouped)
{
    return [plain, grouped](const RunContext& context, const SwitchRequest& request) {
        const SwitchSpec& spec = request.parameters.get<SwitchSpec>();
        const BlockInstance instance{request.path, context.waves, spec.clock / 2, context.seed};
        const ClockedSwitch::Factory make{[plain, instance](const SwitchBlockParameters& parameters,
                                              const std::string&) { return plain(parameters, instance); },
            [grouped, instance](const GroupSwitchParameters& parameters, const std::string&) {
                return grouped(parameters, instance);
            }};
        return std::make_unique<ClockedSwitch>(request.module_name.c_str(), context.event_queue, request.path, spec,
            request.ports, request.routes, make);
    };
}

// As it is, or with waveforms and a note for each of `notes` inputs.
BlockSource noted(BlockSource source, const WaveWindow& wave, unsigned notes)
{
    if (wave.file.empty()) return source;
    source.trace = true;
    source.notes = notes;
    return source;
}

class GroupLockstep : public Lockstep<GroupSwitchBlock> {
public:
    using Lockstep::Lockstep;
    void set_group(const GroupEntry& entry) override
    {
        tested().set_group(entry);
        reference().set_group(entry);
    }
};

std::unique_ptr<SwitchBlock> rtl(const SwitchBlockParameters& parameters, const BlockInstance& instance)
{
    const WaveWindow wave = instance.wave();
    auto out = std::make_unique<SwitchRtl>(parameters, noted(switch_source(parameters), wave, parameters.ports),
        instance.path, instance.seed());
    out->block().set_wave(wave);
    return out;
}

Grouped rtl_grouped(const GroupSwitchParameters& parameters, const BlockInstance& instance)
{
    const WaveWindow wave = instance.wave();
    auto out = std::make_unique<GroupSwitchRtl>(parameters,
        noted(group_switch_source(parameters), wave, parameters.outside.ports), instance.path, instance.seed());
    out->block().set_wave(wave);
    return out;
}

std::unique_ptr<SwitchBlock> reference_switch(const SwitchBlockParameters& parameters, const BlockInstance&)
{
    return std::make_unique<ReferenceSwitch>(parameters);
}

Grouped reference_grouped(const GroupSwitchParameters& parameters, const BlockInstance&)
{
    return std::make_unique<ReferenceGroupSwitch>(parameters);
}

std::unique_ptr<SwitchBlock> lockstep(const SwitchBlockParameters& parameters, const BlockInstance& instance)
{
    return std::make_unique<Lockstep<SwitchBlock>>(rtl(parameters, instance), reference_switch(parameters, instance),
        SwitchOut(parameters));
}

Grouped lockstep_grouped(const GroupSwitchParameters& parameters, const BlockInstance& instance)
{
    return std::make_unique<GroupLockstep>(rtl_grouped(parameters, instance), reference_grouped(parameters, instance),
        SwitchOut(parameters.outside));
}

std::unique_ptr<LinkEndpoint> reference_link(const LinkParams& params, const BlockInstance&)
{
    return std::make_unique<ReferenceLinkEndpoint>(params);
}

std::unique_ptr<LinkEndpoint> link_rtl(const LinkParams& params, const BlockInstance& instance)
{
    const WaveWindow wave = instance.wave();
    auto out =
        std::make_unique<LinkEndpointRtl>(params, noted(link_source(params), wave, 1), instance.path, instance.seed());
    out->block().set_wave(wave);
    return out;
}

// Flits of the two are compared as far as they go.
std::unique_ptr<LinkEndpoint> link_lockstep(const LinkParams& params, const BlockInstance& instance)
{
    return std::make_unique<Lockstep<LinkEndpoint>>(link_rtl(params, instance), reference_link(params, instance),
        LinkOut(), [bytes = params.flit_bytes](const LinkOut& expected, const LinkOut& got) {
            return difference(expected, got, bytes);
        });
}

using Slice = std::unique_ptr<ClockedSlice::Block>;

Slice reference_slice(const LlcParameters& parameters, const BlockInstance&)
{
    return std::make_unique<ReferenceSlice>(parameters);
}

Slice slice_rtl(const LlcParameters& parameters, const BlockInstance& instance)
{
    const WaveWindow wave = instance.wave();
    auto out = std::make_unique<LlcRtl>(noted(llc_source(parameters), wave, 1), instance.path, instance.seed());
    out->block().set_wave(wave);
    return out;
}

Slice slice_lockstep(const LlcParameters& parameters, const BlockInstance& instance)
{
    return std::make_unique<Lockstep<ClockedSlice::Block>>(slice_rtl(parameters, instance),
        reference_slice(parameters, instance), LlcOut());
}

ModelRegistry::LinkFactory clocked_link(std::unique_ptr<LinkEndpoint> (*make)(const LinkParams&, const BlockInstance&))
{
    return [make](const RunContext& context, const LinkRequest& request) {
        const LinkSpec& spec = request.parameters.get<LinkSpec>();
        const Time clock = ClockedLink::clock_of(spec);
        return std::make_unique<ClockedLink>(request.module_name.c_str(), context.event_queue, request.path, spec,
            request.seed, [make, &context, clock](const LinkParams& params, const std::string& end) {
                return make(params, BlockInstance{end, context.waves, clock / 2, context.seed});
            });
    };
}

ModelRegistry::SliceFactory clocked_slice(Slice (*make)(const LlcParameters&, const BlockInstance&))
{
    return [make](const RunContext& context, const SliceRequest& request) {
        return std::make_unique<ClockedSlice>(request.module_name.c_str(), context.event_queue, request,
            [make, waves = context.waves, seed = context.seed](const LlcParameters& parameters, const std::string& path,
                Time clock) {
                return make(parameters, BlockInstance{path, waves, clock / 2, seed});
            });
    };
}

ModelDeclaration slice_model(const std::string& name, const std::string& text)
{
    return ModelDeclaration(name, text)
        .with_ports(slice_ports())
        .with_statistics(clocked_slice_statistics())
        .without_kernel();
}

ModelDeclaration switch_model(const std::string& name, const std::string& text, const StatisticTable& statistics)
{
    return ModelDeclaration(name, text).with_ports(switch_ports()).with_statistics(statistics).without_kernel();
}

ModelDeclaration link_model(const std::string& name, const std::string& text, const StatisticTable& statistics)
{
    return ModelDeclaration(name, text).with_ports(link_ports()).with_statistics(statistics).without_kernel();
}

// With the parameters that clocked links read. The others describe packets, and clocked links have their own packet format.
ModelDeclaration clocked_link_model(const std::string& name, const std::string& text)
{
    return link_model(name, text, clocked_link_statistics())
        .with_reads({"link.flit", "link.bandwidth", "link.latency", "link.request_credits", "link.response_credits",
            "link.pool_credits", "link.vcs", "link.vc_sets", "link.replay_buffer", "link.replay_timeout",
            "link.bit_error_rate"});
}

// With the parameters that the block has, or that are refused where they are not as in the block.
ModelDeclaration clocked_switch_model(const std::string& name, const std::string& text)
{
    return switch_model(name, text, clocked_switch_statistics())
        .with_reads({"switch.latency", "switch.multicast_groups", "switch.group_contexts", "switch.reduce_timeout",
            "switch.message", "switch.clock", "switch.queues", "switch.allocator", "switch.iterations",
            "switch.vc_stage", "switch.traversal", "switch.credit_delay", "switch.input_speedup", "switch.transfer",
            "switch.output_buffer"});
}

// Parameters that RTL of users reads: its credits come back after a latency, and bit errors are refused. The block itself decides everything
// else, or what is around it.
const std::vector<std::string> read_by_links{"link.latency", "link.bit_error_rate"};
const std::vector<std::string> read_by_switches{"switch.clock", "switch.latency"};

// The map as it is now. Throws InputError where it has become one of another role.
PortMap map_of(const RegisteredBlock& block)
{
    PortMap map = read_port_map(block.map);
    if (map.role != block.role)
        throw InputError(block.map, 0,
            fmt::format("the map says role: {}, the block is registered as a {}", name_of(map.role),
                name_of(block.role)),
            "the command 'weft rtl add' again");
    return map;
}

void add_block(ModelRegistry& registry, const RegisteredBlock& block)
{
    const std::string text = block.text + " (RTL, " + block.map + ")";
    if (block.role == BlockRole::link)
        registry.add_link(link_model(block.name, text, dut_link_statistics()).with_reads(read_by_links),
            [block](const RunContext& context, const LinkRequest& request) {
                const BlockInstance instance{request.path, context.waves, 0, context.seed};
                return std::make_unique<DutLink>(request.module_name.c_str(), context.event_queue, request.path,
                    request.parameters.get<LinkSpec>(), map_of(block), block.files, instance.wave(), instance.seed());
            });
    else
        registry.add_switch(switch_model(block.name, text, dut_switch_statistics()).with_reads(read_by_switches),
            [block](const RunContext& context, const SwitchRequest& request) {
                const SwitchSpec& spec = request.parameters.get<SwitchSpec>();
                const BlockInstance instance{request.path, context.waves, spec.clock / 2, context.seed};
                return std::make_unique<DutSwitch>(request.module_name.c_str(), context.event_queue, request.path, spec,
                    request.ports, request.routes, map_of(block), block.files, instance.wave(), instance.seed());
            });
}

}  // namespace

void add_rtl_models(ModelRegistry& registry)
{
    registry.add_link(
        clocked_link_model("reference_link", "the same cycle behaviour as rtl_link, in C++").without_rtl(),
        clocked_link(reference_link));
    registry.add_link(
        clocked_link_model("rtl_link", "weft_link_endpoint.sv, verilated, at both ends: packets, CRC, replay"),
        clocked_link(link_rtl));
    registry.add_link(
        clocked_link_model("link_lockstep", "rtl_link and reference_link side by side; stops at the first difference"),
        clocked_link(link_lockstep));
    registry.add_switch(clocked_switch_model("rtl_switch",
                            "weft_group_switch.sv, verilated: virtual output queues, iSLIP or round robin, group unit"),
        clocked(rtl, rtl_grouped));
    registry.add_switch(
        clocked_switch_model("reference_switch", "the same cycle behaviour as rtl_switch, in C++").without_rtl(),
        clocked(reference_switch, reference_grouped));
    registry.add_switch(clocked_switch_model("switch_lockstep",
                            "rtl_switch and reference_switch side by side; stops at the first difference"),
        clocked(lockstep, lockstep_grouped));
    registry.add_slice(slice_model("reference_slice", "the same cycle behaviour as rtl_slice, in C++").without_rtl(),
        clocked_slice(reference_slice));
    registry.add_slice(slice_model("rtl_slice", "weft_llc_slice.sv, verilated: tags, misses, write-backs"),
        clocked_slice(slice_rtl));
    registry.add_slice(
        slice_model("slice_lockstep", "rtl_slice and reference_slice side by side; stops at the first difference"),
        clocked_slice(slice_lockstep));
}

void add_registered_blocks(ModelRegistry& registry)
{
    for (const RegisteredBlock& block : registered_blocks()) {
        try {
            add_block(registry, block);
        } catch (const InputError& error) {
            throw InputError(block.at, 0, error.diagnostics().front().what, error.diagnostics().front().expected);
        }
    }
}

}  // namespace weft
