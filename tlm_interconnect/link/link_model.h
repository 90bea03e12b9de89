// The interface of any link model between two modules.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class LinkModel : public StatisticsProvider {
public:
    // target(e) takes requests from the module at end e, initiator(e) delivers requests to it.
    virtual LineTargetSocket& target(unsigned end) = 0;
    virtual LineInitiatorSocket& initiator(unsigned end) = 0;
    virtual const LinkSpec& spec() const = 0;

    struct Direction {  // from end e to the other
        std::uint64_t lines = 0;
        std::uint64_t wire_bytes = 0;
        std::uint64_t payload_bytes = 0;
        std::uint64_t flag_reads = 0;  // requests of waits that look at a flag
        std::uint64_t flag_bytes = 0;  // on the wire, of such requests and of answers to them; sent once
        Time busy = 0;                 // of its wires, their mean
        std::uint64_t packets = 0;
        std::uint64_t credit_messages = 0;
        std::uint64_t errors = 0;          // packets hit by a bit error
        std::uint64_t replays = 0;         // times that the sender went back
        std::uint64_t repeated_bytes = 0;  // of packets sent again, among wire_bytes
        std::uint64_t duplicates = 0;      // packets that the receiver had already, and dropped
    };
    virtual Direction direction(unsigned end) const = 0;
    // Of Direction::busy, what the wires have been busy by `now`: a line is counted when it is handed over, for all of its time.
    virtual Time busy_until(unsigned end, Time /*now*/) const { return direction(end).busy; }
    // As of a SwitchModel.
    virtual bool stuck(Time /*now*/) const { return false; }
    virtual std::vector<std::string> unsettled() { return {}; }
    // What the link itself found to be wrong, and what in it cannot go on; one line each.
    virtual std::vector<std::string> problems() const { return {}; }
    virtual std::vector<std::string> blocked() const { return {}; }
    // Lines handed on, both directions.
    std::uint64_t line_hops() const { return direction(0).lines + direction(1).lines; }

    std::vector<Statistic> statistics() const override;
};

// The link that `spec` asks for: a pass-through, or one with retry. `path` is unique in the event queue and names it in
// reports; with `seed` it decides where bit errors fall. Throws InputError when parameters contradict each other.
std::unique_ptr<LinkModel> make_link(const char* module_name, EventQueue& event_queue, const std::string& path,
    const LinkSpec& spec, std::uint64_t seed);

}  // namespace weft
