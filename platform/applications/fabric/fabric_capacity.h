// The definition of load 1: the payload that the links of the narrowest endpoint that takes part can carry of a mix of
// traffic, and what the rest of their bytes is.
//
// Each line of the mix and its answer count as packets by themselves; address extensions as often as the link has not kept a line's region. In a symmetric pattern an endpoint sends its own
// requests and its answers to others in the same direction: so a line takes the bytes of both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"
#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/traffic/pattern.h"
#include "tlm_interconnect/traffic/traffic_spec.h"

namespace weft {

struct FabricCapacity {
    struct Links {
        unsigned count = 0;
        double GBps = 0;
    };
    struct Part {
        std::string name;  // "write request"
        double share = 1;  // of the lines of the mix
        LoneParts bytes;
    };

    std::string endpoint;          // the first one that takes longest for a line
    std::vector<Links> links;      // its links, by bandwidth
    std::vector<Part> parts;       // of its link with the costliest packets
    bool merges = false;           // lines of a message may share a packet there, which takes fewer bytes
    bool single_messages = false;  // network cards are on the way, and every line is a message for them
    std::uint64_t slot_bytes = 0;  // thousandths of a byte
    std::uint64_t slot_rate = 0;   // thousandths of a byte a second
    double GBps = 0;               // payload of one endpoint at load 1

    double wire_GBps() const;
    double wire_bytes() const;  // of a line of the mix
    double payload_bytes() const;
};

// Throws InputError when no endpoint has a link.
FabricCapacity capacity_of(const ResolvedSystem& system, const FabricPlan& plan, const TrafficSpec& traffic,
    const Pattern& pattern);

// Several lines for the report.
std::string capacity_text(const FabricCapacity& capacity);

}  // namespace weft
