// Converts profiles of traffic to the rows of the replay GPUs of a run: names become endpoints, buffers addresses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "gpu/replay/replay_profile.h"
#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

class ReplayTraffic {
public:
    // Reads the profiles of all replay GPUs among the members. Throws InputError for what is wrong with them.
    ReplayTraffic(const ResolvedSystem& system, const FabricPlan& plan);

    bool any() const { return replays_ > 0; }
    // Whether any of the first `ranks` members is a replay GPU.
    bool any_of(std::size_t ranks) const;
    // The notices for the reader of a result; `ranks` members run the workload.
    std::vector<std::string> notices(std::size_t ranks) const;

    // At the present instant. `job` is what the ranks carry out: buffers are its buffers. Throws InputError for places
    // that are not there.
    void start(const std::vector<Accelerator*>& members, const LineExecutor& executor,
        std::optional<Executor::JobId> job, std::uint64_t seed) const;

private:
    struct Member {
        std::string node;
        std::string file;  // its profile; empty: none
        bool replays = false;
    };
    // The endpoint that a name stands for, as the GPU `from` says it; nothing for nodes that take no part.
    std::optional<std::uint32_t> endpoint(const std::string& name, std::uint32_t from) const;
    void check_names(const ReplayProfile& profile, const ResolvedSystem& system) const;
    ReplayGpu::Row row_of(const ReplayProfile& profile, const ReplayRow& row, std::uint32_t from,
        const std::vector<Accelerator*>& members, const LineExecutor& executor,
        std::optional<Executor::JobId> job) const;

    std::vector<Member> members_;
    std::map<std::string, std::uint32_t> by_node_;
    std::map<std::string, ReplayProfile> profiles_;  // by file
    std::size_t replays_ = 0;
};

}  // namespace weft
