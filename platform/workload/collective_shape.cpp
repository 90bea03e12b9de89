#include "platform/workload/collective_shape.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "collectives/engine/lines/lowering.h"
#include "collectives/engine/lines/switch_use.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/theory/theory.h"

namespace weft {

namespace {

// Room of an array that grows by doubling.
double grown(double entries) { return entries <= 1 ? std::ceil(entries) : std::exp2(std::ceil(std::log2(entries))); }

// A wait before a move and a signal behind it want a barrier each.
constexpr double barriers_of_move = 2;
// Signals to all, or waits for all, are one operation for the ranks in front and one for those behind.
constexpr std::uint32_t operations_of_run = 2;

class Counter {
public:
    // `held`: the schedule holds one of the channels.
    Counter(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes, double channels, bool held)
        : schedule_(schedule), layout_(schedule, bytes, element_bytes), bytes_(bytes), channels_(channels),
          held_(held ? 1 : channels)
    {
    }

    CollectiveShape count()
    {
        for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) {
            const RankPlan& plan = schedule_.ranks[rank];
            for (const Buffer buffer : all_buffers)
                out_.buffer_bytes += static_cast<double>(layout_.memory_bytes(rank, buffer));
            out_.threads = std::max(out_.threads, channels_ * static_cast<double>(plan.threads.size()));
            out_.flags += grown(plan.semaphores * channels_);
            for (const Thread& thread : plan.threads) add(thread);
        }
        return out_;
    }

private:
    void add(const Thread& thread)
    {
        double operations = 0;
        double signals = 0;
        double burst = 0;
        double move_lines = 0;
        double switch_lines = 0;
        std::uint32_t run = 0;
        StepKind last = StepKind::nop;
        for (const Step& step : thread.steps) {
            out_.steps += held_;
            run = step.kind == last && !is_data(last) ? run + 1 : 0;
            last = step.kind;
            operations += run < operations_of_run ? 1 : 0;
            if (step.kind == StepKind::wait) signals = 0;
            if (step.kind == StepKind::signal) {
                burst = std::max(burst, ++signals);
                out_.requested += line_bytes * channels_;
            }
            if (!is_data(step.kind)) continue;
            operations += barriers_of_move;
            const double wide = static_cast<double>(step.sources.size() + step.destinations.size());
            out_.references += wide * held_;
            out_.operands += (in_switch(step.kind) ? 2 : wide) * channels_;
            std::uint32_t count = 1;
            for (const ChunkRef& ref : step.sources) count = std::max(count, ref.count);
            const double bytes = static_cast<double>(bytes_) / std::max(1U, schedule_.chunks) * count / step.parts;
            out_.moved += bytes * wide;
            out_.requested += bytes * (in_switch(step.kind) ? 2 : wide);
            const double lines = std::ceil(bytes / channels_ / line_bytes);
            if (in_switch(step.kind)) {
                // A channel beyond the lines of a chunk has none of them.
                switch_lines = std::max(switch_lines, std::min(lines * channels_, std::ceil(bytes / line_bytes)));
                out_.members = std::max(out_.members,
                    static_cast<double>(std::max(step.sources.size(), step.destinations.size())));
            } else {
                out_.most_sources = std::max(out_.most_sources, static_cast<double>(step.sources.size()));
                const auto side = static_cast<double>(std::max(step.sources.size(), step.destinations.size()));
                move_lines = std::max(move_lines, side * std::min(lines * channels_, std::ceil(bytes / line_bytes)));
            }
        }
        out_.operations += operations * channels_;
        out_.burst += burst * channels_;
        out_.move_lines += move_lines;
        out_.switch_lines += switch_lines;
    }

    const Schedule& schedule_;
    Layout layout_;
    std::uint64_t bytes_;
    double channels_;
    double held_;  // of them
    CollectiveShape out_;
};

// Messages of a rank, in the round: the longest chain of them and the number of partners.
double messages(const TheoryCase& theory)
{
    double partners = 0;
    for (std::uint32_t to = 1; to < theory.ranks; ++to) partners += theory_bytes_between(theory, 0, to) > 0 ? 1 : 0;
    return theory_steps(theory) + partners;
}

}  // namespace

double CollectiveShape::schedule_bytes() const { return steps * sizeof(Step) + references * sizeof(ChunkRef); }
double CollectiveShape::program_bytes() const
{
    return operations * sizeof(Operation) + operands * sizeof(Program::operands[0]);
}
double CollectiveShape::flag_bytes() const { return flags * sizeof(std::uint64_t); }

CollectiveShape shape_of_plan(const CollectiveRequest& request)
{
    return Counter(*request.schedule, request.bytes, static_cast<std::uint32_t>(size_of(request.type)), 1, true)
        .count();
}

CollectiveShape shape_of(const CollectiveRequest& request, const std::string& algorithm)
{
    const auto ranks = static_cast<std::uint32_t>(request.members.size());
    const auto element = static_cast<std::uint32_t>(size_of(request.type));
    const double channels = request.options.channels;
    AlgorithmOptions options = request.options;
    options.channels = 1;
    const bool held = channels_alike(algorithm, request.op);
    const auto counted = [&](std::uint32_t of) {
        return Counter(make_schedule(algorithm, request.op, of, options), request.bytes, element, channels, held)
            .count();
    };
    if (ranks <= most_ranks_built) return counted(ranks);
    const TheoryCase all = theory_case(request.op, algorithm, ranks, request.bytes, element, options);
    options.dimensions.clear();
    options.orders.clear();
    options.root = 0;
    const TheoryCase few = theory_case(request.op, algorithm, most_ranks_built, request.bytes, element, options);
    CollectiveShape out = counted(most_ranks_built);
    const double more = static_cast<double>(ranks) / most_ranks_built;
    const double longer = std::max(1.0, messages(all) / messages(few));
    const double operands_of_step = out.references / std::max(1.0, out.steps);
    // Programs grow as they did from half as many ranks: not at all where all signal each other, with the ranks in a ring.
    const CollectiveShape half = counted(most_ranks_built / 2);
    const double growth = std::pow(more, std::log2(std::max(1.0, out.operations / 2 / std::max(1.0, half.operations))));
    out.operations *= more * growth;
    out.operands *= more * std::pow(more, std::log2(std::max(1.0, out.operands / 2 / std::max(1.0, half.operands))));
    out.steps *= more * longer;
    out.references *=
        more * (operands_of_step > most_ranks_built / 4.0 || out.members > most_ranks_built / 2.0 ? more : longer);
    out.flags = ranks * grown(out.flags / most_ranks_built * longer);
    out.burst *= more * longer;
    out.moved *= more;
    out.requested *= more;
    out.buffer_bytes *= more;
    if (out.most_sources > most_ranks_built / 2.0) out.most_sources *= more;
    if (out.members > most_ranks_built / 2.0) out.members *= more;
    return out;
}

CollectiveShape shape_of_choice(const CollectiveRequest& request, const std::vector<std::string>& names,
    double& most_bytes)
{
    CollectiveShape shape;
    for (const std::string& name : names) {
        try {
            const CollectiveShape one = shape_of(request, name);
            most_bytes = std::max(most_bytes, one.schedule_bytes() / std::max(1U, request.options.channels));
            if (shape.steps == 0 || one.steps < shape.steps) shape = one;
        } catch (const InputError&) {  // not for so many ranks or with these options: it has no price either
        }
    }
    return shape;
}

}  // namespace weft
