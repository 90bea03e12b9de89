// Where transfers leave flow fidelity: some ranks of a job are carried out by somebody else, as lines (docs/models/mixed.md).
//
// The core moves a transfer as far as the border and tells it there; what comes from there is moved on by FlowCore::carry() and
// its neighbours. Nothing here knows lines' modules, or time other than picoseconds.
#pragma once

#include <cstdint>

namespace weft {

// A line that comes to the border, and the path on which it goes on from there. Without bytes it is a signal.
struct FlowLine {
    std::uint32_t path = 0;
    std::uint32_t sender = 0;  // endpoint
    std::uint32_t bytes = 0;
    double messages = 0;  // that begin with it
    double packets = -1;  // of cards, that begin with it; below 0: its part of full ones
    std::uint32_t token = 0;
};

class FlowBorder {
public:
    using Ps = std::uint64_t;

    // A part of what one step of a thread stores at a rank outside, or loads from it.
    struct Share {
        std::uint32_t job = 0;     // FlowJob::number
        std::uint32_t rank = 0;    // that stores or loads, by its place in the job
        std::uint32_t thread = 0;  // of that rank
        std::uint32_t step = 0;
        std::uint32_t operand = 0;  // among the sources (destinations) at other ranks
        double fraction = 1;        // of the operand; shares of one come in order
        std::uint32_t ticket = 0;   // what the core knows it by
    };
    struct Signal {
        std::uint32_t job = 0;
        std::uint32_t from = 0;  // ranks
        std::uint32_t to = 0;
        std::uint32_t semaphore = 0;
        std::uint32_t ticket = 0;
    };

    virtual ~FlowBorder() = default;

    // Number of the path from an endpoint of the core to the border on the way to one outside.
    virtual std::uint32_t path_out(std::uint32_t from, std::uint32_t to, bool signals) = 0;
    // The first line could go on at `first`, the last one at `last`, neither before now. Answered by FlowCore::stored().
    virtual void store(const Share& share, Ps first, Ps last) = 0;
    // The same of requests, for FlowCore::loads() and bring().
    virtual void load(const Share& share, Ps first, Ps last) = 0;
    // Answered by FlowCore::signalled().
    virtual void signal(const Signal& signal, Ps at) = 0;
    // What FlowCore::carry() has taken leaves the border's buffer at `at`;
    virtual void left(std::uint32_t token, Ps at) = 0;
    // and comes to its destination at `at`.
    virtual void arrived(std::uint32_t token, Ps at) = 0;
    // What FlowCore::answer() has taken may go on from the border at `at`.
    virtual void answered(std::uint32_t token, Ps at) = 0;
};

}  // namespace weft
