#include "infragraph/load.h"
#include "platform/console/command_line.h"
#include "platform/commands/demo_document.h"
#include "platform/console/messages.h"
#include "platform/commands/options/system_options.h"
#include "platform/result/report.h"
#include "platform/simulation/run.h"

namespace weft {

namespace {

const char* const introduction =
    "The demonstration: eight H100 accelerators behind four NVSwitches (examples/dgx_h100) add up 1 MiB "
    "each,\n"
    "as a ring all-reduce. Every byte crosses caches, links and switches in 64-byte TLM-2.0 transactions.\n"
    "At the end the memory of all eight is compared with the correct sums.\n\n";

const char* const farther =
    "\nFrom here:\n"
    "  weft run examples/dgx_h100/system.yaml --bytes 4MiB --json result.json     a larger run, with a result file\n"
    "  weft run examples/dgx_h100/system.yaml --algorithm direct                  another algorithm\n"
    "  weft explain examples/dgx_h100/system.yaml                                 every parameter and its "
    "source\n"
    "  weft route examples/dgx_h100/system.yaml --from dgx.0.xpu.0 --to dgx.0.xpu.5\n"
    "docs/guide.md continues from here; examples/ has systems to start from.\n";

}  // namespace

int demo_command(const Arguments& arguments)
{
    CommandLine line("demo",
        "Runs a ring all-reduce of 1 MiB on eight H100 accelerators behind four switches, checks the result in their "
        "memories, and prints the result and the next commands to try. Takes seconds.\n");
    if (!line.parse(arguments)) return exit_good;

    SystemDescription description;
    description.infrastructure = "examples/dgx_h100/dgx_h100.yaml";
    description.profile = "h100";
    description.workload.kind = Workload::Kind::collective;
    description.workload.collective = "all_reduce";
    description.workload.bytes = std::uint64_t{1} << 20;
    const ModelRegistry registry;
    const ResolvedSystem system =
        resolve_loaded(description, load_infrastructure_text(description.infrastructure, demo_document), registry);
    print(introduction);
    output_is_good();
    const RunResult result = run_system(system, registry);
    print(result_summary(result));
    if (result.exit_code() == exit_good) print(farther);
    return result.exit_code();
}

}  // namespace weft
