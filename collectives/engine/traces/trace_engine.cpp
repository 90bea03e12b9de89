#include "collectives/engine/traces/trace_engine.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/engine/traces/chunk_scheduling.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/kernels/systolic.h"

namespace weft {

using chakra::Node;
using chakra::NodeType;
using chakra::Resource;

namespace {

constexpr std::size_t most_blocked = 32;                             // lines of a stall report
constexpr std::uint64_t most_of_a_product = std::uint64_t{1} << 31;  // of M, N, K and the number of them

AlgorithmOptions options_of(const EngineSpec& spec, const std::vector<Dimension>& dimensions)
{
    AlgorithmOptions options;
    options.dimensions = dimensions;
    options.scheduling = scheduling_of(spec);
    return options;
}

}  // namespace

TraceEngine::TraceEngine(Executor& executor, const chakra::TraceSet& set, chakra::Verdict verdict,
    const EngineSpec& spec, TraceRequest request)
    : executor_(executor), set_(set), verdict_(std::move(verdict)), spec_(spec), request_(std::move(request)),
      in_flight_(set.ranks()), running_(set.ranks()), breakdowns_(set.ranks()), pumping_(set.ranks(), false),
      pump_again_(set.ranks(), false), schedules_(request_.algorithm, options_of(spec, request_.dimensions)),
      came_(set.ranks()), extra_(set.ranks(), 0), last_end_(set.ranks(), 0), operations_(set.ranks())
{
    const auto order = spec.collective_order;
    using Rule = CommunicationOrder::Rule;
    if (order != CollectiveOrder::fifo)
        order_.emplace(order == CollectiveOrder::lifo ? Rule::lifo : Rule::priority, set.ranks(),
            spec.communication_in_flight);
    for (std::uint32_t rank = 0; rank < set.ranks(); ++rank)
        feeders_.push_back(chakra::make_feeder(set_, verdict_, rank));
}

void TraceEngine::start()
{
    for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) pump(rank);
}

bool TraceEngine::finished() const
{
    return std::all_of(feeders_.begin(), feeders_.end(), [](const chakra::Feeder& feeder) { return feeder.done(); });
}

std::vector<Picoseconds> TraceEngine::finish_times() const
{
    std::vector<Picoseconds> out = last_end_;
    for (std::size_t rank = 0; rank < out.size(); ++rank)
        if (!feeders_[rank].done()) out[rank] = 0;
    return out;
}

bool TraceEngine::let_one_more_in()
{
    if (order_) return false;
    bool any = false;
    for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
        if (!feeders_[rank].is_ready(Resource::communication)) continue;
        ++extra_[rank];
        any = exceeded_ = true;
        collectives_wait_ = collectives_wait_ || waits_in_collective();
        pump(rank);
    }
    return any;
}

bool TraceEngine::waits_in_collective() const
{
    return std::any_of(groups_.begin(), groups_.end(), [](const auto& by_number) {
        return std::any_of(by_number.second.begin(), by_number.second.end(),
            [](const auto& by_members) { return !by_members.second.open.empty(); });
    });
}

std::vector<std::string> TraceEngine::notices() const
{
    std::vector<std::string> out = schedules_.notices();
    if (exceeded_ && !collectives_wait_)
        out.push_back(fmt::format("no rank could go on: some sends and memory nodes were started beyond "
                                  "engine.communication_in_flight = {}",
            spec_.communication_in_flight));
    if (exceeded_ && collectives_wait_)
        out.push_back(fmt::format("ranks waited for each other's collectives in a cycle: some collectives were "
                                  "started beyond engine.communication_in_flight = {}",
            spec_.communication_in_flight));
    return out;
}

chakra::ResourceMask TraceEngine::allowed(std::uint32_t rank) const
{
    const auto& used = in_flight_[rank];
    const auto has_room = [&](Resource resource, std::uint64_t limit) {
        return used[static_cast<unsigned>(resource)] < limit ? chakra::mask_of(resource) : chakra::ResourceMask{0};
    };
    return static_cast<chakra::ResourceMask>(chakra::mask_of(Resource::none) | chakra::mask_of(Resource::receive) |
        has_room(Resource::cpu, 1) | has_room(Resource::compute, spec_.compute_in_flight) |
        (order_ ? chakra::mask_of(Resource::communication)
                : has_room(Resource::communication, spec_.communication_in_flight + extra_[rank])));
}

// Starts what can start. Nodes that finish at once make others free: loop, not recursion.
void TraceEngine::pump(std::uint32_t rank)
{
    if (pumping_[rank]) {
        pump_again_[rank] = true;
        return;
    }
    pumping_[rank] = true;
    do {
        pump_again_[rank] = false;
        Node node;
        while (feeders_[rank].next(node, allowed(rank))) {
            if (order_ && chakra::resource_of(node) == Resource::communication) {
                on_node(rank, std::move(node));
            } else {
                begin(rank, std::move(node));
            }
        }
    } while (pump_again_[rank]);
    pumping_[rank] = false;
}

