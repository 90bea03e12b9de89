#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "collectives/schedule/algorithms/builders.h"

namespace weft {

namespace {

struct Entry {
    AlgorithmInfo info;
    algorithms::Build build;
};

using Op = CollectiveOp;

// clang-format off
// The default of a collective comes first.
constexpr Entry entries[] = {
    {{Op::all_reduce, "ring", Carrier::put, "2(n-1)", "2(n-1)/n S",
         "reduce-scatter, then all-gather, around a ring in one pass"},
        algorithms::ring_all_reduce},
    {{Op::all_reduce, "direct", Carrier::put, "2", "2(n-1)/n S",
         "two-shot: all ranks store their terms to the owner of each chunk, which stores the sum to all"},
        algorithms::direct_all_reduce},
    {{Op::all_reduce, "one_shot", Carrier::put, "1", "(n-1) S",
         "each rank stores its input to a slot at every peer, and adds all inputs itself"},
        algorithms::one_shot_all_reduce},
    {{Op::all_reduce, "one_shot_get", Carrier::get, "1", "(n-1) S",
         "each rank loads every input and adds"},
        algorithms::one_shot_get_all_reduce},
    {{Op::all_reduce, "two_shot_get", Carrier::get, "1", "2(n-1)/n S",
         "the owner of each chunk loads its terms and stores the sum to all, in one pass"},
        algorithms::two_shot_get_all_reduce},
    {{Op::all_reduce, "one_shot_staged", Carrier::get, "1", "(n-1) S",
         "each rank copies its own input, then loads every copy and adds"},
        algorithms::one_shot_staged_all_reduce},
    {{Op::all_reduce, "two_shot_load", Carrier::get, "2", "2(n-1)/n S",
         "the owner of each chunk loads its terms and keeps the sum, which every rank loads"},
        algorithms::two_shot_load_all_reduce},
    {{Op::all_reduce, "two_shot_staged", Carrier::get, "2", "2(n-1)/n S",
         "two_shot_load after a copy of the own input"},
        algorithms::two_shot_staged_all_reduce},
    {{Op::all_reduce, "rings", Carrier::put, "2(n-1)", "2(n-1)/n S",
         "several rings that share no link, each with a part of the message"},
        algorithms::by_phases},
    {{Op::all_reduce, "bidirectional_ring", Carrier::put, "2(n-1)", "2(n-1)/n S",
         "two rings of opposite direction, each with half of the message"},
        algorithms::by_phases},
    {{Op::all_reduce, "bruck", Carrier::put, "2 ceil(log2 n)", "2(n-1)/n S",
         "halving and doubling by hops of powers of two, for any n"},
        algorithms::by_phases},
    {{Op::all_reduce, "pat", Carrier::put, "2 ceil(log2 n)", "2(n-1)/n S",
         "trees of all ranks at once: the longest hops carry one block"},
        algorithms::by_phases},
    {{Op::all_reduce, "hierarchical", Carrier::put, "twice those of every dimension", "2(n-1)/n S",
         "reduce-scatter along one dimension after another, then all-gather in reverse order (BlueConnect)"},
        algorithms::by_phases},
    {{Op::all_reduce, "multi_dim", Carrier::put, "at least twice those of every dimension", "2(n-1)/n S",
         "each chunk uses the dimensions in its own order, and all dimensions work at once"},
        algorithms::multi_dim},
    {{Op::all_reduce, "tree", Carrier::put, "2 floor(log2 n) + k-1", "S up, S to each child",
         "up a binary tree and down again, in k pieces"},
        algorithms::tree_all_reduce},
    {{Op::all_reduce, "double_tree", Carrier::put, "2 floor(log2 n) + k-1", "at most 2 S",
         "two binary trees, each with half of the message; inner ranks of one are leaves of the other"},
        algorithms::double_tree_all_reduce},
    {{Op::all_reduce, "chain", Carrier::put, "2(n-1) + k-1", "2 S, ends S",
         "up a chain of all ranks and down again, in k pieces"},
        algorithms::chain_all_reduce},
    {{Op::all_reduce, "recursive_doubling", Carrier::put, "log2 n; else floor + 2", "S log2 n",
         "whole partial sums exchanged with partners 1, 2, 4, ... away"},
        algorithms::recursive_doubling_all_reduce},
    {{Op::all_reduce, "halving_doubling", Carrier::put, "2 log2 n; else floor + 2", "2(n-1)/n S",
         "Rabenseifner: recursive halving, then doubling"},
        algorithms::halving_doubling_all_reduce},
    {{Op::all_reduce, "nvls", Carrier::in_switch, "1", "S + s(r)",
         "each rank lets the switch add up its chunk and store the sum to all"},
        algorithms::nvls_all_reduce},
    {{Op::all_reduce, "nvls_one_shot", Carrier::in_switch, "1", "n S",
         "each rank lets the switch add up all chunks"},
        algorithms::nvls_one_shot_all_reduce},
    {{Op::all_reduce, "push_reduce", Carrier::in_switch, "1", "S",
         "each rank sends to the switch, which stores the sum to all"},
        algorithms::push_reduce_all_reduce},
    {{Op::all_reduce, "nvls_tree", Carrier::in_switch, "2 floor(log2 nodes) + 1 + 3(k-1)",
         "S, a shard, and one per neighbour in the tree",
         "the switch inside nodes, shards over a binary tree between them"},
        algorithms::nvls_tree_all_reduce},
    {{Op::all_gather, "ring", Carrier::put, "n-1", "(n-1)/n S",
         "each rank sends its chunk to its neighbour, then forwards"},
        algorithms::ring_all_gather},
    {{Op::all_gather, "direct", Carrier::put, "1", "(n-1)/n S",
         "each rank stores its chunk to all"},
        algorithms::direct_all_gather},
    {{Op::all_gather, "direct_get", Carrier::get, "1", "(n-1)/n S",
         "each rank loads the chunk of every other"},
        algorithms::get_all_gather},
    {{Op::all_gather, "rings", Carrier::put, "n-1", "(n-1)/n S",
         "several rings that share no link, each with a part of every chunk"},
        algorithms::by_phases},
    {{Op::all_gather, "bidirectional_ring", Carrier::put, "n-1", "(n-1)/n S",
         "two rings of opposite direction, each with half of every chunk"},
        algorithms::by_phases},
    {{Op::all_gather, "recursive_doubling", Carrier::put, "log2 n; else floor + 2", "(n-1)/n S",
         "blocks exchanged with partners 1, 2, 4, ... away"},
        algorithms::recursive_doubling_all_gather},
    {{Op::all_gather, "bruck", Carrier::put, "ceil(log2 n)", "(n-1)/n S",
         "hops of 1, 2, 4, ...: the longest hops carry the most"},
        algorithms::by_phases},
    {{Op::all_gather, "pat", Carrier::put, "ceil(log2 n)", "(n-1)/n S",
         "hops of ..., 4, 2, 1: the longest hops carry one block"},
        algorithms::by_phases},
    {{Op::all_gather, "hierarchical", Carrier::put, "those of every dimension", "(n-1)/n S",
         "along one dimension after another, outermost first"},
        algorithms::by_phases},
    {{Op::all_gather, "multi_dim", Carrier::put, "at least those of every dimension", "(n-1)/n S",
         "the steps of reduce_scatter in reverse order"},
        algorithms::multi_dim},
    {{Op::all_gather, "multicast", Carrier::in_switch, "1", "s(r)",
         "each rank lets the switch store its chunk to all"},
        algorithms::multicast_all_gather},
    {{Op::reduce_scatter, "ring", Carrier::put, "n-1", "(n-1)/n S",
         "partial sums go around a ring"},
        algorithms::ring_reduce_scatter},
    {{Op::reduce_scatter, "direct", Carrier::put, "1", "(n-1)/n S",
         "all ranks store their terms to the owner of each chunk, which adds"},
        algorithms::direct_reduce_scatter},
    {{Op::reduce_scatter, "direct_get", Carrier::get, "1", "(n-1)/n S",
         "the owner of each chunk loads its terms and adds"},
        algorithms::get_reduce_scatter},
    {{Op::reduce_scatter, "rings", Carrier::put, "n-1", "(n-1)/n S",
         "several rings that share no link, each with a part of every chunk"},
        algorithms::by_phases},
    {{Op::reduce_scatter, "bidirectional_ring", Carrier::put, "n-1", "(n-1)/n S",
         "two rings of opposite direction, each with half of every chunk"},
        algorithms::by_phases},
    {{Op::reduce_scatter, "recursive_halving", Carrier::put, "log2 n; else floor + 2", "(n-1)/n S",
         "halves of the sums exchanged with partners ..., 4, 2, 1 away"},
        algorithms::recursive_halving_reduce_scatter},
    {{Op::reduce_scatter, "bruck", Carrier::put, "ceil(log2 n)", "(n-1)/n S",
         "hops of ..., 4, 2, 1: the longest hops carry the most"},
        algorithms::by_phases},
    {{Op::reduce_scatter, "pat", Carrier::put, "ceil(log2 n)", "(n-1)/n S",
         "hops of 1, 2, 4, ...: the longest hops carry one block"},
        algorithms::by_phases},
    {{Op::reduce_scatter, "hierarchical", Carrier::put, "those of every dimension", "(n-1)/n S",
         "along one dimension after another, innermost first"},
        algorithms::by_phases},
    {{Op::reduce_scatter, "multi_dim", Carrier::put, "at least those of every dimension", "(n-1)/n S",
         "each chunk uses the dimensions in its own order"},
        algorithms::multi_dim},
    {{Op::reduce_scatter, "load_reduce", Carrier::in_switch, "1", "S",
         "each rank lets the switch add up its chunk"},
        algorithms::load_reduce_reduce_scatter},
    {{Op::all_to_all, "direct", Carrier::put, "1", "(n-1)/n S",
         "each rank stores every block to its destination at once"},
        algorithms::direct_all_to_all},
    {{Op::all_to_all, "ring", Carrier::put, "n-1", "(n-1)/n S",
         "pairwise under its former name"},
        algorithms::pairwise_all_to_all},
    {{Op::all_to_all, "pairwise", Carrier::put, "n-1", "(n-1)/n S",
         "in step s, rank r sends to rank r + s and receives from rank r - s"},
        algorithms::pairwise_all_to_all},
    {{Op::all_to_all, "bruck", Carrier::put, "ceil(log2 n)", "S/2 log2 n",
         "a block makes one hop for each bit set in its distance"},
        algorithms::bruck_all_to_all},
    {{Op::broadcast, "ring", Carrier::put, "n-1 + k-1", "S, the last rank 0",
         "a chain from the root, in k pieces"},
        algorithms::ring_broadcast},
    {{Op::broadcast, "direct", Carrier::put, "1", "(n-1) S by the root",
         "the root stores to all"},
        algorithms::direct_broadcast},
    {{Op::broadcast, "chain", Carrier::put, "n-1 + k-1", "S, the last rank 0",
         "the same as ring"},
        algorithms::ring_broadcast},
    {{Op::broadcast, "tree", Carrier::put, "floor(log2 n) + k-1", "S to each child",
         "down a binary tree, in k pieces"},
        algorithms::tree_broadcast},
    {{Op::broadcast, "binomial", Carrier::put, "ceil(log2 n)", "ceil(log2 n) S by the root",
         "down a binomial tree, one child after the other"},
        algorithms::binomial_broadcast},
    {{Op::broadcast, "scatter_all_gather", Carrier::put, "ceil(log2 n) + n-1", "about 2(n-1)/n S",
         "scatter down a binomial tree, then all-gather around a ring"},
        algorithms::scatter_all_gather_broadcast},
    {{Op::broadcast, "multicast", Carrier::in_switch, "1", "S by the root",
         "the switch stores to all"},
        algorithms::multicast_broadcast},
    {{Op::reduce, "ring", Carrier::put, "n-1 + k-1", "S, the root 0",
         "partial sums along a chain to the root, in k pieces"},
        algorithms::chain_reduce},
    {{Op::reduce, "direct", Carrier::put, "1", "S, the root 0",
         "all ranks store their terms to the root, which adds"},
        algorithms::direct_reduce},
    {{Op::reduce, "chain", Carrier::put, "n-1 + k-1", "S, the root 0",
         "the same as ring"},
        algorithms::chain_reduce},
    {{Op::reduce, "tree", Carrier::put, "floor(log2 n) + k-1", "S, the root 0",
         "up a binary tree, in k pieces"},
        algorithms::tree_reduce},
    {{Op::reduce, "binomial", Carrier::put, "floor(log2 n)", "S, the root 0",
         "up a binomial tree"},
        algorithms::binomial_reduce},
    {{Op::reduce, "load_reduce", Carrier::in_switch, "1", "S",
         "the root lets the switch add up all chunks"},
        algorithms::load_reduce_reduce},
    {{Op::gather, "direct", Carrier::put, "1", "s(r), the root 0",
         "each rank stores its block to the root"},
        algorithms::direct_gather},
    {{Op::gather, "ring", Carrier::put, "n-1", "blocks of all ranks behind",
         "blocks along a chain to the root, one by one"},
        algorithms::ring_gather},
    {{Op::gather, "binomial", Carrier::put, "floor(log2 n)", "blocks of the subtree",
         "up a binomial tree, blocks of a subtree together"},
        algorithms::binomial_gather},
    {{Op::scatter, "direct", Carrier::put, "1", "(n-1)/n S by the root",
         "the root stores every block to its rank"},
        algorithms::direct_scatter},
    {{Op::scatter, "ring", Carrier::put, "n-1", "blocks of all ranks behind",
         "blocks along a chain from the root, that of the last rank first"},
        algorithms::ring_scatter},
    {{Op::scatter, "binomial", Carrier::put, "ceil(log2 n)", "blocks of the subtree",
         "down a binomial tree, one child after the other"},
        algorithms::binomial_scatter},
    {{Op::barrier, "direct", Carrier::put, "1", "0",
         "each rank signals every other"},
        algorithms::direct_barrier},
    {{Op::barrier, "ring", Carrier::put, "2(n-1)", "0",
         "a token makes one round to collect and one to release"},
        algorithms::ring_barrier},
    {{Op::barrier, "dissemination", Carrier::put, "ceil(log2 n)", "0",
         "rank r signals ranks r + 1, r + 2, r + 4, ..."},
        algorithms::dissemination_barrier},
    {{Op::barrier, "tree", Carrier::put, "2 floor(log2 n)", "0",
         "up a binary tree and down again"},
        algorithms::tree_barrier},
};
// clang-format on

const Entry* entry_of(Op op, const std::string& algorithm)
{
    for (const Entry& entry : entries)
        if (entry.info.op == op && entry.info.name == algorithm) return &entry;
    return nullptr;
}

void check_range(const char* what, std::uint32_t value, std::uint32_t least, std::uint32_t most)
{
    if (value >= least && value <= most) return;
    throw InputError("", 0, fmt::format("{} {}", what, value), fmt::format("{} to {}", least, most));
}

// Builders that write one channel and repeat it (Sketch::finish()), and rings, which number their semaphores the same way.
constexpr algorithms::Build alike[] = {algorithms::ring_all_reduce, algorithms::ring_all_gather,
    algorithms::ring_reduce_scatter, algorithms::ring_broadcast, algorithms::ring_gather, algorithms::ring_scatter,
    algorithms::bruck_all_to_all, algorithms::by_phases, algorithms::multi_dim,
    algorithms::recursive_doubling_all_reduce, algorithms::halving_doubling_all_reduce,
    algorithms::recursive_doubling_all_gather, algorithms::recursive_halving_reduce_scatter,
    algorithms::tree_all_reduce, algorithms::double_tree_all_reduce, algorithms::chain_all_reduce,
    algorithms::tree_reduce, algorithms::chain_reduce, algorithms::binomial_reduce, algorithms::tree_broadcast,
    algorithms::binomial_broadcast, algorithms::binomial_gather, algorithms::binomial_scatter,
    algorithms::scatter_all_gather_broadcast, algorithms::nvls_all_reduce, algorithms::nvls_one_shot_all_reduce,
    algorithms::push_reduce_all_reduce, algorithms::multicast_all_gather, algorithms::multicast_broadcast,
    algorithms::load_reduce_reduce_scatter, algorithms::load_reduce_reduce, algorithms::nvls_tree_all_reduce};

// Builders that divide a message into `pipeline` pieces.
constexpr algorithms::Build pipelined[] = {algorithms::ring_broadcast, algorithms::chain_reduce,
    algorithms::chain_all_reduce, algorithms::tree_all_reduce, algorithms::double_tree_all_reduce,
    algorithms::tree_broadcast, algorithms::tree_reduce, algorithms::nvls_tree_all_reduce};

template <std::size_t N>
bool contains(const algorithms::Build (&builders)[N], algorithms::Build build)
{
    return std::find(std::begin(builders), std::end(builders), build) != std::end(builders);
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

void algorithms::frame(Schedule& schedule, std::uint32_t chunks, std::uint32_t scratch_chunks, std::uint32_t semaphores,
    std::uint32_t threads)
{
    schedule.chunks = chunks;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        RankPlan& plan = schedule.ranks[rank];
        const bool from_root = schedule.op == CollectiveOp::broadcast || schedule.op == CollectiveOp::scatter;
        const bool to_root = schedule.op == CollectiveOp::reduce || schedule.op == CollectiveOp::gather;
        const bool root = rank == schedule.root;
        plan.input_chunks = !from_root || root ? schedule.message_chunks(rank, Buffer::input) : 0;
        plan.output_chunks = !to_root || root ? schedule.message_chunks(rank, Buffer::output) : 0;
        plan.scratch_chunks = scratch_chunks;
        plan.semaphores = semaphores;
        plan.threads.resize(threads);
    }
}

std::vector<std::string> algorithm_names(CollectiveOp op)
{
    std::vector<std::string> names;
    for (const Entry& entry : entries)
        if (entry.info.op == op) names.emplace_back(entry.info.name);
    return names;
}

const AlgorithmInfo* algorithm_info(CollectiveOp op, const std::string& algorithm)
{
    const Entry* entry = entry_of(op, algorithm);
    return entry == nullptr ? nullptr : &entry->info;
}

bool has_root(CollectiveOp op)
{
    return op == CollectiveOp::broadcast || op == CollectiveOp::reduce || op == CollectiveOp::gather ||
        op == CollectiveOp::scatter;
}

bool has_reduction(CollectiveOp op)
{
    return op == CollectiveOp::all_reduce || op == CollectiveOp::reduce_scatter || op == CollectiveOp::reduce;
}

OptionUse option_use(CollectiveOp op, const std::string& algorithm)
{
    const Entry* entry = entry_of(op, algorithm);
    if (entry == nullptr) return {};
    return {algorithm == "rings", contains(pipelined, entry->build),
        algorithm == "hierarchical" || algorithm == "multi_dim" || algorithm == "nvls_tree"};
}

Schedule make_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options)
{
    const std::vector<std::string> names = algorithm_names(op);
    const Entry* chosen = entry_of(op, algorithm);
    if (!chosen) {
        const std::string nearest = nearest_name(algorithm, names);
        const std::string known =
            names.empty() ? "a collective with an algorithm" : fmt::format("{}", fmt::join(names, ", "));
        throw InputError("", 0, fmt::format("{} has no algorithm '{}'", name_of(op), algorithm),
            nearest.empty() ? known : fmt::format("{} (did you mean '{}'?)", known, nearest));
    }
    check_range("number of ranks", ranks, 1, most_ranks);
    check_range("number of channels", options.channels, 1, 256);
    check_range("pipeline depth", options.pipeline, 1, most_pipeline);
    check_range("number of rings", options.rings, 0, most_rings);
    check_range("number of ring orders", static_cast<std::uint32_t>(options.orders.size()), 0, most_rings);
    const ChunkScheduling& scheduling = options.scheduling;
    check_range("number of chunks", scheduling.chunks, 1, most_dimension_chunks);
    check_range("number of streams", scheduling.streams, 1, most_dimension_streams);
    if (has_root(op)) check_range("root", options.root, 0, ranks - 1);

    Schedule schedule;
    schedule.name = algorithm;
    schedule.op = op;
    schedule.reduction = options.reduction;
    schedule.root = has_root(op) ? options.root : 0;
    schedule.ranks.resize(ranks);
    if (ranks == 1)
        copy_locally(schedule, options);
    else
        chosen->build(schedule, options);
    return schedule;
}

bool channels_alike(const std::string& algorithm, CollectiveOp op)
{
    const Entry* entry = entry_of(op, algorithm);
    return entry != nullptr && contains(alike, entry->build);
}

Schedule make_held_schedule(const std::string& algorithm, CollectiveOp op, std::uint32_t ranks,
    const AlgorithmOptions& options)
{
    if (ranks == 1 || !channels_alike(algorithm, op)) return make_schedule(algorithm, op, ranks, options);
    check_range("number of channels", options.channels, 1, 256);
    AlgorithmOptions one = options;
    one.channels = 1;
    Schedule schedule = make_schedule(algorithm, op, ranks, one);
    schedule.channels = options.channels;
    return schedule;
}

}  // namespace weft
