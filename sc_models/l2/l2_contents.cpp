// What a slice does with the bytes of its sectors, where it holds them, and what it shows to somebody who looks without time.
#include "sc_models/l2/l2_slice.h"

#include <algorithm>
#include <cstring>

#include "sc_models/l2/cache_copies.h"
#include "sc_models/memory/memory_access.h"

namespace weft {

void L2Slice::hold_contents(const ContentsFactory& make)
{
    const auto prepare = [&](Part& own) {
        own.tags.keep_places();
        const unsigned sectors = 1U << sector_shift_;
        own.contents =
            make ? make(own.tags.places(), sectors) : std::make_unique<CacheContents>(own.tags.places(), sectors);
    };
    prepare(part_);
    if (other_) prepare(*other_);
}

// The request, whose turn it is or whose fill has come. A write also changes what is on its way to other copies; held ones are
// dropped by their tags, or changed with cache_copies.h.
void L2Slice::carry_out(unsigned partition, Line& line, std::uint8_t* sector)
{
    access_sector(sector, line);
    if (line.op == LineOp::read || (line.flags & LineHeader::refill_flag) != 0) return;
    const unsigned offset = line.address % line_bytes;
    if (other_) {
        Part& other = part(1 - partition);
        const std::uint64_t number = number_of(local_of(line.address));
        const std::uint32_t* word = other.tags.peek(number >> sector_shift_);
        if (word != nullptr && TagArray::state(*word, sector_of(number)) == TagArray::pending)
            other.fills.patches.add(other.fills.of(number).patch, offset, sector + offset, line.size);
    } else if (beside_ != nullptr) {
        beside_->wrote(*this, local_of(line.address), sector + offset, line.size);
    }
}

// A fill sets out: what is newer than memory, on its way there or in another cache.
void L2Slice::begin_patch(unsigned partition, std::uint64_t number, Fill& fill)
{
    Part& own = part(partition);
    if (const Line* const line = write_backs_.find(number))
        own.fills.patches.add(fill.patch, 0, line->data(), line_bytes);
    if (other_) {
        Part& other = part(1 - partition);
        const std::uint32_t* word = other.tags.peek(number >> sector_shift_);
        if (word != nullptr && TagArray::state(*word, sector_of(number)) == TagArray::pending)
            own.fills.patches.add(fill.patch, other.fills.patches, other.fills.of(number).patch);
    } else if (beside_ != nullptr) {
        std::uint8_t sector[line_bytes];
        if (beside_->newest(*this, local_of(address_of(number)), sector))
            own.fills.patches.add(fill.patch, 0, sector, line_bytes);
    }
}

void L2Slice::take_fill(Part& own, const Line& fetch, const Fill& fill, std::uint8_t* sector)
{
    own.contents->fill(sector, fetch.data());
    own.fills.patches.apply(fill.patch, sector);
    own.fills.patches.release(fill.patch);
}

// A sector leaves the other partition: `partition`, where it waits for it, gets the bytes in any case.
void L2Slice::leave_to(unsigned partition, std::uint64_t number, const std::uint8_t* sector)
{
    Part& taker = part(partition);
    const std::uint32_t* word = taker.tags.peek(number >> sector_shift_);
    if (word != nullptr && TagArray::state(*word, sector_of(number)) == TagArray::pending)
        taker.fills.patches.add(taker.fills.of(number).patch, 0, sector, line_bytes);
}

void L2Slice::reach(std::uint64_t local, const std::uint8_t* bytes, unsigned size)
{
    const std::uint64_t number = number_of(local);
    const auto offset = static_cast<unsigned>(local % line_bytes);
    for (unsigned p = 0; p < partitions(); ++p) {
        Part& own = part(p);
        const std::uint32_t* word = own.tags.peek(number >> sector_shift_);
        if (word == nullptr) continue;
        const TagArray::State state = TagArray::state(*word, sector_of(number));
        if (TagArray::holds(state)) std::memcpy(own.bytes(word, sector_of(number)) + offset, bytes, size);
        if (state == TagArray::pending) own.fills.patches.add(own.fills.of(number).patch, offset, bytes, size);
    }
    write_backs_.patch(number, offset, bytes, size);
}

bool L2Slice::newest(std::uint64_t local, std::uint8_t* sector)
{
    const std::uint64_t number = number_of(local);
    const std::uint32_t* word = part_.tags.peek(number >> sector_shift_);
    if (word != nullptr && TagArray::state(*word, sector_of(number)) == TagArray::dirty) {
        std::memcpy(sector, part_.bytes(word, sector_of(number)), line_bytes);
        return true;
    }
    const Line* const line = write_backs_.find(number);
    if (line != nullptr) std::memcpy(sector, line->data(), line_bytes);
    return line != nullptr;
}

// The 64 bytes around the line as a request whose turn it were now would find them.
void L2Slice::look_inside(const Line& line, std::uint8_t* sector)
{
    const std::uint64_t number = number_of(local_of(line.address));
    const std::uint32_t* words[2] = {};
    for (unsigned p = 0; p < partitions(); ++p) {
        words[p] = part(p).tags.peek(number >> sector_shift_);
        if (words[p] == nullptr || !TagArray::holds(TagArray::state(*words[p], sector_of(number)))) continue;
        std::memcpy(sector, part(p).bytes(words[p], sector_of(number)), line_bytes);
        return;
    }
    if (const Line* const leaving = write_backs_.find(number)) {
        std::memcpy(sector, leaving->data(), line_bytes);
    } else if (beside_ == nullptr || !beside_->newest(*this, local_of(line.address), sector)) {
        Line& below = pool_.take();
        below.begin(LineOp::read, line.address / line_bytes * line_bytes, line_bytes).source(endpoint_);
        memory_of(home_of(number)).debug(below);
        std::memcpy(sector, below.data(), line_bytes);
        pool_.give(below);
    }
    for (unsigned p = 0; p < partitions(); ++p)
        if (words[p] != nullptr && TagArray::state(*words[p], sector_of(number)) == TagArray::pending)
            part(p).fills.patches.apply(part(p).fills.of(number).patch, sector);
}

unsigned L2Slice::debug_flag(Line& line)
{
    std::uint64_t& value = image_.flag(local_of(line.address) / sizeof value * sizeof value);
    if (line.op == LineOp::read) {
        line.set_operand(value);
    } else {
        value = line.operand();
    }
    return sizeof value;
}

// A write changes every copy and memory, and makes none dirty: no time and no traffic change by it.
unsigned L2Slice::debug(unsigned, Line& line)
{
    const std::uint64_t local = local_of(line.address);
    if (MemoryImage::is_flag(local)) return debug_flag(line);
    if (!part_.contents) {
        if (line.op == LineOp::read) {
            image_.read(local, line.data(), line.size);
        } else {
            image_.write(local, line.data(), line.size);
        }
        return line.size;
    }
    if (line.op == LineOp::read) {
        std::uint8_t sector[line_bytes];
        look_inside(line, sector);
        std::memcpy(line.data(), sector + local % line_bytes, line.size);
        return line.size;
    }
    const unsigned moved = memory_of(home_of(number_of(local))).debug(line);
    reach(local, line.data(), line.size);
    if (beside_ != nullptr) beside_->wrote(*this, local, line.data(), line.size);
    return moved;
}

}  // namespace weft
