// What makes up the header of a transaction, beside its place on the event queue: request fields that nobody writes after the
// issue, and what the module that has the transaction in its care notes on it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/line_size.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class Line;
class LineIssue;
struct LineTamper;

// A field that says what the requester asks for. It reads as a T; only the functions of Line and LineIssue by which a
// requester issues the line write it, so that the compiler refuses a module that would change another one's request.
template <class T>
class RequestField {
public:
    RequestField() = default;
    RequestField(const RequestField&) = delete;
    RequestField& operator=(const RequestField&) = delete;

    constexpr operator T() const { return value_; }
    // A scoped enumeration as its number.
    template <class U, class = std::enable_if_t<std::is_enum_v<T> && std::is_integral_v<U>>>
    explicit constexpr operator U() const
    {
        return static_cast<U>(value_);
    }

private:
    friend class Line;
    friend class LineIssue;
    friend struct LineTamper;

    T value_{};
};

// The size of a transaction in one byte: 1 to 64 bytes, or a whole number of lines from 2 on. Reads as bytes.
class SizeField {
public:
    // The last one stands for every size that cannot be, and reads as a line more than the widest transaction has.
    static constexpr std::uint8_t codes = line_bytes + most_transaction_bytes / line_bytes + 1;

    SizeField() = default;
    SizeField(const SizeField&) = delete;
    SizeField& operator=(const SizeField&) = delete;

    constexpr operator std::uint32_t() const { return bytes_of(code_); }
    constexpr std::uint8_t code() const { return code_; }
    constexpr std::uint32_t lines() const { return code_ <= line_bytes ? 1U : code_ - line_bytes + 1U; }

    static constexpr std::uint32_t bytes_of(std::uint8_t code)
    {
        return code <= line_bytes ? code : (code - line_bytes + 1U) * line_bytes;
    }
    static constexpr std::uint8_t code_of(std::uint32_t bytes)
    {
        if (bytes <= line_bytes) return static_cast<std::uint8_t>(bytes);
        if (bytes > most_transaction_bytes || bytes % line_bytes != 0) return codes - 1;
        return static_cast<std::uint8_t>(bytes / line_bytes - 1U + line_bytes);
    }

private:
    friend class Line;
    friend struct LineTamper;

    std::uint8_t code_ = 0;
};

// The note of the module that has a line in its care: one member at a time, written by that module before it reads it.
// Nothing in it holds when the line goes on to the next module. It lies in the header of the line, which a hop touches anyway.
union LineScratch {
    struct Queued {
        Time since;  // when it joined the queue of its output
    };
    struct Crossbar {
        std::uint16_t channels;  // of the output, that it may use
        std::uint8_t output;
        std::uint8_t from;  // crossbar input
        bool response;
    };
    // On its way over a die, to the module at the end of it.
    struct Die {
        std::uint16_t exit;   // of the network
        std::uint16_t slice;  // that it leaves
    };
    // Of a contribution that waits for a context of the unit for groups.
    struct Contribution {
        bool placed;  // it has a place in the unit, and holds no slot of an input buffer any more
    };
    struct Slice {
        Time ready;                      // the slice's own work is done then
        std::uint64_t number : 62;       // of its sector in the slice
        std::uint64_t turned_away : 1;   // by a fill that took no more
        std::uint64_t without_room : 1;  // to write back what it displaces
    };
    struct Memory {
        Time arrived;
        std::uint32_t row;
        std::uint16_t turn;  // among those that arrived in the same instant
        std::uint8_t bank;
    };

    Queued queued;
    Crossbar crossbar;
    Die die;
    Contribution contribution;
    Slice slice;
    Memory memory;
    std::uint64_t words[2] = {};
};
static_assert(sizeof(LineScratch) == 16, "the note of a module fills the rest of a line's header");

}  // namespace weft
