// Pending items in order of time: the event queue's store.
//
// A wheel of buckets, each a chain of small blocks of entries, so that filing an item is one append and
// ordering a bucket touches no item. The earliest bucket is sorted into the open list when its turn comes. Items
// beyond the wheel wait in a heap. While the front is worked on, the items behind it are prefetched:
// with thousands of lines in flight, a line that is due has long left the host's caches.
//
// Order: due time, then `order`, then that of the stamps, then the order of filing. The wheel of a run as a whole has no
// stamps; that of a part of a run has (Scheduling), because what comes from other parts is filed late.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

struct ScheduledItem;

struct NoStamp {
    bool before(NoStamp) const { return false; }
};

// When something was scheduled, and by which device: the numbers of devices follow their names.
struct Scheduling {
    Time at = 0;
    std::uint32_t device = 0;

    bool before(const Scheduling& other) const { return at != other.at ? at < other.at : device < other.device; }
};

template <class Stamp>
class BasicTimingWheel {
public:
    // Width of a bucket is 2^bucket_bits ps, the wheel spans 2^wheel_bits buckets (2.1 us). An 8-GPU
    // all-reduce has some 300 items per nanosecond.
    static constexpr unsigned bucket_bits = 7;
    static constexpr unsigned wheel_bits = 14;

    // `key` is the low 32 bits of the due time (the wheel spans far less), then the order.
    struct Entry : Stamp {
        std::uint64_t key;
        ScheduledItem* item;

        std::uint32_t order() const { return static_cast<std::uint32_t>(key); }
        const Stamp& stamp() const { return *this; }
    };

    BasicTimingWheel();
    BasicTimingWheel(const BasicTimingWheel&) = delete;
    BasicTimingWheel& operator=(const BasicTimingWheel&) = delete;

    void push(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp = {})
    {
        ++size_;
        const std::uint64_t bucket = due >> bucket_bits;
        if (bucket > open_bucket_ && bucket - open_bucket_ < buckets) {
            append(bucket & (buckets - 1), due, order, item, stamp);
        } else {
            push_elsewhere(due, order, item, stamp);
        }
    }

    // Earliest by (due, order, sequence of scheduling). Null when empty; it may also be null when the
    // earliest is due after `latest`: a bucket is opened only to be worked on, because items that come
    // later and are due earlier must not be behind the open bucket.
    const Entry* front(Time latest)
    {
        if (front_ == back_ && !open_next(latest)) return nullptr;
        return front_;
    }
    // Due time of the earliest item, ~0 when empty.
    Time next_time() const;
    // Whether an item beyond the wheel is due after `time`.
    bool far_after(Time time) const;
    void pop()
    {
        ++front_;
        --size_;
        if (front_ + prefetch_distance < back_) __builtin_prefetch(front_[prefetch_distance].item, 1);
    }
    // The popped entry was the first of its bucket.
    bool at_start() const { return front_ == open_.data() + 1; }
    Time due_of(const Entry& entry) const
    {
        // Entries of the open list lie within 2^31 ps of the open bucket.
        const Time base = open_bucket_ << bucket_bits;
        const auto offset =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(entry.key >> 32) - static_cast<std::uint32_t>(base));
        return base + static_cast<Time>(static_cast<std::int64_t>(offset));
    }
    // The entry `ahead` behind the popped ones if its bucket is open; nullptr otherwise (it is later then).
    const Entry* peek(std::size_t ahead = 0) const { return front_ + ahead < back_ ? front_ + ahead : nullptr; }

    // Whether `ahead` entries and no more are left of the open bucket, or fewer and all of it is left but the popped one.
    bool near_end(std::size_t ahead) const
    {
        const auto left = static_cast<std::size_t>(back_ - front_);
        return left == ahead || (left < ahead && at_start());
    }
    // Calls f(entry) for some entries of the bucket that comes next, those that are due first in it, in no order.
    template <class F>
    void each_first_of_next(const F& f) const
    {
        const std::uint64_t bucket = next_bucket();
        if (bucket == ~std::uint64_t{0}) return;
        const std::uint32_t head = heads_[bucket & (buckets - 1)];
        const Block& newest = block(head >> count_bits);
        const std::uint32_t count = head & count_mask;
        const std::uint32_t until = count <= first_entries && newest.next == no_block ? ~std::uint32_t{0}
            : newest.next == no_block ? (first_entries << bucket_bits) / count
                                      : (first_entries << bucket_bits) / (2 * block_entries);
        for (std::uint32_t i = 0; i < count; ++i)
            if ((newest.entries[i].key >> 32 & ((1U << bucket_bits) - 1)) < until) f(newest.entries[i]);
    }

    std::uint64_t size() const { return size_; }

    // Replaces the order of every entry by f(order), and sorts accordingly.
    template <class F>
    void reorder(const F& f)
    {
        const auto reordered = [&f](const Entry& entry) {
            return Entry{entry.stamp(), (entry.key >> 32 << 32) | f(entry.order()), entry.item};
        };
        for (Entry* entry = front_; entry < back_; ++entry) *entry = reordered(*entry);
        sort_open(static_cast<std::size_t>(front_ - open_.data()));
        for (const std::uint32_t head : heads_)
            for (std::uint32_t b = head >> count_bits; b != no_block; b = block(b).next)
                for (std::uint32_t i = 0; i < count_of(head, b); ++i)
                    block(b).entries[i] = reordered(block(b).entries[i]);
        for (Far& far : far_) far.order = f(far.order);
    }

