// Wide transactions at a slice. Tags are looked at once for all of their lines: sectors are bits as in a word of the tags, bit
// 2 x sector.
#include "sc_models/l2/l2_slice.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

std::uint64_t place_of(const Line& line, std::uint32_t number)
{
    return line.address + std::uint64_t{number} * line_bytes;
}
// Of up to eight bits; without the instruction the compiler would call a function.
constexpr std::uint32_t count_of(std::uint32_t bits)
{
    bits -= bits >> 1 & 0x55U;
    bits = (bits & 0x33U) + (bits >> 2 & 0x33U);
    return (bits + (bits >> 4)) & 0xfU;
}
// Lines in a row, of a bit for each line.
template <class Look>
void each_run(std::uint32_t lines, const Look& look)
{
    while (lines != 0) {
        const auto first = static_cast<std::uint32_t>(__builtin_ctz(lines));
        const auto count = static_cast<std::uint32_t>(__builtin_ctz(~(lines >> first)));
        look(first, count);
        lines &= ~(((1U << count) - 1) << first);
    }
}

static_assert(most_transaction_bytes / line_bytes == 8, "a row of fills has eight sectors");

}  // namespace

// The lines of a transaction under one tag.
struct L2Slice::TagLines {
    std::uint64_t tag = 0;
    std::uint32_t first = 0;  // the number of its first line in the transaction
    std::uint32_t count = 0;
    std::uint32_t sector = 0;  // of the first

    std::uint32_t all() const { return (count == 2 ? 5U : 1U) << 2 * sector; }
    // Bit per line of the transaction.
    std::uint32_t lines(std::uint32_t sectors) const
    {
        const std::uint32_t here = sectors >> 2 * sector;
        return ((here & 1U) | (here >> 1 & 2U)) << first;
    }
    std::uint32_t sectors(std::uint32_t lines) const
    {
        const std::uint32_t here = lines >> first & (count == 2 ? 3U : 1U);
        return ((here & 1U) | (here & 2U) << 1) << 2 * sector;
    }
};

// Where lines that the transaction fetches from one place will be.
struct L2Slice::NewRow {
    std::uint32_t place = 0;  // of the transaction
    std::uint32_t shift = 0;  // of the bit of its first line, in the row
    bool far = false;
    std::uint32_t slot = SliceFills::none;  // there is none before the first line
};

// What the look at the tags has found, a bit for each line.
struct L2Slice::WideTurn {
    std::uint32_t missing = 0;
    std::uint32_t far = 0;  // of those: the other partition has them, or fetches them
    Time start = 0;         // of the service of the first line
    Time spacing = 0;       // between two lines
    Time last = 0;          // of the answer, if none is missing

    // When the service of a line begins that is not far.
    Time start_of(std::uint32_t number) const
    {
        return start + spacing * (number - count_of(far & ((1U << number) - 1)));
    }
};

// The lines of a wide transaction, which are in a row in the slice, tag by tag.
template <class Look>
void L2Slice::each_tag(const Line& line, const Look& look)
{
    const std::uint64_t number = number_of(local_of(line.address));
    const std::uint32_t lines = line.lines();
    TagLines at;
    at.tag = number >> sector_shift_;
    at.sector = sector_of(number);
    for (; at.first < lines; at.first += at.count) {
        at.count = std::min(sector_mask_ + 1 - at.sector, lines - at.first);
        look(at);
        at.tag += other_ ? 2 : 1;
        at.sector = 0;
    }
}

void L2Slice::serve_wide(Line& line)
{
    const Time now = event_queue().now();
    const unsigned partition = partition_of(line);
    Part& own = part(partition);
    const std::uint32_t lines = line.lines();
    const bool reads = line.op == LineOp::read;
    WideTurn turn;
    each_tag(line, [&](const TagLines& at) {
        std::uint32_t* const word = own.tags.find(at.tag);
        const std::uint32_t held = word == nullptr ? 0 : own.tags.held_sectors(*word) & at.all();
        if (held != 0 && !reads && !own.contents) {
            *word |= held;
            drop_sectors(partition, at.tag, held);
        }
        const std::uint32_t missing = at.all() & ~held;
        turn.missing |= at.lines(own.contents ? at.all() : missing);  // contents go line by line
        if (missing != 0 && other_ && reads) turn.far |= at.lines(far_sectors(partition, at.tag, word) & missing);
    });
    const std::uint32_t served = lines - count_of(turn.far);
    turn.start = now;
    if (served > 0) {
        const RateServer::Slot slot = own.server.book(now, served * line_bytes);
        turn.start = slot.start;
        turn.spacing = (slot.end - slot.start) / served;
    }
    const Time last_start = turn.start + turn.spacing * (served > 0 ? served - 1 : 0);
    target_of(partition).return_request_credit(line, last_start - now);
    if (!own.contents) access(line);
    hits_ += lines - count_of(turn.missing);
    turn.last = std::max(last_start, now + line.tail) + spec_.latency;
    if (turn.missing != 0) {
        start_missing(line, turn);
    } else if (!reads) {
        line.tail = 0;
        answer(line, turn.last);
    } else {
        const Time first = turn.start + spec_.latency;
        line.tail = static_cast<std::uint32_t>(turn.last - first);
        answer(line, first);
    }
}

