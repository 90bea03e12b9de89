// The protocol between our modules, and its sockets.
//
// line_protocol is a TLM-2.0 protocol-types struct of its own: atomics and the return path are
// mandatory, and credits replace the base protocol's END_REQ and END_RESP. A base-protocol socket
// does not bind to these sockets (a compile-time error); adapters/ joins the two worlds.
//
//      initiator                                   target
//          | -- nb_transport_fw(line, request) ----> |   uses one request credit
//          | <- nb_transport_bw(line, request_credit)|   its buffer slot is free again
//          | <- nb_transport_bw(line, response) ---- |   uses one response credit
//          | -- nb_transport_fw(line, response_credit)>
//
// A call says "at now + delay". Whoever holds a credit may always send. A module with a wire
// answers TLM_UPDATED and sets the delay to the time after which it takes the next line of that
// direction; all others answer TLM_ACCEPTED. Responses retrace the sockets of their request.
//
// Every call goes through the bound interface, whatever is behind it: a module of ours, a checker, a recorder, a foreign
// module. A socket looks its interface up once.
#pragma once

#include "tlm_interconnect/line.h"
#include "tlm_interconnect/line_pool.h"

namespace weft {

enum class LinePhase : std::uint8_t { request, response, request_credit, response_credit };

const char* name_of(LinePhase phase);

struct line_protocol {
    typedef Line tlm_payload_type;
    typedef LinePhase tlm_phase_type;
};

// What a module with initiator sockets implements. `port` is the number that the socket was made with.
class LineInitiator {
public:
    virtual ~LineInitiator() = default;
    // Returns the time after which a further response is taken (0: no limit).
    virtual Time on_response(unsigned port, Line& line, Time delay) = 0;
    virtual void on_request_credit(unsigned /*port*/, Line& /*line*/, Time /*delay*/) {}
};

// What a module with target sockets implements.
class LineTarget {
public:
    virtual ~LineTarget() = default;
    // Returns the time after which a further request is taken (0: no limit).
    virtual Time on_request(unsigned port, Line& line, Time delay) = 0;
    virtual void on_response_credit(unsigned /*port*/, Line& /*line*/, Time /*delay*/) {}
    // Reads or writes memory without time; returns the number of bytes moved.
    virtual unsigned debug(unsigned /*port*/, Line& /*line*/) { return 0; }
};

class LineInitiatorSocket : public tlm::tlm_initiator_socket<line_bytes * 8, line_protocol>,
                            public tlm::tlm_bw_transport_if<line_protocol> {
public:
    LineInitiatorSocket(const char* name, LineInitiator& owner, unsigned port = 0);

    Time send_request(Line& line, Time delay)
    {
        ++requests_;
        return forward(line, LinePhase::request, delay);
    }
    void return_response_credit(Line& line, Time delay) { forward(line, LinePhase::response_credit, delay); }
    unsigned debug(Line& line) { return (*this)->transport_dbg(line); }

    std::uint64_t requests() const { return requests_; }  // lines handed on by send_request()

private:
    tlm::tlm_sync_enum nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    Time forward(Line& line, LinePhase phase, Time delay)
    {
        if (peer_ == nullptr) peer_ = this->operator->();
        sc_core::sc_time time = to_sc_time(delay);
        return peer_->nb_transport_fw(line, phase, time) == tlm::TLM_UPDATED ? to_ps(time) : 0;
    }

    tlm::tlm_fw_nonblocking_transport_if<Line, LinePhase>* peer_ = nullptr;
    LineInitiator& owner_;
    unsigned port_;
    std::uint64_t requests_ = 0;
};

class LineTargetSocket : public tlm::tlm_target_socket<line_bytes * 8, line_protocol>,
                         public tlm::tlm_fw_transport_if<line_protocol> {
public:
    LineTargetSocket(const char* name, LineTarget& owner, unsigned port = 0);

    Time send_response(Line& line, Time delay)
    {
        ++responses_;
        return backward(line, LinePhase::response, delay);
    }
    void return_request_credit(Line& line, Time delay) { backward(line, LinePhase::request_credit, delay); }

    std::uint64_t responses() const { return responses_; }  // lines handed back by send_response()

private:
    tlm::tlm_sync_enum nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    void b_transport(Line& line, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Line&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(Line& line) override { return owner_.debug(port_, line); }

    Time backward(Line& line, LinePhase phase, Time delay)
    {
        if (peer_ == nullptr) peer_ = this->operator->();
        sc_core::sc_time time = to_sc_time(delay);
        return peer_->nb_transport_bw(line, phase, time) == tlm::TLM_UPDATED ? to_ps(time) : 0;
    }

    tlm::tlm_bw_nonblocking_transport_if<Line, LinePhase>* peer_ = nullptr;
    LineTarget& owner_;
    unsigned port_;
    std::uint64_t responses_ = 0;
};

}  // namespace weft
