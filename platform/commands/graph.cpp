#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.h"
#include "infragraph/graph_text.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/options/system_options.h"
#include "platform/plotting/graph_picture.h"
#include "platform/simulation/cut_plan.h"
#include "platform/workload/run_workload.h"

namespace weft {

namespace {

// How `weft run` would cut a run: into so many parts, or those of a file.
struct Cut {
    std::string partitions;
    std::string parts;

    bool wanted() const { return !partitions.empty() || !parts.empty(); }
};

// Of a system file the parts of its workload; of a document those of all GPUs.
void add_parts(GraphPicture& picture, const Cut& cut, const SystemOptions& options,
    const SystemDescription& description, const LoadedGraph& loaded)
{
    const ModelRegistry registry = options.registry();
    const ResolvedSystem system = resolve_loaded(description, loaded, registry);
    std::vector<NodeId> members = system.workload.kind == Workload::Kind::none
        ? members_of(system)
        : members_of(system, RunWorkload(system).wanted());
    add_replay_gpus(system, members);
    add_memories(system, members);
    const FabricPlan plan = plan_fabric(system, std::move(members));
    const CutPlan parts = cut.parts.empty()
        ? cut_plan(system, plan, registry,
              static_cast<std::uint32_t>(number_option("--partitions", cut.partitions, 1, most_partitions)))
        : cut_plan(system, plan, registry, read_parts_file(cut.parts));
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) picture.parts[parts.nodes[i]] = parts.partition.part[i];
    picture.part_texts = part_texts(parts.graph, parts.partition);
    picture.cut_text = cut_text(parts.graph, parts.partition);
}

// Of a system file what `weft run` takes of each link; of a document nothing, which stands for what it states.
std::vector<EdgeFigures> figures_of(const SystemOptions& options, const SystemDescription& description,
    const LoadedGraph& loaded)
{
    std::vector<EdgeFigures> out;
    if (description.file.empty()) return out;
    const ResolvedSystem system = resolve_loaded(description, loaded, options.registry());
    out.resize(loaded.graph.edge_count());
    for (EdgeId id = 0; id < loaded.graph.edge_count(); ++id)
        if (system.has_bandwidth(id)) out[id] = {system.link(id).bandwidth, system.link(id).latency};
    return out;
}

std::string picture_of(const SystemOptions& options, const SystemDescription& description, const LoadedGraph& loaded,
    const std::vector<EdgeFigures>& of_run, const Cut& cut)
{
    const Graph& graph = loaded.graph;
    GraphPicture picture;
    picture.title = graph.infrastructure().name;
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> rates;  // lowest and highest of a kind
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        const std::uint64_t rate =
            (of_run.empty() ? graph.kind(id).bytes_per_second : of_run[id].bytes_per_second).value_or(0);
        if (rate == 0) continue;
        auto& [low, high] = rates.emplace(graph.kind(id).link, std::pair(rate, rate)).first->second;
        low = std::min(low, rate);
        high = std::max(high, rate);
    }
    for (const auto& [link, range] : rates)
        picture.rates[link] =
            format_rate(range.first) + (range.first == range.second ? "" : " to " + format_rate(range.second));
    if (cut.wanted()) add_parts(picture, cut, options, description, loaded);
    return graph_picture_svg(graph, lay_out(graph), picture);
}

}  // namespace

int graph_command(const Arguments& arguments)
{
    CommandLine line("graph",
        "Writes the expanded graph of an InfraGraph document. JSON lists 'nodes' (name, type, ...) and 'edges' (a, b, "
        "link, ...) with fully-qualified names; DOT is for Graphviz; SVG draws devices as boxes and tiers in rows, and "
        "groups large systems. Of a system file, bandwidths and latencies are those that 'weft run' takes.\n");
    SystemOptions options;
    std::string format = "json";
    std::string path = "-";
    Cut cut;
    options.add_file(line, "FILE");
    line.value("--format", "FORMAT", format, "one of json, dot, svg; default json");
    line.value("-o,--output", "OUT", path, "the file to write; default the standard output");
    line.value("--partitions", "N", cut.partitions,
        "in the SVG, the parts into which 'weft run --partitions N' cuts a run");
    line.value("--parts", "FILE", cut.parts, "in the SVG, the parts that this file lists, as of 'weft run --parts'");
    options.add_reading(line);
    if (!line.parse(arguments)) return exit_good;

    check_choice("--format", format, {"json", "dot", "svg"});
    if (cut.wanted() && format != "svg")
        throw usage_error(fmt::format("{} with --format {}", cut.parts.empty() ? "--partitions" : "--parts", format),
            "--format svg");
    if (!cut.partitions.empty() && !cut.parts.empty()) throw usage_error("--parts with --partitions", "one of them");
    const OutputFile output(path);
    const SystemDescription description = options.description();
    const LoadedGraph loaded = options.load(description);
    const std::vector<EdgeFigures> of_run = figures_of(options, description, loaded);
    const std::string text = format == "json" ? graph_json(loaded.graph, of_run)
        : format == "dot"                     ? graph_dot(loaded.graph, of_run)
                                              : picture_of(options, description, loaded, of_run, cut);
    output.write(text);
    std::vector<std::string> notices;
    for (const Notice& notice : loaded.notices)
        notices.push_back(Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    print_notices(notices);
    return exit_good;
}

}  // namespace weft
