// What passes a module that is not Weft's: a watcher that costs less than a protocol checker, for every run.
//
// A Passage keeps the transactions that are inside the module: each comes in by one of its sockets and leaves by one, once. What the module
// sends without having it (sent twice, or kept from an earlier time) is not handed on, since the same transaction is in use elsewhere:
// the run ends and names the module. So does a time before the current one. Transactions that a switch
// makes by itself, as those of groups, are not kept.
//
// A PassageJoint is bound in line at a socket of such a module, between what may both be such modules, and hands every call on unchanged, in
// the same instant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

// Which lines are somewhere, by their addresses in the host; open addressing.
class LineSet {
public:
    LineSet() : slots_(64) {}

    void insert(const Line& line);
    // False: it is not there.
    bool erase(const Line& line);

private:
    std::size_t home_of(const Line* line) const
    {
        return (reinterpret_cast<std::size_t>(line) / sizeof(Line) * 0x9e3779b97f4a7c15U >> 20) & (slots_.size() - 1);
    }
    std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    std::size_t find(const Line* line) const;

    std::vector<const Line*> slots_;  // a power of 2; null: free
    std::size_t count_ = 0;
};

class Passage {
public:
    // `name` is the module's in reports.
    Passage(EventQueue& event_queue, std::string name) : event_queue_(event_queue), name_(std::move(name)) {}

    // A transaction is handed to the module.
    void enters(const Line& line)
    {
        if (!line.of_group()) inside_.insert(line);
    }
    // The module calls; false: this cannot be, the run ends, and nobody else may see it.
    bool calls(const Line& line, LinePhase phase, const sc_core::sc_time& delay);
    // It has answered the call for a transaction that it takes the next one after `delay`; false as above.
    bool takes_next(const sc_core::sc_time& delay);

    // When the last item ran, or the latest time that the module has told: it is busy with nothing of what it has so far beyond that.
    Time latest() const { return std::max(event_queue_.last(), booked_until_); }

private:
    EventQueue& event_queue_;
    std::string name_;
    LineSet inside_;
    Time booked_until_ = 0;
};

class PassageJoint final :
    public sc_core::sc_module,
    private tlm::tlm_fw_transport_if<line_protocol>,
    private tlm::tlm_bw_transport_if<line_protocol> {
public:
    // Binds the sockets; null: that side is Weft's.
    PassageJoint(sc_core::sc_module_name name, LineInitiatorSocket& from, Passage* of_from, LineTargetSocket& to,
        Passage* of_to);

private:
    tlm::tlm_sync_enum nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay) override;
    void b_transport(Line& line, sc_core::sc_time& delay) override { initiator_->b_transport(line, delay); }
    bool get_direct_mem_ptr(Line& line, tlm::tlm_dmi& dmi) override
    {
        return initiator_->get_direct_mem_ptr(line, dmi);
    }
    unsigned int transport_dbg(Line& line) override { return initiator_->transport_dbg(line); }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override
    {
        target_->invalidate_direct_mem_ptr(first, last);
    }

    tlm::tlm_target_socket<line_bytes * 8, line_protocol> target_;        // to `from`
    tlm::tlm_initiator_socket<line_bytes * 8, line_protocol> initiator_;  // to `to`
    Passage* from_;
    Passage* to_;
};

}  // namespace weft
