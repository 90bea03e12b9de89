#include <csignal>

#include <unistd.h>

#include <fmt/format.h>

#include "platform/applications/flow/run_flow.h"
#include "platform/simulation/cut_plan.h"
#include "platform/applications/flow/run_mixed.h"
#include "platform/simulation/run.h"

#include "base/units.h"
#include "platform/commands/fault_wave.h"
#include "platform/configuration/glob.h"
#include "platform/configuration/parameter_place.h"
#include "platform/assembly/wide_transactions.h"
#include "platform/commands/grain_option.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/commands/system_options.h"
#include "platform/commands/workload_options.h"
#include "platform/parallel/launched.h"
#include "platform/parallel/process_group.h"
#include "platform/commands/version.h"
#include "platform/report/run_page.h"
#include "platform/result/input_files.h"
#include "platform/result/report.h"
#include "platform/result/run_energy.h"
#include "platform/result/timeline_counters.h"
#include "platform/console/interrupt.h"

namespace weft {

namespace {

constexpr unsigned seconds_to_speak = 2;

// Their files are among the outputs.
Waves waves_of(const std::vector<std::string>& options, const std::string& window, std::vector<OutputFile>& outputs)
{
    Waves out;
    for (const std::string& option : options) {
        const std::size_t at = option.find('=');
        if (at == 0 || at == std::string::npos || at + 1 == option.size())
            throw usage_error("option '--wave' has the value '" + option + "'",
                "GLOB=FILE, such as '*.nvsw.1=switch.fst'");
        out.entries.push_back({option.substr(0, at), option.substr(at + 1)});
        if (option.size() > 4 && option.compare(option.size() - 4, 4, ".vcd") == 0)
            throw usage_error("option '--wave' names the file '" + out.entries.back().file + "'; waveforms are FST",
                "a name such as switch.fst");
        // A pattern has a file for each instance, named after this one: claimed when the instances are known.
        if (!has_glob(out.entries.back().instances))
            outputs.emplace_back(out.entries.back().file);
        else
            OutputFile::try_path(out.entries.back().file);
    }
    if (window.empty()) return out;
    const std::size_t colon = window.find(':');
    if (colon == std::string::npos || options.empty())
        throw usage_error("option '--wave-window' has the value '" + window + "'",
            "FROM:TO, such as 10us:12us, together with --wave");
    out.from = time_option("--wave-window", window.substr(0, colon));
    out.to = time_option("--wave-window", window.substr(colon + 1));
    if (out.to < out.from)
        throw usage_error("option '--wave-window' ends before it begins", "FROM:TO with FROM before TO");
    return out;
}

// Parts and threads; over several processes as many parts as these, unless the user wants more.
void set_parts(const std::string& partitions, const std::string& parts, const std::string& threads, RunOptions& run)
{
    const std::uint32_t processes = run.group == nullptr ? 1 : run.group->size();
    run.partitions = processes;
    if (!partitions.empty())
        run.partitions =
            static_cast<std::uint32_t>(number_option("--partitions", partitions, processes, most_partitions));
    if (!parts.empty()) {
        if (!partitions.empty()) throw usage_error("--parts with --partitions", "one of them");
        run.parts = read_parts_file(parts);
        if (run.parts->parts.size() < processes)
            throw InputError(parts, run.parts->lines.back(),
                fmt::format("{} part{} for {} processes", run.parts->parts.size(),
                    run.parts->parts.size() == 1 ? "" : "s", processes),
                "at least one part for each process");
        run.partitions = static_cast<std::uint32_t>(run.parts->parts.size());
    }
    if (!threads.empty() && run.partitions == processes && threads != "1")
        throw usage_error("--threads " + threads + " with one part" + (processes > 1 ? " for each process" : ""),
            "more parts, with --partitions N or --parts FILE");
    if (!threads.empty())
        run.threads = static_cast<std::uint32_t>(number_option("--threads", threads, 1, run.partitions / processes));
}

void check_calibration(const RunOptions& run)
{
    const bool asked = run.uncalibrated || !run.calibration.empty();
    if (asked && !run.flow)
        throw usage_error(
            "--calibration or --uncalibrated at line or mixed fidelity, which take no file of measured numbers",
            "--fidelity flow");
    if (run.uncalibrated && !run.calibration.empty())
        throw usage_error("--calibration with --uncalibrated", "one of them");
}

bool symmetry_option(const std::string& text, bool flow)
{
    if (text.empty()) return true;
    if (text != "on" && text != "off")
        throw usage_error("option '--symmetry' has the value " + quoted_word(text), "on or off");
    if (!flow) throw usage_error("--symmetry at line or mixed fidelity, which runs all ranks", "--fidelity flow");
    return text == "on";
}

int simulate(const Arguments& arguments, ProcessGroup* group)
{
    CommandLine line("run",
        "Simulates a system: SYSTEM is a system file with its workload, or an InfraGraph document with the workload "
        "given by options. Prints times, bandwidths, the busiest links and the causes of waiting.\n\n"
        "  weft run examples/dgx_h100/system.yaml\n"
        "  weft run --infra FILE --collective all_reduce --bytes 1MiB --algorithm ring\n"
        "  weft run --infra FILE --plan FILE --bytes 1MiB\n"
        "  weft run --infra FILE --trace PREFIX --groups FILE\n");
    SystemOptions options;
    WorkloadOptions workload;
    std::string json;
    std::string energy;
    std::string fidelity = "line";
    std::string symmetry;
    std::string grain;
    std::string until;
    std::string series;
    std::string window;
    std::string record;
    std::string timeline;
    std::string exported;
    std::string html;
    std::string inputs;
    RunOptions run;
    run.group = group;
    std::vector<std::string> waves;
    std::string wave_window;
    std::string fault_wave;
    std::string memory_limit;
    std::string partitions;
    std::string parts;
    std::string threads;
    bool no_data = false;
    bool quiet = false;
    bool no_timing = false;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_strict(line);
    options.add_parameters(line);
    workload.add(line);
    line.section("simulation");
    line.value("--fidelity", "line|flow|mixed", fidelity,
        "line: transactions of 64 bytes, the default; flow: whole transfers on links, for thousands of GPUs, without "
        "data; mixed: what --lines names by transactions, the rest as flow; mixed:NAME says both");
    line.value("--lines", "NAME,...", run.lines,
        "at mixed fidelity, the instances or nodes that are simulated by transactions, such as host.0 or "
        "'dgx.0.xpu.?'");
    line.value("--grain", "SIZE|P%", grain,
        "at line fidelity, bytes of the widest transaction: 64B, the default and exact, 128B, 256B or 512B, faster and "
        "approximate; short for --set engine.grain=SIZE. An error, such as 5%, takes the coarsest that nine in ten "
        "rows of docs/models/grain.md are within, or a finer one where a model has none as wide");
    line.value("--calibration", "FILE", run.calibration,
        "at flow fidelity, the file of 'weft calibrate' for this system, in place of the number that the program has");
    line.flag("--uncalibrated", run.uncalibrated, "at flow fidelity, use parameters alone and no measured number");
    line.value("--symmetry", "on|off", symmetry,
        "at flow fidelity, on: one rank stands for all where that gives the same times, the default; off: all are run");
    line.flag("--no-data", no_data, "simulate without data: faster, less memory, the same times, but no verification");
    line.value("--until", "TIME", until, "stop at this simulated time; units ps ns us ms s");
    line.value("--memory-limit", "SIZE", memory_limit,
        "refuse a run whose estimate takes more memory; default the available memory of the machine");
    line.value("--partitions", "N", partitions,
        "cut the run into N parts that exchange transactions once a window; changes no result; default 1, under mpirun "
        "one for each process");
    line.value("--parts", "FILE", parts,
        "cut the run into the parts that this file lists: 'parts:' and for each a list of nodes, in place of "
        "--partitions; changes no result");
    line.value("--threads", "N", threads, "of --partitions: threads that run the parts; default 1; changes no result");
    line.flag("--check-protocol", run.check_protocol,
        "put a protocol checker on every connection; slow, but changes no simulated time");
    line.flag("--watch", run.watch,
        "count for every virtual channel of every link: queues, credits, stalls, waits for others; at flow fidelity, "
        "what ranks wait for also where there are more than 64; changes no simulated time");
    line.flag("--critical-path", run.follow,
        "find the critical path of each collective: segments with their cause of waiting; changes no simulated time");
    line.section("output");
    line.value("--json", "FILE", json, "write the whole result as JSON; '-' writes JSON instead of the summary");
    line.value("--html", "FILE", html,
        "write a report as one HTML page that needs no network: result, system, timeline, causes, links, all "
        "parameters");
    line.value("--series", "FILE", series, "write the activity of each link in each window of time, comma-separated");
    line.value("--window", "TIME", window, "length of a window of --series, --html and --timeline; default 1 us");
    line.value("--record", "FILE", record,
        "write the traffic of every GPU to others, with times, as a profile for replay GPUs (--model "
        "GLOB=replay:FILE)");
    line.value("--timeline", "FILE", timeline,
        "write the activities of every workgroup, the critical path, and what each node sends in each window, as a "
        "trace for "
        "Perfetto and Chrome");
    line.value("--export", "FILE", exported,
        "write the plan of the collective as MSCCL XML, for --plan and other tools");
    line.values("--wave", "GLOB=FILE", waves,
        "write FST waveforms of these RTL switches, ends of links (A~B.0) or slices (GPU.l2.0), with the transactions "
        "at the pins");
    line.value("--wave-window", "FROM:TO", wave_window, "simulated times of --wave, such as 10us:12us; default all");
    line.value("--fault-wave", "FILE", fault_wave,
        "after a fault of an RTL block, run again and write a waveform of the 200 clocks before it; default fault.fst; "
        "none: do not run again");
    line.value("--energy", "TABLE", energy,
        "print the energy of the run in joules, by part: builtin, or a file with energies of events that replace those "
        "of the program (docs/models/energy.md); the JSON always has it");
    line.value("--inputs", "FILE", inputs,
        "write the program's version and digest and those of every file that the run read, as JSON");
    line.flag("--no-timing", no_timing, "write JSON without wall-clock figures: two runs give the same bytes");
    line.flag("--quiet", quiet, "print no summary and no progress line");
    if (!line.parse(arguments)) return exit_good;
    const bool speaks = group == nullptr || group->first();
    if (!speaks) quiet = true;

    constexpr std::string_view both = "mixed:";
    if (fidelity.rfind(both, 0) == 0) {
        if (!run.lines.empty())
            throw usage_error("both '--fidelity " + fidelity + "' and --lines", "one of them, with all names");
        run.lines = fidelity.substr(both.size());
        fidelity = "mixed";
    }
    if (fidelity != "line" && fidelity != "flow" && fidelity != "mixed")
        throw usage_error("option '--fidelity' has the value " + quoted_word(fidelity), "line, flow or mixed");
    run.flow = fidelity == "flow";
    const bool mixed = fidelity == "mixed";
    if (mixed && run.lines.empty())
        throw usage_error("--fidelity mixed does not say what is simulated by transactions", "--lines NAME,...");
    if (!mixed && !run.lines.empty()) throw usage_error("--lines without --fidelity mixed", "both or neither");
    if (run.flow && !waves.empty())
        throw usage_error("--wave with --fidelity flow, which has no RTL", "--fidelity line");
    if (run.flow && !grain.empty())
        throw usage_error("--grain with --fidelity flow, which has no transactions", "--fidelity line");
    check_calibration(run);
    run.symmetry = symmetry_option(symmetry, run.flow);
    run.data_on = !no_data;
    run.strict = options.strict();
    run.progress = !quiet;
    if (!memory_limit.empty()) {
        run.memory_limit = parse_bytes(memory_limit);
        if (run.memory_limit.value_or(0) == 0)
            throw usage_error("option '--memory-limit' has the value " + quoted_word(memory_limit),
                "a size above 0, such as 16GiB");
    }
    set_parts(partitions, parts, threads, run);
    if (run.flow && run.partitions > 1)
        throw usage_error(group == nullptr ? "--partitions with --fidelity flow"
                                           : "several processes with --fidelity flow",
            group == nullptr ? "--fidelity line, or --partitions 1" : "--fidelity line, or one process");
    if (run.partitions > 1 && !waves.empty())
        throw usage_error(group == nullptr ? "--partitions with --wave" : "several processes with --wave",
            group == nullptr ? "--partitions 1" : "one process, or no --wave");
    if (!until.empty()) run.until = time_option("--until", until);
    if (!window.empty() && series.empty() && html.empty() && timeline.empty())
        throw usage_error("--window without --series", "--series, --html or --timeline FILE");
    if (!(series + html + timeline).empty()) run.window = window_option(window);
    EnergyTable energies;
    if (!energy.empty() && energy != "builtin") energies.read(energy);
    // Process 0 writes; what the others need of an output is whether it is wanted.
    const auto output_of = [speaks](const std::string& file) { return speaks ? file : std::string(); };
    const OutputFile output(output_of(json));
    const OutputFile series_output(output_of(series));
    const OutputFile record_output(output_of(record));
    const OutputFile timeline_output(output_of(timeline));
    const OutputFile html_output(output_of(html));
    const OutputFile plan_output(output_of(exported));
    const OutputFile inputs_output(output_of(inputs));
    const OutputFile fault_output(fault_wave == "none" ? "" : output_of(fault_wave));
    if (fault_wave.empty()) fault_wave = "fault.fst";
    run.record = !record.empty();
    run.plan = !exported.empty();
    SystemDescription description = options.description();
    const auto loaded = options.load(description);  // what is no document says so before options do
    workload.apply(description.workload);
    if (!grain.empty()) description.sets.push_back({"engine.grain", grain_value(grain), "--grain", 0});
    if (description.workload.kind == Workload::Kind::none)
        throw usage_error("the workload is missing",
            "--collective OP --bytes N, --plan FILE --bytes N or --trace PREFIX, or a system file with a workload");
    run.follow_if_small = !run.follow && timeline.empty();
    run.follow = run.follow || !(html + timeline).empty();
    ModelRegistry registry = options.registry();
    std::vector<OutputFile> wave_outputs;
    registry.waves = waves_of(waves, wave_window, wave_outputs);
    ResolvedSystem system = resolve_loaded(description, loaded, registry);
    const auto execute = [&] {
        return run.flow ? run_flow(system, run)
            : mixed     ? run_mixed(system, registry, run)
                        : run_system(system, registry, run);
    };
    RunResult result;
    for (std::string why;;) {
        try {
            result = execute();
            if (!why.empty())
                result.notices.push_back(fmt::format("--grain {} is {} B here: no {}", grain, result.grain, why));
            break;
        } catch (const WideRefused& refused) {
            if (!is_allowed_error(grain)) throw;
            // The next finer one.
            why = refused.diagnostics().front().what;
            description.sets.back().value = fmt::format("{} B", system.engine().grain / 2);
            system = resolve_loaded(description, loaded, registry);
        } catch (const InputError& error) {
            throw at_its_parameter(error, system);
        }
    }
    if (!speaks) return exit_good;  // the exit code is that of process 0
    result.energy = energy_of_run(result, system, energies);
    for (const std::string& row : result.energy->unused) result.notices.push_back("--energy: " + row);
    if (!energy.empty()) add_energy_module(result);
    if (!waves.empty() && registry.waves.from > result.simulated_ps) {
        result.notices.push_back(fmt::format("--wave-window {}: the run ended before it, at {}; no waveform is written",
            wave_window, format_time_ps(result.simulated_ps)));
        if (quiet) print_notices({result.notices.back()});  // a file that was asked for is missing
    }
    if (result.fault && waves.empty() && fault_wave != "none" && options.reads_stream()) {
        result.notices.push_back(
            "no waveform of the fault: the system came from a pipe, so the run cannot be repeated");
    } else if (result.fault && waves.empty() && fault_wave != "none") {
        const Arguments again = line.given({"--json", "--series", "--window", "--record", "--timeline", "--export",
            "--html", "--fault-wave", "--wave-window", "--energy", "--inputs", "--no-timing", "--quiet", "--partitions",
            "--parts", "--threads"});
        result.fault_waves = write_fault_waves(*result.fault, again, fault_wave);
        if (result.fault_waves.empty())
            result.notices.push_back("no waveform of the fault: " + fault_wave + " cannot be written");
    }
    if (result.plan.find("coll=\"custom\"") != std::string::npos && system.workload.plan.empty())
        result.notices.push_back("MSCCL has no name for " + system.workload.collective +
            ": the exported plan is custom, and others cannot check its result; Weft reads its op=\"" +
            system.workload.collective + "\"");
    output.write(output.wanted() ? result_json(result, !no_timing) : "");
    series_output.write(result.series);
    record_output.write(result.record);
    timeline_output.write(timeline_output.wanted() ? with_counters(result.timeline, result.series) : "");
    plan_output.write(result.plan);
    inputs_output.write(inputs_output.wanted() ? inputs_json(version_text(), input_files()) : "");
    if (html_output.wanted()) html_output.write(run_page(result, system));
    if (!quiet && !output.is_stdout())
        print(result_summary(result) + (energy.empty() ? "" : energy_text(*result.energy)));
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
