// The output ports of a switch: serves those of an instant that something has happened to, and tells about all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/switch/switch_model.h"

namespace weft {

class OutputBank {
public:
    // Sockets are those of `model`; `component` runs the ports' wake-ups, and serve() in arbitrate().
    OutputBank(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, SwitchModel& model,
        unsigned ports, const Arbitration& arbitration);

    OutputPort& operator[](std::size_t port) { return *ports_[port]; }
    const OutputPort& operator[](std::size_t port) const { return *ports_[port]; }
    std::size_t size() const { return ports_.size(); }

    // `port` is to be served at the end of this instant.
    void touch(unsigned port) { touched_[port >> 6] |= std::uint64_t{1} << (port & 63); }
    void serve(Time now)
    {
        for (std::size_t word = 0; word < touched_.size(); ++word) {
            std::uint64_t bits = touched_[word];
            touched_[word] = 0;
            for (; bits != 0; bits &= bits - 1)
                ports_[(word << 6) + static_cast<unsigned>(__builtin_ctzll(bits))]->serve(now);
        }
    }

    std::uint64_t sent() const;
    Time credit_stall() const;  // summed
    std::vector<SwitchModel::Wait> waits() const;
    void add_blocked(const std::string& path, std::vector<std::string>& out) const;
    void reset_statistics();

private:
    std::vector<std::unique_ptr<OutputPort>> ports_;
    std::vector<std::uint64_t> touched_;  // bit per port
};

}  // namespace weft
