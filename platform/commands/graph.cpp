#include <algorithm>
#include <map>

#include "base/units.h"
#include "infragraph/graph_text.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/system_options.h"
#include "platform/plotting/graph_picture.h"

namespace weft {

namespace {

// Bandwidths are those of the document; of a system file those that `weft run` takes.
std::string picture_of(const SystemOptions& options, const SystemDescription& description, const LoadedGraph& loaded)
{
    const Graph& graph = loaded.graph;
    GraphPicture picture;
    picture.title = graph.infrastructure().name;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> rates;  // lowest and highest of a kind
    const auto add = [&](EdgeId id, std::uint64_t rate) {
        if (rate == 0) return;
        auto& [low, high] = rates.emplace(graph.kind(id).link, std::pair(rate, rate)).first->second;
        low = std::min(low, rate);
        high = std::max(high, rate);
    };
    if (description.file.empty()) {
        for (EdgeId id = 0; id < graph.edge_count(); ++id) add(id, graph.kind(id).bytes_per_second.value_or(0));
    } else {
        const ResolvedSystem system = resolve_loaded(description, loaded, options.registry());
        for (EdgeId id = 0; id < graph.edge_count(); ++id)
            add(id, system.has_bandwidth(id) ? system.link(id).bandwidth : 0);
    }
    for (const auto& [link, range] : rates)
        picture.rates[link] =
            format_rate(range.first) + (range.first == range.second ? "" : " to " + format_rate(range.second));
    return graph_picture_svg(graph, lay_out(graph), picture);
}

}  // namespace

int graph_command(const Arguments& arguments)
{
    CommandLine line("graph",
        "Writes the expanded graph of an InfraGraph document. JSON lists 'nodes' (name, type, ...) and 'edges' (a, b, "
        "link, ...) with fully-qualified names; DOT is for Graphviz; SVG draws devices as boxes and tiers in rows, and "
        "groups large systems.\n");
    SystemOptions options;
    std::string format = "json";
    std::string path = "-";
    options.add_file(line, "FILE");
    line.value("--format", "FORMAT", format, "one of json, dot, svg; default json");
    line.value("-o,--output", "OUT", path, "the file to write; default the standard output");
    options.add_reading(line);
    if (!line.parse(arguments)) return exit_good;

    check_choice("--format", format, {"json", "dot", "svg"});
    const OutputFile output(path);
    const SystemDescription description = options.description();
    const LoadedGraph loaded = options.load(description);
    const std::string text = format == "json" ? graph_json(loaded.graph)
        : format == "dot"                     ? graph_dot(loaded.graph)
                                              : picture_of(options, description, loaded);
    output.write(text);
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    print_notices(notices);
    return exit_good;
}

}  // namespace weft
