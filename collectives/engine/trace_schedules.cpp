#include "collectives/engine/trace_schedules.h"

#include <algorithm>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

using chakra::CollectiveType;

CollectiveOp op_of(CollectiveType type)
{
    switch (type) {
    case CollectiveType::all_reduce: return CollectiveOp::all_reduce;
    case CollectiveType::reduce: return CollectiveOp::reduce;
    case CollectiveType::all_gather: return CollectiveOp::all_gather;
    case CollectiveType::gather: return CollectiveOp::gather;
    case CollectiveType::scatter: return CollectiveOp::scatter;
    case CollectiveType::broadcast: return CollectiveOp::broadcast;
    case CollectiveType::all_to_all: return CollectiveOp::all_to_all;
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block: return CollectiveOp::reduce_scatter;
    case CollectiveType::barrier: return CollectiveOp::barrier;
    }
    return CollectiveOp::custom;
}

ElementType element_for(std::uint64_t bytes) { return bytes % 4 == 0 ? ElementType::fp32 : ElementType::u8; }

namespace {

std::shared_ptr<const Schedule> transfer_schedule(std::uint32_t channels)
{
    auto schedule = std::make_shared<Schedule>();
    schedule->name = "put";
    schedule->op = CollectiveOp::send_receive;
    schedule->chunks = 1;
    schedule->ranks.resize(2);
    schedule->ranks[0].input_chunks = 1;
    schedule->ranks[1].output_chunks = 1;
    schedule->ranks[1].semaphores = channels;
    for (std::uint32_t c = 0; c < channels; ++c) {
        Step put = move_step({{0, Buffer::input, 0, 1}}, {{1, Buffer::output, 0, 1}});
        put.part = c;
        put.parts = channels;
        schedule->ranks[0].threads.push_back({{put, signal_step(1, c)}});
        schedule->ranks[1].threads.push_back({{wait_step(0, c)}});
    }
    return schedule;
}

}  // namespace

TraceSchedules::TraceSchedules(std::string algorithm) : algorithm_(std::move(algorithm)) {}

std::shared_ptr<const Schedule> TraceSchedules::get(CollectiveOp op, std::uint32_t ranks, std::uint32_t channels)
{
    std::shared_ptr<const Schedule>& schedule = made_[{op, ranks, channels}];
    if (schedule) return schedule;
    if (op == CollectiveOp::send_receive) {
        schedule = transfer_schedule(channels);
        return schedule;
    }
    const std::vector<std::string> names = algorithm_names(op);
    const bool wanted = std::find(names.begin(), names.end(), algorithm_) != names.end();
    AlgorithmOptions options;
    options.channels = channels;
    schedule = std::make_shared<Schedule>(make_schedule(wanted ? algorithm_ : names.front(), op, ranks, options));
    return schedule;
}

}  // namespace weft
