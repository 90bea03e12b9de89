// Tags of the reference model: each row of places in order of use.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class LlcRows {
public:
    enum State : std::uint8_t { clean, dirty, pending, absent };
    struct Place {
        std::uint64_t line = ~std::uint64_t{0};
        State state = absent;
        std::uint16_t entry = 0;  // of a pending line: who fetches it
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    LlcRows(std::uint32_t sets, std::uint32_t ways, std::uint32_t index_low);
    void reset();

    // Where the line is, or will be; none.
    std::uint32_t find(std::uint64_t line) const;
    // The place in the line's row that was not used for longest, among those that wait for no line; none.
    std::uint32_t victim(std::uint64_t line) const;
    // The place is the most recently used of its row.
    void touch(std::uint32_t place);

    Place& operator[](std::uint32_t place) { return places_[place]; }
    const Place& operator[](std::uint32_t place) const { return places_[place]; }
    std::uint32_t places() const { return static_cast<std::uint32_t>(places_.size()); }

private:
    std::uint32_t row(std::uint64_t line) const { return static_cast<std::uint32_t>(line >> index_low_ & mask_); }

    std::uint32_t ways_;
    std::uint32_t index_low_;
    std::uint64_t mask_;
    std::vector<Place> places_;           // row by row
    std::vector<std::uint8_t> in_order_;  // ways of each row, most recently used first
};

}  // namespace weft
