// The order of steps: vector clocks over program order, `after`, barriers and signal to wait.
// Threads that never meet, directly or through others, are kept in clocks of their own: channels cost
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/order.h"

namespace weft {

// One step as seen by clocks: step `count - 1` of a thread (numbered by Numbering); count 0 = never.
struct Epoch {
    std::uint32_t thread = 0;
    std::uint32_t count = 0;
};

// The longest chains of dependent work behind a step.
struct Depth {
    std::uint32_t moves = 0;  // data steps that reach another rank
    std::uint32_t signals = 0;
};

class Clocks {
public:
    Clocks(const Schedule& schedule, const Numbering& numbering);

    // Clock entries in the worst case: what memory would be spent on.
    std::uint64_t entries() const { return entries_; }

    // To be called for each step of a legal order: start, what its kind asks for, finish.
    void start(std::uint32_t thread, const Step& step, std::uint32_t index);
    // False when it is open which of two threads that wait on one semaphore gets which signal.
    bool wait(std::uint32_t thread, std::uint32_t number);
    void signal(std::uint32_t thread, std::uint32_t number);
    void barrier(const std::vector<std::uint32_t>& threads);
    // What the step reads comes from a step of that depth, which it need not be ordered behind (packets).
    void follow(std::uint32_t thread, const Depth& depth);
    // The clock of the thread's current step, once it is over.
    Depth depth_at(std::uint32_t thread, bool remote) const;
    // `remote`: a data step that reaches another rank.
    void finish(std::uint32_t thread, std::uint32_t index, bool remote);

    // Whether what `epoch` did is complete before the step that `thread` is at.
    bool ordered(Epoch epoch, std::uint32_t thread) const;
    Depth depth(std::uint32_t thread) const { return threads_[thread].done; }

private:
    using Clock = std::vector<std::uint32_t>;  // by place in the component: steps known to be complete

    struct Snapshot {
        std::shared_ptr<const Clock> known;
        std::uint32_t thread = 0;
        std::uint32_t own = 0;
        Depth depth;
    };
    struct State {
        std::shared_ptr<Clock> known;  // of other threads
        std::uint32_t own = 0;         // own steps known to be complete
        std::uint32_t component = 0;
        std::uint32_t place = 0;
        Depth begin;                  // behind the step (or run of steps) that may start now
        Depth done;                   // behind everything so far
        std::vector<Snapshot> named;  // steps that others name in `after`, by the order of named_steps
        std::vector<std::uint32_t> named_steps;
    };
    struct Semaphore {
        struct Sender {
            std::uint32_t thread = 0;
            std::uint32_t total = 0;   // signals in its program
            std::uint32_t joined = 0;  // of these, known to every waiter so far
            std::vector<Snapshot> sent;
        };
        std::vector<Sender> senders;
        std::uint64_t total = 0;
        std::uint64_t waits = 0;
        Epoch last_wait;
    };

    Snapshot snapshot(std::uint32_t thread) const;  // as left by the step that the thread is at
    void join(std::uint32_t thread, const Snapshot& earlier);

    std::vector<State> threads_;
    std::vector<Semaphore> semaphores_;
    std::vector<std::uint32_t> first_of_rank_;  // by thread: number of the first thread of its rank
    std::uint64_t entries_ = 0;
};

}  // namespace weft
