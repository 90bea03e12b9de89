// The schedules of a trace's collectives and transfers: made once for each kind, or for each collective where it depends
// on what else is in flight.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/chakra/node.h"
#include "collectives/engine/traces/dimension_ledger.h"
#include "collectives/engine/traces/group_grid.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/schedule.h"

namespace weft {

CollectiveOp op_of(chakra::CollectiveType type);

// fp32 where the size is whole elements, else u8.
ElementType element_for(std::uint64_t bytes);

class TraceSchedules {
public:
    // `algorithm`: that of operations which know it; the others take their default. `options`: the dimensions of all
    // ranks (none: as the algorithm divides a group by itself) and their scheduling.
    TraceSchedules(std::string algorithm, AlgorithmOptions options);

    // One put from position 0 to position 1, in `channels` parts, each with a flag of its own.
    std::shared_ptr<const Schedule> transfer(std::uint32_t channels);

    struct Collective {
        std::shared_ptr<const Schedule> schedule;
        std::optional<DimensionLedger::Entry> entry;  // to leave, by every member
    };
    // Of the ranks `members`, in order, that begin it at `now`; `bytes` as in layout.h. Dimensions hold for groups that are
    // grids of them (group_grid.h).
    Collective collective(CollectiveOp op, const std::vector<std::uint32_t>& members, std::uint64_t bytes,
        std::uint32_t channels, DimensionLedger::Time now);
    void leave(DimensionLedger::Entry entry) { ledger_.leave(entry); }
    // Which operations so far ran by their default, because they do not have the algorithm that was asked for.
    std::vector<std::string> notices() const;

private:
    // Operation, ranks, channels, and axes as dimension and size.
    using Key =
        std::tuple<CollectiveOp, std::uint32_t, std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

    AlgorithmOptions options_over(const std::vector<GroupAxis>& axes, std::uint32_t channels) const;
    std::shared_ptr<const Schedule> made(CollectiveOp op, std::uint32_t ranks, std::uint32_t channels,
        const std::vector<GroupAxis>& axes);
    Collective beside_others(CollectiveOp op, const std::vector<std::uint32_t>& members,
        const std::vector<GroupAxis>& axes, std::uint64_t bytes, std::uint32_t channels, DimensionLedger::Time now);

    std::string algorithm_;
    AlgorithmOptions options_;
    DimensionLedger ledger_;
    std::map<std::uint32_t, std::shared_ptr<const Schedule>> transfers_;  // by channels
    std::map<Key, std::shared_ptr<const Schedule>> made_;
};

}  // namespace weft
