#include "collectives/schedule/verification/symbolic_memory.h"

#include <algorithm>
#include <numeric>

#include "base/line_size.h"

namespace weft {

namespace {

// Chunks of one memory: none for a buffer that lies in another.
std::uint64_t chunks_of(const Schedule& schedule, std::uint32_t rank, Buffer memory)
{
    if (schedule.home(memory) != memory) return 0;
    std::uint64_t chunks = schedule.declared_chunks(rank, memory);
    if (!schedule.in_place || is_slot(memory)) return chunks;
    for (Buffer buffer : {Buffer::input, Buffer::output})
        chunks = std::max<std::uint64_t>(chunks,
            schedule.in_place_offset(rank, buffer) + schedule.declared_chunks(rank, buffer));
    return chunks == 0 ? 0 : std::max<std::uint64_t>(chunks, schedule.message_chunks(rank, memory));
}

std::size_t find(const SymbolicMemory::Chunk& chunk, std::uint64_t offset)
{
    const auto after = std::upper_bound(chunk.begin(), chunk.end(), offset,
        [](std::uint64_t wanted, const Cell& cell) { return wanted < cell.begin; });
    return static_cast<std::size_t>(after - chunk.begin()) - 1;
}

std::size_t cut(SymbolicMemory::Chunk& chunk, std::uint64_t offset)
{
    const std::size_t cell = find(chunk, offset);
    if (chunk[cell].begin == offset) return cell;
    Cell upper = chunk[cell];
    upper.begin = offset;
    chunk.insert(chunk.begin() + static_cast<std::ptrdiff_t>(cell) + 1, std::move(upper));
    return cell + 1;
}

}  // namespace

SymbolicMemory::SymbolicMemory(const Schedule& schedule) : schedule_(schedule)
{
    std::size_t chunks = 0;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (Buffer memory : all_buffers) {
            first_.push_back(chunks);
            chunks += chunks_of(schedule, rank, memory);
        }
    chunks_.assign(chunks, Chunk(1));
}

std::uint64_t SymbolicMemory::chunks_needed(const Schedule& schedule)
{
    std::uint64_t chunks = 0;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (Buffer memory : all_buffers) chunks += chunks_of(schedule, rank, memory);
    return chunks;
}

std::uint64_t SymbolicMemory::even_message(const Schedule& schedule)
{
    constexpr std::uint64_t most_parts = 4096;
    std::uint64_t parts = 1;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps) {
                const std::uint64_t both = std::lcm(parts, std::uint64_t{std::max(1u, step.parts)});
                if (both <= most_parts) parts = both;
            }
    return std::min(parts * line_bytes * std::max(1u, schedule.chunks), std::uint64_t{1} << 47);
}

std::uint32_t SymbolicMemory::filled_input(const Schedule& schedule, std::uint32_t rank)
{
    // In place, a plan may work in the output alone: the input is there all the same.
    const bool declared = schedule.declared_chunks(rank, Buffer::input) > 0;
    const bool shared = schedule.in_place && schedule.declared_chunks(rank, Buffer::output) > 0;
    return declared || shared ? schedule.message_chunks(rank, Buffer::input) : 0;
}

std::size_t SymbolicMemory::position(std::uint32_t rank, Buffer buffer, std::uint32_t index) const
{
    const auto memory = static_cast<std::size_t>(schedule_.home(buffer));
    return first_[buffer_kinds * std::size_t{rank} + memory] + schedule_.in_place_offset(rank, buffer) + index;
}

SymbolicMemory::Chunk& SymbolicMemory::chunk(std::uint32_t rank, Buffer buffer, std::uint32_t index)
{
    return chunks_[position(rank, buffer, index)];
}

std::int64_t SymbolicMemory::distance(const ChunkRef& a, const ChunkRef& b) const
{
    return static_cast<std::int64_t>(position(a.rank, a.buffer, a.index)) -
        static_cast<std::int64_t>(position(b.rank, b.buffer, b.index));
}

Cell& SymbolicMemory::at(Chunk& chunk, std::uint64_t offset) { return chunk[find(chunk, offset)]; }

std::pair<std::size_t, std::size_t> SymbolicMemory::split(Chunk& chunk, std::uint64_t begin, std::uint64_t end,
    std::uint64_t length)
{
    const std::size_t first = cut(chunk, begin);
    return {first, end < length ? cut(chunk, end) : chunk.size()};
}

}  // namespace weft
