// Values as bytes, for messages between processes of one program on machines of one kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// Bytes that a list grows by are written next: nobody need set them to zero first.
template <class T>
struct UninitialisedAllocator : std::allocator<T> {
    UninitialisedAllocator() = default;
    template <class U>
    UninitialisedAllocator(const UninitialisedAllocator<U>&)  // NOLINT(google-explicit-constructor): as std::allocator
    {
    }
    template <class U>
    struct rebind {
        using other = UninitialisedAllocator<U>;
    };
    template <class U>
    void construct(U* at)
    {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments)
    {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
};

using Bytes = std::vector<std::byte, UninitialisedAllocator<std::byte>>;

class ByteWriter {
public:
    template <class T>
    void put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "bytes of a plain value");
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put(const std::string& text)
    {
        put(text.size());
        const std::size_t at = bytes_.size();
        bytes_.resize(at + text.size());
        if (!text.empty()) std::memcpy(bytes_.data() + at, text.data(), text.size());
    }
    // A list, by a function that writes one entry.
    template <class T, class Put>
    void list(const std::vector<T>& values, Put each)
    {
        put(values.size());
        for (const T& value : values) each(value);
    }
    void list(const std::vector<std::string>& values)
    {
        list(values, [this](const std::string& value) { put(value); });
    }
    template <class T>
    void list(const std::vector<T>& values)
    {
        list(values, [this](const T& value) { put(value); });
    }

    const Bytes& bytes() const { return bytes_; }

private:
    Bytes bytes_;
};

// Throws std::logic_error where the bytes are at their end: writer and reader differ.
class ByteReader {
public:
    explicit ByteReader(const Bytes& bytes) : bytes_(bytes) {}

    template <class T>
    T take()
    {
        T value;
        require(sizeof value);
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::string text()
    {
        const auto size = take<std::size_t>();
        require(size);
        std::string out(size, '\0');
        if (size > 0) std::memcpy(out.data(), bytes_.data() + at_, size);
        at_ += size;
        return out;
    }
    template <class Take>
    auto list(Take each)
    {
        std::vector<decltype(each())> out;
        const auto size = take<std::size_t>();
        for (std::size_t i = 0; i < size; ++i) out.push_back(each());
        return out;
    }
    std::vector<std::string> texts()
    {
        return list([this] { return text(); });
    }
    template <class T>
    std::vector<T> values()
    {
        return list([this] { return take<T>(); });
    }
    bool at_end() const { return at_ == bytes_.size(); }

private:
    void require(std::size_t size) const
    {
        if (size > bytes_.size() - at_) throw std::logic_error("a message between processes is too short");
    }

    const Bytes& bytes_;
    std::size_t at_ = 0;
};

}  // namespace weft
