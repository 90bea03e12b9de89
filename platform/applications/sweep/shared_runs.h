// Makes runs of `weft run` in processes of their own: those that are ours, of several processes that share them, and that have no result
// yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/applications/sweep/processes.h"
#include "platform/applications/sweep/sweep_shard.h"
#include "platform/applications/sweep/sweep_store.h"
#include "platform/console/temporary_folder.h"

namespace weft {

// How the runs are made, and by whom.
struct RunSharing {
    std::string command;              // "sweep", in front of messages
    std::string work;                 // what the runs together are: "sweep"
    std::optional<SweepStore> store;  // where results are kept
    SweepShard shard;
    bool merge = false;  // nothing is run
    unsigned jobs = 1;
    bool show_progress = false;

    bool ours(std::size_t run) const { return merge || shard.has(run); }
    // Throws InputError (usage) where `output`, an option that was given or "", and results that nothing keeps do not go with parts.
    // `afterwards`: the command that writes it when all parts have ended.
    void check_parts(const std::string& output, const std::string& afterwards) const;
};

struct SharedRun {
    Arguments arguments;      // result and messages are kept under these
    std::string json_path{};  // from make_runs() on, as the rest
    std::string error_path{};
    ProcessEnd end{};   // code -1: there is no result
    std::string why{};  // a kept result is missing or out of date
};

// Fills in the runs that are ours. `beside`: further arguments, which change no result. Without a store results are in `folder`. On stderr: how
// many runs had a result already, and why others whose results were kept are made again. True: interrupted.
bool make_runs(const RunSharing& how, const TemporaryFolder& folder, const Arguments& beside,
    std::vector<SharedRun>& runs);

}  // namespace weft
