#include <map>
#include <optional>

#include <fmt/format.h>

#include "infragraph/summary.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/sparse_paths.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/options/system_options.h"
#include "platform/commands/options/workload_options.h"
#include "platform/configuration/parameter_place.h"
#include "platform/result/assumptions_json.h"
#include "platform/workload/dimension_rates_of.h"
#include "platform/workload/replay_traffic.h"
#include "platform/workload/run_workload.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/wide_transactions.h"

namespace weft {

namespace {

std::string profiles_text(const ResolvedSystem& system)
{
    std::map<std::string, std::size_t> tally;
    for (const NodeId node : system.endpoints()) ++tally[system.profile(node)];
    std::string out;
    for (const auto& [name, count] : tally) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, count);
    return out.empty() ? "none" : out;
}

// A system that is too large for tables of routes: what flow fidelity can have checked without them. Throws InputError for what it
// would refuse.
std::string large_text(const ResolvedSystem& system, std::optional<RunWorkload>& load, std::vector<NodeId> members,
    std::size_t ranks)
{
    const FlowFabric fabric(system, members);
    SparsePaths paths(system, members);
    for (std::uint32_t to = 1; to < members.size(); ++to) {
        paths.path(0, to);
        paths.path(to, 0);
    }
    if (load) {
        std::vector<Dimension> dimensions = system.workload.dimensions;
        if (dimensions.empty() && system.workload.plan.empty()) {
            std::vector<std::string> nodes;
            for (std::size_t rank = 0; rank < ranks; ++rank) nodes.push_back(system.graph().node(members[rank]).name);
            dimensions = device_dimensions(nodes);
        }
        load->set_dimensions(std::move(dimensions), ranks);
        load->require_schedule(ranks, nullptr);
    }
    return fmt::format("{:<13}{} endpoints; for flow fidelity alone, which finds paths pair by pair\n", "routes",
               members.size()) +
        fmt::format(
            "{:<13}{} ranks on {} nodes are too many for tables of routes. Not checked: routes between other "
            "pairs than those with the first rank, cycles of waiting buffers, VC sets, ports and lengths of paths. "
            "Assumptions are those of all nodes and links, on routes or not\n",
            "notice", members.size(), system.graph().node_count());
}

// What a system file adds to its document. Throws InputError for a system that `weft run` would refuse.
std::string system_text(const ResolvedSystem& system, std::vector<Assumption>& assumptions)
{
    std::optional<RunWorkload> load;
    if (system.workload.kind != Workload::Kind::none) load.emplace(system);
    std::vector<NodeId> members = members_of(system, load ? load->wanted() : 0);
    const std::size_t ranks = members.size();
    add_replay_gpus(system, members);
    add_memories(system, members);
    std::string out;
    const auto line = [&out](const char* label, const std::string& value) {
        out += fmt::format("{:<13}{}\n", label, value);
    };
    if (!system.file.empty()) line("system", system.name + " (" + system.file + ")");
    line("profiles", profiles_text(system));
    line("workload", workload_text(system.workload));
    if (!has_tables(system, members.size())) {
        out += large_text(system, load, std::move(members), ranks);
        for (const std::string& notice : system.notices) line("notice", notice);
        assumptions = assumptions_among(system.assumptions, {});
        return out;
    }
    const FabricPlan plan = plan_fabric(system, std::move(members));
    const ReplayTraffic traffic(system, plan);
    require_wide(system, plan);
    if (load) {
        load->set_dimensions(dimensions_with_rates(system, plan, static_cast<std::uint32_t>(ranks)), ranks);
        load->require_endpoints(traffic, ranks);
        load->require_schedule(ranks, &plan);
    }
    std::size_t links = 0;
    for (const bool used : plan.used.edges) links += used ? 1 : 0;
    const bool checked = system.routing().cycles == CyclePolicy::refuse;
    line("routes",
        fmt::format("{} endpoints over {} link{}, {}", plan.members.size(), links, links == 1 ? "" : "s",
            checked ? "free of deadlock" : "cycles of waiting buffers allowed"));
    for (const std::string& notice : system.notices) line("notice", notice);
    for (const std::string& notice : plan.notices) line("notice", notice);
    assumptions = assumptions_among(system.assumptions, plan.used);
    return out;
}

// A document alone is good InfraGraph even where Weft could not run it: that is a notice.
std::string document_text(const SystemDescription& description, LoadedGraph loaded, const SystemOptions& options,
    std::vector<Assumption>& assumptions)
{
    try {
        const ResolvedSystem system = resolve_loaded(description, std::move(loaded), options.registry());
        assumptions = assumptions_among(system.assumptions, {});
    } catch (const InputError& error) {
        std::string out;
        for (const Diagnostic& problem : error.diagnostics())
            out += fmt::format("{:<13}weft run refuses it: {}\n", "notice", problem.text());
        return out;
    }
    return "";
}

}  // namespace

int check_command(const Arguments& arguments)
{
    CommandLine line("check",
        "Reads and validates an InfraGraph document. Prints its name, nodes, edges, nodes by type, endpoints, and the "
        "assumptions that it needs. For a system file, or with parameters or a workload on the command line, also "
        "checks "
        "the parameters, the workload and the routes. Each problem is printed with file and line.\n");
    SystemOptions options;
    std::string json;
    options.add_file(line, "FILE");
    options.add_reading(line);
    options.add_strict(line);
    line.value("--json", "FILE", json,
        "also write the facts about the document as JSON; '-' writes JSON instead of the text");
    line.section("parameters, in addition to those of the system file");
    options.add_parameters(line);
    WorkloadOptions workload;
    workload.add(line);
    if (!line.parse(arguments)) return exit_good;

    const OutputFile output(json);
    SystemDescription description = options.description();
    LoadedGraph loaded = options.load(description);
    std::string text = check_text(loaded);
    auto as_json = nlohmann::ordered_json::parse(check_json(loaded));
    loaded.notices.clear();  // they are in the text
    std::vector<Assumption> assumptions;
    workload.apply(description.workload);
    const bool is_system =
        !description.file.empty() || options.changes_system() || description.workload.kind != Workload::Kind::none;
    if (is_system) {
        const ResolvedSystem system = resolve_loaded(description, std::move(loaded), options.registry());
        try {
            text += system_text(system, assumptions);
        } catch (const InputError& error) {
            throw at_its_parameter(error, system);
        }
    } else {
        text += document_text(description, std::move(loaded), options, assumptions);
    }
    if (options.strict()) refuse_assumptions(assumptions);
    for (const std::string& assumed : assumption_lines(assumptions))
        text += fmt::format("{:<13}{}\n", "assumed", assumed);
    as_json["assumptions"] = assumptions_json(assumptions);
    output.write(as_json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    if (!output.is_stdout()) print(text);
    return exit_good;
}

}  // namespace weft