// Sectors of the tag that the other partition has, or fetches from memory, and this one neither has nor fetches.
std::uint32_t L2Slice::far_sectors(unsigned partition, std::uint64_t tag, const std::uint32_t* word)
{
    Part& other = part(1 - partition);
    const std::uint32_t* const there = other.tags.peek(tag);
    if (there == nullptr) return 0;
    std::uint32_t out = other.tags.held_sectors(*there);
    for (std::uint32_t pending = other.tags.pending_sectors(*there); pending != 0; pending &= pending - 1) {
        const std::uint32_t bit = pending & -pending;
        if (!other.fills.is_far(tag << sector_shift_ | (bit == 1 ? 0U : 1U))) out |= bit;
    }
    if (word != nullptr) out &= ~(own_sectors(partition, *word));
    return out;
}

// Those that the partition has or fetches.
std::uint32_t L2Slice::own_sectors(unsigned partition, std::uint32_t word)
{
    const TagArray& tags = part(partition).tags;
    return tags.held_sectors(word) | tags.pending_sectors(word);
}

// After a write: as drop_other(), for several sectors of a tag.
void L2Slice::drop_sectors(unsigned partition, std::uint64_t tag, std::uint32_t sectors)
{
    if (!other_) return;
    Part& other = part(1 - partition);
    const std::uint32_t* const word = other.tags.peek(tag);
    if (word == nullptr) return;
    for (std::uint32_t held = other.tags.held_sectors(*word) & sectors; held != 0; held &= held - 1)
        other.tags.drop(tag, (held & 1U) != 0 ? 0 : 1);
}

std::uint32_t L2Slice::wait_for_lines(Line& line, const WideTurn& turn)
{
    if (free_wide_.empty()) {
        free_wide_.push_back(static_cast<std::uint32_t>(wide_.size()));
        wide_.emplace_back();
    }
    const std::uint32_t place = free_wide_.back();
    free_wide_.pop_back();
    // One more, so that it is not over before all have begun.
    wide_[place] = {&line, count_of(turn.missing) + 1, turn.last};
    return place;
}

// Lines that are written, come from memory or are held by the other partition are looked after here, a tag at a time; what has to
// wait for somebody else's fill, or for room, is an access by itself.
void L2Slice::start_missing(Line& line, const WideTurn& turn)
{
    const Time now = event_queue().now();
    const unsigned partition = partition_of(line);
    const bool reads = line.op == LineOp::read;
    const std::uint32_t place = wait_for_lines(line, turn);
    const std::uint32_t shift = part(partition).fills.place_in_row(number_of(local_of(line.address)));
    std::uint32_t asked = 0;    // of the other partition
    std::uint32_t fetched = 0;  // from memory
    NewRow from_other{place, shift, true};
    NewRow from_memory{place, shift, false};
    each_tag(line, [&](const TagLines& at) {
        const std::uint32_t missing = at.sectors(turn.missing);
        const std::uint32_t far = at.sectors(turn.far);
        std::uint32_t begun = 0;
        if (missing == 0) return;
        const Time ready = turn.start_of(at.first) + spec_.latency;
        if (part(partition).contents) {
            begun = 0;
        } else if (!reads) {
            begun = start_writes(partition, at.tag, missing, ready);
            if (begun != 0) finish_lines(place, count_of(begun), ready);
        } else {
            if (far != 0) {
                const std::uint32_t there = start_far(partition, at, far, from_other);
                asked |= at.lines(there);
                begun |= there;
            }
            if (missing != far) {
                const std::uint32_t there = start_fills(partition, at, missing & ~far, ready, from_memory);
                missed_ += count_of(there);
                fetched |= at.lines(there);
                begun |= there;
            }
        }
        for (std::uint32_t left = at.lines(missing & ~begun); left != 0; left &= left - 1) {
            const auto number = static_cast<std::uint32_t>(__builtin_ctz(left));
            const bool is_far = (turn.far >> number & 1U) != 0;
            start_part(line, number, place, (is_far ? now : turn.start_of(number)) + spec_.latency);
        }
    });
    each_run(asked, [&](std::uint32_t first, std::uint32_t count) {
        fetch_far(partition, place_of(line, first), count, from_other.slot, now + spec_.latency);
    });
    each_run(fetched, [&](std::uint32_t first, std::uint32_t count) {
        fetch(partition, place_of(line, first), count, from_memory.slot, turn.start_of(first) + spec_.latency,
            turn.start_of(first + count - 1) + spec_.latency);
    });
    finish_lines(place, 1, turn.last);
}

