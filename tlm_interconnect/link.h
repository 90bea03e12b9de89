// A link: a full-duplex wire pair between two modules, end 0 and end 1.
//
// Sockets: target[e] takes requests from the module at end e, initiator[e] delivers requests to it.
// The wire of a direction is shared by the requests of one end and its responses to the other.
//
// Timing: a line occupies the wire for wire_bytes / bandwidth (remainders carried, rate_server.h) and
// arrives `latency` after its last bit has left. A pass-through: it books its wire, adds the time to the
// call's delay and hands on; the answer to the sender says when the wire is free again. A sender that
// does not wait is served first come, first served. Credits travel against the lines with
// `latency` and cost no wire time.
//
// Packetisation: request = header (+ byte_enable if it writes part of a line) + payload in whole
// flits; read request, write acknowledge = header; read response = header + payload in whole flits.
// Atomics and awaits carry their 8-byte operand; the answer of an await is a header.
//
// Not modelled here: lanes, CRC, replay, sticky address flits, merging of lines into packets.
//
// Statistics, per direction: lines, wire and payload bytes, busy time.
#pragma once

#include <array>
#include <memory>

#include "base/statistic.h"
#include "tlm_interconnect/link_spec.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/rate_server.h"

namespace weft {

// Bytes of one line on the wire, from the packetisation rule above.
std::uint32_t wire_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls);
// Payload part of it, unpadded.
std::uint32_t payload_bytes(LineOp op, std::uint32_t size, LineClass cls);

class Link : public sc_core::sc_module, public LineInitiator, public LineTarget, public StatisticsProvider {
public:
    Link(sc_core::sc_module_name name, Agenda& agenda, const LinkSpec& spec);

    LineTargetSocket& target(unsigned end) { return *targets_[end]; }
    LineInitiatorSocket& initiator(unsigned end) { return *initiators_[end]; }
    const LinkSpec& spec() const { return spec_; }

    struct Direction {  // from end e to the other
        std::uint64_t lines = 0;
        std::uint64_t wire_bytes = 0;
        std::uint64_t payload_bytes = 0;
        Time busy = 0;
    };
    Direction direction(unsigned end) const;
    // Lines handed on, both directions.
    std::uint64_t line_hops() const { return wires_[0].lines + wires_[1].lines; }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    // Hot state of one direction.
    struct Wire {
        RateServer server;
        std::uint64_t lines = 0;
        std::uint64_t wire_bytes = 0;
        std::uint64_t payload_bytes = 0;
    };

    Time on_request(unsigned end, Line& line, Time delay) override;
    Time on_response(unsigned end, Line& line, Time delay) override;
    void on_request_credit(unsigned end, Line& line, Time delay) override;
    void on_response_credit(unsigned end, Line& line, Time delay) override;
    unsigned debug(unsigned end, Line& line) override;
    RateServer::Slot carry(unsigned end, const Line& line, LineClass cls, Time arrival);

    Agenda& agenda_;
    LinkSpec spec_;
    std::array<Wire, 2> wires_;
    // Wire bytes by class, op and size, so that the hot path looks up instead of computing.
    std::array<std::array<std::array<std::uint16_t, line_bytes + 1>, line_ops>, line_classes> cost_{};
    std::array<std::unique_ptr<LineTargetSocket>, 2> targets_;
    std::array<std::unique_ptr<LineInitiatorSocket>, 2> initiators_;
};

}  // namespace weft
