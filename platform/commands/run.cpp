#include <csignal>

#include <unistd.h>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/applications/flow/run_mixed.h"
#include "platform/assembly/wide_transactions.h"
#include "platform/commands/fault_wave.h"
#include "platform/commands/options/grain_option.h"
#include "platform/commands/options/run_command_line.h"
#include "platform/commands/run_outputs.h"
#include "platform/configuration/parameter_place.h"
#include "platform/console/interrupt.h"
#include "platform/console/messages.h"
#include "platform/parallel/launched.h"
#include "platform/parallel/process_group.h"
#include "platform/result/report.h"
#include "platform/result/run_energy.h"

namespace weft {

namespace {

constexpr unsigned seconds_to_speak = 2;

// Where the grain is an error that the user allows, a finer one than a model refuses.
RunResult execute(const RunCommandLine& line, SystemDescription& description, const LoadedGraph& loaded,
    const ModelRegistry& registry, ResolvedSystem& system)
{
    for (std::string why;;) {
        try {
            RunResult result = line.run().flow ? run_flow(system, line.run())
                : line.mixed()                 ? run_mixed(system, registry, line.run())
                                               : run_system(system, registry, line.run());
            if (!why.empty())
                result.notices.push_back(
                    fmt::format("--grain {} is {} B here: no {}", line.grain(), result.grain, why));
            return result;
        } catch (const WideRefused& refused) {
            if (!is_allowed_error(line.grain())) throw;
            why = refused.diagnostics().front().what;
            description.sets.back().value = fmt::format("{} B", system.engine().grain / 2);
            system = resolve_loaded(description, loaded, registry);
        } catch (const InputError& error) {
            throw at_its_parameter(error, system);
        }
    }
}

// After a fault, a waveform of what went before it; what is not as it was asked for is said.
void add_waveform_notices(RunResult& result, const RunCommandLine& line, const Waves& waves)
{
    if (!line.waves().empty() && waves.from > result.simulated_ps) {
        result.notices.push_back(fmt::format("--wave-window {}: the run ended before it, at {}; no waveform is written",
            line.wave_window(), format_time_ps(result.simulated_ps)));
        if (line.quiet()) print_notices({result.notices.back()});  // a file that was asked for is missing
    }
    const std::string& file = line.files().fault_wave;
    if (!result.fault || !line.waves().empty() || file == "none") return;
    if (line.system().reads_stream()) {
        result.notices.push_back(
            "no waveform of the fault: the system came from a pipe, so the run cannot be repeated");
        return;
    }
    const std::string target = file.empty() ? "fault.fst" : file;
    result.fault_waves = write_fault_waves(*result.fault, line.again(), target);
    if (result.fault_waves.empty())
        result.notices.push_back("no waveform of the fault: " + target + " cannot be written");
}

int simulate(const Arguments& arguments, ProcessGroup* group)
{
    RunCommandLine line(group);
    if (!line.parse(arguments)) return exit_good;
    EnergyTable energies;
    if (!line.energy().empty() && line.energy() != "builtin") energies.read(line.energy());
    const bool speaks = group == nullptr || group->first();
    RunOutputs outputs(line, speaks);

    SystemDescription description = line.system().description();
    const LoadedGraph loaded = line.system().load(description);  // what is no document says so before options do
    line.workload().apply(description.workload);
    if (!line.grain().empty()) description.sets.push_back({"engine.grain", grain_value(line.grain()), "--grain", 0});
    if (description.workload.kind == Workload::Kind::none)
        throw usage_error("the workload is missing",
            "--collective OP --bytes N, --plan FILE --bytes N or --trace PREFIX, or a system file with a workload");
    ModelRegistry registry = line.system().registry();
    registry.waves = outputs.waves(line);
    ResolvedSystem system = resolve_loaded(description, loaded, registry);

    RunResult result = execute(line, description, loaded, registry, system);
    if (!speaks) return exit_good;  // the exit code is that of process 0
    result.energy = energy_of_run(result, system, energies);
    for (const std::string& row : result.energy->unused) result.notices.push_back("--energy: " + row);
    if (!line.energy().empty()) add_energy_module(result);
    add_waveform_notices(result, line, registry.waves);
    if (result.plan.find("coll=\"custom\"") != std::string::npos && system.workload.plan.empty())
        result.notices.push_back("MSCCL has no name for " + system.workload.collective +
            ": the exported plan is custom, and others cannot check its result; Weft reads its op=\"" +
            system.workload.collective + "\"");
    outputs.write(result, system, line);
    if (outputs.summary_wanted(line))
        print(result_summary(result) + (line.energy().empty() ? "" : energy_text(*result.energy)));
    return result.exit_code();
}

// Processes of this machine know each other by their numbers, so that one can say which other one has died.
void meet(Processes& processes)
{
    char machine[256] = {};
    ::gethostname(machine, sizeof machine - 1);
    ByteWriter own;
    own.put(std::string(machine));
    own.put(::getpid());
    const std::vector<Bytes> all = processes.share(own.bytes());
    std::vector<PeerProcess> peers;
    for (std::uint32_t number = 0; number < all.size(); ++number) {
        ByteReader of(all[number]);
        if (of.text() == machine && number != processes.rank()) peers.push_back({number, of.take<pid_t>()});
    }
    know_peers(std::move(peers));
}

}  // namespace

int simulate_command(const Arguments& arguments)
{
    std::unique_ptr<Processes> processes;
    try {
        processes = launched_processes();
    } catch (const InputError&) {
        if (launch_of_environment().first) throw;
        // Process 0 says it for all, and the launcher then ends the others.
        std::signal(SIGTERM, SIG_DFL);
        ::sleep(seconds_to_speak);
        return exit_refused;
    }
    if (processes == nullptr) {
        if (const std::string notice = launched_apart(); !notice.empty()) print_notices({notice});
        return simulate(arguments, nullptr);
    }
    keep_silent(processes->rank() != 0);
    meet(*processes);
    ProcessGroup group(std::move(processes));
    return group.carry_out([&] { return simulate(arguments, &group); },
        [&](const std::exception_ptr& error) {
            keep_silent(false);
            try {
                std::rethrow_exception(error);
            } catch (const InputError& problems) {
                print_problems(problems);
            }
        });
}

}  // namespace weft
