// Pending events of a simulation without SystemC: the earliest first, events of one instant in the order in which they were
// pushed.
//
// A wheel of buckets, each 2^bucket_bits ps wide. A bucket is a chain of small blocks, so a push is one append. The earliest
// bucket is sorted when its turn comes. Events beyond the 2^wheel_bits buckets of the wheel wait in a heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft {

template <unsigned bucket_bits, unsigned wheel_bits>
class EventWheel {
public:
    struct Event {
        std::uint64_t time;
        std::uint32_t kind;
        std::uint32_t index;
    };

    EventWheel() : heads_(buckets, no_block), occupied_(buckets / 64, 0) {}

    void push(std::uint64_t time, std::uint32_t kind, std::uint32_t index)
    {
        ++size_;
        const std::uint64_t bucket = time >> bucket_bits;
        if (bucket <= open_bucket_) return insert_open({time, kind, index});
        if (bucket - open_bucket_ < buckets) return append(bucket & (buckets - 1), {time, kind, index});
        far_.push_back({{time, kind, index}, far_sequence_++});
        std::push_heap(far_.begin(), far_.end(), later);
    }

    bool empty() const { return size_ == 0; }
    std::uint64_t size() const { return size_; }

    // The earliest event, which must exist.
    const Event& front()
    {
        if (cursor_ == open_.size()) open_next();
        return open_[cursor_];
    }
    // The event that is `ahead` places behind the front of those of the earliest bucket, as far as is known; null: there is none.
    const Event* peek(std::size_t ahead) const
    {
        return cursor_ + ahead < open_.size() ? &open_[cursor_ + ahead] : nullptr;
    }
    void pop()
    {
        ++cursor_;
        --size_;
    }

private:
    static constexpr std::uint64_t buckets = std::uint64_t{1} << wheel_bits;
    static constexpr std::uint32_t block_events = 15;
    static constexpr std::uint32_t no_block = ~std::uint32_t{0};

    struct Block {
        Event events[block_events];
        std::uint32_t next = no_block;  // older events of the bucket
        std::uint32_t count = 0;
    };
    struct Far {
        Event event;
        std::uint64_t sequence;
    };
    static bool later(const Far& a, const Far& b)
    {
        return a.event.time != b.event.time ? a.event.time > b.event.time : a.sequence > b.sequence;
    }

    void append(std::uint64_t slot, const Event& event)
    {
        std::uint32_t number = heads_[slot];
        if (number == no_block || blocks_[number].count == block_events) {
            std::uint32_t fresh = free_;
            if (fresh == no_block) {
                fresh = static_cast<std::uint32_t>(blocks_.size());
                blocks_.emplace_back();
            } else {
                free_ = blocks_[fresh].next;
            }
            blocks_[fresh].next = number;
            blocks_[fresh].count = 0;
            if (number == no_block) occupied_[slot / 64] |= std::uint64_t{1} << slot % 64;
            heads_[slot] = number = fresh;
        }
        Block& block = blocks_[number];
        block.events[block.count++] = event;
    }

    // Behind the events of the same instant.
    void insert_open(const Event& event)
    {
        const auto at = std::upper_bound(open_.begin() + static_cast<std::ptrdiff_t>(cursor_), open_.end(), event,
            [](const Event& a, const Event& b) { return a.time < b.time; });
        open_.insert(at, event);
    }

    // Number of the next bucket of the wheel with events; ~0: there is none.
    std::uint64_t next_of_wheel() const
    {
        for (std::uint64_t ahead = 1; ahead < buckets;) {
            const std::uint64_t slot = (open_bucket_ + ahead) & (buckets - 1);
            const std::uint64_t word = occupied_[slot / 64] >> slot % 64;
            if (word != 0) {
                const auto skip = static_cast<std::uint64_t>(__builtin_ctzll(word));
                return ahead + skip < buckets ? open_bucket_ + ahead + skip : ~std::uint64_t{0};
            }
            ahead += 64 - slot % 64;
        }
        return ~std::uint64_t{0};
    }

    void open_next()
    {
        open_.clear();
        cursor_ = 0;
        std::uint64_t bucket = next_of_wheel();
        if (!far_.empty()) bucket = std::min(bucket, far_.front().event.time >> bucket_bits);
        open_bucket_ = bucket;
        // Events of the heap were pushed before the wheel reached their bucket.
        while (!far_.empty() && far_.front().event.time >> bucket_bits == bucket) {
            open_.push_back(far_.front().event);
            std::pop_heap(far_.begin(), far_.end(), later);
            far_.pop_back();
        }
        collect(bucket & (buckets - 1));
        const auto earlier = [](const Event& a, const Event& b) { return a.time < b.time; };
        if (!std::is_sorted(open_.begin(), open_.end(), earlier)) std::stable_sort(open_.begin(), open_.end(), earlier);
    }

    void collect(std::uint64_t slot)
    {
        chain_.clear();
        for (std::uint32_t b = heads_[slot]; b != no_block; b = blocks_[b].next) chain_.push_back(b);
        for (std::size_t i = chain_.size(); i-- > 0;) {
            Block& block = blocks_[chain_[i]];
            open_.insert(open_.end(), block.events, block.events + block.count);
            block.next = free_;
            free_ = chain_[i];
        }
        heads_[slot] = no_block;
        occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
    }

    std::vector<Event> open_;  // sorted; [cursor_, end) is what remains of the open bucket
    std::size_t cursor_ = 0;
    std::uint64_t open_bucket_ = 0;
    std::uint64_t size_ = 0;
    std::vector<std::uint32_t> heads_;     // newest block of each bucket
    std::vector<std::uint64_t> occupied_;  // bit per bucket
    std::vector<Block> blocks_;
    std::uint32_t free_ = no_block;
    std::vector<std::uint32_t> chain_;
    std::vector<Far> far_;  // heap by time, then sequence
    std::uint64_t far_sequence_ = 0;
};

}  // namespace weft
