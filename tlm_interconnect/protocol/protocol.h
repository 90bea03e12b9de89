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
// module. A socket takes the interface that it is bound to with its first call and counts what comes in by its own.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/protocol/line_pool.h"

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

// What came in by the interface of a socket.
struct SocketCalls {
    std::uint64_t lines = 0;    // requests or responses
    std::uint64_t credits = 0;  // of the other class
};

using LineForward = tlm::tlm_fw_nonblocking_transport_if<Line, LinePhase>;
using LineBackward = tlm::tlm_bw_nonblocking_transport_if<Line, LinePhase>;

// Calls over a bound interface; the result is the time after which the next line is taken.
inline Time call_forward(LineForward& to, Line& line, LinePhase phase, Time delay)
{
    sc_core::sc_time time = to_sc_time(delay);
    return to.nb_transport_fw(line, phase, time) == tlm::TLM_UPDATED ? to_ps(time) : 0;
}
inline Time call_backward(LineBackward& to, Line& line, LinePhase phase, Time delay)
{
    sc_core::sc_time time = to_sc_time(delay);
    return to.nb_transport_bw(line, phase, time) == tlm::TLM_UPDATED ? to_ps(time) : 0;
}

// The response to a call after which a module takes no other line of this direction for `occupied`.
inline tlm::tlm_sync_enum accepted(Time occupied, sc_core::sc_time& delay)
{
    if (occupied == 0) return tlm::TLM_ACCEPTED;
    delay = to_sc_time(occupied);
    return tlm::TLM_UPDATED;
}

// The interfaces that sockets are bound to. An object of its own for each socket, in one cache line of the host as far as
// lines and credits need it: a socket itself takes several.
class LineTargetEnd : public tlm::tlm_fw_transport_if<line_protocol> {
public:
    const SocketCalls& calls() const { return calls_; }

protected:
    static void refuse_phase();

    SocketCalls calls_;

private:
    void b_transport(Line& line, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Line&, tlm::tlm_dmi&) override { return false; }
};

class LineInitiatorEnd : public tlm::tlm_bw_transport_if<line_protocol> {
public:
    const SocketCalls& calls() const { return calls_; }

protected:
    static void refuse_phase();

    SocketCalls calls_;

private:
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// The class by which an end calls the module of its socket. A final class with public functions is called as itself:
// the compiler then knows the function, and a hop has one virtual call, that of the interface.
template <class Owner, class Role, class = void>
struct CalledAs {
    using type = Role;
};
template <class Owner>
struct CalledAs<Owner, LineTarget,
    std::void_t<std::enable_if_t<std::is_final_v<Owner>>,
        decltype(std::declval<Owner&>().on_request(0U, std::declval<Line&>(), Time{})),
        decltype(std::declval<Owner&>().on_response_credit(0U, std::declval<Line&>(), Time{}))>> {
    using type = Owner;
};
template <class Owner>
struct CalledAs<Owner, LineInitiator,
    std::void_t<std::enable_if_t<std::is_final_v<Owner>>,
        decltype(std::declval<Owner&>().on_response(0U, std::declval<Line&>(), Time{})),
        decltype(std::declval<Owner&>().on_request_credit(0U, std::declval<Line&>(), Time{}))>> {
    using type = Owner;
};

template <class Owner>
class alignas(64) LineTargetEndOf final : public LineTargetEnd {
public:
    LineTargetEndOf(Owner& owner, unsigned port) : owner_(owner), port_(port) {}

private:
    tlm::tlm_sync_enum nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override
    {
        if (phase == LinePhase::request) {
            ++calls_.lines;
            return accepted(owner_.on_request(port_, line, to_ps(delay)), delay);
        }
        if (phase == LinePhase::response_credit) {
            ++calls_.credits;
            owner_.on_response_credit(port_, line, to_ps(delay));
        } else {
            refuse_phase();
        }
        return tlm::TLM_ACCEPTED;
    }
    unsigned int transport_dbg(Line& line) override { return static_cast<LineTarget&>(owner_).debug(port_, line); }

    typename CalledAs<Owner, LineTarget>::type& owner_;
    unsigned port_;
};

template <class Owner>
class alignas(64) LineInitiatorEndOf final : public LineInitiatorEnd {
public:
    LineInitiatorEndOf(Owner& owner, unsigned port) : owner_(owner), port_(port) {}

private:
    tlm::tlm_sync_enum nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override
    {
        if (phase == LinePhase::response) {
            ++calls_.lines;
            return accepted(owner_.on_response(port_, line, to_ps(delay)), delay);
        }
        if (phase == LinePhase::request_credit) {
            ++calls_.credits;
            owner_.on_request_credit(port_, line, to_ps(delay));
        } else {
            refuse_phase();
        }
        return tlm::TLM_ACCEPTED;
    }

    typename CalledAs<Owner, LineInitiator>::type& owner_;
    unsigned port_;
};

class LineInitiatorSocket : public tlm::tlm_initiator_socket<line_bytes * 8, line_protocol> {
public:
    template <class Owner>
    LineInitiatorSocket(const char* name, Owner& owner, unsigned port = 0)
        : LineInitiatorSocket(name, std::make_unique<LineInitiatorEndOf<Owner>>(owner, port))
    {
    }

    Time send_request(Line& line, Time delay)
    {
        requests_ += line.lines();
        return call_forward(bound(), line, LinePhase::request, delay);
    }
    void return_response_credit(Line& line, Time delay)
    {
        call_forward(bound(), line, LinePhase::response_credit, delay);
    }
    unsigned debug(Line& line) { return (*this)->transport_dbg(line); }

    std::uint64_t requests() const { return requests_; }        // lines that send_request() has handed on
    const SocketCalls& calls() const { return end_->calls(); }  // responses and request credits that came in
    // The interface that it is bound to, looked up once: by the first call, which may come before elaboration ends.
    LineForward& bound()
    {
        if (peer_ == nullptr) peer_ = this->operator->();
        return *peer_;
    }

private:
    LineInitiatorSocket(const char* name, std::unique_ptr<LineInitiatorEnd> end);

    std::unique_ptr<LineInitiatorEnd> end_;
    LineForward* peer_ = nullptr;
    std::uint64_t requests_ = 0;
};

class LineTargetSocket : public tlm::tlm_target_socket<line_bytes * 8, line_protocol> {
public:
    template <class Owner>
    LineTargetSocket(const char* name, Owner& owner, unsigned port = 0)
        : LineTargetSocket(name, std::make_unique<LineTargetEndOf<Owner>>(owner, port))
    {
    }

    Time send_response(Line& line, Time delay)
    {
        responses_ += line.lines();
        return call_backward(bound(), line, LinePhase::response, delay);
    }
    void return_request_credit(Line& line, Time delay)
    {
        call_backward(bound(), line, LinePhase::request_credit, delay);
    }

    std::uint64_t responses() const { return responses_; }      // lines that send_response() has handed back
    const SocketCalls& calls() const { return end_->calls(); }  // requests and response credits that came in
    LineBackward& bound()                                       // as above
    {
        if (peer_ == nullptr) peer_ = this->operator->();
        return *peer_;
    }

private:
    LineTargetSocket(const char* name, std::unique_ptr<LineTargetEnd> end);

    std::unique_ptr<LineTargetEnd> end_;
    LineBackward* peer_ = nullptr;
    std::uint64_t responses_ = 0;
};

}  // namespace weft
