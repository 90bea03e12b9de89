// The processes of one run, and what becomes of them when one of them fails.
//
// Each process reads and plans the same input, so each finds the same errors; but files, memory and machines may differ. When the first
// job is open, and when time has ended, all wait for each other in agree(): an error of one is an error of all, and process 0 says it once.
// Who fails where others cannot know ends all of them.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "platform/parallel/processes.h"

namespace weft {

class ProcessGroup {
public:
    explicit ProcessGroup(std::unique_ptr<Processes> processes) : processes_(std::move(processes)) {}

    std::uint32_t rank() const { return processes_->rank(); }
    std::uint32_t size() const { return processes_->size(); }
    bool first() const { return rank() == 0; }
    Processes& processes() { return *processes_; }

    // Parts [first, last) of so many are simulated by a process.
    static std::uint32_t first_part(std::uint32_t rank, std::uint32_t size, std::uint32_t parts)
    {
        return static_cast<std::uint32_t>(std::uint64_t{rank} * parts / size);
    }

    // All processes call it, at the same place of the run. Throws the error of the first process that has one, an InputError, in all of
    // them; `error` may be null.
    void agree(const std::exception_ptr& error = nullptr);

    enum class Phase : std::uint8_t {
        starting,    // no process has begun to simulate
        simulating,  // a failure outside agree() ends all
        ended        // process 0 has the results
    };
    void enter(Phase phase) { phase_ = phase; }

    // Calls `action`, which gives the exit code of this process, and gives that of process 0. `print` prints an error, in process 0
    // alone unless it ends all.
    int carry_out(const std::function<int()>& action, const std::function<void(const std::exception_ptr&)>& print);

private:
    [[noreturn]] void end_all(const std::exception_ptr& error,
        const std::function<void(const std::exception_ptr&)>& print);

    // Addresses that nobody uses. Where a process has no memory left (a limit of its size), the library of MPI takes them to tell the
    // others and to end.
    class Spare {
    public:
        Spare();
        ~Spare() { give_up(); }
        Spare(const Spare&) = delete;
        Spare& operator=(const Spare&) = delete;

        void give_up();

    private:
        void* begin_;
    };

    std::unique_ptr<Processes> processes_;
    Spare spare_;
    Phase phase_ = Phase::starting;
    bool failed_ = false;  // all know it
};

}  // namespace weft
