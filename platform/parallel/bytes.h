// Values as bytes, for messages between processes of one program on machines of one kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// A list of bytes that keeps its room when it is emptied. Bytes that it grows by are not set: who adds them writes them next.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::size_t size) { add(size); }
    Bytes(const std::byte* first, std::size_t size) { append(first, size); }
    Bytes(const Bytes& other) : Bytes(other.data(), other.size_) {}
    Bytes(Bytes&& other) noexcept { swap(other); }
    Bytes& operator=(Bytes other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Bytes() = default;

    std::byte* data() { return room_.get(); }
    const std::byte* data() const { return room_.get(); }
    bool operator==(const Bytes& other) const
    {
        return size_ == other.size_ && std::equal(data(), data() + size_, other.data());
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void clear() { size_ = 0; }
    void swap(Bytes& other) noexcept
    {
        room_.swap(other.room_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    // Where they begin, up to the next call.
    std::byte* add(std::size_t more)
    {
        if (more > capacity_ - size_) grow(more);
        size_ += more;
        return room_.get() + size_ - more;
    }
    void append(const void* values, std::size_t more)
    {
        if (more > 0) std::memcpy(add(more), values, more);
    }

private:
    [[gnu::noinline]] void grow(std::size_t more)
    {
        const std::size_t wanted = std::max(size_ + more, 2 * capacity_);
        std::unique_ptr<std::byte[]> room(new std::byte[wanted]);
        if (size_ > 0) std::memcpy(room.get(), room_.get(), size_);
        room_ = std::move(room);
        capacity_ = wanted;
    }

    std::unique_ptr<std::byte[]> room_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

class ByteWriter {
public:
    template <class T>
    void put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "bytes of a plain value");
        bytes_.append(&value, sizeof value);
    }
    void put(const std::string& text)
    {
        put(text.size());
        bytes_.append(text.data(), text.size());
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
