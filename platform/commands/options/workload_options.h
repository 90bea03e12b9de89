// The workload of the command line: in addition to the workload of a system file, or without one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/console/command_line.h"
#include "platform/configuration/workload.h"

namespace weft {

class WorkloadOptions {
public:
    void add(CommandLine& line);

    // Throws InputError for unknown names and for options that do not go with the workload.
    void apply(Workload& workload) const;
    // --plan, --trace and --groups, as note_named_inputs().
    void note_inputs() const;

private:
    std::map<std::uint64_t, std::uint64_t> delays() const;
    void choose(Workload& workload) const;
    void place(Workload& workload) const;
    void require(const Workload& workload, Workload::Kind kind, const char* option, const std::string& value) const;

    std::string collective_;
    std::string plan_;
    std::string bytes_;
    std::string algorithm_;
    std::string chunks_;
    std::string ranks_;
    std::string element_;
    std::string reduction_;
    std::string root_;
    std::string rings_;
    std::string pipeline_;
    std::string dimensions_;
    std::vector<std::string> delays_;
    std::string trace_;
    std::string groups_;
    std::string dependencies_;
    std::string beside_;
};

// "all_reduce over 1 MiB of fp32 (sum), algorithm ring", "trace prefix/of/files"
std::string workload_text(const Workload& workload);

}  // namespace weft
