#include "platform/commands/options/run_command_line.h"

#include "platform/commands/options/grain_option.h"

#include <fmt/format.h>

#include "base/units.h"
#include "platform/console/messages.h"
#include "platform/parallel/process_group.h"
#include "platform/simulation/cut_plan.h"

namespace weft {

RunCommandLine::RunCommandLine(ProcessGroup* group)
    : line_("run",
          "Simulates a system: SYSTEM is a system file with its workload, or an InfraGraph document with the workload "
          "given by options. Prints times, bandwidths, the busiest links and the causes of waiting.\n\n"
          "  weft run examples/dgx_h100/system.yaml\n"
          "  weft run --infra FILE --collective all_reduce --bytes 1MiB --algorithm ring\n"
          "  weft run --infra FILE --plan FILE --bytes 1MiB\n"
          "  weft run --infra FILE --trace PREFIX --groups FILE\n")
{
    run_.group = group;
    system_.add_file_or_infra(line_, "SYSTEM");
    system_.add_reading(line_);
    system_.add_strict(line_);
    system_.add_parameters(line_);
    workload_.add(line_);
    add_simulation();
    add_output();
}

void RunCommandLine::add_simulation()
{
    line_.section("simulation");
    line_.value("--fidelity", "line|flow|mixed", fidelity_,
        "line: transactions of 64 bytes, the default; flow: whole transfers on links, for thousands of GPUs, without "
        "data; mixed: what --lines names by transactions, the rest as flow; mixed:NAME says both");
    line_.value("--lines", "NAME,...", run_.lines,
        "at mixed fidelity, the instances or nodes that are simulated by transactions, such as host.0 or "
        "'dgx.0.xpu.?'");
    line_.value("--grain", "SIZE|P%", grain_,
        "at line fidelity, bytes of the widest transaction: 64B, the default and exact, 128B, 256B or 512B, faster and "
        "approximate; short for --set engine.grain=SIZE. An error, such as 5%, takes the coarsest that nine in ten "
        "rows of docs/models/grain.md are within, or a finer one where a model has none as wide or the system shows "
        "that times would differ by more");
    line_.value("--calibration", "FILE", run_.calibration,
        "at flow fidelity, the file of 'weft calibrate' for this system, in place of the number that the program has");
    line_.flag("--uncalibrated", run_.uncalibrated, "at flow fidelity, use parameters alone and no measured number");
    line_.value("--symmetry", "on|off", symmetry_,
        "at flow fidelity, on: one rank stands for all where that gives the same times, the default; off: all are run");
    line_.flag("--no-data", no_data_,
        "simulate without data: faster, less memory, the same times, but no verification");
    line_.value("--until", "TIME", until_, "stop at this simulated time; units ps ns us ms s");
    line_.value("--memory-limit", "SIZE", memory_limit_,
        "refuse a run whose estimate takes more memory; default the available memory of the machine");
    line_.value("--partitions", "N", partitions_,
        "cut the run into N parts that exchange transactions once a window; changes no result; default 1, under mpirun "
        "one for each process");
    line_.value("--parts", "FILE", parts_,
        "cut the run into the parts that this file lists: 'parts:' and for each a list of nodes, in place of "
        "--partitions; changes no result");
    line_.value("--threads", "N", threads_,
        "of --partitions: threads that run the parts; default 1; changes no result");
    line_.flag("--check-protocol", run_.check_protocol,
        "put a protocol checker on every connection; slow, but changes no simulated time");
    line_.flag("--watch", run_.watch,
        "count for every virtual channel of every link: queues, credits, stalls, waits for others; at flow fidelity, "
        "what ranks wait for also where there are more than 64; changes no simulated time");
    line_.flag("--critical-path", run_.follow,
        "find the critical path of each collective: segments with their cause of waiting; changes no simulated time");
}

void RunCommandLine::add_output()
{
    line_.section("output");
    line_.value("--json", "FILE", files_.json,
        "write the whole result as JSON; '-' writes JSON instead of the summary");
    line_.value("--html", "FILE", files_.html,
        "write a report as one HTML page that needs no network: result, system, timeline, causes, links, all "
        "parameters");
    line_.value("--series", "FILE", files_.series,
        "write the activity of each link in each window of time, comma-separated");
    line_.value("--window", "TIME", window_, "length of a window of --series, --html and --timeline; default 1 us");
    line_.value("--record", "FILE", files_.record,
        "write the traffic of every GPU to others, with times, as a profile for replay GPUs (--model "
        "GLOB=replay:FILE)");
    line_.value("--timeline", "FILE", files_.timeline,
        "write the activities of every workgroup, the critical path, and what each node sends in each window, as a "
        "trace for "
        "Perfetto and Chrome");
    line_.value("--export", "FILE", files_.plan,
        "write the plan of the collective as MSCCL XML, for --plan and other tools");
    line_.values("--wave", "GLOB=FILE", waves_,
        "write FST waveforms of these RTL switches, ends of links (A~B.0) or slices (GPU.l2.0), with the transactions "
        "at the pins");
    line_.value("--wave-window", "FROM:TO", wave_window_, "simulated times of --wave, such as 10us:12us; default all");
    line_.value("--fault-wave", "FILE", files_.fault_wave,
        "after a fault of an RTL block, run again and write a waveform of the 200 clocks before it; default fault.fst; "
        "none: do not run again");
    line_.value("--energy", "TABLE", energy_,
        "print the energy of the run in joules, by part: builtin, or a file with energies of events that replace those "
        "of the program (docs/models/energy.md); the JSON always has it");
    line_.value("--inputs", "FILE", files_.inputs,
        "write the program's version and digest and those of every file that the run read, as JSON");
    line_.flag("--no-timing", no_timing_, "write JSON without wall-clock figures: two runs give the same bytes");
    line_.flag("--quiet", quiet_, "print no summary and no progress line");
}

Arguments RunCommandLine::again() const
{
    return line_.given(
        {"--json", "--series", "--window", "--record", "--timeline", "--export", "--html", "--fault-wave",
            "--wave-window", "--energy", "--inputs", "--no-timing", "--quiet", "--partitions", "--parts", "--threads"});
}

void RunCommandLine::check_fidelity()
{
    constexpr std::string_view both = "mixed:";
    if (fidelity_.rfind(both, 0) == 0) {
        if (!run_.lines.empty())
            throw usage_error("both '--fidelity " + fidelity_ + "' and --lines", "one of them, with all names");
        run_.lines = fidelity_.substr(both.size());
        fidelity_ = "mixed";
    }
    if (fidelity_ != "line" && fidelity_ != "flow" && fidelity_ != "mixed")
        throw usage_error("option '--fidelity' has the value " + quoted_word(fidelity_), "line, flow or mixed");
    run_.flow = fidelity_ == "flow";
    if (mixed() && run_.lines.empty())
        throw usage_error("--fidelity mixed does not say what is simulated by transactions", "--lines NAME,...");
    if (!mixed() && !run_.lines.empty()) throw usage_error("--lines without --fidelity mixed", "both or neither");
    if (run_.flow && !waves_.empty())
        throw usage_error("--wave with --fidelity flow, which has no RTL", "--fidelity line");
    if (run_.flow && !files_.fault_wave.empty() && files_.fault_wave != "none")
        throw usage_error("--fault-wave with --fidelity flow, which has no RTL", "--fidelity line");
    if (run_.flow && !grain_.empty())
        throw usage_error("--grain with --fidelity flow, which has no transactions", "--fidelity line");
}

void RunCommandLine::check_calibration() const
{
    const bool asked = run_.uncalibrated || !run_.calibration.empty();
    if (asked && !run_.flow)
        throw usage_error(
            "--calibration or --uncalibrated at line or mixed fidelity, which take no file of measured numbers",
            "--fidelity flow");
    if (run_.uncalibrated && !run_.calibration.empty())
        throw usage_error("--calibration with --uncalibrated", "one of them");
}

bool RunCommandLine::symmetry() const
{
    if (symmetry_.empty()) return true;
    if (symmetry_ != "on" && symmetry_ != "off")
        throw usage_error("option '--symmetry' has the value " + quoted_word(symmetry_), "on or off");
    if (!run_.flow) throw usage_error("--symmetry at line or mixed fidelity, which runs all ranks", "--fidelity flow");
    return symmetry_ == "on";
}

// Parts and threads_; over several processes as many parts as these, unless the user wants more.
void RunCommandLine::set_parts()
{
    const std::uint32_t processes = run_.group == nullptr ? 1 : run_.group->size();
    run_.partitions = processes;
    if (!partitions_.empty())
        run_.partitions =
            static_cast<std::uint32_t>(number_option("--partitions", partitions_, processes, most_partitions));
    if (!parts_.empty()) {
        if (!partitions_.empty()) throw usage_error("--parts with --partitions", "one of them");
        run_.parts = read_parts_file(parts_);
        if (run_.parts->parts.size() < processes)
            throw InputError(parts_, run_.parts->lines.back(),
                fmt::format("{} part{} for {} processes", run_.parts->parts.size(),
                    run_.parts->parts.size() == 1 ? "" : "s", processes),
                "at least one part for each process");
        run_.partitions = static_cast<std::uint32_t>(run_.parts->parts.size());
    }
    if (!threads_.empty() && run_.partitions == processes && threads_ != "1")
        throw usage_error("--threads " + threads_ + " with one part" + (processes > 1 ? " for each process" : ""),
            "more parts, with --partitions N or --parts FILE");
    if (!threads_.empty())
        run_.threads = static_cast<std::uint32_t>(number_option("--threads", threads_, 1, run_.partitions / processes));
}

bool RunCommandLine::parse(const Arguments& arguments)
{
    if (!line_.parse(arguments)) return false;
    if (run_.group != nullptr && !run_.group->first()) quiet_ = true;
    check_fidelity();
    check_calibration();
    run_.symmetry = symmetry();
    run_.allowed_error = allowed_error(grain_);
    run_.data_on = !no_data_;
    run_.strict = system_.strict();
    run_.progress = !quiet_;
    if (!memory_limit_.empty()) {
        run_.memory_limit = parse_bytes(memory_limit_);
        if (run_.memory_limit.value_or(0) == 0)
            throw usage_error("option '--memory-limit' has the value " + quoted_word(memory_limit_),
                "a size above 0, such as 16GiB");
    }
    set_parts();
    const bool alone = run_.group == nullptr;
    const std::string divided = !alone ? "several processes" : parts_.empty() ? "--partitions" : "--parts";
    const std::string whole = !alone ? "one process" : parts_.empty() ? "--partitions 1" : "no --parts";
    if (run_.flow && run_.partitions > 1)
        throw usage_error(divided + " with --fidelity flow", "--fidelity line, or " + whole);
    if (run_.partitions > 1 && !waves_.empty())
        throw usage_error(divided + " with --wave", alone ? whole : whole + ", or no --wave");
    if (!until_.empty()) run_.until = time_option("--until", until_);
    const bool windows = !(files_.series + files_.html + files_.timeline).empty();
    if (!window_.empty() && !windows)
        throw usage_error("--window without --series", "--series, --html or --timeline FILE");
    if (windows) run_.window = window_option(window_);
    run_.record = !files_.record.empty();
    run_.plan = !files_.plan.empty();
    run_.follow_if_small = !run_.follow && files_.timeline.empty();
    run_.follow = run_.follow || !(files_.html + files_.timeline).empty();
    return true;
}

}  // namespace weft