// A figure of a node that must not be too large to count with.
std::uint64_t TraceEngine::in_range(std::uint32_t rank, const Node& node,
    const std::function<std::uint64_t()>& figure) const
{
    try {
        return figure();
    } catch (const std::overflow_error& error) {
        throw InputError(set_.file(rank), node.line, chakra::label_of(node) + ": " + error.what(), "less");
    }
}

// Adds file, line and name of the node to what an executor refuses.
void TraceEngine::at_node(std::uint32_t rank, const Node& node, const std::function<void()>& act) const
{
    try {
        act();
    } catch (const InputError& error) {
        const Diagnostic& first = error.diagnostics().front();
        if (first.line > 0) throw;
        throw InputError(set_.file(rank), node.line, chakra::label_of(node) + ": " + first.what, first.expected);
    }
}

bool TraceEngine::follows_roofline(const Node& node) const
{
    return node.num_ops && node.tensor_size && !node.on_cpu &&
        (node.duration_ps == 0 || spec_.compute_time == ComputeTime::roofline);
}

bool TraceEngine::on_arrays(std::uint32_t rank, const Node& node) const
{
    const GpuSpec& units = executor_.compute_units(request_.members[rank]);
    return units.compute_model != ComputeModel::roofline && node.product.stated();
}

// Cycles of systolic arrays, or as long as the memory needs if that is longer.
Picoseconds TraceEngine::array_time(const GpuSpec& units, const Node& node, double memory_rate) const
{
    SystolicArray array;
    array.rows = units.array_rows;
    array.columns = units.array_columns;
    array.arrays = units.arrays;
    const auto model = units.compute_model;
    array.dataflow = model == ComputeModel::output_stationary ? Dataflow::output_stationary
        : model == ComputeModel::weight_stationary            ? Dataflow::weight_stationary
                                                              : Dataflow::input_stationary;
    const chakra::MatrixProduct& product = node.product;
    for (const std::uint64_t size : {product.m, product.n, product.k, product.count})
        if (size > most_of_a_product) throw std::overflow_error("a product of matrices beyond 2^31 in one direction");
    __extension__ typedef unsigned __int128 Wide;
    constexpr std::uint64_t ps_per_s = 1'000'000'000'000;
    const SystolicCycles cycles = systolic_cycles(array, product.m, product.n, product.k, product.count);
    const Wide time = (Wide{cycles.total + 1} * ps_per_s + units.array_clock - 1) / units.array_clock;
    const double memory = static_cast<double>(*node.tensor_size) / memory_rate * 1e12;
    if (time > Wide{1} << 62 || memory > 4e18) throw std::overflow_error("compute time beyond 2^62 ps");
    return std::max(static_cast<Picoseconds>(time), static_cast<Picoseconds>(memory));
}

Picoseconds TraceEngine::compute_time(std::uint32_t rank, const Node& node) const
{
    if (!follows_roofline(node)) return chakra::recorded_time_ps(node);
    const std::uint32_t endpoint = request_.members[rank];
    if (on_arrays(rank, node))
        return in_range(rank, node,
            [&] { return array_time(executor_.compute_units(endpoint), node, executor_.memory_rate(endpoint)); });
    return in_range(rank, node, [&] {
        return chakra::roofline_time_ps(*node.num_ops, *node.tensor_size, executor_.peak_flops(endpoint),
            executor_.memory_rate(endpoint));
    });
}

void TraceEngine::set_doing(std::uint32_t rank, std::uint64_t node, Doing doing)
{
    const auto found = running_[rank].find(node);
    if (found == running_[rank].end()) return;
    if (found->second.doing) breakdowns_[rank].end(*found->second.doing, executor_.now());
    found->second.doing = doing;
    breakdowns_[rank].begin(doing, executor_.now());
}

void TraceEngine::on_node(std::uint32_t rank, Node node)
{
    if (node.type == NodeType::coll) {
        const chakra::GroupTable& groups = verdict_.groups[rank];
        const bool prior = spec_.collective_order == CollectiveOrder::priority;
        order_->add(rank, node.id, *groups.members(node),
            {static_cast<std::uint64_t>(*node.comm_type), node.comm_size.value_or(0), prior ? node.priority : 0,
                *groups.number_of(node)});
    } else {
        order_->add(rank, node.id);
        // Sends are matched in the order of issue, whichever starts first.
        if (node.type == NodeType::send) issued_[{rank, node.id}] = pairs_[pair_of(rank, node)].sends++;
    }
    const std::uint64_t id = node.id;
    came_[rank].emplace(id, std::move(node));
    agree_soon();
}

// Behind what else comes or ends at this instant.
void TraceEngine::agree_soon()
{
    if (agreeing_) return;
    agreeing_ = true;
    executor_.wait(request_.members.front(), 0, [this] { agree(); });
}