// A line of the transaction as an access by itself.
void L2Slice::start_part(Line& line, std::uint32_t number, std::uint32_t place, Time ready)
{
    Part& own = part(partition_of(line));
    Line& access = pool_.take();
    access.begin(line.op, place_of(line, number), line_bytes).source(line.source).tag(place);
    access.kind = line.kind;
    access.mark(LineHeader::part_mark);
    note_number(access);
    access.scratch.slice.turned_away = access.scratch.slice.without_room = false;
    if (own.contents && line.op == LineOp::write)
        std::memcpy(access.data(), line.data() + std::size_t{number} * line_bytes, line_bytes);
    const std::uint64_t sector = access.scratch.slice.number;
    std::uint32_t* const word = own.tags.find(sector >> sector_shift_);
    // The lines before it may have displaced what the other partition had.
    proceed(access, sector, word, ready, other_ && is_far_hit(access, sector, word));
}

// Puts `sectors` of the tag, as far as they are absent, into `state`. Returns those; 0 where the tag has no place. `known`: it
// was there.
std::uint32_t L2Slice::enter(unsigned partition, std::uint64_t tag, std::uint32_t sectors, TagArray::State state,
    Time ready, bool& known)
{
    Part& own = part(partition);
    std::uint32_t* word = own.tags.peek(tag);
    const bool new_tag = word == nullptr;
    known = !new_tag;
    if (!new_tag) sectors &= ~own_sectors(partition, *word);
    std::uint32_t states = 0xfU;
    for (unsigned sector = 0; sector < 2; ++sector) {
        if ((sectors >> 2 * sector & 1U) == 0) continue;
        states &= TagArray::only(sector, state);
        if (!new_tag) TagArray::set_state(*word, sector, state);
    }
    if (!new_tag || sectors == 0) return sectors;
    if (lacks_room(partition, tag)) return 0;
    std::uint32_t victim = 0;
    word = own.tags.allocate(tag, states, victim);
    if (word == nullptr) return 0;
    displace(partition, victim, word, tag, ready - event_queue().now());
    return sectors;
}

// Written lines that are neither here nor on their way. Returns those that are written now.
std::uint32_t L2Slice::start_writes(unsigned partition, std::uint64_t tag, std::uint32_t sectors, Time ready)
{
    Part& own = part(partition);
    bool known = false;
    const std::uint32_t entered = enter(partition, tag, sectors, TagArray::dirty, ready, known);
    drop_sectors(partition, tag, entered);
    hits_ += count_of(entered);
    if (!own.stalled.empty())
        for (std::uint32_t left = entered; left != 0; left &= left - 1)
            own.stalled.arrived(tag << sector_shift_ | ((left & 1U) != 0 ? 0U : 1U));
    return entered;
}

// The fills of read lines, in `row`. Returns those that have begun: fetch() or fetch_far() asks for them.
std::uint32_t L2Slice::start_fills(unsigned partition, const TagLines& at, std::uint32_t sectors, Time ready,
    NewRow& row)
{
    Part& own = part(partition);
    if (own.fills.size() + count_of(sectors) > spec_.outstanding_misses) return 0;
    bool known = false;
    const std::uint32_t entered = enter(partition, at.tag, sectors, TagArray::pending, ready, known);
    if (entered == 0) return 0;
    // A tag that was not there misses once; every further sector of it misses by itself.
    sector_misses_ += count_of(entered) - (known ? 0U : 1U);
    if (row.slot == SliceFills::none)
        row.slot = own.fills.begin_row(at.tag << sector_shift_ | at.sector, row.place, row.far);
    own.fills.join_row(row.slot, at.lines(entered) << row.shift, count_of(entered));
    return entered;
}

// One access of memory for lines in a row, which are under tags of one home: the first is asked for at `first`, the last at `last`.
void L2Slice::fetch(unsigned partition, std::uint64_t address, std::uint32_t lines, std::uint32_t row, Time first,
    Time last)
{
    Line& fetch = pool_.take();
    fetch.begin(LineOp::read, address, lines * line_bytes)
        .flag(LineHeader::refill_flag)
        .source(endpoint_)
        .tag(row_tag(row, partition));
    fetch.tail = static_cast<std::uint32_t>(last - first);
    memory_of(home_of(number_of(local_of(address)))).send_request(fetch, first - event_queue().now());
}

