#include "collectives/schedule/execute.h"

#include <cstring>

#include "collectives/schedule/order.h"

namespace weft {

namespace {

std::uint8_t* pointer(std::vector<RankMemory>& memories, const Place& place)
{
    return memories[place.rank].memory[static_cast<std::size_t>(place.memory)].data() + place.offset;
}

}  // namespace

std::vector<RankMemory> allocate_memories(const Layout& layout, std::uint32_t ranks)
{
    std::vector<RankMemory> memories(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        for (Buffer buffer : all_buffers)
            memories[rank].memory[static_cast<std::size_t>(buffer)].resize(layout.memory_bytes(rank, buffer));
    return memories;
}

void execute(const Step& step, ReduceOp reduction, const Layout& layout, ElementType type,
    std::vector<RankMemory>& memories)
{
    std::vector<std::uint8_t> result;
    for (const Piece& piece : layout.pieces(step)) {
        const std::uint8_t* first = pointer(memories, piece.sources.front());
        result.assign(first, first + piece.bytes);
        for (std::size_t i = 1; i < piece.sources.size(); ++i)
            reduce_elements(type, reduction, result.data(), pointer(memories, piece.sources[i]), piece.bytes);
        for (const Place& destination : piece.destinations)
            std::memcpy(pointer(memories, destination), result.data(), piece.bytes);
    }
}

void execute(const Schedule& schedule, const Layout& layout, ElementType type, std::vector<RankMemory>& memories)
{
    const std::vector<StepAt> order = legal_order(schedule, Numbering(schedule)).steps;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Step& step = step_at(schedule, order[i]);
        if (step.kind == StepKind::push_reduce) {
            // As one move from everybody's source to everybody.
            Step whole = step;
            for (std::size_t m = 1; m < step.destinations.size(); ++m)
                whole.sources.push_back(step_at(schedule, order[++i]).sources.front());
            execute(whole, schedule.reduction, layout, type, memories);
        } else if (is_data(step.kind)) {
            execute(step, schedule.reduction, layout, type, memories);
        }
    }
}

}  // namespace weft
