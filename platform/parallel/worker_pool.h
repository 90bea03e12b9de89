// Threads that do the same for each of several parts and wait for each other.
//
// Part p is always done by thread p % threads; the caller is thread 0. What a part owns is so touched by one thread at a time, with a
// barrier between any two turns of different threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {

class WorkerPool {
public:
    // `threads` from 1 to `parts`.
    WorkerPool(std::size_t parts, std::size_t threads);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Calls `work` for every part, those of one thread in ascending order or, if `backwards`, in descending order; returns when all are
    // done. Rethrows the exception of the first part that had one.
    void each(const std::function<void(std::size_t part)>& work, bool backwards = false);

private:
    void serve(std::size_t thread);
    void turn(std::size_t thread);

    std::size_t parts_;
    std::size_t count_;
    std::mutex mutex_;
    std::condition_variable begun_;
    std::condition_variable ended_;
    std::uint64_t round_ = 0;
    std::size_t busy_ = 0;  // threads beside the caller's
    bool over_ = false;
    bool backwards_ = false;
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::vector<std::exception_ptr> failures_;  // by part
    std::vector<std::thread> threads_;
};

}  // namespace weft
