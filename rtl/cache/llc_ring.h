// A queue of bounded length that never allocates.
#pragma once

#include <cstddef>
#include <vector>

namespace weft {

template <class T>
class LlcRing {
public:
    explicit LlcRing(std::size_t capacity) : items_(capacity) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == items_.size(); }
    void clear() { size_ = 0; }
    T& front() { return items_[head_]; }
    const T& front() const { return items_[head_]; }
    const T& operator[](std::size_t i) const { return items_[at(i)]; }

    // The new last item, to be filled in. Not while full().
    T& push() { return items_[at(size_++)]; }
    void pop()
    {
        head_ = at(1);
        --size_;
    }

private:
    std::size_t at(std::size_t i) const
    {
        const std::size_t sum = head_ + i;
        return sum < items_.size() ? sum : sum - items_.size();
    }

    std::vector<T> items_;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace weft
