#include "collectives/schedule/layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr std::uint64_t largest_message = std::uint64_t{1} << 48;

std::uint64_t round_up_to_line(std::uint64_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

unsigned slot_of(Buffer buffer) { return static_cast<unsigned>(buffer); }

// The message is shared out over the ranks in blocks of chunks.
bool in_blocks(CollectiveOp op)
{
    return op == CollectiveOp::all_gather || op == CollectiveOp::gather || op == CollectiveOp::reduce_scatter ||
        op == CollectiveOp::scatter || op == CollectiveOp::all_to_all;
}

// This buffer holds only the block of its rank.
bool holds_one_block(CollectiveOp op, Buffer buffer)
{
    if (buffer == Buffer::input) return op == CollectiveOp::all_gather || op == CollectiveOp::gather;
    return op == CollectiveOp::reduce_scatter || op == CollectiveOp::scatter;
}

const ChunkRef* first_outside_slots(const Step& step)
{
    for (const std::vector<ChunkRef>* operands : {&step.sources, &step.destinations})
        for (const ChunkRef& operand : *operands)
            if (!is_slot(operand.buffer)) return &operand;
    return step.like ? &*step.like : nullptr;
}

// The chunk of the message that lies there; the message has `chunks`, each rank `per_rank` of them.
std::uint32_t chunk_of_message(CollectiveOp op, std::uint32_t chunks, std::uint32_t per_rank, std::uint32_t rank,
    Buffer buffer, std::uint32_t index)
{
    if (holds_one_block(op, buffer)) return (rank * per_rank + index) % chunks;
    if (op == CollectiveOp::all_to_all && buffer == Buffer::output)
        return (rank * per_rank + index % per_rank) % chunks;
    return index % chunks;
}

// Parts of a chunk that steps put into staging, the fewest of any step; 0 without staging.
std::uint32_t staged_parts(const Schedule& schedule)
{
    std::uint32_t fewest = 0;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                for (const ChunkRef& destination : step.destinations)
                    if (destination.buffer == Buffer::staging)
                        fewest = fewest == 0 ? step.parts : std::min(fewest, step.parts);
    return fewest;
}

}  // namespace

ByteRange share_of(std::uint64_t length, std::uint64_t phase, std::uint32_t part, std::uint32_t parts)
{
    phase %= line_bytes;
    const std::uint64_t lines = (phase + length + line_bytes - 1) / line_bytes;
    const std::uint64_t base = lines / parts;
    const std::uint64_t longer = lines % parts;
    const auto cut = [&](std::uint64_t p) {
        const std::uint64_t at = (p * base + std::min(p, longer)) * line_bytes;
        return std::min(length, at > phase ? at - phase : 0);
    };
    return {cut(part), cut(std::uint64_t{part} + 1)};
}

