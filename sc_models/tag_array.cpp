#include "sc_models/tag_array.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

// Makes room in front of `count` words.
void move_back(std::uint32_t* words, unsigned count) { std::memmove(words + 1, words, count * sizeof(*words)); }

constexpr unsigned most_ways_shared = 64;

// The page that sets share as long as they have no line: looked at, never written.
struct EmptyPage {
    std::uint32_t words[64 * most_ways_shared];
    constexpr EmptyPage() : words()
    {
        for (std::uint32_t& word : words) word = ~std::uint32_t{0};
    }
};
constexpr EmptyPage empty_page;

}  // namespace

TagArray::TagArray(std::uint64_t sets, unsigned ways, unsigned sectors)
    : sets_(static_cast<std::uint32_t>(sets)), ways_(ways), by_ways_(ways), tag_shift_(2 * sectors),
      states_((1U << 2 * sectors) - 1), sectors_(0x5U & states_),
      none_here_(const_cast<std::uint32_t*>(empty_page.words)), pages_((sets + page_sets - 1) / page_sets, none_here_)
{
    static_assert(page_sets * most_ways_shared * sizeof(std::uint32_t) == sizeof(EmptyPage), "a page of the most ways");
    if (ways > most_ways_shared)
        for (std::uint32_t*& page : pages_) page = make(words_of_page());
}

// Without a line.
std::uint32_t* TagArray::make(std::size_t words)
{
    constexpr std::size_t of_line = sizeof(HostLine) / sizeof(std::uint32_t);
    const std::size_t lines = (words + of_line - 1) / of_line;
    made_.emplace_back(new HostLine[lines]);
    made_words_ += lines * of_line;
    std::uint32_t* first = made_.back()[0].words;
    std::memset(first, 0xff, lines * sizeof(HostLine));
    return first;
}

std::size_t TagArray::memory_bytes() const { return made_words_ * sizeof(std::uint32_t); }

// Most look-ups of a stream miss: first a pass without branches, then the place. The usual number of ways is a
// constant to the compiler, which then compares several at once.
inline bool TagArray::present(const std::uint32_t* words, std::uint32_t wanted) const
{
    unsigned found = 0;
    const auto compare = [&](unsigned ways) {
        for (unsigned way = 0; way < ways; ++way) found |= (words[way] & ~states_) == wanted ? 1U : 0U;
    };
    if (ways_ == 16) {
        compare(16);
    } else {
        compare(ways_);
    }
    return found != 0;
}

void TagArray::keep_places()
{
    std::uint32_t* const words = make(pages_.size() * words_of_page());
    for (std::size_t page = 0; page < pages_.size(); ++page) pages_[page] = words + page * words_of_page();
    places_.resize(pages_.size() * words_of_page());
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = static_cast<std::uint8_t>(i % ways_);
}

// The word takes the front of its set, and what was in front of `way` one place further back.
inline void TagArray::move_to_front(std::uint32_t* words, unsigned way, std::uint32_t word)
{
    move_back(words, way);
    words[0] = word;
    if (places_.empty()) return;
    std::uint8_t* places = places_.data() + (words - first());
    std::rotate(places, places + way, places + way + 1);
}

std::uint32_t* TagArray::find(std::uint64_t line)
{
    std::uint32_t* words = row(line);
    const std::uint32_t wanted = tag(line);
    if (!present(words, wanted)) return nullptr;
    unsigned way = 0;
    while ((words[way] & ~states_) != wanted) ++way;
    move_to_front(words, way, words[way]);
    return words;
}

std::uint32_t* TagArray::peek(std::uint64_t line)
{
    std::uint32_t* words = row(line);
    const std::uint32_t wanted = tag(line);
    if (!present(words, wanted)) return nullptr;
    while ((*words & ~states_) != wanted) ++words;
    return words;
}

std::uint32_t* TagArray::allocate(std::uint64_t line, std::uint32_t states, std::uint32_t& victim)
{
    std::uint32_t*& page = pages_[sets_.remainder(line) >> page_shift];
    if (page == none_here_) page = make(words_of_page());
    std::uint32_t* words = row(line);
    unsigned way = ways_;
    while (way > 0 && pending_sectors(words[way - 1]) != 0) --way;
    if (way == 0) return nullptr;
    --way;
    victim = words[way];
    move_to_front(words, way, tag(line) | (states & states_));
    return words;
}

void TagArray::drop(std::uint64_t line, unsigned sector)
{
    std::uint32_t* words = row(line);
    const std::uint32_t wanted = tag(line);
    unsigned way = 0;
    while ((words[way] & ~states_) != wanted) ++way;
    set_state(words[way], sector, absent);
    if ((words[way] & states_) != states_) return;
    if (!places_.empty()) {
        std::uint8_t* places = places_.data() + (words - first());
        std::rotate(places + way, places + way + 1, places + ways_);
    }
    for (; way + 1 < ways_; ++way) words[way] = words[way + 1];
    words[way] = none;
}

}  // namespace weft
