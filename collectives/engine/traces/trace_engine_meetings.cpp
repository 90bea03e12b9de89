// Where nodes of several ranks meet: collectives and transfers.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/engine/traces/trace_engine.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/stall_lines.h"

namespace weft {

using chakra::Node;
using chakra::NodeType;

namespace {

// Channels that every collective has, and every transfer.
std::uint32_t channels_of(const EngineSpec& spec, std::uint64_t bytes)
{
    const bool split = spec.channel_share == ChannelShare::split;
    const std::uint64_t channels = split ? spec.channels / spec.communication_in_flight : spec.channels;
    return spec.channels_for(bytes, channels);
}

}  // namespace

void TraceEngine::begin_collective(std::uint32_t rank, const Node& node)
{
    const Members* members = verdict_.groups[rank].members(node);
    const std::uint64_t communicator = *verdict_.groups[rank].number_of(node);
    const auto position =
        static_cast<std::uint32_t>(std::find(members->begin(), members->end(), rank) - members->begin());
    Group& group = groups_[communicator][*members];
    if (group.issued.empty()) {
        group.issued.assign(members->size(), 0);
        group.name = std::make_shared<const JobGroup>(
            JobGroup{chakra::GroupTable::text_of(communicator), compact_ranks(*members)});
    }
    const std::uint64_t number = group.issued[position]++;
    const auto found = group.open.find(number);
    if (found == group.open.end()) {
        const auto ranks = static_cast<std::uint32_t>(members->size());
        Job job;
        const std::uint64_t size = node.comm_size.value_or(0);
        job.bytes = in_range(rank, node, [&] { return chakra::collective_bytes(*node.comm_type, size, ranks); });
        const std::uint32_t channels = channels_of(spec_, job.bytes);
        const CollectiveOp op = op_of(*node.comm_type);
        TraceSchedules::Collective collective;
        const AlgorithmInfo* const info = algorithm_info(op, request_.algorithm);
        if (ranks > 1 && info != nullptr && info->carrier == Carrier::in_switch)
            executor_.require_switches(request_.algorithm);
        if (request_.choose)
            collective.schedule = request_.choose(op, *members, job.bytes, channels);
        else
            collective = schedules_.collective(op, *members, job.bytes, channels, executor_.now());
        job.schedule = collective.schedule;
        job.type = element_for(size);
        for (const std::uint32_t member : *members) job.members.push_back(request_.members[member]);
        job.group = group.name;
        job.name = node.name.empty() ? chakra::name_of(*node.comm_type) : chakra::printable(node.name, 60);
        Exchange exchange;
        exchange.bytes = size;
        exchange.type = *node.comm_type;
        exchange.entry = collective.entry;
        exchange.here.resize(ranks);
        exchange.job = executor_.open(std::move(job));
        group.open.emplace(number, exchange);
    }
    Exchange& exchange = group.open[number];
    if (exchange.type != *node.comm_type || exchange.bytes != node.comm_size.value_or(0))
        throw InputError(set_.file(rank), node.line,
            fmt::format("{} of {} bytes is number {} of group {}, but another rank issued {} of {} bytes there",
                chakra::name_of(*node.comm_type), node.comm_size.value_or(0), number + 1,
                chakra::GroupTable::text_of(communicator), chakra::name_of(exchange.type), exchange.bytes),
            "the same sequence of collectives on every member");
    const Executor::JobId job = exchange.job;
    const std::optional<DimensionLedger::Entry> entry = exchange.entry;
    exchange.here[position] = node.id;
    log_meeting(rank, node.id, exchange);
    set_doing(rank, node.id, Doing::waiting);
    if (++exchange.arrived == members->size()) {
        for (std::uint32_t p = 0; p < members->size(); ++p)
            set_doing((*members)[p], *exchange.here[p], Doing::communication);
        group.open.erase(number);
    }
    executor_.enter(job, position, [this, rank, id = node.id, entry] {
        if (entry) schedules_.leave(*entry);
        end(rank, id);
    });
}

TraceEngine::PairKey TraceEngine::pair_of(std::uint32_t rank, const Node& node)
{
    const bool sending = node.type == NodeType::send;
    return {sending ? rank : *node.src, sending ? *node.dst : rank, node.tag.value_or(0)};
}

void TraceEngine::begin_transfer(std::uint32_t rank, const Node& node)
{
    const bool sending = node.type == NodeType::send;
    const PairKey key = pair_of(rank, node);
    Pair& pair = pairs_[key];
    const auto issued = sending ? issued_.find({rank, node.id}) : issued_.end();
    std::uint64_t number = 0;
    if (issued != issued_.end()) {
        number = issued->second;
        issued_.erase(issued);
    } else {
        number = sending ? pair.sends++ : pair.receives++;
    }
    const auto found = pair.open.find(number);
    if (found == pair.open.end()) {
        Job job;
        job.bytes = node.comm_size.value_or(0);
        job.schedule = schedules_.transfer(channels_of(spec_, job.bytes));
        job.type = element_for(job.bytes);
        job.members = {request_.members[key.source], request_.members[key.destination]};
        job.name = fmt::format("transfer {} -> {} tag {}", key.source, key.destination, key.tag);
        job.reported = false;
        Exchange exchange;
        exchange.bytes = job.bytes;
        exchange.here.resize(2);
        exchange.job = executor_.open(std::move(job));
        pair.open.emplace(number, exchange);
    }
    Exchange& exchange = pair.open[number];
    if (exchange.bytes != node.comm_size.value_or(0))
        throw InputError(set_.file(rank), node.line,
            fmt::format("{} bytes from rank {} to rank {} with tag {}, but the other side has {} bytes",
                node.comm_size.value_or(0), key.source, key.destination, key.tag, exchange.bytes),
            "the same size on both sides");
    const Executor::JobId job = exchange.job;
    exchange.here[sending ? 0 : 1] = node.id;
    log_meeting(rank, node.id, exchange);
    set_doing(rank, node.id, sending || exchange.here[0] ? Doing::communication : Doing::waiting);
    if (++exchange.arrived == 2) {
        set_doing(key.destination, *exchange.here[1], Doing::communication);
        pair.open.erase(number);
    }
    executor_.enter(job, sending ? 0 : 1, [this, rank, id = node.id] { end(rank, id); });
}

}  // namespace weft
