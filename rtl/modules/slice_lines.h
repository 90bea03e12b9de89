// The state of each line of a slice, by its number: a table of pages that appear when first touched.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft {

class SliceLines {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    // Untouched: no request for it has come yet. Released: its memory was, the block may hold it still.
    enum class Use : std::uint8_t { untouched, live, released };
    struct State {
        std::uint32_t first = none;  // requests inside, in order
        std::uint32_t last = none;
        std::uint8_t generation = 0;  // times that released memory was used again
        Use use = Use::untouched;
        bool on_its_way = false;  // from memory
    };
    static constexpr std::uint64_t page_lines = 4096;

    State& operator[](std::uint64_t number)
    {
        const std::uint64_t page = number / page_lines;
        if (page >= pages_.size()) pages_.resize(page + 1);
        if (!pages_[page]) pages_[page] = std::make_unique<Page>();
        return (*pages_[page])[number % page_lines];
    }
    // Calls visit(number, state) for those of [begin, end) that were touched, in order.
    template <class Visit>
    void for_each(std::uint64_t begin, std::uint64_t end, Visit visit)
    {
        for (std::uint64_t page = begin / page_lines; page < pages_.size() && page * page_lines < end; ++page) {
            if (!pages_[page]) continue;
            for (std::uint64_t i = 0; i < page_lines; ++i) {
                const std::uint64_t number = page * page_lines + i;
                State& state = (*pages_[page])[i];
                if (number >= begin && number < end && state.use != Use::untouched) visit(number, state);
            }
        }
    }

private:
    using Page = std::array<State, page_lines>;
    std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace weft
