// The remaining work of the collectives in flight in each dimension, by their plans: one table for all ranks.
//
// A collective counts from its opening (its first rank has come) until its last rank has left. In between, its operations
// count until they would have ended by the model (dimension_plan.h), one that would be under way with what is left of
// it. The members of a group see the most that any of them has to do, so all of them see the same.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace weft {

class DimensionLedger {
public:
    using Entry = std::uint64_t;
    using Time = std::uint64_t;  // ps
    struct Work {
        std::uint32_t dimension = 0;
        Time start = 0;
        Time end = 0;
    };

    explicit DimensionLedger(std::uint32_t dimensions) : dimensions_(dimensions) {}

    Entry open(std::vector<std::uint32_t> members, std::vector<Work> work);
    // A member has left; after the last one nothing counts any more.
    void leave(Entry entry);

    // By dimension.
    std::vector<Time> outstanding(const std::vector<std::uint32_t>& members, Time now) const;

private:
    struct Open {
        std::vector<std::uint32_t> members;
        std::vector<Work> work;
        std::size_t inside = 0;
    };

    std::uint32_t dimensions_;
    Entry next_ = 0;
    std::map<Entry, Open> open_;
};

}  // namespace weft
