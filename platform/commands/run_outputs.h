// The files of one run: claimed before it, written behind it.
#pragma once

#include <vector>

#include "platform/commands/options/run_command_line.h"
#include "platform/console/output_file.h"
#include "platform/result/run_result.h"

namespace weft {

class RunOutputs {
public:
    // `speaks`: this process writes them. Throws InputError for a file that cannot be written or that is an input.
    RunOutputs(const RunCommandLine& line, bool speaks);

    // The waveforms of blocks that --wave asks for, and their files.
    Waves waves(const RunCommandLine& line);

    bool summary_wanted(const RunCommandLine& line) const { return !line.quiet() && !json_.is_stdout(); }

    // Throws InputError.
    void write(const RunResult& result, const ResolvedSystem& system, const RunCommandLine& line) const;

private:
    OutputFile json_;
    OutputFile series_;
    OutputFile record_;
    OutputFile timeline_;
    OutputFile html_;
    OutputFile plan_;
    OutputFile inputs_;
    OutputFile fault_;
    std::vector<OutputFile> waves_;
};

}  // namespace weft
