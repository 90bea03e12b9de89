// Finds the transaction that waits at a port for a given address.
//
// A place counts the lines that wait and have its address, and names the one that came when none was there, until that has left.
// Addresses are told apart by 32 bits of a product with the golden ratio: no two lines of one memory of up to 120 GB have the same
// ones, and lines of two memories only at one distance in four thousand million. The table grows and shrinks with the queue, so
// that ports with short queues stay in the host's caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

class Line;

class WaitingLines {
public:
    // A quarter of a cache line of the host.
    class Place {
    public:
        static constexpr std::uint32_t most_lines = (1U << 20) - 1;
        static constexpr unsigned most_inputs = 1U << 12;

        // The line that came first, if it still waits in that queue.
        Line* line_in(unsigned slot, unsigned input) const
        {
            return input == input_ && (line_and_slot_ & slot_mask) == slot ? line() : nullptr;
        }
        Line* line() const { return reinterpret_cast<Line*>(line_and_slot_ & ~slot_mask); }
        unsigned input() const { return input_; }
        std::uint32_t count() const { return count_; }

    private:
        friend class WaitingLines;

        static constexpr std::uintptr_t slot_mask = 63;  // lines are aligned to that

        std::uintptr_t line_and_slot_ = 0;  // no line: it has left
        std::uint32_t number_ = 0;
        std::uint32_t count_ : 20;  // 0: not in use
        std::uint32_t input_ : 12;

        Place() : count_(0), input_(0) {}
    };

    WaitingLines() : table_(16, Place()) {}

    // The place of an address; nullptr if no line waits there.
    const Place* find(std::uint64_t address) const
    {
        const std::uint32_t number = number_of(address);
        for (std::size_t i = number & mask_;; i = (i + 1) & mask_) {
            if (table_[i].count_ == 0) return nullptr;
            if (table_[i].number_ == number) return &table_[i];
        }
    }
    void prefetch(std::uint64_t address) const { __builtin_prefetch(&table_[number_of(address) & mask_], 1); }
    void add(std::uint64_t address, Line& line, unsigned input, std::uint8_t slot)
    {
        const std::uint32_t number = number_of(address);
        for (std::size_t i = number & mask_;; i = (i + 1) & mask_) {
            Place& place = table_[i];
            if (place.count_ > 0) {
                if (place.number_ != number) continue;
                if (place.count_ == Place::most_lines) report_too_many();
                ++place.count_;
                return;
            }
            place.line_and_slot_ = reinterpret_cast<std::uintptr_t>(&line) | slot;
            place.number_ = number;
            place.count_ = 1;
            place.input_ = input & (Place::most_inputs - 1);
            if (++used_ * 4 > table_.size() * 3) resize(table_.size() * 2);
            return;
        }
    }
    void remove(std::uint64_t address, const Line& line)
    {
        const std::uint32_t number = number_of(address);
        std::size_t i = number & mask_;
        while (table_[i].number_ != number || table_[i].count_ == 0) i = (i + 1) & mask_;
        Place& place = table_[i];
        if (place.line() == &line) place.line_and_slot_ = 0;
        if (--place.count_ > 0) return;
        close(i);
        if (used_ * 8 < table_.size() && table_.size() > least_table) resize(table_.size() / 2);
    }

private:
    static constexpr std::uint64_t line_shift = 6;
    static constexpr std::size_t least_table = 64;  // does not shrink further

    static std::uint32_t number_of(std::uint64_t address)
    {
        return static_cast<std::uint32_t>((address >> line_shift) * 0x9e3779b97f4a7c15ULL >> 32U);
    }
    static void report_too_many();
    void close(std::size_t hole);
    void resize(std::size_t size);

    std::vector<Place> table_;
    std::size_t mask_ = 15;
    std::size_t used_ = 0;  // places with lines
};

}  // namespace weft
