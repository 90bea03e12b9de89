#include "collectives/engine/flow/step_amounts.h"

#include <algorithm>

#include "collectives/schedule/analysis/partial_lines.h"
#include "collectives/schedule/layout.h"

namespace weft {

std::function<FlowJob::StepBytes(std::uint32_t, std::uint32_t, std::uint32_t)> whole_lines(
    std::shared_ptr<const Schedule> all, const Schedule& schedule, const Job& job, PacketFormat format)
{
    auto layout = std::make_shared<const Layout>(schedule, job.bytes, static_cast<std::uint32_t>(size_of(job.type)));
    return [all = std::move(all), layout = std::move(layout), format](std::uint32_t rank, std::uint32_t thread,
               std::uint32_t step) {
        FlowJob::StepBytes out;
        for (const ChunkShare& share : layout->shares(all->ranks[rank].threads[thread].steps[step])) {
            out.data += share.end - share.begin;
            out.packed += packet_bytes(format, share.end - share.begin);
        }
        return out;
    };
}

std::function<std::uint64_t(std::uint32_t, std::uint32_t, std::uint32_t)> lines_of_copies(
    std::shared_ptr<const Schedule> all, const Schedule& schedule, const Job& job)
{
    auto layout = std::make_shared<const Layout>(schedule, job.bytes, static_cast<std::uint32_t>(size_of(job.type)));
    return [all = std::move(all), layout = std::move(layout)](std::uint32_t rank, std::uint32_t thread,
               std::uint32_t step) {
        std::uint64_t lines = 0;
        for (const Piece& piece : layout->pieces(all->ranks[rank].threads[thread].steps[step]))
            lines += lines_of_copy(piece);
        return lines;
    };
}

std::uint32_t most_parts(const Schedule& schedule)
{
    std::uint32_t most = 1;
    for (const Thread& thread : schedule.ranks.front().threads)
        for (const Step& step : thread.steps) most = std::max(most, step.parts);
    return most;
}

}  // namespace weft
