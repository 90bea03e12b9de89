// What the two mirrored partitions of a pair of slices do with each other.
#include "sc_models/l2/l2_slice.h"

#include <algorithm>
#include <cstring>

namespace weft {

// Whether the data of an access, with this tag here, will come from the other partition: that one has them, or
// fetches them from memory. Were it to fetch them from here, each partition could wait for the other.
bool L2Slice::is_far_hit(const Line& line, std::uint64_t number, const std::uint32_t* word)
{
    if (word != nullptr && TagArray::state(*word, sector_of(number)) != TagArray::absent) return false;
    if (line.op == LineOp::write && line.full_line()) return false;
    Part& other = part(1 - partition_of(line));
    const std::uint32_t* there = other.tags.peek(number >> sector_shift_);
    if (there == nullptr) return false;
    const TagArray::State state = TagArray::state(*there, sector_of(number));
    return TagArray::holds(state) || (state == TagArray::pending && !other.fills.is_far(number));
}

// After a write. A copy that is still on its way stays: nothing tells it from a later one.
void L2Slice::drop_other(unsigned partition, std::uint64_t number)
{
    Part& other = part(1 - partition);
    const std::uint32_t* word = other.tags.peek(number >> sector_shift_);
    if (word == nullptr) return;
    const unsigned sector = sector_of(number);
    if (TagArray::holds(TagArray::state(*word, sector))) other.tags.drop(number >> sector_shift_, sector);
}

// `bytes`: those of the victim's sectors, where contents are held.
void L2Slice::move_victim(unsigned to, std::uint32_t victim, const std::uint8_t* bytes, std::uint64_t line, Time delay)
{
    Part& taker = part(to);
    TagArray& tags = taker.tags;
    std::uint32_t* word = tags.find(line);
    std::uint32_t moved = 0;
    std::uint32_t displaced = victim;
    if (word == nullptr) {
        word = tags.allocate(line, victim, displaced);
        if (word != nullptr)
            for (std::uint32_t held = tags.held_sectors(victim); held != 0; held &= held - 1) {
                ++moved;
                taker.stalled.arrived(line << sector_shift_ | (held & 1U ? 0 : 1));
            }
        // What displaces the victim's line leaves the cache; the victim itself does where it finds no place.
        const std::uint64_t leaving = moved > 0 ? tags.line_of(displaced, line) : line;
        const std::uint8_t* gone = bytes;
        if (bytes != nullptr && word != nullptr) {
            gone = taker.bytes(word, 0);
            for (std::uint32_t held = tags.held_sectors(displaced); held != 0; held &= held - 1)
                leave_to(1 - to, leaving << sector_shift_ | (held & 1U ? 0 : 1), gone + (held & 1U ? 0 : line_bytes));
        }
        write_back_displaced(to, leaving, taker.to_be_written(displaced), gone, delay);
        if (bytes != nullptr && word != nullptr) std::memcpy(taker.bytes(word, 0), bytes, line_bytes << sector_shift_);
    } else {
        for (unsigned sector = 0; sector <= sector_mask_; ++sector) {
            const TagArray::State had = TagArray::state(victim, sector);
            if (!TagArray::holds(had)) continue;
            const TagArray::State has = TagArray::state(*word, sector);
            const std::size_t offset = std::size_t{sector} * line_bytes;
            if (has == TagArray::pending) {
                if (had == TagArray::dirty) taker.fills.of(line << sector_shift_ | sector).write = true;
                if (bytes != nullptr) leave_to(to, line << sector_shift_ | sector, bytes + offset);
            } else if (has == TagArray::absent) {
                ++moved;
                TagArray::set_state(*word, sector, had);
                if (bytes != nullptr) std::memcpy(taker.bytes(word, sector), bytes + offset, line_bytes);
                taker.stalled.arrived(line << sector_shift_ | sector);
            } else if (had == TagArray::dirty) {
                TagArray::make_dirty(*word, sector);
            }
        }
    }
    if (moved == 0) return;
    ++moved_;
    book_crossing(to, moved * line_bytes);
}

// A fetch of the other partition, which found its line here when it set out.
void L2Slice::serve_far(Line& fetch)
{
    if (fetch.wide()) {
        serve_far_wide(fetch);
        return;
    }
    Part& own = part(partition_of(fetch));
    const std::uint64_t number = number_of(local_of(fetch.address));
    const Time ready = own.server.book(event_queue().now(), line_bytes).start + spec_.latency;
    const std::uint32_t* word = own.tags.peek(number >> sector_shift_);
    if (word != nullptr && TagArray::state(*word, sector_of(number)) == TagArray::pending &&
        !own.fills.is_far(number)) {
        SliceFills::join(own.fills.of(number), fetch, ready);
        return;
    }
    // What has left since is kept for who waits for it (leave_to()).
    if (own.contents && word != nullptr && TagArray::holds(TagArray::state(*word, sector_of(number))))
        std::memcpy(fetch.data(), own.bytes(word, sector_of(number)), line_bytes);
    send_across(fetch, ready);
}

void L2Slice::send_across(Line& fetch, Time at)
{
    fetch.kind = kind_of(crossing, asker_of(fetch));
    event_queue().schedule(fetch, *this, at + spec_.far_latency, 0xfff);
}

// Data from the other side arrive.
void L2Slice::cross(Line& fetch)
{
    const Time start = fetch.wide() ? book_crossing_wide(partition_of(fetch), fetch.lines())
                                    : book_crossing(partition_of(fetch), line_bytes);
    if (start == event_queue().now()) {
        finish_fill(fetch);
        return;
    }
    fetch.kind = kind_of(fill, partition_of(fetch));
    event_queue().schedule(fetch, *this, start, 0xfff);
}

Time L2Slice::book_crossing(unsigned partition, std::uint32_t bytes)
{
    far_bytes_ += bytes;
    return crossing_[partition].book(event_queue().now(), bytes).start;
}

}  // namespace weft
