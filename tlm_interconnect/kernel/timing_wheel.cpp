#include "tlm_interconnect/kernel/timing_wheel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace weft {

namespace {

constexpr std::uint64_t no_bucket = ~std::uint64_t{0};
constexpr std::size_t few_entries = 6;     // up to here insertion sort is faster than places by time
constexpr std::size_t small_bucket = 24;   // up to here insertion sort is faster
constexpr std::size_t large_bucket = 160;  // from here sorting by digits is
constexpr std::size_t large_instant = 32;  // from here entries of one picosecond have places by component
constexpr std::size_t most_ranks = 512;    // of those
static_assert(large_bucket <= 256, "places are bytes");

}  // namespace

template <class Stamp>
BasicTimingWheel<Stamp>::BasicTimingWheel()
    : heads_(buckets, empty_head), occupied_(buckets / 64, 0), summary_(buckets / 4096, 0)
{
    open_.reserve(1024);
    set_front(0);
}

template <class Stamp>
std::uint32_t BasicTimingWheel<Stamp>::add_block(std::size_t slot)
{
    std::uint32_t number = free_;
    if (number == no_block) {
        if (blocks_.size() >= no_block) SC_REPORT_FATAL("/weft/event_queue", "more than 4e9 items wait");
        number = static_cast<std::uint32_t>(blocks_.size());
        blocks_.emplace_back();
    } else {
        free_ = block(number).next;
    }
    Block& added = block(number);
    added.next = heads_[slot] >> count_bits;
    occupied_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
    summary_[slot >> 12] |= std::uint64_t{1} << (slot >> 6 & 63);
    return number << count_bits;
}

template <class Stamp>
void BasicTimingWheel<Stamp>::push_elsewhere(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp)
{
    if (due >> bucket_bits <= open_bucket_) {
        insert_open(due, order, item, stamp);
    } else {
        far_.push_back({due, ++far_sequence_, order, item, stamp});
        std::push_heap(far_.begin(), far_.end(), later);
    }
}

// Behind everything of the same key, so that the order of scheduling holds. Hundreds of modules with one clock have thousands of items
// in a bucket: those on the shorter side of it make room, where popped entries were or at the end.
template <class Stamp>
void BasicTimingWheel<Stamp>::insert_open(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp)
{
    const Entry entry{stamp, key_of(due, order), item};
    // Entries lie within 2^31 ps of the open bucket, in front of it or behind.
    const std::uint64_t base = (open_bucket_ << bucket_bits) << 32;
    const auto key = static_cast<std::int64_t>(entry.key - base);
    const auto comes_before = [key, base, &stamp](const Entry& other) {
        const auto theirs = static_cast<std::int64_t>(other.key - base);
        return key != theirs ? key < theirs : stamp.before(other.stamp());
    };
    Entry* place = back_;
    for (std::ptrdiff_t left = back_ - front_; left > 0;) {
        const std::ptrdiff_t half = (left + 1) / 2;
        if (comes_before(place[-half])) {
            place -= half;
            left -= half;
        } else {
            left = half - 1;
        }
    }
    if (front_ > open_.data() && place - front_ < back_ - place) {
        std::copy(front_, place, front_ - 1);
        --front_;
        place[-1] = entry;
        return;
    }
    const auto first = static_cast<std::size_t>(front_ - open_.data());
    open_.insert(open_.begin() + (place - open_.data()), entry);
    set_front(first);
}

// The earliest bucket of the wheel behind that one, which the wheel spans.
template <class Stamp>
std::uint64_t BasicTimingWheel<Stamp>::next_bucket(std::uint64_t behind) const
{
    const std::size_t start = (behind + 1) & (buckets - 1);
    const auto found = [&](std::size_t word, std::uint64_t bits) {
        const std::size_t slot = (word << 6) + static_cast<std::size_t>(__builtin_ctzll(bits));
        return behind + 1 + ((slot - start) & (buckets - 1));
    };
    const std::size_t first = start >> 6;
    const std::uint64_t rest = occupied_[first] & (~std::uint64_t{0} << (start & 63));
    if (rest != 0) return found(first, rest);
    // Whole words behind it by their summary; round once, so that the first word's low bits come last.
    std::size_t group = first >> 6;
    std::uint64_t words = (first & 63) == 63 ? 0 : summary_[group] & (~std::uint64_t{0} << ((first & 63) + 1));
    for (std::size_t step = 0; step <= summary_.size(); ++step) {
        if (words != 0) {
            const std::size_t word = (group << 6) + static_cast<std::size_t>(__builtin_ctzll(words));
            return found(word, occupied_[word]);
        }
        if (++group == summary_.size()) group = 0;
        words = summary_[group];
    }
    return no_bucket;
}