void TraceEngine::agree()
{
    agreeing_ = false;
    for (const CommunicationOrder::Start& start : order_->start())
        begin(start.rank, std::move(came_[start.rank].extract(start.node).mapped()));
}

void TraceEngine::begin(std::uint32_t rank, Node node)
{
    const std::uint64_t id = node.id;
    ++in_flight_[rank][static_cast<unsigned>(chakra::resource_of(node))];
    const std::size_t record = log_ == nullptr ? NodeLog::none : logged(rank, node);
    const Node& started = running_[rank].emplace(id, Started{std::move(node), {}, record}).first->second.node;
    switch (started.type) {
    case NodeType::invalid:
    case NodeType::metadata: end(rank, id); break;
    case NodeType::comp: begin_compute(rank, started); break;
    case NodeType::mem_load:
    case NodeType::mem_store:
        if (started.tensor_size.value_or(0) == 0) {
            end(rank, id);
        } else {
            set_doing(rank, id, Doing::memory);
            at_node(rank, started, [&] {
                executor_.access_memory(request_.members[rank], home_of(rank, started), *started.tensor_size,
                    started.type == NodeType::mem_store, [this, rank, id] { end(rank, id); });
            });
        }
        break;
    case NodeType::send:
    case NodeType::recv: begin_transfer(rank, started); break;
    case NodeType::coll:
        if (chakra::is_launcher(started)) {
            set_doing(rank, id, Doing::cpu);
            at_node(rank, started, [&] {
                executor_.wait(request_.members[rank], chakra::recorded_time_ps(started),
                    [this, rank, id] { end(rank, id); });
            });
        } else {
            begin_collective(rank, started);
        }
        break;
    }
}

std::uint32_t TraceEngine::home_of(std::uint32_t rank, const Node& node) const
{
    const std::vector<std::uint32_t>& memories = request_.memories;
    if (memories.empty()) return request_.members[rank];
    const std::uint64_t number = node.location.value_or(rank % memories.size());
    if (number >= memories.size())
        throw InputError(set_.file(rank), node.line,
            fmt::format("{}: tensor_loc is {}, but the system has {} memories", chakra::label_of(node), number,
                memories.size()),
            fmt::format("0 to {}", memories.size() - 1));
    return memories[number];
}

bool TraceEngine::moves_its_bytes(std::uint32_t rank, const Node& node) const
{
    return spec_.compute == ComputeMode::kernel && follows_roofline(node) && !on_arrays(rank, node);
}

void TraceEngine::begin_compute(std::uint32_t rank, const Node& node)
{
    const auto done = [this, rank, id = node.id] { end(rank, id); };
    const Picoseconds time = compute_time(rank, node);
    if (time == 0) {
        done();
        return;
    }
    set_doing(rank, node.id, node.on_cpu ? Doing::cpu : Doing::compute);
    if (node.on_cpu || spec_.compute == ComputeMode::time) {
        at_node(rank, node, [&] { executor_.wait(request_.members[rank], time, done); });
        return;
    }
    KernelWork work;
    work.workgroups = spec_.compute_workgroups;
    if (moves_its_bytes(rank, node)) {
        work.operations = *node.num_ops;
        work.bytes = *node.tensor_size;
    } else {
        work.duration = time;
    }
    at_node(rank, node, [&] { executor_.run_kernel(request_.members[rank], work, done); });
}

void TraceEngine::end(std::uint32_t rank, std::uint64_t id)
{
    const auto node = running_[rank].find(id);
    const Resource resource = chakra::resource_of(node->second.node);
    --in_flight_[rank][static_cast<unsigned>(resource)];
    if (node->second.doing) breakdowns_[rank].end(*node->second.doing, executor_.now());
    const std::size_t record = node->second.record;
    const std::size_t outer = releasing_;
    if (log_ != nullptr) {
        log_->end(record, executor_.now());
        last_ended_ = releasing_ = record;
    }
    if (resource == Resource::compute) {
        const Node& done = node->second.node;
        operations_[rank].done += static_cast<double>(done.num_ops.value_or(0));
        operations_[rank].not_stated += done.num_ops ? 0 : 1;
        const bool of_nothing = done.num_ops.value_or(1) == 0 && done.tensor_size.value_or(1) == 0;
        operations_[rank].only_timed += of_nothing || moves_its_bytes(rank, done) ? 0 : 1;
        ++operations_[rank].nodes;
        if (follows_roofline(done))
            ++(on_arrays(rank, done) ? operations_[rank].products : operations_[rank].rooflines);
    }
    running_[rank].erase(node);
    if (resource == Resource::communication) {
        if (extra_[rank] > 0) --extra_[rank];
        if (order_) {
            order_->release(rank);
            agree_soon();
        }
    }
    feeders_[rank].finish(id);
    ++nodes_finished_;
    last_end_[rank] = executor_.now();
    if (feeders_[rank].done()) breakdowns_[rank].finish(executor_.now());
    pump(rank);
    releasing_ = outer;
}

}  // namespace weft
