#include "collectives/schedule/first_reads.h"

#include <algorithm>
#include <tuple>

#include "collectives/schedule/clocks.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/order.h"
#include "collectives/schedule/symbolic_memory.h"

namespace weft {

namespace {

// Values of cells: only whether they are what the rank had at the beginning counts.
constexpr ValueId from_beginning = nothing_written + 1;
constexpr ValueId written_since = nothing_written;

class Walk {
public:
    explicit Walk(const Schedule& schedule)
        : schedule_(schedule), layout_(schedule, SymbolicMemory::even_message(schedule), 1), numbering_(schedule),
          clocks_(schedule, numbering_), memory_(schedule)
    {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            for (std::uint32_t i = 0; i < SymbolicMemory::filled_input(schedule, rank); ++i)
                memory_.chunk(rank, Buffer::input, i).front().value = from_beginning;
    }

    // `found`: called with the place of a step and the number of its source.
    template <class Found>
    void run(const Found& found)
    {
        const Order order = legal_order(schedule_, numbering_);
        for (std::size_t i = 0; i < order.steps.size();) {
            const Step& first = step_at(schedule_, order.steps[i]);
            const std::size_t together = first.kind == StepKind::barrier ? first.participants
                : first.kind == StepKind::push_reduce                    ? first.destinations.size()
                                                                         : 1;
            for (std::size_t k = i; k < i + together; ++k) start(order.steps[k]);
            if (first.kind == StepKind::barrier) meet(&order.steps[i], together);
            for (std::size_t k = i; k < i + together && is_data(first.kind); ++k) read(order.steps[k], found);
            for (std::size_t k = i; k < i + together && is_data(first.kind); ++k) write(order.steps[k]);
            for (std::size_t k = i; k < i + together; ++k)
                clocks_.finish(thread_of(order.steps[k]), order.steps[k].step, false);
            i += together;
        }
    }

private:
    std::uint32_t thread_of(StepAt at) const { return numbering_.thread(at.rank, at.thread); }

    void start(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        clocks_.start(thread_of(at), step, at.step);
        if (step.kind == StepKind::wait) clocks_.wait(thread_of(at), numbering_.semaphore(at.rank, step.semaphore));
        if (step.kind == StepKind::signal)
            clocks_.signal(thread_of(at), numbering_.semaphore(step.peer, step.semaphore));
    }

    void meet(const StepAt* at, std::size_t number)
    {
        std::vector<std::uint32_t> threads;
        for (const StepAt* one = at; one != at + number; ++one) threads.push_back(thread_of(*one));
        clocks_.barrier(threads);
    }

    template <class Visit>
    void each_cell(const ChunkRef& ref, const ChunkShare& share, const Visit& visit)
    {
        SymbolicMemory::Chunk& chunk = memory_.chunk(ref.rank, ref.buffer, ref.index + share.chunk);
        const std::uint64_t length = layout_.range(ref.rank, ref.buffer, ref.index + share.chunk).size();
        const auto [first, last] = SymbolicMemory::split(chunk, share.begin, share.end, length);
        for (std::size_t i = first; i < last; ++i) visit(chunk[i]);
    }

    template <class Found>
    void read(StepAt at, const Found& found)
    {
        const Step& step = step_at(schedule_, at);
        const Epoch now{thread_of(at), at.step + 1};
        const std::vector<ChunkShare> shares = layout_.shares(step);
        for (std::uint32_t source = 0; source < step.sources.size(); ++source) {
            if (is_slot(step.sources[source].buffer)) continue;
            bool first = false;
            for (const ChunkShare& share : shares)
                each_cell(step.sources[source], share, [&](Cell& cell) {
                    if (cell.value != from_beginning) return;
                    const auto earlier = [&](const Epoch& reader) { return clocks_.ordered(reader, now.thread); };
                    if (std::any_of(cell.readers.begin(), cell.readers.end(), earlier)) return;
                    cell.readers.push_back(now);
                    first = true;
                });
            if (first) found(at, source);
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
    Numbering numbering_;
    Clocks clocks_;
    SymbolicMemory memory_;
};

}  // namespace

FirstReads::FirstReads(const Schedule& schedule) : channels_(schedule.channels)
{
    Walk(schedule).run([this](StepAt at, std::uint32_t source) {
        first_.push_back({at.rank, at.thread, at.step, source});
    });
    std::sort(first_.begin(), first_.end(), comes_before);
}

bool FirstReads::comes_before(const Read& a, const Read& b)
{
    return std::tie(a.rank, a.thread, a.step, a.source) < std::tie(b.rank, b.thread, b.step, b.source);
}

bool FirstReads::is_first(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t source) const
{
    return std::binary_search(first_.begin(), first_.end(), Read{rank, thread / channels_, step, source}, comes_before);
}

}  // namespace weft