// The earliest bucket behind the open one, of the wheel or of the heap.
template <class Stamp>
std::uint64_t BasicTimingWheel<Stamp>::first_bucket() const
{
    const std::uint64_t bucket = next_bucket();
    return far_.empty() ? bucket : std::min(bucket, far_.front().due >> bucket_bits);
}

template <class Stamp>
Time BasicTimingWheel<Stamp>::earliest_of(std::uint64_t bucket) const
{
    const Time base = bucket << bucket_bits;
    Time earliest = base + (Time{1} << bucket_bits);
    if (!far_.empty()) earliest = std::min(earliest, far_.front().due);
    if (bucket - open_bucket_ >= buckets) return earliest;
    const std::uint32_t head = heads_[bucket & (buckets - 1)];
    for (std::uint32_t b = head >> count_bits; b != no_block; b = block(b).next)
        for (std::uint32_t i = 0; i < count_of(head, b); ++i)
            earliest = std::min(earliest, base + (block(b).entries[i].key >> 32) % (Time{1} << bucket_bits));
    return earliest;
}

template <class Stamp>
bool BasicTimingWheel<Stamp>::far_after(Time time) const
{
    return std::any_of(far_.begin(), far_.end(), [time](const Far& far) { return far.due > time; });
}

template <class Stamp>
Time BasicTimingWheel<Stamp>::next_time() const
{
    if (front_ < back_) return due_of(*front_);
    const std::uint64_t bucket = first_bucket();
    return bucket == no_bucket ? ~Time{0} : earliest_of(bucket);
}

// Opens the earliest bucket that holds anything. False when there is none, or none due by `latest`.
template <class Stamp>
bool BasicTimingWheel<Stamp>::open_next(Time latest)
{
    open_.clear();
    set_front(0);
    const std::uint64_t bucket = first_bucket();
    if (bucket == no_bucket || bucket > latest >> bucket_bits) return false;
    if (bucket == latest >> bucket_bits && earliest_of(bucket) > latest) return false;

    open_bucket_ = bucket;
    // Far items that the wheel now spans come down.
    while (!far_.empty() && (far_.front().due >> bucket_bits) < bucket + buckets) {
        std::pop_heap(far_.begin(), far_.end(), later);
        const Far far = far_.back();
        far_.pop_back();
        append((far.due >> bucket_bits) & (buckets - 1), far.due, far.order, far.item, far.stamp);
    }
    collect(bucket & (buckets - 1));
    set_front(0);
    prefetch(next_bucket());
    return true;
}

// Moves the entries of one bucket into the open list, in order.
template <class Stamp>
void BasicTimingWheel<Stamp>::collect(std::size_t slot)
{
    const std::uint32_t head = heads_[slot];
    std::uint32_t number = head >> count_bits;
    heads_[slot] = empty_head;
    occupied_[slot >> 6] &= ~(std::uint64_t{1} << (slot & 63));
    if (occupied_[slot >> 6] == 0) summary_[slot >> 12] &= ~(std::uint64_t{1} << (slot >> 6 & 63));
    if (block(number).next == no_block) {
        Block& only = block(number);
        open_.assign(only.entries, only.entries + (head & count_mask));
        order_by_time(only.entries, head & count_mask);
        only.next = free_;
        free_ = number;
        return;
    }
    // Blocks are chained newest first: take them from the oldest, so that a stable sort keeps the order of
    // scheduling.
    std::uint32_t oldest_first = no_block;
    while (number != no_block) {
        const std::uint32_t older = block(number).next;
        block(number).next = oldest_first;
        oldest_first = number;
        number = older;
    }
    while (oldest_first != no_block) {
        Block& taken = block(oldest_first);
        open_.insert(open_.end(), taken.entries, taken.entries + count_of(head, oldest_first));
        const std::uint32_t newer = taken.next;
        taken.next = free_;
        free_ = oldest_first;
        oldest_first = newer;
    }
    if (open_.size() >= large_bucket) {
        sort_open(0);
        return;
    }
    sorted_ = open_;
    if (open_.size() < large_instant || !sort_instant()) order_by_time(sorted_.data(), open_.size());
}

// Of a bucket whose entries are all of one picosecond, as of a clock that some modules have: each goes to the place that its
// component has, so that only those of one component are left to be ordered. False: they are not, or of too many components.
// sorted_ holds the same as open_.
template <class Stamp>
bool BasicTimingWheel<Stamp>::sort_instant()
{
    constexpr unsigned rank_shift = 12;
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint64_t highest = 0;
    for (const Entry& entry : sorted_) {
        const std::uint64_t at = entry.key >> rank_shift;
        lowest = std::min(lowest, at);
        highest = std::max(highest, at);
    }
    if (highest - lowest >= most_ranks) return false;
    std::uint8_t places[most_ranks] = {};
    const std::size_t ranks = highest - lowest + 1;
    for (const Entry& entry : sorted_) ++places[(entry.key >> rank_shift) - lowest];
    std::uint8_t before = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        before = static_cast<std::uint8_t>(before + std::exchange(places[rank], before));
    for (const Entry& entry : sorted_) open_[places[(entry.key >> rank_shift) - lowest]++] = entry;
    insert_in_order(open_.data(), 1, open_.size());
    return true;
}

