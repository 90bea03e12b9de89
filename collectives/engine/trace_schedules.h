// The schedules of a trace's collectives and transfers, made once for each kind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "collectives/chakra/node.h"
#include "collectives/schedule/schedule.h"

namespace weft {

CollectiveOp op_of(chakra::CollectiveType type);

// fp32 where the size is whole elements, else u8.
ElementType element_for(std::uint64_t bytes);

class TraceSchedules {
public:
    // `algorithm`: that of operations which know it; the others take their default.
    explicit TraceSchedules(std::string algorithm);

    // send_receive: one put from position 0 to position 1, in `channels` parts, each with a flag of its own.
    std::shared_ptr<const Schedule> get(CollectiveOp op, std::uint32_t ranks, std::uint32_t channels);

private:
    std::string algorithm_;
    std::map<std::tuple<CollectiveOp, std::uint32_t, std::uint32_t>, std::shared_ptr<const Schedule>> made_;
};

}  // namespace weft
