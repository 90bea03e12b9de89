#include "collectives/schedule/algorithms/dimension_plan.h"

#include <cmath>
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr double most_slower = 1e6;                       // than the fastest dimension
constexpr std::uint64_t rate_if_unknown = 1'000'000'000;  // bytes/s

using Sequence = std::vector<std::uint32_t>;
using Loads = std::vector<std::uint64_t>;

class Costs {
public:
    Costs(CollectiveOp op, const std::vector<PlannedDimension>& dimensions) : op_(op), dimensions_(dimensions)
    {
        for (const PlannedDimension& dimension : dimensions) units_ *= dimension.size;
    }

    // Of one phase in the dimension at `place` of the order.
    std::uint64_t of(const Sequence& order, std::size_t place) const
    {
        std::uint64_t before = 1;
        for (std::size_t i = 0; i < place; ++i) before *= dimensions_[order[i]].size;
        const PlannedDimension& dimension = dimensions_[order[place]];
        return units_ / (before * dimension.size) * (dimension.size - 1) * dimension.cost;
    }

    std::uint64_t phases() const { return op_ == CollectiveOp::all_reduce ? 2 : 1; }

    void add(const Sequence& order, Loads& loads) const
    {
        for (std::size_t place = 0; place < order.size(); ++place) loads[order[place]] += phases() * of(order, place);
    }

    // The order whose loads on top of `loads` have the smallest maximum, then sum; of equals the first.
    Sequence best(const Loads& loads) const
    {
        Sequence order(dimensions_.size());
        std::iota(order.begin(), order.end(), 0U);
        Sequence best;
        std::pair<std::uint64_t, std::uint64_t> least;
        do {
            Loads with = loads;
            add(order, with);
            const std::pair<std::uint64_t, std::uint64_t> found{*std::max_element(with.begin(), with.end()),
                std::accumulate(with.begin(), with.end(), std::uint64_t{0})};
            if (!best.empty() && found >= least) continue;
            best = order;
            least = found;
        } while (std::next_permutation(order.begin(), order.end()));
        return best;
    }

private:
    CollectiveOp op_;
    const std::vector<PlannedDimension>& dimensions_;
    std::uint64_t units_ = 1;
};

// The model, played through.
class Play {
public:
    Play(CollectiveOp op, const std::vector<PlannedDimension>& dimensions, const ChunkScheduling& scheduling,
        const Loads& outstanding)
        : op_(op), scheduling_(scheduling), costs_(op, dimensions), queues_(dimensions.size()),
          running_(dimensions.size()), outstanding_(dimensions.size(), 0)
    {
        plan_.loads.assign(dimensions.size(), 0);
        if (outstanding.empty()) return;
        outstanding_ = outstanding;
        for (std::size_t d = 0; d < running_.size(); ++d)
            if (outstanding[d] > 0) running_[d] = {true, outstanding[d], outstanding[d], {}};
    }

    DimensionPlan run()
    {
        if (scheduling_.order == DimensionOrder::online_greedy) {
            begin_where_none_waits();
        } else {
            while (plan_.orders.size() < scheduling_.chunks) begin_chunk();
        }
        start(0);
        for (const Running* next = soonest(); next != nullptr; next = soonest()) {
            const std::uint64_t now = next->end;
            for (std::size_t d = 0; d < running_.size(); ++d)
                if (running_[d].busy && running_[d].end == now) finish(d, now);
            if (scheduling_.order == DimensionOrder::online_greedy) begin_where_none_waits();
            start(now);
        }
        std::stable_sort(plan_.operations.begin(), plan_.operations.end(),
            [](const DimensionOperation& a, const DimensionOperation& b) { return a.start < b.start; });
        return std::move(plan_);
    }

private:
    struct Waiting {
        std::uint32_t chunk = 0;
        std::uint32_t stage = 0;  // dimensions of the order, and then back
        std::uint64_t load = 0;
    };
    struct Running {
        bool busy = false;
        std::uint64_t end = 0;
        std::uint64_t load = 0;
        std::optional<Waiting> operation;  // absent: work of others
    };

    Sequence next_order() const
    {
        Sequence order(queues_.size());
        std::iota(order.begin(), order.end(), 0U);
        const auto chunk = static_cast<std::ptrdiff_t>(plan_.orders.size());
        switch (scheduling_.order) {
        case DimensionOrder::fixed: break;
        case DimensionOrder::round_robin:
            std::rotate(order.begin(), order.begin() + chunk % static_cast<std::ptrdiff_t>(order.size()), order.end());
            break;
        case DimensionOrder::offline_greedy: return costs_.best(plan_.loads);
        case DimensionOrder::online_greedy: return costs_.best(outstanding_);
        }
        return order;
    }

    void begin_chunk()
    {
        Sequence order = next_order();
        costs_.add(order, plan_.loads);
        costs_.add(order, outstanding_);
        plan_.orders.push_back(std::move(order));
        enqueue(static_cast<std::uint32_t>(plan_.orders.size() - 1), 0);
    }

