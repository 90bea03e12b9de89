#include "platform/configuration/explain.h"

#include <fmt/format.h>

#include "platform/applications/flow/flow_calibration.h"
#include "platform/console/messages.h"
#include "platform/commands/options/system_options.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

int explain_command(const Arguments& arguments)
{
    CommandLine line("explain",
        "Prints every parameter of every module of a system, with its unit and the source of its value: default, "
        "profile, link table, node table, InfraGraph document, annotation, system file or --set. Modules with the same "
        "values are listed once.\n");
    SystemOptions options;
    bool used = false;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_parameters(line);
    std::string file;
    line.section("output");
    line.value("--calibration", "FILE", file, "a file of 'weft calibrate', whose number is printed for flow fidelity");
    line.flag("--used", used, "print only the nodes and links on routes between the accelerators that take part");
    if (!line.parse(arguments)) return exit_good;

    const SystemDescription description = options.description();
    const ResolvedSystem system = resolve_loaded(description, options.load(description), options.registry());
    UsedParts parts;
    if (used) {
        std::vector<NodeId> members = members_of(system);
        add_replay_gpus(system, members);
        add_memories(system, members);
        parts = plan_fabric(system, std::move(members)).used;
    }
    FlowCalibration calibration;
    if (!file.empty()) calibration = read_calibration(file, system);
    print(explain(system, parts));
    print(fmt::format("\nflow fidelity\n  credit_wait  {:.2f} packets, behind network cards {:.2f}  {}: {}\n",
        calibration.credit_wait, calibration.credit_wait_of_cards, calibration.kind, calibration.source));
    return exit_good;
}

}  // namespace weft
