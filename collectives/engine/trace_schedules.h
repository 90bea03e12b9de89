// The schedules of a trace's collectives and transfers, made once for each kind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "collectives/chakra/node.h"
#include "collectives/schedule/schedule.h"

namespace weft {

CollectiveOp op_of(chakra::CollectiveType type);

// fp32 where the size is whole elements, else u8.
ElementType element_for(std::uint64_t bytes);

class TraceSchedules {
public:
    // `algorithm`: that of operations which know it; the others take their default.
    TraceSchedules(std::string algorithm, std::uint32_t channels);

    // send_receive: one put from position 0 to position 1, in `channels` parts, each with a flag of its own.
    std::shared_ptr<const Schedule> get(CollectiveOp op, std::uint32_t ranks);

private:
    std::string algorithm_;
    std::uint32_t channels_;
    std::map<std::pair<CollectiveOp, std::uint32_t>, std::shared_ptr<const Schedule>> made_;
};

}  // namespace weft
