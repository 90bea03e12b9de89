// Finds the transaction that waits at a port for a given address, by a hash of addresses.
//
// An address leads to one of `places` places, 4,096 and 16 for each line that waits at least. A place counts the lines that wait and
// lead to it, and names the one that came when none was there, until that has left. Places with lines are kept in a table as
// large as the queue asks for, so that ports with short queues stay in the host's caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

class Line;

class WaitingLines {
public:
    struct Place {
        Line* line = nullptr;  // that came first; nullptr once it has left
        std::uint32_t number = 0;
        std::uint32_t count = 0;  // 0: not in use
        std::uint16_t input = 0;
        std::uint8_t slot = 0;
    };
    static constexpr std::size_t fewest_places = 4096;

    WaitingLines() : table_(16) {}

    // Whether another line would make the places too few to tell lines apart: then clear(), and add all that wait again.
    bool crowded() const { return std::size_t{lines_} * 16 > places_; }
    void clear_into_more_places();

    // The place of an address; nullptr if no line waits there.
    const Place* find(std::uint64_t address) const
    {
        const std::uint32_t number = number_of(address);
        for (std::size_t i = number & mask_;; i = (i + 1) & mask_) {
            if (table_[i].count == 0) return nullptr;
            if (table_[i].number == number) return &table_[i];
        }
    }
    void prefetch(std::uint64_t address) const { __builtin_prefetch(&table_[number_of(address) & mask_], 1); }
    void add(std::uint64_t address, Line& line, unsigned input, std::uint8_t slot)
    {
        const std::uint32_t number = number_of(address);
        ++lines_;
        for (std::size_t i = number & mask_;; i = (i + 1) & mask_) {
            Place& place = table_[i];
            if (place.count > 0 && place.number != number) continue;
            if (place.count++ > 0) return;
            place = {&line, number, 1, static_cast<std::uint16_t>(input), slot};
            if (++used_ * 2 > table_.size()) grow();
            return;
        }
    }
    void remove(std::uint64_t address, const Line& line)
    {
        const std::uint32_t number = number_of(address);
        std::size_t i = number & mask_;
        while (table_[i].number != number || table_[i].count == 0) i = (i + 1) & mask_;
        --lines_;
        if (table_[i].line == &line) table_[i].line = nullptr;
        if (--table_[i].count == 0) close(i);
    }

private:
    static constexpr std::uint64_t line_shift = 6;

    std::uint32_t number_of(std::uint64_t address) const
    {
        return static_cast<std::uint32_t>(((address >> line_shift) * 0x9e3779b97f4a7c15ULL >> 32U) & (places_ - 1));
    }
    void close(std::size_t hole);
    void grow();

    std::vector<Place> table_;
    std::size_t mask_ = 15;
    std::size_t used_ = 0;  // places with lines
    std::uint32_t lines_ = 0;
    std::size_t places_ = fewest_places;
};

}  // namespace weft
