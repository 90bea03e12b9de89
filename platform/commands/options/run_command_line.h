// The options of `weft run`, as they are given and as they are checked.
#pragma once

#include <string>
#include <vector>

#include "platform/commands/options/system_options.h"
#include "platform/commands/options/workload_options.h"
#include "platform/console/command_line.h"
#include "platform/simulation/run.h"

namespace weft {

// Files that the user asks for; empty: not.
struct RunFiles {
    std::string json;
    std::string series;
    std::string record;
    std::string timeline;
    std::string html;
    std::string plan;
    std::string inputs;
    std::string fault_wave;  // "none": no second run
};

class RunCommandLine {
public:
    // `group`: the processes that the run is carried out by, null for one alone.
    explicit RunCommandLine(ProcessGroup* group);
    RunCommandLine(const RunCommandLine&) = delete;
    RunCommandLine& operator=(const RunCommandLine&) = delete;

    // False when help was asked for, and printed. Throws InputError for what the table does not hold, and for values and
    // combinations that cannot be.
    bool parse(const Arguments& arguments);

    const SystemOptions& system() const { return system_; }
    const WorkloadOptions& workload() const { return workload_; }
    const RunOptions& run() const { return run_; }
    RunOptions& run() { return run_; }
    bool mixed() const { return fidelity_ == "mixed"; }
    const RunFiles& files() const { return files_; }
    const std::vector<std::string>& waves() const { return waves_; }
    const std::string& wave_window() const { return wave_window_; }
    const std::string& energy() const { return energy_; }  // a table, or "builtin"; empty: not asked for
    const std::string& grain() const { return grain_; }
    bool quiet() const { return quiet_; }
    bool timing() const { return !no_timing_; }
    // The same run without its outputs and parts.
    Arguments again() const;

private:
    void add_simulation();
    void add_output();
    void check_fidelity();
    void check_calibration() const;
    bool symmetry() const;
    void set_parts();

    CommandLine line_;
    SystemOptions system_;
    WorkloadOptions workload_;
    RunOptions run_;
    RunFiles files_;
    std::vector<std::string> waves_;
    std::string wave_window_;
    std::string energy_;
    std::string fidelity_ = "line";
    std::string symmetry_;
    std::string grain_;
    std::string until_;
    std::string window_;
    std::string memory_limit_;
    std::string partitions_;
    std::string parts_;
    std::string threads_;
    bool no_data_ = false;
    bool quiet_ = false;
    bool no_timing_ = false;
};

}  // namespace weft
