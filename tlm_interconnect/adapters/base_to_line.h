// A foreign TLM-2.0 initiator in front of our modules.
//
// Sockets: `socket`, a standard base-protocol target (b_transport, nb_transport, transport_dbg; no
// DMI), and `out`, where the access goes on as lines.
//
// An access of up to 4 KiB is cut at 64-byte boundaries and, where it has byte enables, into runs of
// enabled bytes; it is answered when all pieces are, at the time of the last, with the first status that
// is not OK. Pieces go out in order of address as credits allow. An access outside [0, local_bytes) of an
// existing endpoint is refused with TLM_ADDRESS_ERROR without a line being sent.
//
// Four phases: END_REQ follows when the last piece has left; that is the back pressure (exclusion
// rule: no further BEGIN_REQ before it). One BEGIN_RESP at a time; it may be completed by TLM_COMPLETED, by
// TLM_UPDATED with END_RESP, or by END_RESP on the forward path. A payload is acquired while it is here.
// A refused access is completed early: the BEGIN_REQ call returns TLM_COMPLETED.
//
// Time: calls into our modules are made from the event queue at exactly the time of the foreign call plus its
// delay, calls out of here at exactly the kernel time of the answer.
//
// A payload that carries a LineExtension is one of our lines that came through foreign modules (see
// line_to_base.h): that very line goes on, with its operation, tag and return path.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "tlm_interconnect/adapters/adapter_limits.h"
#include "tlm_interconnect/adapters/credit_gate.h"
#include "tlm_interconnect/adapters/split.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

struct BaseToLineSpec {
    std::uint64_t base = 0;                              // added to every foreign address
    std::uint64_t local_bytes = std::uint64_t{1} << 46;  // bytes that each endpoint has
    std::uint32_t endpoints = 1;                         // endpoints that may be accessed
    std::uint16_t source = 0;                            // endpoint index that the lines carry as their origin
    std::uint32_t request_credits = 0;                   // lines that the far end can hold; 0: no limit
    std::uint32_t outstanding = 64;                      // lines without answer; 0: no limit
};

class BaseToLineCore :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public AdapterLimits,
    public tlm::tlm_fw_transport_if<> {
public:
    SC_HAS_PROCESS(BaseToLineCore);
    // `path` is unique in the event queue.
    BaseToLineCore(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
        const BaseToLineSpec& spec);

    LineInitiatorSocket out;

    bool idle() const { return open_jobs_ == 0; }  // no access under way
    std::vector<AdapterLimit> limits(Time now) const override;

private:
    static constexpr std::uint8_t request_kind = 0;
    static constexpr std::uint8_t answer_kind = 1;
    static constexpr std::uint8_t wake_kind = 2;

    // One access of the foreign initiator.
    struct Job {
        tlm::tlm_generic_payload* payload = nullptr;
        std::uint64_t address = 0;  // of its first byte
        std::uint32_t pieces = 0;
        std::uint32_t unsent = 0;
        std::uint32_t unanswered = 0;
        Time sent = 0;  // its first piece
        bool blocking = false;
        bool own_line = false;  // the payload is a line of ours
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
        sc_core::sc_event finished;
    };
    struct Call {
        Time due;
        std::uint16_t job;
        bool response;  // BEGIN_RESP, else END_REQ
    };

    virtual tlm::tlm_bw_transport_if<>& initiator() = 0;

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    void run(ScheduledItem& item) override;

    tlm::tlm_response_status cut(const tlm::tlm_generic_payload& payload, bool debug = false);
    bool accessible(const AccessPiece& piece) const;
    std::uint16_t open_job(tlm::tlm_generic_payload& payload, Time start, bool blocking);
    void close_job(std::uint16_t index);
    void issue_own(Line& line, std::uint16_t index, Time start);
    void pump();
    void finish_piece(Line& line);
    void post(std::uint16_t job, bool response);
    void deliver();
    void begin_response(std::uint16_t index);
    void end_response(Time delay);
    tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, Time delay);
    void violation(const char* what) const;

    BaseToLineSpec spec_;
    LinePool& pool_;
    CreditGate credits_;
    std::uint32_t in_flight_ = 0;
    HeldTime outstanding_full_;  // while pieces wait
    ServiceTime service_;        // of accesses, by number of pieces
    bool pumping_ = false;
    ScheduledItem wake_;
    std::vector<AccessPiece> pieces_;
    std::deque<Line*> queue_;  // pieces that wait for a credit
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<std::uint16_t> free_jobs_;
    std::size_t open_jobs_ = 0;
    std::uint32_t transfers_ = 0;  // number of the last access (Line::transfer)

    sc_core::sc_event call_event_;
    std::deque<Call> calls_;               // to be made by deliver(), in order of time
    std::deque<std::uint16_t> responses_;  // complete, waiting for the response channel
    bool request_open_ = false;            // BEGIN_REQ without END_REQ
    int responding_ = -1;                  // job whose BEGIN_RESP waits for END_RESP
    Time response_free_ = 0;
};

// BUSWIDTH in bits, as the foreign socket's.
template <unsigned BUSWIDTH = 32>
class BaseToLine : public BaseToLineCore {
public:
    BaseToLine(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
        const BaseToLineSpec& spec = {})
        : BaseToLineCore(name, event_queue, std::move(path), pool, spec), socket("socket")
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

    tlm::tlm_target_socket<BUSWIDTH> socket;

private:
    tlm::tlm_bw_transport_if<>& initiator() override { return *socket.operator->(); }
};

}  // namespace weft
