#include "collectives/plans/slot_lengths.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "collectives/schedule/layout.h"
#include "collectives/schedule/order.h"
#include "collectives/schedule/verification/structure.h"

namespace weft {

namespace {

constexpr std::uint32_t unknown = ~std::uint32_t{0};

class Tracker {
public:
    // Chunks differ by an element at most, the longer ones first.
    Tracker(Schedule& schedule, std::uint32_t elements)
        : schedule_(schedule), elements_(elements), held_(schedule.size())
    {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            for (const Buffer buffer : {Buffer::scratch, Buffer::packets})
                cells(rank, buffer).assign(schedule.declared_chunks(rank, buffer), unknown);
    }

    void run()
    {
        for (const StepAt at : legal_order(schedule_, Numbering(schedule_)).steps) {
            Step& step = schedule_.ranks[at.rank].threads[at.thread].steps[at.step];
            if (step.kind != StepKind::move || step.sources.empty()) continue;
            const std::vector<std::uint32_t> moved = chunks_of(step);
            const auto is_empty = [this](std::uint32_t chunk) { return chunk != unknown && chunk >= elements_; };
            if (moves_slots(step) && std::any_of(moved.begin(), moved.end(), is_empty))
                step.like = one_range(at.rank, moved);
            for (const ChunkRef& destination : step.destinations)
                if (is_slot(destination.buffer)) {
                    const auto first = cells(destination.rank, destination.buffer).begin() + destination.index;
                    std::copy(moved.begin(), moved.end(), first);
                }
        }
    }

private:
    std::vector<std::uint32_t>& cells(std::uint32_t rank, Buffer buffer)
    {
        return held_[rank][buffer == Buffer::packets ? 1 : 0];
    }

    static bool moves_slots(const Step& step)
    {
        const auto in_slot = [](const ChunkRef& ref) { return is_slot(ref.buffer); };
        return std::all_of(step.sources.begin(), step.sources.end(), in_slot) &&
            std::all_of(step.destinations.begin(), step.destinations.end(), in_slot);
    }

    // The chunks of the message that are as long as the data of the step; unknown where its terms differ.
    std::vector<std::uint32_t> chunks_of(const Step& step)
    {
        std::vector<std::uint32_t> out(step.sources.front().count, unknown);
        for (const std::vector<ChunkRef>* side : {&step.sources, &step.destinations})
            for (const ChunkRef& ref : *side) {
                if (is_slot(ref.buffer)) continue;
                for (std::uint32_t i = 0; i < ref.count; ++i)
                    out[i] = message_chunk(schedule_, ref.rank, ref.buffer, ref.index + i);
                return out;
            }
        for (std::uint32_t i = 0; i < out.size(); ++i) {
            out[i] = cells(step.sources.front().rank, step.sources.front().buffer)[step.sources.front().index + i];
            for (const ChunkRef& source : step.sources)
                if (cells(source.rank, source.buffer)[source.index + i] != out[i]) out[i] = unknown;
        }
        return out;
    }

    // The same chunks in a buffer of the message, of the step's own rank where it has them.
    std::optional<ChunkRef> one_range(std::uint32_t rank, const std::vector<std::uint32_t>& moved) const
    {
        const auto count = static_cast<std::uint32_t>(moved.size());
        for (std::uint32_t i = 0; i < count; ++i)
            if (moved[i] == unknown || moved[i] != moved.front() + i) return std::nullopt;
        for (std::uint32_t offset = 0; offset < schedule_.size(); ++offset)
            for (const Buffer buffer : {Buffer::input, Buffer::output}) {
                const std::uint32_t owner = (rank + offset) % schedule_.size();
                const std::uint32_t chunks = schedule_.declared_chunks(owner, buffer);
                if (moved.front() + std::uint64_t{count} <= chunks &&
                    message_chunk(schedule_, owner, buffer, moved.front()) == moved.front() &&
                    message_chunk(schedule_, owner, buffer, moved.back()) == moved.back())
                    return ChunkRef{owner, buffer, moved.front(), count};
            }
        return std::nullopt;
    }

    Schedule& schedule_;
    std::uint32_t elements_;
    std::vector<std::array<std::vector<std::uint32_t>, 2>>
        held_;  // by rank, of scratch and of packets: chunk of the message, by slot
};

}  // namespace

void know_empty_slots(Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
{
    const std::uint64_t elements = bytes / element_bytes;
    if (elements >= schedule.chunks || !malformed_parts(schedule, 1).empty()) return;
    Tracker(schedule, static_cast<std::uint32_t>(elements)).run();
}

}  // namespace weft
