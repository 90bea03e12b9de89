#include <csignal>

#include "base/nearest.h"
#include "platform/commands/command.h"
#include "platform/commands/outcome.h"
#include "platform/commands/version.h"
#include "platform/console/messages.h"
#include "platform/console/standard_output.h"

namespace weft {

const std::vector<Command>& commands()
{
    static const std::vector<Command> all{
        {"demo", "one all-reduce on eight GPUs, end to end, in seconds", demo_command},
        {"run", "simulates a system and its workload", simulate_command},
        {"sweep", "many runs over lists of values, in parallel, in one table", sweep_command},
        {"fabric", "open-loop traffic over a fabric: latency against throughput", fabric_command},
        {"workload", "writes Chakra traces of models and benchmarks without a recording", workload_command},
        {"probe", "hardware micro-benchmarks inside the simulation, compared with published figures", probe_command},
        {"validate", "simulated collectives compared with measured ones, with the errors", validate_command},
        {"calibrate", "measures at line fidelity the number that flow fidelity takes from runs", calibrate_command},
        {"compare", "the differences between two results, checked against a tolerance", compare_command},
        {"schema", "the JSON schema of results, and a check of a file against it", schema_command},
        {"check", "reads and validates an InfraGraph document or a system file", check_command},
        {"graph", "the expanded graph as JSON, DOT or SVG", graph_command},
        {"network", "writes the document of a network from its dimensions, such as Ring(8)_Switch(4)", network_command},
        {"route", "the path of packets between two nodes, hop by hop", route_command},
        {"plan", "reads, verifies and explains a collective plan of another tool", plan_command},
        {"explain", "every parameter of every module, and the source of its value", explain_command},
        {"models", "all models, with parameters, units, defaults and ranges", models_command},
        {"rtl", "adds, lists and removes RTL blocks of your own as models", rtl_command},
        {"help", "this page, or the page of one command", help_command},
    };
    return all;
}

namespace {

int dispatch(const Arguments& arguments)
{
    if (arguments.empty()) return help_command({});
    std::string name = arguments.front();
    if (name == "-h" || name == "--help") name = "help";
    if (name == "--version") {
        print(version_text() + "\n");
        return exit_good;
    }
    for (const Command& command : commands())
        if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});

    if (name == "test")
        throw usage_error("'test' is a command of the launcher", "./weft test in the root of the source tree");
    std::vector<std::string> known;
    for (const Command& command : commands()) known.push_back(command.name);
    throw usage_error("unknown command " + quoted_word(name),
        with_nearest("a command that 'weft help' lists", name, known));
}

}  // namespace

int run_command(const Arguments& arguments)
{
    std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is one that cannot be written
    return outcome_of(dispatch, arguments);
}

}  // namespace weft
