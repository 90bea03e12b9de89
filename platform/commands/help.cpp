#include <fmt/format.h>

#include "platform/console/command_line.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

std::string overview()
{
    std::string out =
        "Weft simulates multi-GPU systems. An InfraGraph document describes the system, a collective or a\n"
        "Chakra trace is the workload, and every byte moves in 64-byte TLM-2.0 transactions.\n\n"
        "usage: weft COMMAND [OPTIONS]\n\ncommands:\n";
    for (const Command& command : commands()) out += fmt::format("  {:<10}{}\n", command.name, command.summary);
    out += "\n'weft COMMAND --help' lists the options of a command; 'weft --version' prints the release.\n"
           "'./weft test', in the root of the source tree, builds and runs the test suite.\n\n"
           "units:\n"
           "  sizes     B KiB MiB GiB KB MB GB\n"
           "  times     ps ns us ms s\n"
           "  rates     GB/s Gbps\n\n"
           "exit codes:\n"
           "  0         finished, and every check that was on holds\n"
           "  1         finished, but a result is wrong\n"
           "  2         bad input or usage; one 'file:line: what; expected what' line per problem on stderr\n"
           "  3         the system cannot progress; the report lists what each part waits for\n"
           "  130       interrupted; partial results are marked as partial\n";
    return out;
}

}  // namespace

int help_command(const Arguments& arguments)
{
    CommandLine line("help", "Lists the commands, or describes one command and its options.\n");
    std::string name;
    line.positional("COMMAND", name, "a command whose page is printed", false);
    if (!line.parse(arguments)) return exit_good;
    if (name.empty()) {
        print(overview());
        return exit_good;
    }
    return run_command({name, "--help"});
}

}  // namespace weft