// Puts the entries of a bucket, `source`, into open_, as large as they are many: each goes to the place that its picosecond has, so
// that only those of one picosecond are left to be ordered. Stable. open_ holds the same, in the same order, before.
template <class Stamp>
void BasicTimingWheel<Stamp>::order_by_time(const Entry* source, std::size_t count)
{
    constexpr std::uint32_t times = 1U << bucket_bits;
    const auto time_of = [](const Entry& entry) { return static_cast<std::uint32_t>(entry.key >> 32) % times; };
    Entry* const entries = open_.data();
    if (count > few_entries) {
        // How many come before each picosecond: bytes, eight of them added up at a time.
        std::uint8_t places[times] = {};
        for (std::size_t i = 0; i < count; ++i) ++places[time_of(source[i])];
        std::uint64_t earlier = 0;
        for (std::uint32_t word = 0; word < times; word += 8) {
            std::uint64_t counts = 0;
            std::memcpy(&counts, places + word, 8);
            const std::uint64_t up_to = counts * 0x0101010101010101U;
            const std::uint64_t starts = (up_to << 8) + earlier * 0x0101010101010101U;
            std::memcpy(places + word, &starts, 8);
            earlier += up_to >> 56;
        }
        for (std::size_t i = 0; i < count; ++i) entries[places[time_of(source[i])]++] = source[i];
    }
    insert_in_order(entries, 1, count);
}

// Stable. Keys of one bucket share the upper bits of their time, so they compare as numbers.
template <class Stamp>
void BasicTimingWheel<Stamp>::sort_open(std::size_t first)
{
    const std::size_t count = open_.size() - first;
    if (std::is_same_v<Stamp, NoStamp> && count >= large_bucket) {
        sort_by_digits(first);
        return;
    }
    if (count > small_bucket) {
        std::stable_sort(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end(), before);
        return;
    }
    insert_in_order(open_.data() + first, 1, count);
}

// `entries`, in order up to `sorted`: puts the others where they belong.
template <class Stamp>
inline void BasicTimingWheel<Stamp>::insert_in_order(Entry* entries, std::size_t sorted, std::size_t count)
{
    for (std::size_t i = sorted; i < count; ++i) {
        if (!before(entries[i], entries[i - 1])) continue;
        const Entry entry = entries[i];
        std::size_t j = i;
        for (; j > 0 && before(entry, entries[j - 1]); --j) entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

// Many entries of one instant, as of a clock that many timed components have: by the bytes in which their keys differ, the
// lowest first. No comparison that the host could guess wrong.
template <class Stamp>
void BasicTimingWheel<Stamp>::sort_by_digits(std::size_t first)
{
    const std::size_t count = open_.size() - first;
    sorted_.resize(open_.size());
    Entry* from = open_.data() + first;
    Entry* to = sorted_.data() + first;
    std::uint64_t differ = 0;
    for (std::size_t i = 1; i < count; ++i) differ |= from[i].key ^ from[0].key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((differ >> shift & 0xff) == 0) continue;
        std::uint32_t place[256] = {};
        for (std::size_t i = 0; i < count; ++i) ++place[from[i].key >> shift & 0xff];
        std::uint32_t before = 0;
        for (std::uint32_t& at : place) before += std::exchange(at, before);
        for (std::size_t i = 0; i < count; ++i) to[place[from[i].key >> shift & 0xff]++] = from[i];
        std::swap(from, to);
    }
    if (from == sorted_.data() + first) std::copy(from, from + count, to);
}

template <class Stamp>
void BasicTimingWheel<Stamp>::prefetch(std::uint64_t bucket) const
{
    if (bucket == no_bucket) return;
    const std::uint32_t head = heads_[bucket & (buckets - 1)];
    for (std::uint32_t number = head >> count_bits; number != no_block; number = block(number).next)
        for (std::uint32_t i = 0; i < count_of(head, number); ++i) __builtin_prefetch(block(number).entries[i].item, 1);
    // And the entries of the one behind it, whose items are next.
    const std::uint64_t behind = next_bucket(bucket);
    if (behind == no_bucket || behind - open_bucket_ >= buckets) return;
    const char* entries = reinterpret_cast<const char*>(&block(heads_[behind & (buckets - 1)] >> count_bits));
    for (std::size_t at = 0; at < sizeof(Block); at += 64) __builtin_prefetch(entries + at);
}

template class BasicTimingWheel<NoStamp>;
template class BasicTimingWheel<Scheduling>;

}  // namespace weft
