// Bytes on the wires of links, counted a second time from the lines themselves by the rules of docs/models/link.md. A tap
// around every link sees what enters it, and when; nothing of the link's own counting is used.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tlm_interconnect/link/link_model.h"

namespace weft::testing {

// One direction of one link.
class WireRecount {
public:
    explicit WireRecount(const LinkSpec& spec) : spec_(spec) {}

    // A line that comes to the wire at `arrival`; `shares`: it answers a request that shared a packet on its last link.
    // Returns whether it shares the packet of the line before it.
    bool line(const Line& line, LineClass cls, Time arrival, bool shares);
    // A credit that sets out at `now` + `delay`.
    void credit(Time now, Time delay);

    std::uint64_t lines = 0;
    std::uint64_t payload = 0;
    std::uint64_t packets = 0;
    std::uint64_t credits = 0;   // returned
    std::uint64_t messages = 0;  // that return them
    // With what frames add to all bytes so far.
    std::uint64_t wire() const
    {
        return spec_.frame == 0 ? bytes_ : bytes_ + bytes_ * (spec_.frame - spec_.frame_payload) / spec_.frame_payload;
    }

private:
    bool adjacent(const LineHeader& line, LineClass cls, Time arrival) const;
    bool to_destination(const LineHeader& line, LineClass cls, std::uint64_t bytes, Time arrival);
    std::uint64_t of_card(const Line& line, LineClass cls, std::uint64_t bytes, std::uint64_t data);
    bool region_is_new(std::uint64_t address);
    std::uint64_t add(std::uint64_t bytes);
    void occupy(Time from, std::uint64_t bytes);
    void send_messages(Time until);

    struct Before {  // the line before, if another may continue it
        LineClass cls;
        LineOp op;
        unsigned vc;
        unsigned source;
        unsigned destination;
        std::uint64_t next;
    };
    using Stream = std::tuple<unsigned, unsigned, unsigned, LineClass>;  // source, destination, channel
    struct Open {
        std::uint64_t filled;
        Time last;
    };
    struct Sent {  // of a card's message, in one direction
        std::uint64_t data = 0;
        std::uint64_t lines = 0;
    };
    LinkSpec spec_;
    std::map<std::tuple<unsigned, unsigned, unsigned, LineClass>, Sent> sent_;  // source, destination, transfer
    std::uint64_t bytes_ = 0;                                                   // before frames
    Time free_ = 0;
    std::deque<std::uint64_t> regions_;
    std::vector<Before> before_;  // none or one
    std::map<Stream, Open> open_;
    std::multimap<Time, std::uint64_t> due_;  // messages with their bytes
};

// What the taps of a run have seen.
struct Recounts {
    struct Entry {
        std::string path;  // "a~b"
        WireRecount directions[2];
        LinkModel::Direction counted[2] = {};  // by the link, at its end
    };
    std::vector<std::unique_ptr<Entry>> links;
    std::map<const Line*, bool> shared;  // of requests: whether they shared a packet on the last link so far
};

// A link with a tap at both ends, which changes no time. Must outlive neither `event_queue` nor `seen`.
std::unique_ptr<LinkModel> tapped(const std::string& module_name, EventQueue& event_queue, const std::string& path,
    std::unique_ptr<LinkModel> link, const LinkSpec& recounted_as, Recounts& seen);

}  // namespace weft::testing
