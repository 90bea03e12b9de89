#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/units.h"
#include "infragraph/dimension_notation.h"
#include "platform/configuration/parameters/blocks.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

// One value for each dimension, or one for all, in the range that a run takes.
template <class Parse>
std::vector<std::uint64_t> by_dimension(const std::string& option, const std::string& text, std::size_t dimensions,
    const Parse& parse, const char* form, const ParameterInfo& range)
{
    std::vector<std::uint64_t> out;
    for (const std::string_view item : comma_list(text)) {
        const std::string one(item);
        const auto value = parse(one);
        if (!value) throw usage_error("option '" + option + "' has the value " + quoted_word(one), form);
        if (*value < range.low || *value > range.high)
            throw usage_error("option '" + option + "' has the value " + quoted_word(one) + ", which is out of range",
                describe_range(range));
        out.push_back(*value);
    }
    if (out.size() == 1) out.resize(dimensions, out.front());
    if (out.size() != dimensions)
        throw usage_error(fmt::format("option '{}' has {} values for {} dimensions", option, out.size(), dimensions),
            "one for each dimension, or one for all");
    return out;
}

}  // namespace

int network_command(const Arguments& arguments)
{
    CommandLine line("network",
        "Writes the InfraGraph document of a network from its dimensions, innermost first: Ring(N), FullyConnected(N) "
        "and Switch(N), joined by '_'. Every dimension has links of its own.\n\n"
        "  weft network 'Ring(8)_Switch(4)' --bandwidth 200GB/s,50GB/s --latency 500ns -o net.yaml\n"
        "  weft run --infra net.yaml --collective all_reduce --bytes 1MiB --dimensions a=8,b=4\n\n"
        "In a dimension without switches, accelerators forward packets of others; --set routing.cycles=allow may be "
        "needed.\n");
    std::string notation;
    std::string bandwidth;
    std::string latency = "500ns";
    std::string path = "-";
    line.positional("NOTATION", notation, "the dimensions, such as 'Ring(8)_FullyConnected(4)_Switch(16)'");
    line.value("--bandwidth", "RATE,...", bandwidth,
        "bandwidth of a link of each dimension, or of all dimensions: GB/s or Gbps");
    line.value("--latency", "TIME,...", latency,
        "latency of a link of each dimension, or of all dimensions; default 500ns");
    line.value("-o,--output", "OUT", path, "the file to write; default the standard output");
    if (!line.parse(arguments)) return exit_good;

    if (bandwidth.empty())
        throw usage_error("the bandwidth of the links is missing", "--bandwidth RATE,..., such as 200GB/s,50GB/s");
    std::vector<NotationDimension> dimensions = parse_notation(notation);
    const BlockInfo& link = info_of(block_of<LinkSpec>());
    const auto range = [&link](const char* name) -> const ParameterInfo& { return *link.parameters[*link.find(name)]; };
    const auto rates = by_dimension("--bandwidth", bandwidth, dimensions.size(), parse_rate,
        "a rate, such as 50GB/s or 400Gbps", range("bandwidth"));
    const auto times =
        by_dimension("--latency", latency, dimensions.size(), parse_time_ps, "a time, such as 500ns", range("latency"));
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        dimensions[d].bandwidth = rates[d];
        dimensions[d].latency_ps = times[d];
    }
    const OutputFile output(path);
    output.write(notation_document(notation, dimensions));
    return exit_good;
}

}  // namespace weft
