// The bandwidth of a link without one in the document: its kind's figure, and what its description says of speed, lanes and links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/configuration/tables/link_table.h"

namespace weft {

// The rate of a lane as a document states it.
struct StatedLane {
    std::uint64_t transfers = 0;  // per second
    std::string origin;           // "box.yaml:8 (InfraGraph link up)"
};

// The bandwidth of a kind: what the description states, its figure, or its lanes ("x8" in the description counts) at the kind's rate or
// at that of `per_lane`. Nothing when there is no such knowledge.
std::optional<Figure> bandwidth_of(const LinkKind& kind, const std::string& description,
    const std::optional<StatedLane>& per_lane);

// The transfers per second of a lane that the kind has by its name, or its description by a number, where that is not `transfers`; 0: none.
std::uint64_t other_transfers(const LinkKind& kind, const std::string& description, std::uint64_t transfers);

// Whether that leaves a choice: a rate or a number of lanes that is usual rather than stated or specified.
bool bandwidth_is_assumed(const LinkKind& kind, const std::string& description, bool per_lane);

// Links that the description says an edge is ("2 links", "x2"), of a kind that counts them; 0: not said, or not clearly.
struct DescribedLinks {
    std::uint64_t count = 0;
    std::string text;  // in the words of the description
};
DescribedLinks described_links(const LinkKind& kind, const std::string& description);

// Whether bandwidth_of() has lanes, or the rate of a lane, from the description of a kind with a figure of its own.
bool describes_lanes(const LinkKind& kind, const std::string& description);

// What the description says of a speed and nobody understands ("x3", "Gen 9"); empty: nothing, or no more than `taken` bytes per second.
std::string unread_speed(const LinkKind& kind, const std::string& description, std::uint64_t taken = 0);

}  // namespace weft