private:
    static constexpr std::size_t buckets = std::size_t{1} << wheel_bits;
    static constexpr std::size_t prefetch_distance = 6;
    static constexpr std::uint32_t first_entries = 6;  // about as many are wanted of each_first_of_next()
    static constexpr std::uint32_t block_entries = 31;

    // A bucket's newest block and how many entries it holds, in one word: filing an item reads nothing of the block, which
    // the host seldom has at hand. Older blocks are full. A bucket without blocks has none that is full.
    static constexpr unsigned count_bits = 5;
    static constexpr std::uint32_t count_mask = (1U << count_bits) - 1;
    static_assert(block_entries == count_mask, "a full block is one whose count has all bits");
    static constexpr std::uint32_t no_block = ~std::uint32_t{0} >> count_bits;
    static constexpr std::uint32_t empty_head = ~std::uint32_t{0};

    struct alignas(64) Block {
        std::uint32_t next = no_block;  // older entries of the bucket
        Entry entries[block_entries];
    };
    static std::uint32_t count_of(std::uint32_t head, std::uint32_t number)
    {
        return number == head >> count_bits ? head & count_mask : block_entries;
    }
    Block& block(std::uint32_t number) { return blocks_[number]; }
    const Block& block(std::uint32_t number) const { return blocks_[number]; }

    struct Far {
        Time due;
        std::uint64_t sequence;  // a heap alone would not keep the order of scheduling
        std::uint32_t order;
        ScheduledItem* item;
        Stamp stamp;
    };
    static bool later(const Far& a, const Far& b) { return a.due != b.due ? a.due > b.due : a.sequence > b.sequence; }

    static std::uint64_t key_of(Time due, std::uint32_t order) { return due << 32 | order; }

    void append(std::size_t slot, Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp)
    {
        std::uint32_t head = heads_[slot];
        if ((head & count_mask) == block_entries) head = add_block(slot);
        block(head >> count_bits).entries[head & count_mask] = {stamp, key_of(due, order), item};
        heads_[slot] = head + 1;
    }

    std::uint32_t add_block(std::size_t slot);  // the bucket's new head
    void push_elsewhere(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp);
    // Behind every change of open_; its first entry in front of which nothing is left.
    void set_front(std::size_t first)
    {
        front_ = open_.data() + first;
        back_ = open_.data() + open_.size();
    }
    void insert_open(Time due, std::uint32_t order, ScheduledItem* item, const Stamp& stamp);
    // Of entries whose keys compare as numbers.
    static bool before(const Entry& a, const Entry& b)
    {
        return a.key != b.key ? a.key < b.key : a.stamp().before(b.stamp());
    }
    std::uint64_t next_bucket(std::uint64_t behind) const;
    std::uint64_t next_bucket() const { return next_bucket(open_bucket_); }
    std::uint64_t first_bucket() const;
    Time earliest_of(std::uint64_t bucket) const;
    bool open_next(Time latest);
    void collect(std::size_t slot);
    bool sort_instant();
    void order_by_time(const Entry* source, std::size_t count);
    void sort_open(std::size_t first);
    void sort_by_digits(std::size_t first);
    static void insert_in_order(Entry* entries, std::size_t sorted, std::size_t count);
    void prefetch(std::uint64_t bucket) const;

    // What remains of the open bucket, in order.
    Entry* front_ = nullptr;
    Entry* back_ = nullptr;
    std::vector<Entry> open_;        // all of it; front_ and back_ point into it
    std::vector<Entry> sorted_;      // while sorting
    std::uint64_t open_bucket_ = 0;  // absolute number of the open bucket
    std::uint64_t size_ = 0;
    std::vector<std::uint32_t> heads_;     // newest block of each bucket and its count
    std::vector<std::uint64_t> occupied_;  // bit per bucket
    std::vector<std::uint64_t> summary_;   // bit per word of occupied_
    std::uint32_t free_ = no_block;
    std::vector<Block> blocks_;
    std::vector<Far> far_;  // heap by due, then sequence
    std::uint64_t far_sequence_ = 0;
};

using TimingWheel = BasicTimingWheel<NoStamp>;
using StampedWheel = BasicTimingWheel<Scheduling>;

static_assert(sizeof(TimingWheel::Entry) == 16, "an entry without a stamp is no larger than its key and its item");

extern template class BasicTimingWheel<NoStamp>;
extern template class BasicTimingWheel<Scheduling>;

}  // namespace weft
