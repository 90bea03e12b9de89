#include "testbenches/flow/accuracy/accuracy_rows.h"

#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "base/units.h"
#include "infragraph/load.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/configuration/resolution/resolve.h"
#include "testbenches/platform/runs.h"

namespace accuracy_test {

using namespace weft;
using namespace weft::testing;

namespace {

const std::string source_root = std::string(WEFT_SOURCE_DIR) + "/";

ResolvedSystem system_of_trace(const std::string& name)
{
    const std::string prefix = source_root + "testbenches/flow/accuracy/traces/" + name;
    SystemDescription description;
    description.infrastructure = source_root + "examples/dgx_h100/dgx_h100.yaml";
    description.workload.kind = Workload::Kind::trace;
    description.workload.trace = prefix;
    description.workload.groups = prefix + "_groups.json";
    return load_system(description);
}

// A document is read once for all its rows.
std::shared_ptr<const Graph> graph_of(const std::string& document)
{
    static std::map<std::string, std::shared_ptr<const Graph>> known;
    std::shared_ptr<const Graph>& graph = known[document];
    if (!graph) graph = std::make_shared<const Graph>(load_infrastructure(document).graph);
    return graph;
}

std::vector<std::vector<std::string>> all_systems()
{
    std::vector<std::vector<std::string>> systems = rows("systems.txt");
    for (const char* more :
        {"probe/systems.txt", "in_switch_systems.txt", "beside_systems.txt", "large_systems.txt", "few_systems.txt"})
        for (const auto& words : rows(more)) systems.push_back(words);
    return systems;
}

// As the options that tools/flow_accuracy makes of systems.txt.
ResolvedSystem system_of(const Row& row)
{
    if (row.op == "trace") return system_of_trace(row.algorithm);
    static const std::vector<std::vector<std::string>> systems = all_systems();
    for (const auto& words : systems) {
        if (words.at(0) != row.system) continue;
        const std::string path = source_root + words.at(1);
        const bool file = path.size() > 11 && path.compare(path.size() - 11, 11, "system.yaml") == 0;
        SystemDescription description = file ? read_system_file(path) : SystemDescription{};
        if (!file) description.infrastructure = path;
        description.workload.kind = Workload::Kind::collective;
        description.workload.plan.clear();
        description.workload.collective = row.op;
        description.workload.algorithm = row.algorithm;
        description.workload.bytes = parse_bytes(row.bytes).value();
        description.workload.beside = row.beside;
        for (std::size_t i = 2; i < words.size(); ++i) {
            const std::size_t equals = words[i].find('=');
            const std::string name = words[i].substr(0, equals);
            const std::string value = words[i].substr(equals + 1);
            if (name == "ranks") {
                description.workload.rank_count = std::stoul(value);
            } else if (name == "profile") {
                description.profile = value;
            } else {
                description.sets.push_back(parse_set(words[i]));
            }
        }
        for (const std::string& set : row.sets) description.sets.push_back(parse_set(set));
        return resolve(description, graph_of(description.infrastructure));
    }
    throw std::runtime_error("no system " + row.system);
}

}  // namespace

std::vector<std::vector<std::string>> rows(const std::string& name)
{
    std::ifstream file(source_root + "testbenches/flow/accuracy/" + name);
    std::vector<std::vector<std::string>> out;
    for (std::string text; std::getline(file, text);) {
        if (text.empty() || text.front() == '#') continue;
        std::istringstream words(text);
        out.emplace_back();
        for (std::string word; words >> word;) out.back().push_back(word);
    }
    return out;
}

std::vector<Row> all_rows(const std::string& name)
{
    std::vector<Row> out;
    for (const auto& words : rows(name))
        out.push_back({words.at(0), words.at(1), words.at(2), words.at(3), std::stod(words.at(4)),
            {words.begin() + 5, words.end()}, {}});
    return out;
}

std::vector<Row> beside_rows()
{
    std::vector<Row> out = all_rows("beside.txt");
    for (Row& row : out) {
        row.beside = row.sets.at(0);
        row.sets.erase(row.sets.begin());
    }
    return out;
}

RunOptions quiet()
{
    RunOptions options;
    options.progress = options.data_on = false;
    return options;
}

double by_flow(const Row& row)
{
    static std::map<std::string, double> known;
    const auto [found, is_new] = known.try_emplace(fmt::format("{} with {}", row.name(), fmt::join(row.sets, " ")), 0);
    if (is_new) found->second = static_cast<double>(run_flow(system_of(row), quiet()).simulated_ps);
    return found->second;
}

double by_lines(const Row& row)
{
    return std::stod(in_timed_child(
        [&] { return std::to_string(run_system(system_of(row), ModelRegistry(), quiet()).simulated_ps); }, 600));
}

std::vector<Row> trace_rows()
{
    std::vector<Row> out;
    for (const auto& words : rows("traces.txt"))
        out.push_back({"dgx_h100", "trace", words.at(0), "", std::stod(words.at(1)), {}, {}});
    return out;
}

}  // namespace accuracy_test
