// What a network card does to requests that leave a node: it makes messages of the transfers they are parts of, and cuts
// these into packets.
//
// A transfer is what its requester says it is (Line::transfer): a copy of a workgroup, a descriptor of a copy engine, a
// row of recorded traffic. For the card it is a descriptor, and its requests for one destination are one message, or
// several when it is longer than `message` bytes. A line of no transfer, and every atomic, is a message by itself. No line
// joins a message because it came at the right time.
//
//   start of a message   when its first line has passed the card's latency, and message_interval after the last start:
//                        the rate of messages of the card, all ports together
//   message_overhead     from the start to when its first line may leave: work request, address, connection
//   others               leave when they have come, not before the first
//   packets              of path_lines x 64 B of the message, the first line of each is marked (Line::message_part): what
//                        marks cost on the wire is the links' (packetiser.h)
//
// The card remembers message_streams transfers. A line of one that it has forgotten starts a message anew.
//
// With message_hold a message is collected before it starts: until it is full, or message_hold after its first line. A
// message by itself is complete and never held.
//
// Lines stay in their input buffers meanwhile. Nothing waits for anything but time, so a message that cannot be
// completed (the buffer is smaller) starts when its time is over: no circle of waiting can come from here.
// Answers are made by hardware and belong to their requests' messages: they pass.
//
// Statistics: messages, those of one line without a transfer, lines, time that messages waited for message_interval.
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/kernel/event_queue.h"
#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/kernel/recent_keys.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

// What the stage needs of the switch around it.
class MessageHost {
public:
    virtual ~MessageHost() = default;
    // The line goes on, at once or at `due`.
    virtual void message_forward(Line& line, unsigned input) = 0;
    virtual void message_later(Line& line, Time due, unsigned input) = 0;
    // Calls expired(stream) at `due`.
    virtual void message_timer(ScheduledItem& timer, Time due, unsigned stream) = 0;
};

class MessageStage {
public:
    MessageStage(MessageHost& host, const SwitchSpec& spec);

    // Whole lines that a packet of the network may hold; the smallest of all calls counts. Before time starts.
    void limit_packets(std::uint32_t lines);

    // `line` came by `input` and leaves the node; its way back is written.
    void take(Line& line, unsigned input, Time now);
    void expired(unsigned stream, Time now);

    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics() { messages_ = singles_ = lines_ = waited_ = 0; }

private:
    struct Stream {
        std::uint64_t bytes = 0;   // of the message that is open
        std::uint64_t packet = 0;  // of its packet that is open
        Time leave = 0;    // when its first line may leave
        Time expires = 0;  // held: when it starts at the latest
        ScheduledItem* head = nullptr;
        ScheduledItem* tail = nullptr;
        ScheduledItem timer;
    };
    Time start(Time now);
    void pass(Line& line, unsigned input, Time leave, Time now);
    void add(Stream& stream, Line& line) const;
    void hold(Stream& stream, unsigned number, Line& line, Time now);
    void close(Stream& stream, Time now);

    MessageHost& host_;
    SwitchSpec spec_;
    std::uint64_t packet_bytes_ = ~std::uint64_t{0};
    RecentKeys keys_;
    std::vector<Stream> streams_;  // by place of the key
    Time next_start_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t singles_ = 0;
    std::uint64_t lines_ = 0;
    Time waited_ = 0;
};

}  // namespace weft
