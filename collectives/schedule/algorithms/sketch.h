// Writing schedules message by message: who uses which semaphore and which scratch slot comes by itself.
//
// A stream is a set of threads, one per rank, that talk to each other; it is written once and stamped for
// every channel. Between two ranks messages of a connection (by default: the writer's stream) come in the
// order in which they were sent: the k-th to() of the sender names the same slots as the k-th from() of the
// receiver, and each signal is taken by one wait. No slot is used twice.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "collectives/schedule/algorithms/builders.h"

namespace weft::algorithms {

struct Move {
    std::vector<ChunkRef> sources;
    std::vector<ChunkRef> destinations;
};

class Writer;

class Sketch {
public:
    // Frames the schedule with `chunks`, and `streams` threads per channel and rank.
    Sketch(Schedule& schedule, std::uint32_t channels, std::uint32_t chunks, std::uint32_t streams = 1);

    std::uint32_t ranks() const { return schedule_.size(); }
    Schedule& schedule() { return schedule_; }
    Writer writer(std::uint32_t rank, std::uint32_t stream = 0);

    // Stamps the channels and declares what was handed out. Last of all.
    void finish();

private:
    friend class Writer;

    std::uint32_t semaphore(std::uint32_t connection, std::uint32_t to, std::uint32_t from);
    std::uint32_t slots(std::uint32_t connection, std::uint32_t to, std::uint32_t from, std::uint32_t message,
        std::uint32_t count);

    Schedule& schedule_;
    std::uint32_t channels_;
    std::uint32_t streams_;
    std::vector<std::uint32_t> semaphores_;  // by rank: handed out, for one channel
    std::vector<std::uint32_t> slots_;
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> semaphore_of_;  // connection, to, from
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> slot_of_;       // and message
};

class Writer {
public:
    Writer(Sketch& sketch, std::uint32_t rank, std::uint32_t stream)
        : sketch_(sketch), steps_(sketch.schedule_.ranks[rank].threads[stream].steps), rank_(rank), stream_(stream)
    {
    }

    // First of the slots that the next message to `peer` has there; of the next one from it, here.
    ChunkRef to(std::uint32_t peer, std::uint32_t count = 1);
    ChunkRef from(std::uint32_t peer, std::uint32_t count = 1);

    void move(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations);
    // A move between slots, which hold what `like` holds.
    void forward(ChunkRef slot, ChunkRef destination, ChunkRef like);
    // Together, in one run.
    void run(std::vector<Move> moves);
    // The last step written need not wait for the data step before it.
    void with_previous();
    // How many steps are written; the step `step` waits for one of another stream of the rank.
    std::uint32_t steps() const { return static_cast<std::uint32_t>(steps_.size()); }
    void depend(std::uint32_t step, StepId on) { steps_[step].after.push_back(on); }
    void step(StepKind kind, std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations);

    void signal(std::uint32_t peer) { signal(peer, stream_); }
    void wait(std::uint32_t peer) { wait(peer, stream_); }
    void signal(std::uint32_t peer, std::uint32_t connection);
    void wait(std::uint32_t peer, std::uint32_t connection);
    // Every one of `ranks`, of which this is one, tells every other and hears of it.
    void meet(const std::vector<std::uint32_t>& ranks) { meet(ranks, stream_); }
    void meet(const std::vector<std::uint32_t>& ranks, std::uint32_t connection);

private:
    Sketch& sketch_;
    std::vector<Step>& steps_;
    std::uint32_t rank_;
    std::uint32_t stream_;
    std::map<std::uint32_t, std::uint32_t> sent_;  // messages, by peer
    std::map<std::uint32_t, std::uint32_t> received_;
};

// The slot after `slot`, and so on.
inline ChunkRef next(ChunkRef slot, std::uint32_t by)
{
    slot.index += by;
    return slot;
}

}  // namespace weft::algorithms
