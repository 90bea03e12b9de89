// What a network card does to requests that leave a node: it makes messages of them.
//
// A stream is the requests of one source for one destination, of one kind (reads, writes, atomics). Its lines belong to
// one message until `message` bytes of lines are in it, or no line has come for message_gap. The card remembers
// message_streams streams; a stream that finds its place taken by another ends that one's message.
//
//   start of a message   when its first line has passed the card's latency, and message_interval after the last start:
//                        the rate of messages of the card, all ports together
//   message_overhead     from the start to when its first line may leave: work request, address, connection
//   others               leave when they have come, not before the first
//
// With message_hold a message is collected before it starts: until it is full, or message_hold after its first line. An
// atomic is a message of its own and is never held: it is how others are told.
//
// Lines stay in their input buffers meanwhile. Nothing waits for anything but time, so a message that cannot be
// completed (the buffer is smaller) starts when its time is over: no circle of waiting can come from here.
// Answers are made by hardware and belong to their requests' messages: they pass.
//
// Bytes of headers on the wire are the link's: merge=destination, packet_overhead for each max_payload (the MTU).
//
// Statistics: messages, their lines, time that messages waited for message_interval.
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistic.h"
#include "tlm_interconnect/agenda.h"
#include "tlm_interconnect/line.h"
#include "tlm_interconnect/switch_spec.h"

namespace weft {

// What the stage needs of the switch around it.
class MessageHost {
public:
    virtual ~MessageHost() = default;
    // The line goes on, at once or at `due`.
    virtual void message_forward(Line& line, unsigned input) = 0;
    virtual void message_later(Line& line, Time due, unsigned input) = 0;
    // Calls expired(stream) at `due`.
    virtual void message_timer(AgendaItem& timer, Time due, unsigned stream) = 0;
};

class MessageStage {
public:
    MessageStage(MessageHost& host, const SwitchSpec& spec);

    // `line` came by `input` and leaves the node; its way back is written.
    void take(Line& line, unsigned input, Time now);
    void expired(unsigned stream, Time now);

    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics() { messages_ = lines_ = waited_ = 0; }

private:
    struct Stream {
        std::uint64_t key = ~std::uint64_t{0};
        std::uint64_t bytes = 0;
        Time last = 0;     // when its last line came
        Time leave = 0;    // when its first line may leave
        Time expires = 0;  // held: when it starts at the latest
        AgendaItem* head = nullptr;
        AgendaItem* tail = nullptr;
        AgendaItem timer;
    };
    Time start(Time now);
    void hold(Stream& stream, unsigned number, Line& line, Time now);
    void close(Stream& stream, Time now);

    MessageHost& host_;
    SwitchSpec spec_;
    std::vector<Stream> streams_;
    Time next_start_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t lines_ = 0;
    Time waited_ = 0;
};

}  // namespace weft
