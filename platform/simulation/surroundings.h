// What stands in place of the nodes of a run that are not simulated line by line (platform/applications/flow/run_mixed.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/system.h"
#include "platform/result/run_result.h"

namespace weft {

class Surroundings {
public:
    // Counts and links for the result.
    struct Share {
        bool here = false;  // false: in another process
        std::uint64_t messages = 0;
        std::uint64_t lines_in = 0;   // that crossed to it
        std::uint64_t lines_out = 0;  // and from it
        std::vector<LinkResult> links;
        std::vector<std::string> notices;
    };

    virtual ~Surroundings() = default;

    // Which nodes these are, and what is at the links to them. Throws InputError for what cannot be divided so. It outlives the run.
    virtual const System::Elsewhere& divide(const FabricPlan& plan, std::size_t ranks) = 0;
    // The executor of all ranks, of which `lines` has those that are here.
    virtual Executor& join(LineExecutor& lines) = 0;
    // Who waits there, for a run that cannot progress.
    virtual std::vector<std::string> blocked() const = 0;
    // Places of workgroups of a rank that is there; of what waits up to `last`, where the run has not ended.
    virtual PlaceUse places(std::uint32_t rank) const = 0;
    virtual void cut_off(Time last) = 0;
    virtual Share share() const = 0;
    virtual void add_to(RunResult& result, Share share) const = 0;
};

}  // namespace weft
