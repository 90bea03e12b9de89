#include <cstdio>
#include <exception>

#include "base/nearest.h"
#include "platform/commands/command.h"
#include "platform/console/messages.h"
#include "platform/console/standard_output.h"
#include "platform/commands/version.h"
#include "platform/simulation/interrupt.h"

namespace weft {

const std::vector<Command>& commands()
{
    static const std::vector<Command> all{
        {"demo", "one all-reduce on eight GPUs, end to end, in seconds", demo_command},
        {"run", "simulates a system and its workload", simulate_command},
        {"sweep", "many runs over lists of values, in parallel, as one table", sweep_command},
        {"fabric", "open-loop traffic over a fabric: latency against throughput", fabric_command},
        {"workload", "writes Chakra traces of models, and of benchmarks, without a recording", workload_command},
        {"probe", "hardware micro-benchmarks inside the simulation, beside published figures", probe_command},
        {"validate", "simulated collectives beside measured ones, with their errors", validate_command},
        {"compare", "what differs between two results, and whether that is beyond a tolerance", compare_command},
        {"schema", "the JSON schema of results, and whether a file holds what it describes", schema_command},
        {"check", "reads and validates an InfraGraph document or a system file", check_command},
        {"graph", "the expanded graph as JSON, DOT or SVG", graph_command},
        {"network", "the document of a network named by its dimensions, such as Ring(8)_Switch(4)", network_command},
        {"route", "the path that lines take between two nodes, hop by hop", route_command},
        {"plan", "a collective plan of others: verified, explained, what is wrong with it", plan_command},
        {"explain", "every parameter of every module and where its value comes from", explain_command},
        {"models", "what can be instantiated, with parameters, units, defaults and ranges", models_command},
        {"rtl", "blocks of RTL of your own as models: adds, lists, removes them", rtl_command},
        {"help", "this page, or that of one command", help_command},
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
    keep_output_for_results();
    end_on_interrupt();
    int code = exit_refused;
    try {
        code = dispatch(arguments);
    } catch (const InputError& error) {
        print_problems(error);
    } catch (const std::bad_alloc&) {
        print_problems(usage_error("not enough memory for this", "a smaller system or message, or --no-data"));
    } catch (const std::exception& error) {
        print_problems(usage_error(std::string("internal error: ") + error.what(), ""));
    }
    if (!output_is_good() && code == exit_good) {
        print_problems(usage_error("the standard output cannot be written", "a place with room"));
        code = exit_refused;
    }
    return code;
}

}  // namespace weft
