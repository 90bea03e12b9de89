// The message stage of a network card, which requests pass when they leave a node: it groups transfers into messages,
// and divides
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
//   paths                of equal ones behind the card a packet takes one (PacketPaths): the next of its destination, or that of
//                        its address, so that accesses to one address stay in order
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
#include "tlm_interconnect/switch/request_stage.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

class MessageStage final : public RequestStage {
public:
    MessageStage(StageHost& host, const SwitchSpec& spec, unsigned ports);

    void set_space(unsigned port, const BufferSpace& space) override;
    bool take(Line& line, unsigned input, const RouteTable& routes, Time now) override;
    void expired(unsigned number, Time now) override;

    void add_statistics(std::vector<Statistic>& out) const override;
    void reset_statistics() override { messages_ = singles_ = lines_ = waited_ = 0; }

private:
    struct Stream {
        std::uint64_t bytes = 0;   // of the message that is open
        std::uint64_t packet = 0;  // of its packet that is open
        std::uint32_t path = 0;    // of that packet, where these take turns
        Time leave = 0;            // when its first line may leave
        Time expires = 0;          // held: when it starts at the latest
        ScheduledItem* head = nullptr;
        ScheduledItem* tail = nullptr;
        ScheduledItem timer;
    };
    bool leaves_node(const Line& line, unsigned input, const RouteTable& routes) const;
    void join_message(Line& line, unsigned input, Time now);
    Time start(Time now);
    void pass(Line& line, unsigned input, Time leave, Time now);
    void add(Stream& stream, Line& line);
    std::uint32_t next_path(std::uint16_t destination);
    void hold(Stream& stream, unsigned number, Line& line, Time now);
    void close(Stream& stream, Time now);

    StageHost& host_;
    SwitchSpec spec_;
    std::vector<bool> network_;  // by port: of the network's side
    std::uint64_t packet_bytes_ = ~std::uint64_t{0};
    PacketPaths paths_;
    std::vector<std::uint32_t> turns_;  // packets so far, by destination
    RecentKeys keys_;
    std::vector<Stream> streams_;  // by place of the key
    Time next_start_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t singles_ = 0;
    std::uint64_t lines_ = 0;
    Time waited_ = 0;
};

}  // namespace weft
