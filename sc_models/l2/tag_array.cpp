#include "sc_models/l2/tag_array.h"

#include <algorithm>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft {

namespace {

constexpr unsigned most_ways_shared = 64;

// The row of all sets that have never had a line.
struct EmptyRow {
    alignas(64) std::uint32_t words[most_ways_shared];
    constexpr EmptyRow() : words()
    {
        for (std::uint32_t& word : words) word = ~std::uint32_t{0};
    }
};
constexpr EmptyRow the_empty_row;

}  // namespace

TagArray::TagArray(std::uint64_t sets, unsigned ways, unsigned sectors)
    : sets_(static_cast<std::uint32_t>(sets)), ways_(static_cast<std::uint16_t>(ways)),
      tag_shift_(static_cast<std::uint8_t>(2 * sectors)), many_(sets > few_pages * page_sets),
      states_((1U << 2 * sectors) - 1), sectors_(0x5U & states_), by_ways_(ways)
{
    if (many_) pages_.assign(pages(), nullptr);
    if (ways <= most_ways_shared) return;
    for (std::size_t number = 0; number < pages(); ++number) page(number) = make(words_of_page());
}

std::uint32_t* TagArray::empty_row() { return const_cast<std::uint32_t*>(the_empty_row.words); }

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

// The way that has the tag, the number of ways if none has. The usual number of ways is compared at once: most look-ups of a stream
// miss, and where the others hit, the host could not guess.
inline unsigned TagArray::way_of(const std::uint32_t* words, std::uint32_t wanted) const
{
#ifdef __SSE2__
    if (ways_ == 16) {
        const __m128i tags = _mm_set1_epi32(static_cast<int>(~states_));
        const __m128i tag = _mm_set1_epi32(static_cast<int>(wanted));
        const auto four = [&](unsigned first) {
            const __m128i* const at = reinterpret_cast<const __m128i*>(words + first);
            return _mm_cmpeq_epi32(_mm_and_si128(_mm_loadu_si128(at), tags), tag);
        };
        const __m128i low = _mm_packs_epi32(four(0), four(4));
        const __m128i high = _mm_packs_epi32(four(8), four(12));
        const int found = _mm_movemask_epi8(_mm_packs_epi16(low, high));
        return found == 0 ? 16U : static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(found)));
    }
#endif
    unsigned way = 0;
    while (way < ways_ && (words[way] & ~states_) != wanted) ++way;
    return way;
}

void TagArray::keep_places()
{
    const std::size_t words = pages() * words_of_page();
    std::uint32_t* const all = make(words);
    for (std::size_t number = 0; number < pages(); ++number) page(number) = all + number * words_of_page();
    keeps_places_ = true;
    places_.resize(words);
    for (std::size_t i = 0; i < words; ++i) places_[i] = static_cast<std::uint8_t>(i % ways_);
}

// The word takes the front of its set, and what was in front of `way` one place further back.
inline void TagArray::move_to_front(std::uint32_t* words, unsigned way, std::uint32_t word)
{
    for (unsigned i = way; i > 0; --i) words[i] = words[i - 1];
    words[0] = word;
    if (!keeps_places_) return;
    std::uint8_t* places = places_.data() + (words - first());
    std::rotate(places, places + way, places + way + 1);
}

std::uint32_t* TagArray::find(std::uint64_t line)
{
    std::uint32_t* words = row(line);
    const std::uint32_t wanted = tag(line);
    const unsigned way = way_of(words, wanted);
    if (way == ways_) return nullptr;
    if (way > 0) move_to_front(words, way, words[way]);
    return words;
}

std::uint32_t* TagArray::peek(std::uint64_t line)
{
    std::uint32_t* words = row(line);
    const std::uint32_t wanted = tag(line);
    const unsigned way = way_of(words, wanted);
    return way == ways_ ? nullptr : words + way;
}

// Up to the last one without a pending sector; 0 where there is none.
inline unsigned TagArray::ways_to_displace(const std::uint32_t* words) const
{
    unsigned ways = ways_;
    while (ways > 0 && pending_sectors(words[ways - 1]) != 0) --ways;
    return ways;
}

const std::uint32_t* TagArray::victim(std::uint64_t line) const
{
    const std::uint32_t* const words = row(line);
    const unsigned ways = ways_to_displace(words);
    return ways == 0 ? nullptr : words + ways - 1;
}

std::uint32_t* TagArray::allocate(std::uint64_t line, std::uint32_t states, std::uint32_t& victim)
{
    std::uint32_t*& words_of_set = page(sets_.remainder(line) >> page_shift);
    if (words_of_set == nullptr) words_of_set = make(words_of_page());
    std::uint32_t* words = row(line);
    const unsigned ways = ways_to_displace(words);
    if (ways == 0) return nullptr;
    const unsigned way = ways - 1;
    victim = words[way];
    move_to_front(words, way, tag(line) | (states & states_));
    return words;
}

void TagArray::drop(std::uint64_t line, unsigned sector)
{
    std::uint32_t* words = row(line);
    unsigned way = way_of(words, tag(line));
    set_state(words[way], sector, absent);
    if ((words[way] & states_) != states_) return;
    if (keeps_places_) {
        std::uint8_t* places = places_.data() + (words - first());
        std::rotate(places + way, places + way + 1, places + ways_);
    }
    for (; way + 1 < ways_; ++way) words[way] = words[way + 1];
    words[way] = none;
}

}  // namespace weft
