// Arrays of different types in one piece of memory, one behind the other: what is used together lies in few cache
// lines, whatever the sizes are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace weft {

class PackedArrays {
public:
    // After build(), `array` points to `count` copies of `value`.
    template <class T>
    void add(T*& array, std::size_t count, const T& value = T())
    {
        static_assert(std::is_trivially_destructible_v<T>, "nobody would destroy them");
        static_assert(alignof(T) <= cache_line);
        size_ = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
        fills_.push_back([&array, count, value, offset = size_](std::byte* memory) {
            T* const first = reinterpret_cast<T*>(memory + offset);
            for (std::size_t i = 0; i < count; ++i) new (first + i) T(value);
            array = first;
        });
        size_ += count * sizeof(T);
    }

    void build()
    {
        memory_.reset(new (std::align_val_t{cache_line}) std::byte[size_ + 1]);
        for (const auto& fill : fills_) fill(memory_.get());
        fills_.clear();
    }

private:
    static constexpr std::size_t cache_line = 64;
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{cache_line}); }
    };

    std::size_t size_ = 0;
    std::vector<std::function<void(std::byte*)>> fills_;
    std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace weft
