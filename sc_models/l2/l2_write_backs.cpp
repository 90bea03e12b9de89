// What leaves a slice for memory.
#include "sc_models/l2/l2_slice.h"

namespace weft {

// Whether what a new line under this tag displaces has to be written back and finds no room, asked while there is none. With two
// partitions it moves to the other one, and what that displaces leaves.
bool L2Slice::displaces_dirty(unsigned partition, std::uint64_t tag)
{
    const Part& own = part(partition);
    const std::uint32_t* const victim = own.tags.victim(tag);
    if (victim == nullptr || own.tags.held_sectors(*victim) == 0) return false;
    if (!other_) return own.to_be_written(*victim) != 0;
    Part& taker = part(1 - partition);
    const std::uint64_t moved = own.tags.line_of(*victim, tag);
    if (taker.tags.peek(moved) != nullptr) return false;
    const std::uint32_t* const displaced = taker.tags.victim(moved);
    return (displaced == nullptr ? own.to_be_written(*victim) : taker.to_be_written(*displaced)) != 0;
}

// Memory has them.
void L2Slice::end_write_back(std::uint32_t lines)
{
    writing_back_ -= lines;
    for (unsigned p = 0; p < partitions(); ++p)
        if (part(p).without_room > 0) retry_stalled(part(p));
}

void L2Slice::on_request_credit(unsigned, Line& line, Time delay)
{
    if (line.op != LineOp::write) return;
    line.mark(LineHeader::taken_mark);
    // Within the call that sends it the access that displaces is not over: nobody else can have its turn.
    if (delay == 0 && !sending_) {
        end_write_back(line.lines());
    } else {
        end_write_back_later(line.lines(), delay);
    }
}

void L2Slice::end_write_back_later(std::uint32_t lines, Time delay)
{
    if (free_taken_.empty()) {
        taken_.emplace_back();
        taken_.back().kind = taken_kind;
        free_taken_.push_back(&taken_.back());
    }
    Taken& item = *free_taken_.back();
    free_taken_.pop_back();
    item.lines = lines;
    event_queue().schedule(item, *this, event_queue().now() + delay, 0xfff);
}

void L2Slice::end_taken(ScheduledItem& item)
{
    Taken& taken = static_cast<Taken&>(item);
    free_taken_.push_back(&taken);
    end_write_back(taken.lines);
}

// Those of a displaced tag, and with them the rest of its run.
void L2Slice::write_back_displaced(unsigned partition, std::uint64_t tag, std::uint32_t dirty,
    const std::uint8_t* bytes, Time delay)
{
    if (dirty == 0) return;
    write_back_sectors(partition, tag, dirty, bytes, delay);
    if (run_tags_ > 1) write_back_run(tag, delay);
}

// Dirty sectors of a tag, a bit for each; as one transaction where there are wide ones.
void L2Slice::write_back_sectors(unsigned partition, std::uint64_t tag, std::uint32_t dirty, const std::uint8_t* bytes,
    Time delay)
{
    if (dirty == 5U && spec_.grain > line_bytes && bytes == nullptr) {
        write_back(partition, tag << sector_shift_, 2, nullptr, delay);
        return;
    }
    for (; dirty != 0; dirty &= dirty - 1)
        write_back(partition, tag << sector_shift_ | (dirty & 1U ? 0 : 1), 1, bytes, delay);
}

// The dirty lines beside a displaced one, which it takes with it while there is room: lines of a slice that follow each other are
// lines of the same rows of the DRAM. They stay, clean.
void L2Slice::write_back_run(std::uint64_t tag, Time delay)
{
    const std::uint64_t begin = tag / run_tags_ * run_tags_;
    for (std::uint64_t other = begin; other < begin + run_tags_ && writing_back_ < most_write_backs_; ++other) {
        if (other == tag) continue;
        for (unsigned p = 0; p < partitions(); ++p) {
            Part& own = part(p);
            std::uint32_t* const word = own.tags.peek(other);
            if (word == nullptr) continue;
            const std::uint32_t dirty = own.tags.dirty_sectors(*word) & own.to_be_written(*word);
            if (dirty == 0) continue;
            for (unsigned sector = 0; sector <= sector_mask_; ++sector)
                if ((dirty >> 2 * sector & 1U) != 0) TagArray::set_state(*word, sector, TagArray::clean);
            cleaned_ += static_cast<unsigned>(__builtin_popcount(dirty));
            write_back_sectors(p, other, dirty, own.contents ? own.bytes(word, 0) : nullptr, delay);
        }
    }
}

// `number`: of the first of the sectors.
void L2Slice::write_back(unsigned partition, std::uint64_t number, std::uint32_t sectors, const std::uint8_t* place,
    Time delay)
{
    written_back_ += sectors;
    writing_back_ += sectors;
    Line& line = pool_.take();
    line.begin(LineOp::write, address_of(number), sectors * line_bytes).flag(LineHeader::refill_flag).source(endpoint_);
    if (CacheContents* const contents = part(partition).contents.get()) {
        contents->write_back(line.data(), place + sector_of(number) * line_bytes);
        write_backs_.add(number, line);
    }
    const unsigned home = home_of(number);
    if (home != partition) book_crossing(home, sectors * line_bytes);
    sending_ = true;
    memory_of(home).send_request(line, delay);
    sending_ = false;
}

}  // namespace weft
