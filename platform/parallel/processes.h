// The processes of a run, as far as the program knows them: a few operations that all of them call in the same order.
//
// Implemented over MPI in a module of its own (mpi_processes.cpp), which is loaded when a launcher has started the program
// (launched.h). So the program itself needs no MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "platform/parallel/bytes.h"

namespace weft {

// Which item is next where one runs at a time over all parts: the least in this order.
struct Turn {
    Time due = ~Time{0};       // ~0: none
    std::uint64_t stage = 0;   // 0: of a device; above: of the executor (Turns::Rules)
    std::uint64_t number = 0;  // of the device, or among those of the stage
    std::uint64_t part = 0;    // of the executor: what is done, by its number in all processes
    std::uint64_t ends = 0;    // 1: and it ends with that

    bool none() const { return due == ~Time{0}; }
    bool before(const Turn& other) const
    {
        return std::tie(due, stage, number) < std::tie(other.due, other.stage, other.number);
    }
};

// What all parts must know of each other.
struct Pulse {
    static constexpr std::uint64_t spins = 1;       // somebody polls
    static constexpr std::uint64_t hopes = 2;       // and not all of them have polled in vain
    static constexpr std::uint64_t stopped = 4;     // the run must end
    static constexpr std::uint64_t news = 8;        // there is something to share (Between)
    static constexpr std::uint64_t on_way = 16;     // records were handed over
    static constexpr std::uint64_t asks_help = 32;  // a process asks all others (turns.h)
    static constexpr std::uint64_t asks_overdue = 64;
    static constexpr std::uint64_t at_once = 128;  // Progress::polls_at_once()
    static constexpr std::uint64_t goes_on =
        256;  // more is due than clocks of blocks that stand still (EventQueue::stands())

    Time least = ~Time{0};     // the earliest that is due: the least of all
    Time since = 0;            // nothing has been busy since: the latest of all
    std::uint64_t busy = 0;    // processes in which something may still write a flag: the sum
    std::uint64_t epochs = 0;  // the sum
    std::uint64_t flags = 0;   // of any
    Turn turn{};               // the first of all
    Time poll = ~Time{0};      // Progress::first_poll(): the first of all

    bool has(std::uint64_t flag) const { return (flags & flag) != 0; }
    void add(const Pulse& other)
    {
        least = std::min(least, other.least);
        since = std::max(since, other.since);
        busy += other.busy;
        epochs += other.epochs;
        flags |= other.flags;
        if (other.turn.before(turn)) turn = other.turn;
        poll = std::min(poll, other.poll);
    }
};

class Processes {
public:
    // What goes to or comes from one process, apart from other messages between the two by its tag.
    struct Message {
        std::uint32_t process;
        std::uint32_t tag;
        Bytes* bytes;  // of one that comes: filled, with the size that was sent
    };

    virtual ~Processes() = default;

    virtual std::uint32_t rank() const = 0;
    virtual std::uint32_t size() const = 0;
    virtual std::uint32_t on_this_machine() const = 0;  // of them, this one included
    virtual std::uint32_t most_tag() const = 0;

    virtual void exchange(const std::vector<Message>& out, const std::vector<Message>& in) = 0;
    virtual Pulse agree(const Pulse& own) = 0;
    // What each of them gave, in their order: to all, or to process 0 (nothing elsewhere).
    virtual std::vector<Bytes> share(const Bytes& own) = 0;
    virtual std::vector<Bytes> collect(const Bytes& own) = 0;
    // Ends all of them.
    [[noreturn]] virtual void abort(int code) = 0;
};

// What the module exports, by the name of its type and by `processes_entry`.
constexpr std::uint32_t processes_interface = 3;
struct ProcessesModule {
    std::uint32_t interface_version;  // processes_interface
    Processes* (*open)();             // once a process; the caller owns what comes back
    const char* name;                 // of the library
};
constexpr const char* processes_entry = "weft_processes_module";

}  // namespace weft
