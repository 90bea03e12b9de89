// Tags of one cache slice: set-associative, least recently used replacement, lines of one or two sectors.
//
// A set is a row of 32-bit words in order of use, most recent first, so that a look-up touches one host
// cache line and replacement needs no counters. A word is a tag and two bits for each sector.
//
// Neighbouring sets are a page of the host's memory, which is made with the first line in it: hundreds of GPUs that move small
// messages use few of theirs.
//
// With keep_places() a way has a place that stays the same while its word moves within the set: where a cache that holds
// its contents (cache_contents.h) has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/divider.h"

namespace weft {

class TagArray {
public:
    // Up to 2^20 sets; 1 or 2 sectors.
    TagArray(std::uint64_t sets, unsigned ways, unsigned sectors = 1);
    TagArray(const TagArray&) = delete;
    TagArray& operator=(const TagArray&) = delete;

    // Of a sector. Pending: its fill is on the way.
    enum State : std::uint32_t { clean, dirty, pending, absent };

    static State state(std::uint32_t word, unsigned sector) { return static_cast<State>(word >> 2 * sector & 3U); }
    // Of a sector that is there.
    static void make_dirty(std::uint32_t& word, unsigned sector) { word |= 1U << 2 * sector; }
    static void set_state(std::uint32_t& word, unsigned sector, State state)
    {
        word = (word & ~(3U << 2 * sector)) | static_cast<std::uint32_t>(state) << 2 * sector;
    }
    static bool holds(State state) { return state < pending; }
    // The states of a line of which one sector is there.
    static std::uint32_t only(unsigned sector, State state)
    {
        return 0xfU & ~((3U ^ static_cast<std::uint32_t>(state)) << 2 * sector);
    }
    // Bit 2 x sector for each dirty sector, clean or dirty sector, pending sector of a word.
    std::uint32_t dirty_sectors(std::uint32_t word) const { return word & ~(word >> 1) & sectors_; }
    std::uint32_t held_sectors(std::uint32_t word) const { return ~(word >> 1) & sectors_; }
    std::uint32_t pending_sectors(std::uint32_t word) const { return word >> 1 & ~word & sectors_; }

    // `line` is the line's number within the slice (dense, below (2^(32 - 2 x sectors) - 1) x sets).
    // Word of the line, moved to the front of its set; nullptr when it is not there.
    std::uint32_t* find(std::uint64_t line);
    // The same without a change in the order of use.
    std::uint32_t* peek(std::uint64_t line);

    void prefetch(std::uint64_t line) const { __builtin_prefetch(row(line), 1); }

    // Puts the line, with the states of only(), at the front of its set in place of the least recently used one
    // without a pending sector. Null when every way of the set has one. `victim` is the word that had to go, without
    // a held sector when the place was free.
    std::uint32_t* allocate(std::uint64_t line, std::uint32_t states, std::uint32_t& victim);
    // The word that allocate() would displace; null where it would be.
    const std::uint32_t* victim(std::uint64_t line) const;
    // The line that had this word, given a line of the same set.
    std::uint64_t line_of(std::uint32_t word, std::uint64_t neighbour) const
    {
        return std::uint64_t{word >> tag_shift_} * sets_.divisor() + sets_.remainder(neighbour);
    }

    // From now on, before the first line; makes all pages.
    void keep_places();
    // Bytes of the pages that are made.
    std::size_t memory_bytes() const;
    std::size_t places() const { return std::size_t{sets_.divisor()} * ways_; }
    // Of a word that find(), peek() or allocate() returned: below sets x ways, the victim's in the case of allocate(). Places of
    // neighbouring sets follow one another, so that a cache with few lines uses few pages.
    std::size_t place_of(const std::uint32_t* word) const
    {
        const auto index = static_cast<std::size_t>(word - first());
        return std::size_t{places_[index]} * sets_.divisor() + by_ways_.quotient(index);
    }

    // Forgets a sector of a line that is there, and the line with its last one. A free place is the next to be used.
    void drop(std::uint64_t line, unsigned sector);

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    static constexpr unsigned page_shift = 6;  // sets of a page: 4 KiB of 16 ways
    static constexpr std::uint32_t page_sets = 1U << page_shift;
    static constexpr std::size_t few_pages = 5;
    struct alignas(64) HostLine {  // 16 ways fill one
        std::uint32_t words[16];
    };

    std::uint32_t* row(std::uint64_t line) const
    {
        const std::uint32_t set = sets_.remainder(line);
        std::uint32_t* const page = (many_ ? pages_.data() : few_)[set >> page_shift];
        return page == nullptr ? empty_row() : page + std::size_t{set & (page_sets - 1)} * ways_;
    }
    static std::uint32_t* empty_row();  // looked at, never written
    std::uint32_t*& page(std::size_t number) { return (many_ ? pages_.data() : few_)[number]; }
    std::uint32_t* first() const { return (many_ ? pages_.data() : few_)[0]; }  // with places: of all words
    std::size_t pages() const { return (std::size_t{sets_.divisor()} + page_sets - 1) / page_sets; }
    std::size_t words_of_page() const { return std::size_t{page_sets} * ways_; }
    std::uint32_t* make(std::size_t words);
    std::uint32_t tag(std::uint64_t line) const
    {
        return static_cast<std::uint32_t>(sets_.quotient(line)) << tag_shift_;
    }
    unsigned way_of(const std::uint32_t* words, std::uint32_t wanted) const;
    unsigned ways_to_displace(const std::uint32_t* words) const;
    void move_to_front(std::uint32_t* words, unsigned way, std::uint32_t word);

    // In a cache line of the host what a look-up needs.
    Divider sets_;
    std::uint32_t* few_[few_pages] = {};  // pages; null: their sets have never had a line
    std::uint16_t ways_;
    std::uint8_t tag_shift_;
    bool many_;             // more pages than that: they are in pages_
    std::uint32_t states_;  // the bits below the tag

    std::vector<std::uint32_t*> pages_;
    std::uint32_t sectors_;  // one of each pair of them
    bool keeps_places_ = false;
    Divider by_ways_;
    std::vector<std::unique_ptr<HostLine[]>> made_;
    std::size_t made_words_ = 0;
    std::vector<std::uint8_t> places_;  // of each word of a set; empty: not kept
};

}  // namespace weft
