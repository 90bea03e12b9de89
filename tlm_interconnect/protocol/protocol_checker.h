// A watcher bound in line between an initiator and a target socket: it hands every call on unchanged, in
// the same instant, and holds it against the rules of protocol.h. Where a problem ends the run (`kept`), answers and credits of
// no live transaction are not handed on: whoever gets them would take a line that is in use elsewhere for its own. Its verdict names the connection, the
// rule, the line and the time, as SC_REPORT_ERROR("/weft/protocol", ...).
//
// Rules, by the name in the report:
//   phase      requests and response credits travel forward, responses and request credits backward
//   request    a line is sent once before it is answered, and not before its credits are back
//   response   an answer belongs to a live request and carries the same line: operation, place, tag,
//              return path
//   payload    1..64 bytes within one 64-byte line (atomics: one aligned word), and the generic payload
//              says the same as the header
//   status     INCOMPLETE in a request, OK in an answer
//   credit     no line without a credit, by class and by virtual channel; the credit of a request comes back
//              before its answer
//   return     a credit comes back once, and only for a line that holds one
//   past       no effect before now, no answer or credit before the line arrived
//   order      arrivals of a class keep the order of the calls, where Rules say so
//   answer     a call is answered by TLM_ACCEPTED, or by TLM_UPDATED for a line, phase unchanged
//   finish     nothing outstanding when a run has ended by itself
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class ProtocolChecker :
    public sc_core::sc_module,
    private tlm::tlm_fw_transport_if<line_protocol>,
    private tlm::tlm_bw_transport_if<line_protocol> {
public:
    struct Rules {
        std::uint32_t request_credits = 0;   // lines the target's side can hold; 0: not counted here
        std::uint32_t response_credits = 0;  // lines the initiator's side can hold; 0: not counted here
        bool in_order = false;               // each channel arrives in the order of the calls (as on a link)
        BufferSpace space;                   // what the receivers of both directions can hold, by channel
        bool by_channel = false;             // `space` is counted

        static Rules of(const BufferSpace& space, bool in_order = false);
    };
    using InitiatorSocket = tlm::tlm_initiator_socket<line_bytes * 8, line_protocol>;
    using TargetSocket = tlm::tlm_target_socket<line_bytes * 8, line_protocol>;

    // `between` names the connection in reports; empty: the module's own name. `kept`: a problem is kept there and ends the run,
    // in place of an error of SystemC.
    ProtocolChecker(sc_core::sc_module_name name, EventQueue& event_queue, const Rules& rules, std::string between = "",
        std::vector<std::string>* kept = nullptr);

    TargetSocket target;        // to the initiator that is watched
    InitiatorSocket initiator;  // to the target that is watched

    // To be called after a run that ended because nothing was left to do.
    void finish();
    // What the target has not answered: how many, and the first of them. Empty: nothing.
    std::string unanswered() const;

    std::size_t outstanding() const { return live_.size(); }  // lines without answer or with a credit out
    std::uint64_t problems() const { return problems_; }      // reports made

private:
    struct Live {
        std::uint64_t address;
        std::uint32_t tag;
        LineOp op;
        std::uint32_t size;
        std::uint8_t depth;
        bool unanswered;
        bool posted;
        std::array<bool, line_classes> credit;      // still out, by class
        std::array<std::uint8_t, line_classes> vc;  // that the line was sent in, by class
        Time arrival;                               // of the request, then of the answer
    };
    // Credits of one class: those in use, and when those returned arrive at the sender.
    struct Account {
        std::uint32_t limit = 0;
        std::uint32_t used = 0;
        std::priority_queue<Time, std::vector<Time>, std::greater<Time>> returning;
        Time last = 0;  // latest arrival, for the rule of order
    };

    tlm::tlm_sync_enum nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    void b_transport(Line& line, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Line& line, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(Line& line) override { return initiator->transport_dbg(line); }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    // Each returns the time of the call's effect.
    Time arrival(const Line& line, const sc_core::sc_time& delay);
    void on_request(Line& line, Time at);
    bool on_response(Line& line, Time at);  // false: of no request, and not to be handed on
    bool on_credit(const Line& line, LineClass cls, Time at);
    void on_answer(const Line& line, LinePhase sent, LinePhase now, tlm::tlm_sync_enum answer);
    void check_payload(const Line& line);
    void use_credit(const Line& line, LineClass cls, Time at);
    void use_channel(const Line& line, Time at);
    void settle(Account& account, Time at);
    void check_order(const Line& line, LineClass cls, Time at);
    void problem(const char* rule, const Line* line, const std::string& what);

    EventQueue& event_queue_;
    Rules rules_;
    std::string between_;
    std::array<Account, line_classes> accounts_;
    std::array<Account, max_vcs> channels_;
    std::unordered_map<const Line*, Live> live_;
    std::uint64_t problems_ = 0;
    std::vector<std::string>* kept_;
};

// The checkers of a system: binds sockets with a checker between them, or directly when off.
class Checkers {
public:
    explicit Checkers(EventQueue& event_queue, bool on = true) : event_queue_(event_queue), on_(on) {}

    // Before sockets are bound: problems are kept, and the first ends the run.
    void keep_problems() { keeps_ = true; }
    const std::vector<std::string>& kept() const { return kept_; }

    void bind(ProtocolChecker::InitiatorSocket& from, ProtocolChecker::TargetSocket& to,
        const ProtocolChecker::Rules& rules = {});

    void finish();
    std::vector<std::string> unanswered() const;  // a line for each checker with such requests
    std::uint64_t problems() const;
    std::size_t size() const { return checkers_.size(); }

private:
    EventQueue& event_queue_;
    bool on_;
    bool keeps_ = false;
    std::vector<std::string> kept_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace weft
