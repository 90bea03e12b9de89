// Two endpoints and two wires under random traffic, with consumers that stall, watched by a scoreboard.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rtl/link/link_pins.h"
#include "rtl/link/link_wire.h"

namespace weft::link_bench {

// Bytes of payload that must arrive, told from the table of operations and not from the packets' own rule.
unsigned carried_bytes(const LineBits& line);
// A line as it must arrive: nothing behind its payload.
LineBits as_carried(LineBits line);

// What must come out of one direction of a link: everything that went in, once, in order, unchanged.
class Scoreboard {
public:
    void taken(unsigned vc, const LineBits& line) { expected_.push_back({vc, as_carried(line)}); }
    void delivered(unsigned vc, const LineBits& line);
    // After the link has run empty.
    void end();
    // What was wrong first; empty: nothing.
    const std::string& failure() const { return failure_; }
    std::uint64_t lines() const { return lines_; }

private:
    struct Entry {
        unsigned vc;
        LineBits line;
    };
    void fail(const std::string& what);
    std::deque<Entry> expected_;
    std::deque<Entry> recent_;
    std::uint64_t lines_ = 0;
    std::string failure_;
};

// What one end does.
struct Behaviour {
    double load = 0;         // chance of a line in a clock
    double bursts = 0;       // chance in a clock that the sender, or the consumer, pauses for 1 to 200 clocks
    double credit_rate = 1;  // chance in a clock that a channel whose slots are taken gives one back
    int only_vc = -1;        // otherwise any
    // The line that is sent; without: any operation, any size.
    std::function<LineBits(std::mt19937_64&)> line;
};

struct Delivery {
    std::uint64_t clock;
    unsigned vc;
    LineBits line;
};

class LinkPair {
public:
    // Credits of both are those of their peers' consumers.
    LinkPair(LinkEndpoint& left, LinkEndpoint& right, const LinkParams& left_params, const LinkParams& right_params,
        unsigned latency, std::uint64_t seed, double left_errors = 0, double right_errors = 0);

    Behaviour& behaviour(unsigned end) { return ends_[end].behaviour; }
    LinkWire& wire_from(unsigned end) { return ends_[end].wire; }
    const Scoreboard& scoreboard(unsigned from) const { return ends_[from].scoreboard; }
    // A line to be sent before anything else, at the next clock at which it is taken.
    void send(unsigned end, unsigned vc, const LineBits& line) { ends_[end].ordered.push_back({vc, line}); }

    void clock();
    void run(std::uint64_t clocks)
    {
        while (clocks-- > 0) clock();
    }
    // No new lines, consumers awake: until nothing is under way. False: something still is after `limit` clocks.
    bool drain(std::uint64_t limit = 200'000);

    std::uint64_t now() const { return now_; }
    const LinkOut& out(unsigned end) const { return ends_[end].out; }
    const LinkIn& in(unsigned end) const { return ends_[end].in; }
    std::uint64_t taken(unsigned end) const { return ends_[end].taken; }
    std::uint64_t delivered(unsigned end) const { return ends_[end].delivered; }
    bool idle() const;

    // Looks at every line that an end takes or delivers.
    std::function<void(unsigned end, std::uint64_t clock)> on_taken;
    std::function<void(unsigned end, const Delivery&)> on_delivered;

    // What is wrong, of scoreboards, buffers and assertions; empty: nothing.
    std::string failure() const;

private:
    struct Ordered {
        unsigned vc;
        LineBits line;
    };
    struct End {
        End(LinkEndpoint& endpoint, const LinkParams& parameters, const LinkWire& out_wire, std::uint64_t seed)
            : block(&endpoint), params(parameters), wire(out_wire), random(seed)
        {
        }
        LinkEndpoint* block;
        LinkParams params;
        LinkWire wire;  // from here
        std::mt19937_64 random;
        Behaviour behaviour;
        LinkIn in;
        LinkOut out;
        Scoreboard scoreboard;  // of what this end sends
        std::deque<Ordered> ordered;
        bool pending = false;
        std::array<unsigned, LinkParams::max_vcs> held = {};  // by this end's consumer
        std::array<unsigned, LinkParams::max_vcs> slots = {};
        std::uint64_t sender_pauses = 0, consumer_pauses = 0;  // until
        std::uint64_t taken = 0, delivered = 0;
    };
    void drive(End& end);
    void observe(unsigned number);

    std::deque<End> ends_;
    std::uint64_t now_ = 0;
    std::string overflow_;
    bool closing_ = false;
};

// A random line: any operation, any size.
LineBits any_line(std::mt19937_64& random);
// A line of this operation, response or not, of this size; address, data and the rest at random.
LineBits line_of(std::mt19937_64& random, unsigned op, bool response, unsigned size);
double uniform(std::mt19937_64& random);

// Block and reference model on the same pins: the first difference is kept. What leaves is the block's.
class Lockstep : public LinkEndpoint {
public:
    Lockstep(LinkEndpoint& block, LinkEndpoint& reference, unsigned flit_bytes)
        : block_(block), reference_(reference), bytes_(flit_bytes)
    {
    }
    void reset() override;
    void cycle(const LinkIn& in, LinkOut& out) override;
    bool idle() const override { return block_.idle(); }
    std::string failure() const override { return difference_.empty() ? block_.failure() : difference_; }
    const std::string& first_difference() const { return difference_; }

private:
    LinkEndpoint& block_;
    LinkEndpoint& reference_;
    unsigned bytes_;
    LinkOut expected_;
    std::uint64_t clock_ = 0;
    std::string difference_;
};

}  // namespace weft::link_bench
