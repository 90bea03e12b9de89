// The requirements of a schedule on switches: groups of ranks, and memories with one address at all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

// Whether the sources (the destinations) of such a step are one place of a group to the rank that issues it.
bool reads_group(StepKind kind);
bool writes_group(StepKind kind);

// The ranks of such a group. Where it combines, in the order in which it does.
std::vector<std::uint32_t> reading_group(const Step& step);
std::vector<std::uint32_t> writing_group(const Step& step);

// Endpoint numbers of groups, by their ranks.
using GroupNumbers = std::map<std::vector<std::uint32_t>, std::uint16_t>;

struct SwitchUse {
    GroupNumbers groups;                                                      // all 0
    std::map<std::vector<std::uint32_t>, std::set<std::uint32_t>> outsiders;  // ranks that use one and are no members
    bool memories[buffer_kinds] = {};  // by Buffer: lie at the same local address of all ranks

    bool any() const { return !groups.empty(); }
};
SwitchUse switch_use(const Schedule& schedule);

}  // namespace weft
