// Numbered places for values that come and go. What is taken is read and written by its number; a place that is given back keeps its
// value until it is taken again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft {

template <class T>
class SlotPool {
public:
    std::uint32_t take(T value)
    {
        if (free_.empty()) {
            all_.push_back(std::move(value));
            return static_cast<std::uint32_t>(all_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        all_[number] = std::move(value);
        return number;
    }
    // A place to be filled at once. The places after it are fetched, because they are cold by now.
    T& open(std::uint32_t& number)
    {
        constexpr std::size_t soon = 6;
        if (free_.empty()) {
            number = static_cast<std::uint32_t>(all_.size());
            return all_.emplace_back();
        }
        number = free_.back();
        free_.pop_back();
        if (free_.size() > soon) {
            const T& next = all_[*(free_.end() - soon)];
            __builtin_prefetch(&next, 1);
            __builtin_prefetch(reinterpret_cast<const char*>(&next) + 64, 1);
        }
        return all_[number];
    }
    void give(std::uint32_t number) { free_.push_back(number); }
    std::size_t size() const { return all_.size(); }  // taken and free
    T& operator[](std::uint32_t number) { return all_[number]; }
    const T& operator[](std::uint32_t number) const { return all_[number]; }

private:
    std::vector<T> all_;
    std::vector<std::uint32_t> free_;
};

}  // namespace weft
