// The statistics of one direction of a link, for reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "tlm_interconnect/switch/port_watch.h"

namespace weft {

struct LinkResult {
    std::string name;
    std::string from;
    std::string to;
    double GBps = 0;
    std::uint64_t lines = 0;
    std::uint64_t wire_bytes = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t flag_reads = 0;  // requests of waits that look at a flag
    std::uint64_t flag_bytes = 0;  // on the wire, of such requests and of answers to them
    Time busy_ps = 0;
    std::optional<std::uint32_t> peak_queue{};  // none: not known, as at flow fidelity
    // Lines waited, the wire was free, and no channel of theirs had a credit; none: the sender does not count it.
    std::optional<Time> credit_stall_ps{};

    // Counts of a link with a retry protocol; other links have none.
    struct Retry {
        std::uint64_t errors = 0;          // packets hit by a bit error
        std::uint64_t replays = 0;         // times that the sender went back
        std::uint64_t repeated_bytes = 0;  // of packets sent again, among wire_bytes
        std::uint64_t duplicates = 0;      // packets that the receiver had already, and dropped
    };
    std::optional<Retry> retry{};
    // On the wire, those sent again included; none: not known, as at flow fidelity.
    std::optional<std::uint64_t> packets{};
    std::optional<std::uint64_t> credit_messages{};  // the same

    struct Channel {
        std::string name;
        PortWatch::Channel count;
    };
    std::vector<Channel> channels{};         // of a run that was watched
    std::optional<double> theory_payload{};  // of a single collective: what its schedule puts here, without flags
};

}  // namespace weft
