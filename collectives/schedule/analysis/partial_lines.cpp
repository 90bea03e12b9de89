#include "collectives/schedule/analysis/partial_lines.h"

#include <algorithm>

#include "base/line_size.h"

namespace weft {

namespace {

constexpr std::uint32_t ranks_looked_at = 8;

bool shifts(const Piece& piece)
{
    const std::uint64_t phase = piece.sources.front().offset % line_bytes;
    const auto other = [phase](const Place& place) { return place.offset % line_bytes != phase; };
    return std::any_of(piece.sources.begin(), piece.sources.end(), other) ||
        std::any_of(piece.destinations.begin(), piece.destinations.end(), other);
}

bool has_packets(const Step& step)
{
    const auto packet = [](const ChunkRef& operand) { return operand.buffer == Buffer::packets; };
    return std::any_of(step.sources.begin(), step.sources.end(), packet) ||
        std::any_of(step.destinations.begin(), step.destinations.end(), packet);
}

}  // namespace

double share_in_partial_lines(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
{
    // Where all chunks are whole lines, all their parts are.
    if (schedule.chunks == 0 || bytes % (std::uint64_t{line_bytes} * schedule.chunks) == 0) return 0;
    const Layout layout(schedule, bytes, element_bytes);
    double all = 0;
    double shifted = 0;
    const auto ranks = static_cast<std::uint32_t>(schedule.ranks.size());
    const std::uint32_t stride = (ranks + ranks_looked_at - 1) / ranks_looked_at;
    for (std::uint32_t rank = 0; rank < ranks; rank += stride)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (!is_data(step.kind) || step.sources.empty() || has_packets(step)) continue;
                for (const Piece& piece : layout.pieces(step)) {
                    all += static_cast<double>(piece.bytes);
                    if (shifts(piece)) shifted += static_cast<double>(piece.bytes);
                }
            }
    return all > 0 ? shifted / all : 0;
}

std::uint64_t lines_of_copy(const Piece& piece)
{
    std::uint64_t lines = 1;
    std::uint64_t known = 0;  // places in a line at which operands begin
    const auto cut = [&](const Place& place) {
        const std::uint64_t phase = place.offset % line_bytes;
        const std::uint64_t bit = std::uint64_t{1} << phase;
        if ((known & bit) != 0) return;
        known |= bit;
        lines += (phase + piece.bytes - 1) / line_bytes;
    };
    for (const Place& place : piece.sources) cut(place);
    for (const Place& place : piece.destinations) cut(place);
    return lines;
}

}  // namespace weft
