// The processes of a run, as far as the program knows them: a few operations that all of them call in the same order.
//
// Implemented over MPI in a module of its own (mpi_processes.cpp), which is loaded when a launcher has started the program
// (launched.h). So the program itself needs no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "platform/parallel/bytes.h"

namespace weft {

// What all parts must know of each other between two windows.
struct Pulse {
    static constexpr std::uint64_t busy = 1;     // something may still write a flag
    static constexpr std::uint64_t spins = 2;    // somebody polls
    static constexpr std::uint64_t hopes = 4;    // and not all of them have polled in vain
    static constexpr std::uint64_t stopped = 8;  // the run must end
    static constexpr std::uint64_t news = 16;    // there is something to share (Between)
    static constexpr std::uint64_t on_way = 32;  // records were handed over

    Time least = ~Time{0};     // the earliest that is due: the least of all
    std::uint64_t flags = 0;   // of any
    std::uint64_t epochs = 0;  // the sum

    bool has(std::uint64_t flag) const { return (flags & flag) != 0; }
    void add(const Pulse& other)
    {
        least = other.least < least ? other.least : least;
        flags |= other.flags;
        epochs += other.epochs;
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
constexpr std::uint32_t processes_interface = 1;
struct ProcessesModule {
    std::uint32_t interface_version;  // processes_interface
    Processes* (*open)();             // once a process; the caller owns what comes back
    const char* name;                 // of the library
};
constexpr const char* processes_entry = "weft_processes_module";

}  // namespace weft
