// Bytes that the steps of a schedule move, from the layout of its message, for a FlowJob.
#pragma once

#include <cstdint>
#include <memory>

#include "base/packet_format.h"
#include "collectives/engine/executor.h"
#include "collectives/flow/flow_setup.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// FlowJob::step_bytes. `all` is `schedule` with all threads.
std::function<FlowJob::StepBytes(std::uint32_t, std::uint32_t, std::uint32_t)> whole_lines(
    std::shared_ptr<const Schedule> all, const Schedule& schedule, const Job& job, PacketFormat format);

// FlowJob::copied_lines.
std::function<std::uint64_t(std::uint32_t, std::uint32_t, std::uint32_t)> lines_of_copies(
    std::shared_ptr<const Schedule> all, const Schedule& schedule, const Job& job);

// Among how many threads a chunk is shared; that of the first rank stands for all.
std::uint32_t most_parts(const Schedule& schedule);

}  // namespace weft
