// A foreign TLM-2.0 memory as the DRAM of a GPU: derive, build the memory, connect its sockets.
//
// Sockets: target(s) of cache slice s. Within, an adapter from lines to the base protocol for each socket of the memory that
// connect() gets; slice s uses adapter s modulo their number.
// The memory sees addresses from 0 up to hbm.capacity and accesses of 64 B.
// Access: by the phases of nb_transport, by b_transport from `threads` processes for each socket, by b_transport from one
// method (for memories that do not wait), or by its DMI pointer where it grants one. DMI: the latency that the memory states is
// that of an access; the pointer is given up when the memory invalidates it; what it does not grant goes by b_transport.
// Timing: the memory's, nothing is added. What it holds back waits in the adapter, which takes what the slices have open.
// Contents: with l2.contents = cached the memory stores the bytes, which also come and go by transport_dbg; otherwise it sees
// accesses whose bytes mean nothing.
// An access that the memory refuses (a response status that is no TLM_OK_RESPONSE) is an error of the run with the memory's name.
// Statistics: reads, writes, mean latency from arrival to response (base_protocol_memory_statistics()).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/statistic_table.h"
#include "sc_models/memory/memory_model.h"
#include "tlm_interconnect/adapters/line_to_base.h"
#include "tlm_interconnect/protocol/socket_array.h"

namespace weft {

const StatisticTable& base_protocol_memory_statistics();

class BaseProtocolMemory : public sc_core::sc_module, public LineTarget, public LineInitiator, public MemoryModel {
public:
    using Mode = LineToBaseSpec::Mode;

    // `name` is the sc_module_name that the derived class gets by value: its memory is then a part of this module.
    BaseProtocolMemory(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, unsigned slices,
        Mode mode = Mode::non_blocking, std::uint32_t threads = 64);

    // A socket of the memory, in the constructor of the derived class.
    template <unsigned BUSWIDTH, class Forward, class Backward, int N, sc_core::sc_port_policy Policy>
    void connect(tlm::tlm_base_target_socket<BUSWIDTH, Forward, Backward, N, Policy>& socket)
    {
        const std::string number = std::to_string(entries_.size());
        auto entry = std::make_unique<LineToBase<BUSWIDTH>>(("entry" + number).c_str(), event_queue_,
            path_ + ".entry" + number, spec_);
        entry->socket.bind(socket);
        join(std::move(entry));
    }

    LineTargetSocket& target(unsigned slice) override { return targets_[slice]; }
    std::uint64_t responses(unsigned slice) const override { return targets_[slice].responses(); }
    void hold_contents(MemoryImage&) override { holds_contents_ = true; }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned slice, Line& line, Time delay) override;
    Time on_response(unsigned entry, Line& line, Time delay) override;

private:
    // An access in the memory; its number is on the return path.
    struct Access {
        unsigned slice;
        Time arrived;
    };

    void before_end_of_elaboration() override;
    unsigned debug(unsigned slice, Line& line) override;
    void join(std::unique_ptr<LineToBaseCore> entry);
    unsigned entry_of(unsigned slice) const { return slice % static_cast<unsigned>(entries_.size()); }

    EventQueue& event_queue_;
    std::string path_;
    LineToBaseSpec spec_;
    bool holds_contents_ = false;
    sc_core::sc_vector<LineTargetSocket> targets_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> to_entries_;
    std::vector<std::unique_ptr<LineToBaseCore>> entries_;
    std::vector<Access> accesses_;
    std::vector<std::uint16_t> free_;
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    Time waited_ = 0;
};

}  // namespace weft
