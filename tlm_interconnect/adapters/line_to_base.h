// A foreign TLM-2.0 target, or interconnect, behind our modules.
//
// Sockets: `in`, where lines come from, and `socket`, a standard base-protocol initiator.
//
// A line waits in a buffer of `buffer` slots, is handed to the foreign module as it is (a Line is a
// generic payload with a LineExtension, reference-counted from here on), and goes back with the status it
// got. Its slot is free, and its request credit on the way back, when its answer leaves.
//
// Mode: non_blocking = one BEGIN_REQ at a time, as the exclusion rule demands; a target may answer with any
// legal phase on either path, and skip END_REQ. blocking = b_transport from `threads` processes, for
// targets that wait. direct = b_transport from one SC_METHOD, for targets that never do; the delay that the
// target adds is the time of its answer. dmi = as direct, and by the target's DMI pointer where it offers and grants one: an access
// then takes the latency that the target states with the pointer, and the target sees none of it until it invalidates the pointer.
//
// Atomics: a plain memory knows none, so they are refused with TLM_COMMAND_ERROR and a report, unless
// `pass_atomics` says that another adapter (base_to_line.h) stands behind the foreign module. Then what comes back must have been
// handed on, with the data that the other adapter answered.
//
// Time: the foreign module is called at exactly the kernel time at which the line arrived or the request
// channel became free; answers arrive at exactly the kernel time of the foreign call plus its delay.
//
// Statistics: limits() tells for how long its threads, its buffer or the foreign module held lines up, and how long transactions were there.
#pragma once

#include <deque>
#include <vector>

#include "tlm_interconnect/adapters/adapter_limits.h"
#include "tlm_interconnect/adapters/credit_gate.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

struct LineToBaseSpec {
    enum class Mode : std::uint8_t { non_blocking, blocking, direct, dmi };

    Mode mode = Mode::non_blocking;
    std::uint32_t threads = 4;           // blocking: calls at once
    std::uint32_t buffer = 64;           // lines held; the sender's request credits
    std::uint32_t response_credits = 0;  // response lines that the far end can hold; 0: no limit
    bool local_addresses = true;         // the foreign module sees addresses without the endpoint's bits
    bool pass_atomics = false;
};

class LineToBaseCore :
    public sc_core::sc_module,
    public TimedComponent,
    public LineTarget,
    public AdapterLimits,
    public tlm::tlm_bw_transport_if<> {
public:
    SC_HAS_PROCESS(LineToBaseCore);
    // `path` is unique in the event queue.
    LineToBaseCore(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LineToBaseSpec& spec);

    LineTargetSocket in;

    bool idle() const { return held_ == 0; }
    std::vector<AdapterLimit> limits(Time now) const override;
    std::uint64_t by_pointer() const { return by_pointer_; }  // accesses by DMI

private:
    static constexpr std::uint8_t request_kind = 0;
    static constexpr std::uint8_t answer_kind = 1;
    static constexpr std::uint8_t wake_kind = 2;

    struct Slot {
        Line* line = nullptr;
        bool waiting = false;  // for the foreign module's answer
        Time handed = 0;       // to it
    };

    virtual tlm::tlm_fw_transport_if<>& foreign() = 0;

    Time on_request(unsigned port, Line& line, Time delay) override;
    void on_response_credit(unsigned port, Line& line, Time delay) override;
    unsigned debug(unsigned port, Line& line) override;
    void run(ScheduledItem& item) override;

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    void accept(Line& line);
    std::uint16_t next_line();
    void issue();
    void serve_blocking();
    void begin_request(std::uint16_t index);
    void call_blocking(std::uint16_t index);
    bool use_pointer(std::uint16_t index);
    void ask_for_pointer(Line& line);
    void end_request(Time delay);
    void answered(std::uint16_t index, Time delay);
    void pump();
    void note_limits();
    void check_passed(Line& line) const;
    void violation(const std::string& what) const;

    LineToBaseSpec spec_;
    CreditGate credits_;
    ScheduledItem wake_;
    std::vector<Slot> slots_;
    std::vector<std::uint16_t> free_slots_;
    std::uint32_t held_ = 0;
    std::deque<std::uint16_t> queue_;    // slots that wait for the foreign module
    std::deque<std::uint16_t> answers_;  // slots that wait for a response credit
    sc_core::sc_event issue_event_;
    int requesting_ = -1;  // slot whose BEGIN_REQ waits for END_REQ
    Time request_free_ = 0;
    std::uint32_t calling_ = 0;          // threads within a blocking call
    std::vector<tlm::tlm_dmi> regions_;  // that the target has granted
    std::uint64_t by_pointer_ = 0;
    HeldTime threads_busy_;  // all of them, while lines wait
    HeldTime buffer_full_;
    HeldTime foreign_busy_;  // its request phase is open, while lines wait
    ServiceTime service_;    // of the foreign module and what follows it
};

// BUSWIDTH in bits, as the foreign socket's.
template <unsigned BUSWIDTH = 32>
class LineToBase : public LineToBaseCore {
public:
    LineToBase(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LineToBaseSpec& spec = {})
        : LineToBaseCore(name, event_queue, std::move(path), spec), socket("socket")
    {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

    tlm::tlm_initiator_socket<BUSWIDTH> socket;

private:
    tlm::tlm_fw_transport_if<>& foreign() override { return *socket.operator->(); }
};

}  // namespace weft
