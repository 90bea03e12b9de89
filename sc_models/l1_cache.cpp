#include "sc_models/l1_cache.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

void append(Line*& first, Line*& last, Line& line)
{
    line.next = nullptr;
    if (first == nullptr) {
        first = &line;
    } else {
        last->next = &line;
    }
    last = &line;
}

}  // namespace

L1Cache::L1Cache(const L1Spec& spec, bool data_on)
    : sectors_(static_cast<unsigned>(spec.line / line_bytes)), ways_(spec.ways),
      sets_(std::max<std::uint64_t>(1, spec.size / spec.line / spec.ways)), data_on_(data_on), entries_(sets_ * ways_),
      data_(data_on ? sets_ * ways_ * spec.line : 0), fetches_(spec.outstanding_misses)
{
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].place = static_cast<std::uint32_t>(i);
    for (std::size_t i = fetches_.size(); i-- > 0;) free_.push_back(static_cast<std::uint16_t>(i));
}

// Moves the entry to the front of its set.
L1Cache::Entry* L1Cache::find(std::uint64_t tag)
{
    Entry* set = row(tag);
    for (std::uint64_t way = 0; way < ways_; ++way) {
        if (set[way].tag != tag || set[way].generation != generation_) continue;
        std::rotate(set, set + way, set + way + 1);
        return set;
    }
    return nullptr;
}

L1Cache::Entry& L1Cache::allocate(std::uint64_t tag)
{
    Entry* set = row(tag);
    std::rotate(set, set + ways_ - 1, set + ways_);
    const std::uint32_t place = set->place;
    *set = Entry{};
    set->tag = tag;
    set->generation = generation_;
    set->place = place;
    return *set;
}

void L1Cache::answer(Line& load, const std::uint8_t* sector) const
{
    if (data_on_) std::memcpy(load.data(), sector + load.address % line_bytes, load.size);
}

L1Cache::Answer L1Cache::look_up(Line& load)
{
    const std::uint64_t number = load.address / line_bytes;
    const std::uint64_t tag = number / sectors_;
    const auto sector = static_cast<unsigned>(number % sectors_);
    Entry* entry = find(tag);
    if (entry != nullptr && (entry->valid >> sector & 1U) != 0) {
        ++counts_.hits;
        if (data_on_) answer(load, data_of(*entry, sector));
        return {Outcome::hit, 0};
    }
    if (entry != nullptr && entry->fetch[sector] != none) {
        Fetch& fetch = fetches_[entry->fetch[sector]];
        if (fetch.sector == number && fetch.keep) {
            ++counts_.merged;
            append(fetch.first, fetch.last, load);
            return {Outcome::merged, 0};
        }
    }
    if (free_.empty()) {
        ++counts_.full;
        append(full_first_, full_last_, load);
        return {Outcome::full, 0};
    }
    ++counts_.misses;
    const std::uint16_t place = free_.back();
    free_.pop_back();
    if (entry == nullptr) entry = &allocate(tag);
    entry->fetch[sector] = place;
    Fetch& fetch = fetches_[place];
    fetch = {number, true, nullptr, nullptr};
    append(fetch.first, fetch.last, load);
    return {Outcome::miss, place};
}

L1Cache::Filled L1Cache::fill(std::uint32_t place, const std::uint8_t* data)
{
    Fetch& fetch = fetches_[place];
    const auto sector = static_cast<unsigned>(fetch.sector % sectors_);
    Entry* entry = find(fetch.sector / sectors_);
    if (entry != nullptr && entry->fetch[sector] == place) {
        entry->fetch[sector] = none;
        if (fetch.keep) {
            entry->valid |= static_cast<std::uint8_t>(1U << sector);
            if (data_on_) std::memcpy(data_of(*entry, sector), data, line_bytes);
        }
    }
    for (Line* load = fetch.first; load != nullptr; load = load->next == nullptr ? nullptr : &Line::of(*load->next))
        answer(*load, data);
    const Filled out{fetch.first, full_first_};
    full_first_ = full_last_ = nullptr;
    free_.push_back(static_cast<std::uint16_t>(place));
    return out;
}

void L1Cache::store(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes)
{
    const std::uint64_t number = address / line_bytes;
    const auto sector = static_cast<unsigned>(number % sectors_);
    Entry* entry = find(number / sectors_);
    if (entry == nullptr) return;
    if (entry->fetch[sector] != none) {
        fetches_[entry->fetch[sector]].keep = false;
    } else if ((entry->valid >> sector & 1U) != 0 && data_on_) {
        std::memcpy(data_of(*entry, sector) + address % line_bytes, data, bytes);
    }
}

void L1Cache::drop(std::uint64_t address)
{
    const std::uint64_t number = address / line_bytes;
    const auto sector = static_cast<unsigned>(number % sectors_);
    Entry* entry = find(number / sectors_);
    if (entry == nullptr) return;
    if (entry->fetch[sector] != none) fetches_[entry->fetch[sector]].keep = false;
    entry->valid &= static_cast<std::uint8_t>(~(1U << sector));
}

void L1Cache::invalidate()
{
    ++counts_.invalidations;
    ++generation_;
}

}  // namespace weft
