// The sending side of one fabric port: queues per class and input, credits, one wire.
//
// Part of a switch or of a GPU's fabric port, not a module: the owner is the Station that runs its
// wake-ups. Lines queue per (class, input). When the wire is free the port picks the class (the two
// alternate while both have lines and credits), then the input (round robin), uses a credit and sends.
// Credits returned with a delay count from the time they arrive; nobody is woken unless the port
// is blocked on them.
//
// Statistics: lines sent, largest queue, time with the wire free and lines waiting for credits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/protocol.h"

namespace weft {

class OutputPortOwner {
public:
    virtual ~OutputPortOwner() = default;
    // `line` of `cls`, which came from `input`, has left its buffer slot through `port`.
    virtual void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) = 0;
};

class OutputPort {
public:
    // Item kinds below this are the owner's own; wake-ups of ports use it and the two after it.
    static constexpr std::uint8_t wake_kind = 8;

    OutputPort(Agenda& agenda, Station& station, OutputPortOwner& owner, unsigned port, unsigned inputs,
        LineInitiatorSocket& requests, LineTargetSocket& responses);
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    // Lines of each class that the far end can hold. Before time starts.
    void set_credits(std::uint32_t requests, std::uint32_t responses);

    void enqueue(Line& line, LineClass cls, unsigned input);
    void add_credit(LineClass cls, Time due);
    // Sends what can be sent now; otherwise arranges to be woken. The owner calls it in settle()
    // after enqueueing and for every wake-up item.
    void serve(Time now);

    bool blocked() const { return queued_ > 0; }
    std::uint32_t queued(LineClass cls) const { return classes_[static_cast<unsigned>(cls)].queued; }
    std::uint64_t sent() const { return sent_; }
    std::uint32_t peak_queue() const { return peak_; }
    Time credit_stall() const { return stall_; }
    void reset_statistics();
    // "2 requests wait, no request credit" for the report of a run that cannot progress; empty if idle.
    std::string describe() const;

private:
    struct Queue {
        AgendaItem* head = nullptr;
        AgendaItem* tail = nullptr;
    };
    struct PerClass {
        std::uint32_t queued = 0;
        std::uint32_t credits = 0;
        std::uint32_t last_input = 0;
        std::uint32_t ring_head = 0;   // credits on their way back, due times ascending
        std::uint32_t ring_count = 0;
        Time ring_last = 0;
        std::vector<Time> ring;
        std::vector<Queue> inputs;
        std::vector<std::uint64_t> waiting;  // bit per input with lines
        AgendaItem wake;
    };

    bool take_credit(PerClass& cls, Time now);
    unsigned next_input(PerClass& cls) const;
    void send(unsigned cls_index, Time now);
    void arm(AgendaItem& item, Time due);

    Agenda& agenda_;
    Station& station_;
    OutputPortOwner& owner_;
    LineInitiatorSocket& requests_;
    LineTargetSocket& responses_;
    unsigned port_;
    unsigned last_class_ = 1;
    std::uint32_t queued_ = 0;
    std::uint32_t peak_ = 0;
    Time wire_free_ = 0;
    Time stalled_since_ = 0;
    bool stalled_ = false;
    Time stall_ = 0;
    std::uint64_t sent_ = 0;
    AgendaItem wire_wake_;
    std::array<PerClass, line_classes> classes_;
};

}  // namespace weft
