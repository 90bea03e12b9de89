#include "platform/parallel/worker_pool.h"

namespace weft {

WorkerPool::WorkerPool(std::size_t parts, std::size_t threads) : parts_(parts), count_(threads), failures_(parts)
{
    for (std::size_t thread = 1; thread < count_; ++thread) threads_.emplace_back([this, thread] { serve(thread); });
}

WorkerPool::~WorkerPool()
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        over_ = true;
    }
    begun_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::turn(std::size_t thread)
{
    const std::size_t own = (parts_ - thread + count_ - 1) / count_;
    for (std::size_t i = 0; i < own; ++i) {
        const std::size_t part = thread + (backwards_ ? own - 1 - i : i) * count_;
        try {
            (*work_)(part);
        } catch (...) {
            failures_[part] = std::current_exception();
        }
    }
}

void WorkerPool::serve(std::size_t thread)
{
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        begun_.wait(lock, [&] { return over_ || round_ != seen; });
        if (over_) return;
        seen = round_;
        lock.unlock();
        turn(thread);
        lock.lock();
        if (--busy_ == 0) ended_.notify_one();
    }
}

void WorkerPool::each(const std::function<void(std::size_t)>& work, bool backwards)
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        work_ = &work;
        backwards_ = backwards;
        busy_ = threads_.size();
        ++round_;
    }
    if (!threads_.empty()) begun_.notify_all();
    turn(0);
    if (!threads_.empty()) {
        std::unique_lock<std::mutex> lock(mutex_);
        ended_.wait(lock, [this] { return busy_ == 0; });
    }
    for (std::exception_ptr& failure : failures_)
        if (failure != nullptr) {
            const std::exception_ptr first = failure;
            for (std::exception_ptr& other : failures_) other = nullptr;
            std::rethrow_exception(first);
        }
}

}  // namespace weft
