// A switch of a user's own: output-queued, strict priority for control.
//
// Sockets: per port one target (requests in, responses out) and one initiator (requests out, responses in).
// Timing: a line joins the queue of its output and channel `switch.latency` after it arrived; no input can hold up
// another. When the wire is free the first line of the most urgent channel that has a credit leaves: read requests,
// then atomics, then responses, then writes; in a class the lower VC set first. Its slot is free when it leaves.
// Parameters: switch.latency, and PrioritySpec, a block of its own; the others of a switch have no effect.
// Statistics: lines forwarded, largest queue, lines sent past less urgent ones that waited, time that the pace held
// outputs.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <weft/parameters.h>
#include <weft/switch.h>

namespace user {

// Which lines are urgent: read requests, atomics, responses, writes in this order; or responses and writes first.
enum class Urgency : std::uint8_t { control, data };

struct PrioritySpec {
    Urgency urgency = Urgency::control;
    std::uint64_t pace = 0;  // B/s, of lines of 64 B that an output sends; 0: as fast as the wire

    static const weft::ParameterTable<PrioritySpec>& parameters();
};

const weft::StatisticTable& priority_statistics();

class PrioritySwitch final : public weft::SwitchShell<PrioritySwitch> {
public:
    PrioritySwitch(sc_core::sc_module_name name, weft::EventQueue& event_queue, std::string path, weft::Time latency,
        const PrioritySpec& spec, unsigned ports, weft::RouteTable routes);

    void set_credits(unsigned port, const weft::BufferSpace& space) override;
    std::uint32_t peak_queue(unsigned port) const override { return ports_[port]->load.peak; }
    std::uint64_t line_hops() const override;
    std::vector<std::string> blocked() const override;
    std::vector<Wait> waits() const override;
    std::vector<weft::Statistic> statistics() const override;
    void reset_statistics() override;

private:
    friend weft::SwitchShell<PrioritySwitch>;

    struct Queue {
        weft::ScheduledItem* head = nullptr;
        weft::ScheduledItem* tail = nullptr;
    };
    struct Port {
        weft::CreditAccount credits;
        bool split = true;
        std::array<Queue, weft::max_vcs> queues;
        std::array<weft::ScheduledItem, weft::max_vcs> credit_wakes;
        weft::ScheduledItem pool_wake;
        weft::ScheduledItem wire_wake;
        weft::Time wire_free = 0;
        bool touched = false;
        weft::OutputLoad load;
        std::uint64_t sent = 0;
        std::uint64_t overtakes = 0;
        weft::Time paced = 0;
    };

    void arrive(unsigned port, weft::Line& line, weft::LineClass cls, weft::Time delay);
    void credited(unsigned port, std::uint8_t vc, weft::Time due);
    void run(weft::ScheduledItem& item) override;
    void arbitrate() override;
    void touch(unsigned port);
    void enqueue(unsigned port, std::uint8_t vc, weft::Line& line);
    void serve(Port& port, unsigned number);
    void send_first(unsigned number, std::uint8_t vc);
    void wake(weft::ScheduledItem& item, weft::Time due, unsigned port);

    weft::Time latency_;
    bool data_first_;
    weft::Time line_time_;  // at the pace, the last picosecond begun counted whole; 0: none
    std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace user