Layout::Layout(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
    : op_(schedule.op), bytes_(bytes), element_bytes_(element_bytes), chunks_(std::max(1u, schedule.chunks)),
      per_rank_(std::max(1u, schedule.chunks_per_rank()))
{
    const std::string what = fmt::format("{} of {} bytes", name_of(op_), bytes);
    if (element_bytes == 0 || bytes % element_bytes != 0)
        throw InputError("", 0, what, fmt::format("a multiple of the element size, {} bytes", element_bytes));
    if (bytes > largest_message) throw InputError("", 0, what, "at most 2^48 bytes");
    const bool empty = schedule.ranks.empty();
    if (in_blocks(op_) && (empty || schedule.chunks == 0 || schedule.chunks % schedule.size() != 0))
        throw InputError("", 0,
            fmt::format("{} divided into {} chunks among {} ranks", name_of(op_), schedule.chunks, schedule.size()),
            "a multiple of the number of ranks");
    if (op_ == CollectiveOp::all_to_all && schedule.in_place && bytes / element_bytes % chunks_ != 0)
        throw InputError("", 0, what + " in place", fmt::format("a multiple of {} elements", chunks_));

    slot_bytes_ = round_up_to_line(bounds(0).size());
    const bool stages = std::any_of(schedule.ranks.begin(), schedule.ranks.end(),
        [](const RankPlan& plan) { return plan.staging_chunks > 0; });
    if (stages) cell_bytes_ = cell_lines(std::max(1u, staged_parts(schedule))) * line_bytes;
    for (Buffer buffer : all_buffers) home_[slot_of(buffer)] = schedule.home(buffer);
    ranks_.resize(schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (Buffer buffer : all_buffers) {
            Declared& declared = ranks_[rank];
            declared.chunks[slot_of(buffer)] = schedule.declared_chunks(rank, buffer);
            declared.offset[slot_of(buffer)] = schedule.in_place_offset(rank, buffer);
        }
    // A shared memory exists, whole, as soon as one of the two names it.
    if (schedule.in_place)
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
            Declared& declared = ranks_[rank];
            const Buffer home = schedule.home(Buffer::input);
            const std::uint32_t most =
                std::max(declared.chunks[slot_of(Buffer::input)], declared.chunks[slot_of(Buffer::output)]);
            if (most == 0) continue;
            for (const Buffer buffer : {Buffer::input, Buffer::output}) {
                std::uint32_t& chunks = declared.chunks[slot_of(buffer)];
                chunks = std::max(chunks, schedule.message_chunks(rank, buffer));
            }
            declared.chunks[slot_of(home)] = std::max(most, declared.chunks[slot_of(home)]);
        }
}

std::uint64_t Layout::cell_lines(std::uint32_t parts) const
{
    // A chunk that begins within a line may touch one more.
    const bool aligned = bytes_ % (line_bytes * chunks_) == 0;
    const std::uint64_t lines = slot_bytes_ / line_bytes + (aligned ? 0 : 1);
    return (lines + parts - 1) / parts;
}

std::uint32_t message_chunk(const Schedule& schedule, std::uint32_t rank, Buffer buffer, std::uint32_t index)
{
    return chunk_of_message(schedule.op, std::max(1u, schedule.chunks), std::max(1u, schedule.chunks_per_rank()), rank,
        buffer, index);
}

std::uint32_t Layout::message_chunk(std::uint32_t rank, Buffer buffer, std::uint32_t index) const
{
    return chunk_of_message(op_, chunks_, per_rank_, rank, buffer, index);
}

ByteRange Layout::range(std::uint32_t rank, Buffer buffer, std::uint32_t index) const
{
    if (buffer == Buffer::staging) return {index * cell_bytes_, (std::uint64_t{index} + 1) * cell_bytes_};
    if (is_slot(buffer)) return {index * slot_bytes_, (std::uint64_t{index} + 1) * slot_bytes_};
    const ByteRange in_message = bounds(message_chunk(rank, buffer, index));
    std::uint64_t begin = in_message.begin;
    if (holds_one_block(op_, buffer)) {
        begin -= bounds(rank * per_rank_ % chunks_).begin;
    } else if (op_ == CollectiveOp::all_to_all && buffer == Buffer::output) {
        const ByteRange block = chunk_bounds(bytes_, element_bytes_, chunks_, rank * per_rank_, per_rank_);
        begin = index / per_rank_ * block.size() + (begin - block.begin);
    } else {
        begin += index / chunks_ * bytes_;
    }
    return {begin, begin + in_message.size()};
}

std::uint64_t Layout::buffer_bytes(std::uint32_t rank, Buffer buffer) const
{
    const std::uint32_t chunks = ranks_[rank].chunks[slot_of(buffer)];
    return chunks == 0 ? 0 : range(rank, buffer, chunks - 1).end;
}

std::uint64_t Layout::memory_bytes(std::uint32_t rank, Buffer memory) const
{
    return home_[slot_of(memory)] == memory ? buffer_bytes(rank, memory) : 0;
}

Place Layout::place_of(std::uint32_t rank, Buffer buffer) const
{
    const Buffer home = home_[slot_of(buffer)];
    if (home == buffer) return {rank, buffer, 0};
    return {rank, home, range(rank, home, ranks_[rank].offset[slot_of(buffer)]).begin};
}

std::uint64_t Layout::chunk_bytes(const Step& step, std::uint32_t chunk) const
{
    const ChunkRef* data = first_outside_slots(step);
    if (!data) return slot_bytes_;
    return bounds(message_chunk(data->rank, data->buffer, data->index + chunk)).size();
}

std::uint64_t Layout::phase(const Step& step) const
{
    const ChunkRef* data = first_outside_slots(step);
    if (!data) return 0;
    return bounds(message_chunk(data->rank, data->buffer, data->index)).begin % line_bytes;
}

std::string Layout::mismatch(const Step& step) const
{
    const ChunkRef* data = first_outside_slots(step);
    if (!data) return "";
    for (const std::vector<ChunkRef>* operands : {&step.sources, &step.destinations})
        for (const ChunkRef& operand : *operands) {
            if (is_slot(operand.buffer)) continue;
            for (std::uint32_t i = 0; i < operand.count; ++i) {
                const std::uint64_t length = chunk_bytes(step, i);
                const std::uint64_t other = range(operand.rank, operand.buffer, operand.index + i).size();
                if (length != other)
                    return fmt::format("{} chunk {} of rank {} is {} bytes, {} chunk {} of rank {} is {} bytes",
                        name_of(data->buffer), data->index + i, data->rank, length, name_of(operand.buffer),
                        operand.index + i, operand.rank, other);
            }
        }
    return "";
}

std::vector<ChunkShare> Layout::shares(const Step& step) const
{
    const std::uint32_t count = step.sources.empty() ? 0 : step.sources.front().count;
    std::uint64_t length = 0;
    for (std::uint32_t i = 0; i < count; ++i) length += chunk_bytes(step, i);
    const ByteRange mine = share_of(length, phase(step), step.part, step.parts);
    std::vector<ChunkShare> shares;
    std::uint64_t begin = 0;
    for (std::uint32_t i = 0; i < count && begin < mine.end; ++i) {
        const std::uint64_t end = begin + chunk_bytes(step, i);
        const std::uint64_t from = std::max(begin, mine.begin);
        const std::uint64_t to = std::min(end, mine.end);
        if (from < to) shares.push_back({i, from - begin, to - begin});
        begin = end;
    }
    return shares;
}

std::vector<Piece> Layout::pieces(const Step& step) const
{
    const auto place = [this](const ChunkRef& operand, const ChunkShare& share) {
        Place at = place_of(operand.rank, operand.buffer);
        at.offset += range(operand.rank, operand.buffer, operand.index + share.chunk).begin;
        if (operand.buffer != Buffer::staging) at.offset += share.begin;
        return at;
    };
    const auto follow = [](const std::vector<Place>& earlier, const std::vector<Place>& later, std::uint64_t bytes) {
        for (std::size_t i = 0; i < earlier.size(); ++i)
            if (earlier[i].offset + bytes != later[i].offset) return false;
        return true;
    };
    std::vector<Piece> pieces;
    for (const ChunkShare& share : shares(step)) {
        Piece piece;
        piece.bytes = share.end - share.begin;
        for (const ChunkRef& source : step.sources) piece.sources.push_back(place(source, share));
        for (const ChunkRef& destination : step.destinations) piece.destinations.push_back(place(destination, share));
        if (!pieces.empty() && follow(pieces.back().sources, piece.sources, pieces.back().bytes) &&
            follow(pieces.back().destinations, piece.destinations, pieces.back().bytes))
            pieces.back().bytes += piece.bytes;
        else
            pieces.push_back(std::move(piece));
    }
    return pieces;
}

}  // namespace weft
