#include "collectives/engine/traces/trace_schedules.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/schedule/algorithms/dimension_plan.h"

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

TraceSchedules::TraceSchedules(std::string algorithm, AlgorithmOptions options)
    : algorithm_(std::move(algorithm)), options_(std::move(options)),
      ledger_(static_cast<std::uint32_t>(options_.dimensions.size()))
{
}

std::shared_ptr<const Schedule> TraceSchedules::transfer(std::uint32_t channels)
{
    std::shared_ptr<const Schedule>& schedule = transfers_[channels];
    if (!schedule) schedule = transfer_schedule(channels);
    return schedule;
}

TraceSchedules::Collective TraceSchedules::collective(CollectiveOp op, const std::vector<std::uint32_t>& members,
    std::uint64_t bytes, std::uint32_t channels, DimensionLedger::Time now)
{
    std::vector<GroupAxis> axes;
    if (!options_.dimensions.empty()) axes = grid_of(members, options_.dimensions).value_or(axes);
    const bool online = options_.scheduling.order == DimensionOrder::online_greedy && algorithm_ == "multi_dim" &&
        algorithm_info(op, algorithm_) != nullptr;
    if (online && !axes.empty() && bytes > 0) return beside_others(op, members, axes, bytes, channels, now);
    return {made(op, static_cast<std::uint32_t>(members.size()), channels, axes), {}};
}

AlgorithmOptions TraceSchedules::options_over(const std::vector<GroupAxis>& axes, std::uint32_t channels) const
{
    AlgorithmOptions options = options_;
    options.channels = channels;
    options.dimensions.clear();
    for (const GroupAxis& axis : axes) {
        options.dimensions.push_back(options_.dimensions[axis.dimension]);
        options.dimensions.back().size = axis.size;
    }
    return options;
}

std::shared_ptr<const Schedule> TraceSchedules::made(CollectiveOp op, std::uint32_t ranks, std::uint32_t channels,
    const std::vector<GroupAxis>& axes)
{
    Key key{op, ranks, channels, {}};
    for (const GroupAxis& axis : axes) std::get<3>(key).emplace_back(axis.dimension, axis.size);
    std::shared_ptr<const Schedule>& schedule = made_[key];
    if (schedule) return schedule;
    const std::vector<std::string> names = algorithm_names(op);
    const bool wanted = std::find(names.begin(), names.end(), algorithm_) != names.end();
    schedule = std::make_shared<Schedule>(
        make_schedule(wanted ? algorithm_ : names.front(), op, ranks, options_over(axes, channels)));
    return schedule;
}

std::vector<std::string> TraceSchedules::notices() const
{
    if (algorithm_.empty()) return {};
    std::map<CollectiveOp, bool> has;
    for (const auto& [key, schedule] : made_)
        has[std::get<0>(key)] = algorithm_info(std::get<0>(key), algorithm_) != nullptr;
    std::vector<std::string> others;
    for (const auto& [op, known] : has)
        if (!known) others.push_back(fmt::format("{} by {}", name_of(op), algorithm_names(op).front()));
    if (others.empty()) return {};
    return {fmt::format("{}: no such algorithm for {} of this trace; run: {}", algorithm_,
        others.size() == has.size() ? "any collective" : "some collectives", fmt::join(others, ", "))};
}

TraceSchedules::Collective TraceSchedules::beside_others(CollectiveOp op, const std::vector<std::uint32_t>& members,
    const std::vector<GroupAxis>& axes, std::uint64_t bytes, std::uint32_t channels, DimensionLedger::Time now)
{
    const auto ranks = static_cast<std::uint32_t>(members.size());
    AlgorithmOptions options = options_over(axes, channels);
    const double ps = ps_of_cost(options.dimensions, options.scheduling.chunks, bytes);
    const std::vector<DimensionLedger::Time> before = ledger_.outstanding(members, now);
    bool alone = true;
    for (const GroupAxis& axis : axes) {
        options.scheduling.outstanding.push_back(
            static_cast<std::uint64_t>(static_cast<double>(before[axis.dimension]) / ps));
        alone = alone && options.scheduling.outstanding.back() == 0;
    }
    const DimensionPlan plan = planned_axes(op, ranks, options).plan;
    std::vector<DimensionLedger::Work> work;
    const auto at = [&](std::uint64_t time) {
        return now + static_cast<std::uint64_t>(static_cast<double>(time) * ps);
    };
    for (const DimensionOperation& operation : plan.operations)
        work.push_back({axes[operation.dimension].dimension, at(operation.start), at(operation.end)});
    Collective out;
    out.schedule = alone ? made(op, ranks, channels, axes)
                         : std::make_shared<Schedule>(make_schedule(algorithm_, op, ranks, options));
    out.entry = ledger_.open(members, std::move(work));
    return out;
}

}  // namespace weft
