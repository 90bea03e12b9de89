#include "tlm_interconnect/kernel/timing_wheel.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace weft {

namespace {

constexpr std::uint64_t no_bucket = ~std::uint64_t{0};
constexpr std::size_t small_bucket = 24;  // up to here insertion sort is faster
constexpr std::size_t large_bucket = 64;  // from here sorting by digits is

}  // namespace

template <class Stamp>
BasicTimingWheel<Stamp>::BasicTimingWheel()
    : heads_(buckets, empty_head), occupied_(buckets / 64, 0), summary_(buckets / 4096, 0)
{
    open_.reserve(1024);
}

template <class Stamp>
std::uint32_t BasicTimingWheel<Stamp>::add_block(std::size_t slot)
{
    if (free_ == no_block) {
        if (storage_.size() >= no_block / blocks_at_once)
            SC_REPORT_FATAL("/weft/event_queue", "more than 4e9 items wait");
        const auto first = static_cast<std::uint32_t>(storage_.size()) * blocks_at_once;
        storage_.push_back(std::make_unique<Block[]>(blocks_at_once));
        for (std::uint32_t i = blocks_at_once; i-- > 0;) {
            block(first + i).next = free_;
            free_ = first + i;
        }
    }
    const std::uint32_t number = free_;
    Block& added = block(number);
    free_ = added.next;
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

// Behind everything of the same key, so that the order of scheduling holds.
template <class Stamp>
void BasicTimingWheel<Stamp>::insert_open(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp)
{
    const Entry entry{stamp, key_of(due, order), item};
    const Time base = due;
    open_.push_back(entry);
    std::size_t i = open_.size() - 1;
    const auto comes_before = [&](const Entry& other) {
        const Time theirs = due_of(other);
        if (base != theirs) return base < theirs;
        return order != other.order() ? order < other.order() : stamp.before(other.stamp());
    };
    for (; i > cursor_ && comes_before(open_[i - 1]); --i) open_[i] = open_[i - 1];
    open_[i] = entry;
}

// The earliest bucket of the wheel behind the open one.
template <class Stamp>
std::uint64_t BasicTimingWheel<Stamp>::next_bucket() const
{
    const std::size_t start = (open_bucket_ + 1) & (buckets - 1);
    const auto found = [&](std::size_t word, std::uint64_t bits) {
        const std::size_t slot = (word << 6) + static_cast<std::size_t>(__builtin_ctzll(bits));
        return open_bucket_ + 1 + ((slot - start) & (buckets - 1));
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
Time BasicTimingWheel<Stamp>::next_time() const
{
    if (cursor_ < open_.size()) return due_of(open_[cursor_]);
    const std::uint64_t bucket = first_bucket();
    return bucket == no_bucket ? ~Time{0} : earliest_of(bucket);
}

// Opens the earliest bucket that holds anything. False when there is none, or none due by `latest`.
template <class Stamp>
bool BasicTimingWheel<Stamp>::open_next(Time latest)
{
    open_.clear();
    cursor_ = 0;
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
    sort_open(0);
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
    Entry* const entries = open_.data();
    for (std::size_t i = first + 1; i < open_.size(); ++i) {
        const Entry entry = entries[i];
        std::size_t j = i;
        for (; j > first && before(entry, entries[j - 1]); --j) entries[j] = entries[j - 1];
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
}

template class BasicTimingWheel<NoStamp>;
template class BasicTimingWheel<Scheduling>;

}  // namespace weft
