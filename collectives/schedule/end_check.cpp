#include "collectives/schedule/end_check.h"

#include <fmt/format.h>

#include "collectives/schedule/end_state.h"

namespace weft {

namespace {

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
        const bool declared = schedule.declared_chunks(rank, Buffer::output) > 0 ||
            (schedule.in_place && schedule.declared_chunks(rank, Buffer::input) > 0);
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

}  // namespace weft
