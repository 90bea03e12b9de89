#include "testbenches/platform/runs.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "infragraph/load.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "testbenches/tlm_interconnect/child.h"

namespace weft::testing {

ResolvedSystem resolve_setup(const RunSetup& setup, const KnownNames& known)
{
    const bool is_text = setup.document.find('\n') != std::string::npos;
    const std::string path = is_text ? "inline.yaml" : setup.document;
    SystemDescription description = read_system_text("system.yaml", "infrastructure: " + path + "\n" + setup.lines);
    // Bytes where hardware keeps them, so that a wrong fill is a wrong result; a setup may say otherwise.
    description.sets.push_back(parse_set("l2.contents=cached"));
    for (const std::string& set : setup.sets) description.sets.push_back(parse_set(set));
    const auto resolved = [&] {
        if (!is_text) return load_system(description, known);
        LoadedGraph loaded = load_infrastructure_text(path, setup.document);
        return resolve(description, std::make_shared<Graph>(std::move(loaded.graph)), known);
    };
    ResolvedSystem system = resolved();
    if (!setup.rank_nodes.empty()) system.workload.rank_nodes = setup.rank_nodes;
    if (!setup.algorithm.empty()) system.workload.algorithm = setup.algorithm;
    return system;
}

ResolvedSystem star_of_four(const ModelRegistry& registry, const std::vector<std::string>& sets,
    const std::string& lines)
{
    SystemDescription description = read_system_text("system.yaml", "infrastructure: inline.yaml\n" + lines);
    for (const std::string& set : sets) description.sets.push_back(parse_set(set));
    LoadedGraph loaded = load_infrastructure_text("inline.yaml", star_document(4));
    KnownNames known;
    known.models = registry.names_by_kind();
    known.blocks = registry.blocks();
    return resolve(description, std::make_shared<Graph>(std::move(loaded.graph)), known);
}

namespace {

// Checkers triple the time of a run: small ones always have them.
bool is_small(const ResolvedSystem& system)
{
    constexpr std::size_t most_endpoints = 8;
    constexpr std::uint64_t most_bytes = 16 << 10;
    return system.endpoints().size() <= most_endpoints && system.workload.bytes <= most_bytes;
}

}  // namespace

RunResult run_here(const RunSetup& setup)
{
    RunOptions options = setup.options;
    options.progress = false;
    const ResolvedSystem system = resolve_setup(setup);
    options.check_protocol = options.check_protocol || is_small(system);
    return run_system(system, ModelRegistry(), options);
}

std::string in_timed_child(const std::function<std::string()>& action, unsigned limit_s)
{
    return in_child([&] {
        alarm(limit_s * (WEFT_SLOW_BUILD ? 10 : 1));  // its signal ends the child
        return action();
    });
}

Json run(const RunSetup& setup, unsigned limit_s)
{
    return result_of([&] { return run_here(setup); }, limit_s);
}

Json result_of(const std::function<RunResult()>& action, unsigned limit_s)
{
    const std::string text = in_timed_child(
        [&] {
            Json out;
            try {
                const RunResult result = action();
                out = Json::parse(result_json(result, false));
                out["blocked"] = result.blocked;
                out["mismatches"] = result.mismatches;
                out["exit_code"] = result.exit_code();
            } catch (const InputError& error) {
                out["refused"] = error.what();
            }
            return out.dump();
        },
        limit_s);
    return text.empty() ? Json::object() : Json::parse(text);
}

std::string collective_lines(const std::string& op, const std::string& algorithm, const std::string& bytes,
    const std::string& more)
{
    const std::string message = op == "barrier" ? "" : ", bytes: " + bytes;  // a barrier has none
    return "workload: {collective: " + op + ", algorithm: " + algorithm + message + (more.empty() ? "" : ", " + more) +
        "}\n";
}

std::string trace_lines(const std::string& prefix, const std::string& more)
{
    return "workload: {trace: \"" + prefix + "\"" + (more.empty() ? "" : ", " + more) + "}\n";
}

std::string example(const std::string& name)
{
    return std::string(WEFT_SOURCE_DIR) + "/examples/" + name + "/" + name + ".yaml";
}

std::string shared_document(const std::string& name)
{
    return std::string(WEFT_SHARED_DIR) + "/infragraph/" + name + ".yaml";
}

bool has_shared() { return std::filesystem::exists(WEFT_SHARED_DIR); }

namespace {

std::string document(unsigned n, const std::string& components, const std::string& edge)
{
    return "name: bench\ndevices:\n- name: box\n  components:\n"
           "  - {name: xpu, choice: xpu, count: " +
        std::to_string(n) + ", description: accelerator}\n" + components +
        "  links:\n  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: "
        "{ns: 70}}}\n"
        "  edges:\n  - " +
        edge + "\ninstances:\n- {name: b, device: box, count: 1}\n";
}

}  // namespace

std::string star_document(unsigned n)
{
    return document(n, "  - {name: sw, choice: switch, count: 1, description: switch}\n",
        "{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}");
}

std::string mesh_document(unsigned n)
{
    return document(n, "", "{ep1: {component: xpu}, ep2: {component: xpu}, scheme: many2many, link: wire}");
}

}  // namespace weft::testing
