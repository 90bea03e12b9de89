// The assumed value of a property that neither the document nor the system file states: a protocol, a
// bandwidth, the timing of a switch or card, a device profile. Every such choice is listed; --strict refuses them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "infragraph/graph.h"
#include "platform/configuration/used_parts.h"

namespace weft {

struct Assumption {
    std::string noun{};      // "link", "switch", "network card", "processor", "accelerator", "memory", "system"
    std::string name{};      // of the link or component in the document
    std::string topic{};     // "protocol", "bandwidth", "timing", "profile", "routing"
    std::string missing{};   // "no protocol given"
    std::string taken{};     // "nvlink_4"
    std::string because{};   // a clause
    std::string set_with{};  // how a user says it
    std::string file{};      // the document, and the line that leaves it open
    int line = 0;
    std::size_t count = 0;        // nodes or edges that it holds for
    std::vector<NodeId> nodes{};  // both empty: of the system as a whole
    std::vector<EdgeId> edges{};
    bool transit = false;    // of accelerators: counts only where they pass traffic of others on
    bool combining = false;  // of switches: counts only where they multicast and reduce

    std::string what() const;  // "protocol of link up"
    std::string text() const;  // "8 links `up`: no protocol given, taken as X because Y; set with Z"
    Diagnostic refusal() const;
};

// Those that hold for parts in `used` (empty vectors: for all parts), each with its count there.
std::vector<Assumption> assumptions_among(const std::vector<Assumption>& all, const UsedParts& used);

// Throws one InputError with a line for each when there are any.
void refuse_assumptions(const std::vector<Assumption>& assumptions);

// text() of each.
std::vector<std::string> assumption_lines(const std::vector<Assumption>& assumptions);

}  // namespace weft
