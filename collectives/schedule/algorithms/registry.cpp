#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "collectives/schedule/algorithms/builders.h"

namespace weft {

namespace {

struct Entry {
    CollectiveOp op;
    const char* name;
    algorithms::Build build;
};

// The default of a collective comes first.
constexpr Entry entries[] = {
    {CollectiveOp::all_reduce, "ring", algorithms::ring_all_reduce},
    {CollectiveOp::all_reduce, "direct", algorithms::direct_all_reduce},
    {CollectiveOp::all_reduce, "one_shot", algorithms::one_shot_all_reduce},
    {CollectiveOp::all_reduce, "one_shot_get", algorithms::one_shot_get_all_reduce},
    {CollectiveOp::all_gather, "ring", algorithms::ring_all_gather},
    {CollectiveOp::all_gather, "direct", algorithms::direct_all_gather},
    {CollectiveOp::all_gather, "direct_get", algorithms::get_all_gather},
    {CollectiveOp::reduce_scatter, "ring", algorithms::ring_reduce_scatter},
    {CollectiveOp::reduce_scatter, "direct", algorithms::direct_reduce_scatter},
    {CollectiveOp::reduce_scatter, "direct_get", algorithms::get_reduce_scatter},
    {CollectiveOp::all_to_all, "direct", algorithms::direct_all_to_all},
    {CollectiveOp::all_to_all, "ring", algorithms::pairwise_all_to_all},
    {CollectiveOp::broadcast, "ring", algorithms::ring_broadcast},
    {CollectiveOp::broadcast, "direct", algorithms::direct_broadcast},
    {CollectiveOp::barrier, "direct", algorithms::direct_barrier},
    {CollectiveOp::barrier, "ring", algorithms::ring_barrier},
};

void check_range(const char* what, std::uint32_t value, std::uint32_t least, std::uint32_t most)
{
    if (value >= least && value <= most) return;
    throw InputError("", 0, fmt::format("{} {}", what, value), fmt::format("{} to {}", least, most));
}

// One rank alone: its input is the result.
void copy_locally(Schedule& schedule, const AlgorithmOptions& options)
{
    if (schedule.op == CollectiveOp::barrier) return algorithms::frame(schedule, 0, 0, 0, 1);
    algorithms::frame(schedule, 1, 0, 0, options.channels);
    algorithms::for_each_program(schedule, options.channels,
        [](algorithms::Program& program, std::uint32_t, std::uint32_t) {
            program.move({algorithms::input(0, 0)}, {algorithms::output(0, 0)});
        });
}

}  // namespace

void algorithms::frame(Schedule& schedule, std::uint32_t chunks, std::uint32_t scratch_chunks,
    std::uint32_t semaphores, std::uint32_t threads)
{
    schedule.chunks = chunks;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        RankPlan& plan = schedule.ranks[rank];
        const bool has_input = schedule.op != CollectiveOp::broadcast || rank == schedule.root;
        plan.input_chunks = has_input ? schedule.message_chunks(rank, Buffer::input) : 0;
        plan.output_chunks = schedule.message_chunks(rank, Buffer::output);
        plan.scratch_chunks = scratch_chunks;
        plan.semaphores = semaphores;
        plan.threads.resize(threads);
    }
}

std::vector<std::string> algorithm_names(CollectiveOp op)
{
    std::vector<std::string> names;
    for (const Entry& entry : entries)
        if (entry.op == op) names.push_back(entry.name);
    return names;
}

Schedule make_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options)
{
    const std::vector<std::string> names = algorithm_names(op);
    const Entry* chosen = nullptr;
    for (const Entry& entry : entries)
        if (entry.op == op && entry.name == algorithm) chosen = &entry;
    if (!chosen) {
        const std::string nearest = nearest_name(algorithm, names);
        const std::string known =
            names.empty() ? "a collective with an algorithm" : fmt::format("{}", fmt::join(names, ", "));
        throw InputError("", 0, fmt::format("{} has no algorithm '{}'", name_of(op), algorithm),
            nearest.empty() ? known : fmt::format("{} (did you mean '{}'?)", known, nearest));
    }
    check_range("number of ranks", ranks, 1, most_ranks);
    check_range("number of channels", options.channels, 1, 256);
    check_range("pipeline depth", options.pipeline, 1, 65536);
    if (op == CollectiveOp::broadcast) check_range("root", options.root, 0, ranks - 1);

    Schedule schedule;
    schedule.name = algorithm;
    schedule.op = op;
    schedule.reduction = options.reduction;
    schedule.root = op == CollectiveOp::broadcast ? options.root : 0;
    schedule.ranks.resize(ranks);
    if (ranks == 1)
        copy_locally(schedule, options);
    else
        chosen->build(schedule, options);
    return schedule;
}

}  // namespace weft