// Read lines that the other partition holds; fetch_far() asks for them.
std::uint32_t L2Slice::start_far(unsigned partition, const TagLines& at, std::uint32_t sectors, NewRow& row)
{
    Part& other = part(1 - partition);
    const std::uint32_t* const there = other.tags.peek(at.tag);
    if (there == nullptr) return 0;
    const Time ready = event_queue().now() + spec_.latency;
    const std::uint32_t begun = start_fills(partition, at, sectors & other.tags.held_sectors(*there), ready, row);
    far_hits_ += count_of(begun);
    copies_ += count_of(begun);
    return begun;
}

void L2Slice::fetch_far(unsigned partition, std::uint64_t address, std::uint32_t lines, std::uint32_t row, Time ready)
{
    Line& fetch = pool_.take();
    fetch.begin(LineOp::read, address, lines * line_bytes)
        .flag(LineHeader::refill_flag)
        .source(endpoint_)
        .tag(row_tag(row, partition));
    fetch.kind = kind_of(far_request, 1 - partition);
    event_queue().schedule(fetch, *this, ready + spec_.far_latency, 0xfff);
}

// What the other partition asks for. If one of the lines has left since, each goes by itself.
void L2Slice::serve_far_wide(Line& fetch)
{
    const unsigned partition = partition_of(fetch);
    Part& own = part(partition);
    bool held = true;
    each_tag(fetch, [&](const TagLines& at) {
        const std::uint32_t* const word = own.tags.peek(at.tag);
        held = held && word != nullptr && (own.tags.held_sectors(*word) & at.all()) == at.all();
    });
    if (held) {
        const RateServer::Slot slot = own.server.book(event_queue().now(), fetch.lines() * line_bytes);
        const Time last = slot.end - (slot.end - slot.start) / fetch.lines();
        send_across(fetch, last + spec_.latency);
        return;
    }
    for (std::uint32_t i = 0; i < fetch.lines(); ++i) {
        Line& one = pool_.take();
        one.begin(LineOp::read, place_of(fetch, i), line_bytes)
            .flag(LineHeader::refill_flag)
            .source(endpoint_)
            .tag(fetch.tag);
        one.kind = fetch.kind;
        serve_far(one);
    }
    pool_.give(fetch);
}

// Lines of a row are there.
void L2Slice::end_row(Line& fetch)
{
    Part& own = part(partition_of(fetch));
    const std::uint32_t slot = slot_of(fetch);
    const std::uint32_t place = own.fills.row(slot).wide;
    const std::uint32_t shift = own.fills.place_in_row(number_of(local_of(fetch.address)));
    std::uint32_t came = 0;  // as lines of the row
    each_tag(fetch, [&](const TagLines& at) {
        std::uint32_t* const word = own.tags.find(at.tag);
        const std::uint32_t in_row = at.sectors(own.fills.row(slot).lines >> shift);
        came |= at.lines(in_row);
        *word &= ~(3U * in_row);  // clean
        for (std::uint32_t left = at.all() & ~in_row; left != 0; left &= left - 1) {
            const std::uint64_t number = at.tag << sector_shift_ | ((left & 1U) != 0 ? 0U : 1U);
            end_fill(fetch, number, own.fills.slot_of(number), word);
        }
    });
    own.fills.leave_row(slot, came << shift, count_of(came), fetch.lines());
    finish_lines(place, fetch.lines(), event_queue().now());
}

// When the last of the lines is through.
Time L2Slice::book_crossing_wide(unsigned partition, std::uint32_t lines)
{
    far_bytes_ += std::uint64_t{lines} * line_bytes;
    const RateServer::Slot slot = crossing_[partition].book(event_queue().now(), lines * line_bytes);
    return slot.end - (slot.end - slot.start) / lines;
}

void L2Slice::finish_part(Line& line, Time at)
{
    const std::uint32_t place = line.tag;
    const Wide& wide = wide_[place];
    if (part_.contents && line.op == LineOp::read)
        std::memcpy(wide.line->data() + (line.address - wide.line->address), line.data(), line_bytes);
    pool_.give(line);
    finish_lines(place, 1, at);
}

// Lines of the transaction are done, at the earliest `at`.
void L2Slice::finish_lines(std::uint32_t place, std::uint32_t count, Time at)
{
    Wide& wide = wide_[place];
    wide.ready = std::max(wide.ready, at);
    wide.parts -= count;
    if (wide.parts > 0) return;
    Line& line = *wide.line;
    free_wide_.push_back(place);
    line.tail = 0;
    answer(line, wide.ready);
}

}  // namespace weft
