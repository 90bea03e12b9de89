#include "collectives/engine/trace_engine.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using chakra::Resource;

namespace {

constexpr std::size_t most_blocked = 32;  // lines of a stall report

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

// One put from position 0 to position 1, in `channels` parts, each with a flag of its own.
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

TraceEngine::TraceEngine(Executor& executor, const chakra::TraceSet& set, chakra::Verdict verdict,
    const EngineSpec& spec, TraceRequest request)
    : executor_(executor), set_(set), verdict_(std::move(verdict)), spec_(spec), request_(std::move(request)),
      in_flight_(set.ranks()), running_(set.ranks()), pumping_(set.ranks(), false), pump_again_(set.ranks(), false),
      finish_(set.ranks(), 0)
{
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

bool TraceEngine::look_further()
{
    bool any = false;
    for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) any = feeders_[rank].look_further() || any;
    if (any)
        for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) pump(rank);
    return any;
}

chakra::ResourceMask TraceEngine::allowed(std::uint32_t rank) const
{
    const auto& used = in_flight_[rank];
    const auto has_room = [&](Resource resource, std::uint64_t limit) {
        return used[static_cast<unsigned>(resource)] < limit ? chakra::mask_of(resource) : chakra::ResourceMask{0};
    };
    return static_cast<chakra::ResourceMask>(chakra::mask_of(Resource::none) | chakra::mask_of(Resource::receive) |
                                             has_room(Resource::cpu, 1) |
                                             has_room(Resource::compute, spec_.compute_in_flight) |
                                             has_room(Resource::communication, spec_.communication_in_flight));
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
        while (feeders_[rank].next(node, allowed(rank))) begin(rank, std::move(node));
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

Picoseconds TraceEngine::compute_time(std::uint32_t rank, const Node& node) const
{
    const bool known = node.num_ops && node.tensor_size && !node.on_cpu;
    if (!known || (node.duration_ps > 0 && !request_.roofline)) return chakra::recorded_time_ps(node);
    const std::uint32_t endpoint = request_.members[rank];
    return in_range(rank, node, [&] {
        return chakra::roofline_time_ps(*node.num_ops, *node.tensor_size, executor_.peak_flops(endpoint),
            executor_.memory_rate(endpoint));
    });
}

void TraceEngine::begin(std::uint32_t rank, Node node)
{
    const std::uint64_t id = node.id;
    ++in_flight_[rank][static_cast<unsigned>(chakra::resource_of(node))];
    const Node& started = running_[rank].emplace(id, std::move(node)).first->second;
    const auto done = [this, rank, id] { end(rank, id); };
    switch (started.type) {
    case NodeType::invalid:
    case NodeType::metadata: end(rank, id); break;
    case NodeType::comp: {
        const Picoseconds time = compute_time(rank, started);
        if (time == 0) {
            end(rank, id);
        } else {
            executor_.wait(time, done);
        }
        break;
    }
    case NodeType::mem_load:
    case NodeType::mem_store:
        if (started.tensor_size.value_or(0) == 0) {
            end(rank, id);
        } else {
            executor_.access_memory(request_.members[rank], *started.tensor_size,
                started.type == NodeType::mem_store, done);
        }
        break;
    case NodeType::send:
    case NodeType::recv: begin_transfer(rank, started); break;
    case NodeType::coll:
        if (chakra::is_launcher(started)) {
            executor_.wait(chakra::recorded_time_ps(started), done);
        } else {
            begin_collective(rank, started);
        }
        break;
    }
}

void TraceEngine::end(std::uint32_t rank, std::uint64_t id)
{
    const auto node = running_[rank].find(id);
    --in_flight_[rank][static_cast<unsigned>(chakra::resource_of(node->second))];
    running_[rank].erase(node);
    feeders_[rank].finish(id);
    ++nodes_finished_;
    finish_[rank] = executor_.now();
    pump(rank);
}

ElementType TraceEngine::element_for(std::uint64_t bytes)
{
    return bytes % 4 == 0 ? ElementType::fp32 : ElementType::u8;
}

std::shared_ptr<const Schedule> TraceEngine::schedule_for(CollectiveOp op, std::uint32_t ranks)
{
    std::shared_ptr<const Schedule>& schedule = schedules_[{op, ranks}];
    if (schedule) return schedule;
    if (op == CollectiveOp::send_receive) {
        schedule = transfer_schedule(static_cast<std::uint32_t>(spec_.channels));
        return schedule;
    }
    const std::vector<std::string> names = algorithm_names(op);
    const bool wanted = std::find(names.begin(), names.end(), request_.algorithm) != names.end();
    AlgorithmOptions options;
    options.channels = static_cast<std::uint32_t>(spec_.channels);
    schedule = std::make_shared<Schedule>(make_schedule(wanted ? request_.algorithm : names.front(), op, ranks, options));
    return schedule;
}

void TraceEngine::begin_collective(std::uint32_t rank, const Node& node)
{
    const GroupKey* members = verdict_.groups[rank].members(node.group);
    const auto position =
        static_cast<std::uint32_t>(std::find(members->begin(), members->end(), rank) - members->begin());
    Group& group = groups_[*members];
    if (group.issued.empty()) group.issued.assign(members->size(), 0);
    const std::uint64_t number = group.issued[position]++;
    const auto found = group.open.find(number);
    if (found == group.open.end()) {
        const auto ranks = static_cast<std::uint32_t>(members->size());
        Job job;
        const std::uint64_t size = node.comm_size.value_or(0);
        job.bytes =
            in_range(rank, node, [&] { return chakra::collective_bytes(*node.comm_type, size, ranks); });
        job.schedule = schedule_for(op_of(*node.comm_type), ranks);
        job.type = element_for(size);
        for (const std::uint32_t member : *members) job.members.push_back(request_.members[member]);
        job.name = node.name.empty() ? chakra::name_of(*node.comm_type) : chakra::printable(node.name, 60);
        Exchange exchange;
        exchange.bytes = size;
        exchange.type = *node.comm_type;
        exchange.here.assign(ranks, false);
        exchange.job = executor_.open(std::move(job));
        group.open.emplace(number, exchange);
    }
    Exchange& exchange = group.open[number];
    if (exchange.type != *node.comm_type || exchange.bytes != node.comm_size.value_or(0))
        throw InputError(set_.file(rank), node.line,
            fmt::format("{} of {} bytes is number {} of its group, where another rank issued {} of {} bytes",
                chakra::name_of(*node.comm_type), node.comm_size.value_or(0), number + 1,
                chakra::name_of(exchange.type), exchange.bytes),
            "the same sequence of collectives on every member");
    const Executor::JobId job = exchange.job;
    exchange.here[position] = true;
    if (++exchange.arrived == members->size()) group.open.erase(number);
    executor_.enter(job, position, [this, rank, id = node.id] { end(rank, id); });
}

void TraceEngine::begin_transfer(std::uint32_t rank, const Node& node)
{
    const bool sending = node.type == NodeType::send;
    const PairKey key{sending ? rank : *node.src, sending ? *node.dst : rank, node.tag.value_or(0)};
    Pair& pair = pairs_[key];
    const std::uint64_t number = sending ? pair.sends++ : pair.receives++;
    const auto found = pair.open.find(number);
    if (found == pair.open.end()) {
        Job job;
        job.bytes = node.comm_size.value_or(0);
        job.schedule = schedule_for(CollectiveOp::send_receive, 2);
        job.type = element_for(job.bytes);
        job.members = {request_.members[key.source], request_.members[key.destination]};
        job.name = fmt::format("transfer {} -> {} tag {}", key.source, key.destination, key.tag);
        job.reported = false;
        Exchange exchange;
        exchange.bytes = job.bytes;
        exchange.job = executor_.open(std::move(job));
        pair.open.emplace(number, exchange);
    }
    Exchange& exchange = pair.open[number];
    if (exchange.bytes != node.comm_size.value_or(0))
        throw InputError(set_.file(rank), node.line,
            fmt::format("{} bytes from rank {} to rank {} with tag {}, where the other side has {} bytes",
                node.comm_size.value_or(0), key.source, key.destination, key.tag, exchange.bytes),
            "the same size on both sides");
    const Executor::JobId job = exchange.job;
    if (++exchange.arrived == 2) pair.open.erase(number);
    executor_.enter(job, sending ? 0 : 1, [this, rank, id = node.id] { end(rank, id); });
}

std::vector<std::string> TraceEngine::blocked() const
{
    std::vector<std::string> out;
    for (std::uint32_t rank = 0; rank < set_.ranks() && out.size() < most_blocked; ++rank) {
        for (const auto& [id, node] : running_[rank]) {
            std::string line = fmt::format("rank {}: {} {}", rank, chakra::name_of(node.type), chakra::label_of(node));
            if (node.type == NodeType::recv) {
                line += fmt::format(" waits for a send from rank {} with tag {}", *node.src, node.tag.value_or(0));
            } else if (node.type == NodeType::coll) {
                line += fmt::format(" waits for the other ranks of group '{}'", node.group);
            }
            out.push_back(std::move(line));
        }
        for (const chakra::WaitingNode& waiting : feeders_[rank].waiting(4)) {
            std::string line = fmt::format("rank {}: {} node {} waits for node", rank, chakra::name_of(waiting.type),
                waiting.id);
            for (const std::uint64_t parent : waiting.parents) line += fmt::format(" {}", parent);
            out.push_back(std::move(line));
        }
    }
    for (const auto& [members, group] : groups_)
        for (const auto& [number, exchange] : group.open) {
            if (out.size() >= most_blocked) return out;
            std::string ranks[2];  // missing, waiting
            for (std::size_t position = 0; position < members.size(); ++position)
                ranks[exchange.here[position] ? 1 : 0] += fmt::format(" {}", members[position]);
            out.push_back(fmt::format("{} (number {} of its group): rank{} did not reach it, rank{} wait in it",
                chakra::name_of(exchange.type), number + 1, ranks[0], ranks[1]));
        }
    return out;
}

}  // namespace weft
