#include "collectives/schedule/verification/end_check.h"

#include <fmt/format.h>

#include "collectives/schedule/verification/end_state.h"

namespace weft {

namespace {

bool has_output(const Schedule& schedule, std::uint32_t rank)
{
    return schedule.declared_chunks(rank, Buffer::output) > 0 ||
        (schedule.in_place && schedule.declared_chunks(rank, Buffer::input) > 0);
}

void check_output(const Layout& layout, SymbolicMemory& memory, const Contributions& values, VerifyLog& log,
    std::uint32_t rank, std::uint32_t index, ValueId demanded)
{
    if (layout.range(rank, Buffer::output, index).size() == 0) return;
    const SymbolicMemory::Chunk& chunk = memory.chunk(rank, Buffer::output, index);
    for (const Cell& cell : chunk) {
        if (cell.value == demanded) continue;
        const std::string where = chunk.size() > 1 ? fmt::format(" from byte {} on", cell.begin) : "";
        return log.problem(fmt::format("output chunk {} of rank {} ends wrong{}: expected {}; found {}", index, rank,
            where, values.text(demanded), values.text(cell.value)));
    }
}

}  // namespace

void check_end_state(const Schedule& schedule, const Layout& layout, SymbolicMemory& memory, Contributions& values,
    VerifyLog& log)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const bool declared = has_output(schedule, rank);
        for (std::uint32_t i = 0; i < schedule.message_chunks(rank, Buffer::output); ++i) {
            const ValueId demanded = demanded_value(schedule, rank, i, values);
            if (demanded == nothing_written) continue;
            if (!declared) {
                log.problem(fmt::format("rank {} has no output; expected {} chunks", rank,
                    schedule.message_chunks(rank, Buffer::output)));
                break;
            }
            check_output(layout, memory, values, log, rank, i, demanded);
        }
    }
}

void check_ends(const Schedule& schedule, const Numbering& numbering, const Presence& presence, SymbolicMemory& memory,
    bool without_relaxed, VerifyLog& log)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        if (!has_output(schedule, rank)) continue;
        for (std::uint32_t i = 0; i < schedule.message_chunks(rank, Buffer::output); ++i)
            for (const Cell& cell : memory.chunk(rank, Buffer::output, i)) {
                if (presence.complete_at_end(cell.writer, rank)) continue;
                StepAt writer = numbering.owner(cell.writer.thread);
                writer.step = cell.writer.count - 1;
                const std::string late = fmt::format("rank {} may end before output chunk {} is written by {}", rank, i,
                    describe(schedule, writer));
                if (without_relaxed && in_switch(step_at(schedule, writer).kind))
                    log.late_switch_store(late);
                else
                    log.problem(late + "; expected a wait for it");
                break;
            }
    }
}

void check_barrier(const Schedule& schedule, const Presence& presence, VerifyLog& log)
{
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (std::uint32_t other = 0; other < schedule.size(); ++other)
            if (other != rank && !presence.entered_before_end(other, rank))
                log.problem(fmt::format("rank {} can leave the barrier before rank {} has entered", rank, other));
}

}  // namespace weft
