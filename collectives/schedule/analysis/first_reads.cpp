#include "collectives/schedule/analysis/first_reads.h"

#include <algorithm>
#include <tuple>

#include "collectives/schedule/analysis/step_walk.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/verification/symbolic_memory.h"

namespace weft {

namespace {

// Values of cells: only whether they are what the rank had at the beginning counts.
constexpr ValueId from_beginning = nothing_written + 1;
constexpr ValueId written_since = nothing_written;

class Walk {
public:
    explicit Walk(const Schedule& schedule)
        : schedule_(schedule), layout_(schedule, SymbolicMemory::even_message(schedule), 1), memory_(schedule)
    {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            for (std::uint32_t i = 0; i < SymbolicMemory::filled_input(schedule, rank); ++i)
                memory_.chunk(rank, Buffer::input, i).front().value = from_beginning;
    }

    // `found`: called with the place of a step, the number of its source, and what steps_behind() says.
    template <class Found>
    void run(const Found& found)
    {
        StepWalk(schedule_).run([&](const StepWalk& walk, const StepAt* begin, const StepAt* end) {
            for (const StepAt* at = begin; at != end; ++at) read(walk, *at, found);
            for (const StepAt* at = begin; at != end; ++at) write(*at);
        });
    }

private:
    template <class Visit>
    void each_cell(const ChunkRef& ref, const ChunkShare& share, const Visit& visit)
    {
        SymbolicMemory::Chunk& chunk = memory_.chunk(ref.rank, ref.buffer, ref.index + share.chunk);
        const std::uint64_t length = layout_.range(ref.rank, ref.buffer, ref.index + share.chunk).size();
        const auto [first, last] = SymbolicMemory::split(chunk, share.begin, share.end, length);
        for (std::size_t i = first; i < last; ++i) visit(chunk[i]);
    }

    template <class Found>
    void read(const StepWalk& walk, StepAt at, const Found& found)
    {
        const Step& step = step_at(schedule_, at);
        const Epoch now = walk.epoch(at);
        const std::vector<ChunkShare> shares = layout_.shares(step);
        for (std::uint32_t source = 0; source < step.sources.size(); ++source) {
            if (is_slot(step.sources[source].buffer)) continue;
            bool first = false;
            bool anew = false;  // a part that its thread has not asked for in this run
            std::uint32_t since = 0;
            for (const ChunkShare& share : shares)
                each_cell(step.sources[source], share, [&](Cell& cell) {
                    if (cell.value != from_beginning) return;
                    const auto earlier = [&](const Epoch& reader) { return walk.ordered(reader, at); };
                    if (std::any_of(cell.readers.begin(), cell.readers.end(), earlier)) return;
                    const auto own = std::find_if(cell.readers.begin(), cell.readers.end(),
                        [&](const Epoch& reader) { return reader.thread == now.thread; });
                    anew = anew || own == cell.readers.end();
                    if (own != cell.readers.end()) since = std::max(since, own->count);
                    cell.readers.push_back(now);
                    first = true;
                });
            if (first) found(at, source, anew ? 0 : now.count - since);
        }
    }

    void write(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        const std::vector<ChunkShare> shares = layout_.shares(step);
        for (const ChunkRef& destination : step.destinations)
            for (const ChunkShare& share : shares)
                if (!is_slot(destination.buffer))
                    each_cell(destination, share, [](Cell& cell) { cell.value = written_since; });
    }

    const Schedule& schedule_;
    Layout layout_;
    SymbolicMemory memory_;
};

}  // namespace

FirstReads::FirstReads(const Schedule& schedule) : channels_(schedule.channels)
{
    Walk(schedule).run([this](StepAt at, std::uint32_t source, std::uint32_t behind) {
        first_.push_back({at.rank, at.thread, at.step, source, behind});
    });
    std::sort(first_.begin(), first_.end(), comes_before);
}

bool FirstReads::comes_before(const Read& a, const Read& b)
{
    return std::tie(a.rank, a.thread, a.step, a.source) < std::tie(b.rank, b.thread, b.step, b.source);
}

const FirstReads::Read* FirstReads::find(std::uint32_t rank, std::uint32_t thread, std::uint32_t step,
    std::uint32_t source) const
{
    const Read sought{rank, thread / channels_, step, source};
    const auto found = std::lower_bound(first_.begin(), first_.end(), sought, comes_before);
    return found == first_.end() || comes_before(sought, *found) ? nullptr : &*found;
}

bool FirstReads::is_first(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t source) const
{
    return find(rank, thread, step, source) != nullptr;
}

std::uint32_t FirstReads::steps_behind(std::uint32_t rank, std::uint32_t thread, std::uint32_t step,
    std::uint32_t source) const
{
    const Read* const found = find(rank, thread, step, source);
    return found == nullptr ? 0 : found->behind;
}

}  // namespace weft