    // A chunk for each dimension that nothing waits for.
    void begin_where_none_waits()
    {
        for (std::size_t d = 0; d < queues_.size() && plan_.orders.size() < scheduling_.chunks; ++d)
            if (queues_[d].empty()) begin_chunk();
    }

    std::size_t place_of(std::uint32_t stage) const
    {
        const std::size_t dimensions = queues_.size();
        if (op_ == CollectiveOp::all_gather) return dimensions - 1 - stage;
        return stage < dimensions ? stage : 2 * dimensions - 1 - stage;
    }
    bool gathers(std::uint32_t stage) const { return op_ == CollectiveOp::all_gather || stage >= queues_.size(); }

    void enqueue(std::uint32_t chunk, std::uint32_t stage)
    {
        if (stage == costs_.phases() * queues_.size()) return;
        const Sequence& order = plan_.orders[chunk];
        const std::size_t place = place_of(stage);
        queues_[order[place]].push_back({chunk, stage, costs_.of(order, place)});
    }

    void finish(std::size_t dimension, std::uint64_t now)
    {
        Running& running = running_[dimension];
        running.busy = false;
        outstanding_[dimension] -= running.load;
        if (!running.operation) return;
        plan_.end = std::max(plan_.end, now);
        enqueue(running.operation->chunk, running.operation->stage + 1);
    }

    void start(std::uint64_t now)
    {
        for (std::size_t d = 0; d < queues_.size(); ++d) {
            std::deque<Waiting>& queue = queues_[d];
            if (running_[d].busy || queue.empty()) continue;
            auto chosen = queue.begin();
            if (scheduling_.queue == DimensionQueue::smallest_first)
                chosen = std::min_element(queue.begin(), queue.end(),
                    [](const Waiting& a, const Waiting& b) { return a.load < b.load; });
            const Waiting operation = *chosen;
            queue.erase(chosen);
            running_[d] = {true, now + operation.load, operation.load, operation};
            plan_.operations.push_back(
                {operation.chunk, static_cast<std::uint32_t>(d), gathers(operation.stage), now, now + operation.load});
        }
    }

    const Running* soonest() const
    {
        const Running* out = nullptr;
        for (const Running& running : running_)
            if (running.busy && (out == nullptr || running.end < out->end)) out = &running;
        return out;
    }

    CollectiveOp op_;
    const ChunkScheduling& scheduling_;
    Costs costs_;
    std::vector<std::deque<Waiting>> queues_;  // by dimension
    std::vector<Running> running_;
    Loads outstanding_;
    DimensionPlan plan_;
};

std::uint64_t highest_rate(const std::vector<Dimension>& dimensions)
{
    std::uint64_t highest = 0;
    for (const Dimension& dimension : dimensions) highest = std::max(highest, dimension.rate);
    return highest;
}

}  // namespace

DimensionPlan plan_dimensions(CollectiveOp op, const std::vector<PlannedDimension>& dimensions,
    const ChunkScheduling& scheduling, const std::vector<std::uint64_t>& outstanding)
{
    const bool online = scheduling.order == DimensionOrder::online_greedy;
    const Loads before = online ? outstanding : Loads{};
    DimensionPlan plan = Play(op, dimensions, scheduling, before).run();
    if (!online && scheduling.order != DimensionOrder::offline_greedy) return plan;
    ChunkScheduling fixed = scheduling;
    fixed.order = DimensionOrder::fixed;
    DimensionPlan plain = Play(op, dimensions, fixed, before).run();
    return plan.end < plain.end ? plan : plain;
}

PlannedAxes planned_axes(CollectiveOp op, std::uint32_t ranks, const AlgorithmOptions& options)
{
    PlannedAxes out;
    std::vector<PlannedDimension> planned;
    Loads outstanding;
    const std::vector<Dimension> all = dimensions_of(options, ranks);
    const std::uint64_t highest = highest_rate(all);
    for (std::size_t d = 0; d < all.size(); ++d) {
        if (all[d].size == 1) continue;
        out.dimensions.push_back(all[d]);
        const double slower = all[d].rate == 0 ? 1.0 : static_cast<double>(highest) / static_cast<double>(all[d].rate);
        planned.push_back(
            {all[d].size, static_cast<std::uint64_t>(std::llround(std::min(slower, most_slower) * unit_cost))});
        if (d < options.scheduling.outstanding.size()) outstanding.push_back(options.scheduling.outstanding[d]);
    }
    if (planned.size() > most_planned_dimensions)
        throw InputError("", 0, fmt::format("{} dimensions for multi_dim", planned.size()),
            fmt::format("at most {}", most_planned_dimensions));
    outstanding.resize(planned.size(), 0);
    out.plan = plan_dimensions(op, planned, options.scheduling, outstanding);
    return out;
}

double ps_of_cost(const std::vector<Dimension>& dimensions, std::uint32_t chunks, std::uint64_t bytes)
{
    double units = static_cast<double>(chunks) * unit_cost;
    for (const Dimension& dimension : dimensions) units *= dimension.size;
    const std::uint64_t highest = highest_rate(dimensions);
    return static_cast<double>(bytes) / units * 1e12 / static_cast<double>(highest == 0 ? rate_if_unknown : highest);
}

}  // namespace weft
