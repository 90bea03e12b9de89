#include "collectives/plans/msccl_program.h"

#include <algorithm>
#include <set>

namespace weft {

MscclProgram::MscclProgram(const Schedule& schedule, std::uint32_t pieces) : schedule_(schedule), pieces_(pieces) {}

std::uint32_t MscclProgram::connection(std::uint32_t from, std::uint32_t to, std::uint64_t tag)
{
    const auto number = static_cast<std::uint32_t>(connections_.size());
    const auto [found, added] = numbers_.emplace(std::make_tuple(from, to, tag), number);
    if (added) {
        Connection connection;
        connection.from = from;
        connection.to = to;
        connection.group = number;
        connection.pairs = {{from, to}};
        connections_.push_back(std::move(connection));
    }
    return found->second;
}

std::uint32_t MscclProgram::head(std::uint32_t connection)
{
    while (connections_[connection].group != connection)
        connection = connections_[connection].group = connections_[connections_[connection].group].group;
    return connection;
}

// A block has one channel for both directions, so the connections of a block share their number, and two connections
// between the same two gpus may not.
bool MscclProgram::may_join(std::uint32_t recv, std::uint32_t send)
{
    const std::uint32_t a = head(recv);
    const std::uint32_t b = head(send);
    if (a == b) return true;
    for (const auto& pair : connections_[a].pairs)
        if (std::find(connections_[b].pairs.begin(), connections_[b].pairs.end(), pair) != connections_[b].pairs.end())
            return false;
    return true;
}

bool MscclProgram::fits(const MscclOperation& operation)
{
    if (operation.recv == no_connection || operation.send == no_connection) return true;
    const std::uint32_t receiver = connections_[operation.recv].recv_block;
    const std::uint32_t sender = connections_[operation.send].send_block;
    if (receiver != no_connection && receiver == sender) return true;
    if (receiver != no_connection && (sender != no_connection || blocks_[receiver].send != no_connection)) return false;
    if (sender != no_connection && blocks_[sender].recv != no_connection) return false;
    return may_join(operation.recv, operation.send);
}

std::uint32_t MscclProgram::block_of(const MscclOperation& operation)
{
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    std::uint32_t block = no_connection;
    if (operation.recv != no_connection) block = connections_[operation.recv].recv_block;
    if (operation.send != no_connection && block == no_connection) block = connections_[operation.send].send_block;
    const bool local = operation.recv == no_connection && operation.send == no_connection;
    if (local) block = local_.emplace(std::make_pair(operation.rank, operation.thread), number).first->second;
    if (block == no_connection || block == number) {
        block = number;
        blocks_.emplace_back();
        blocks_.back().rank = operation.rank;
    }
    if (operation.recv != no_connection) connections_[operation.recv].recv_block = block;
    if (operation.send != no_connection) connections_[operation.send].send_block = block;
    if (operation.recv != no_connection) blocks_[block].recv = operation.recv;
    if (operation.send != no_connection) blocks_[block].send = operation.send;
    if (blocks_[block].recv != no_connection && blocks_[block].send != no_connection) {
        const std::uint32_t a = head(blocks_[block].recv);
        const std::uint32_t b = head(blocks_[block].send);
        if (a != b) {
            connections_[b].group = a;
            connections_[a].pairs.insert(connections_[a].pairs.end(), connections_[b].pairs.begin(),
                connections_[b].pairs.end());
        }
    }
    return block;
}

MscclProgram::Place MscclProgram::place(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const
{
    return {rank, schedule_.home(buffer), chunk + schedule_.in_place_offset(rank, buffer) * pieces_};
}

void MscclProgram::depend(std::uint32_t block, At on, std::vector<At>& waits)
{
    if (on.block == block) return;
    std::size_t& known = blocks_[block].known[on.block];
    if (on.step < known) return;
    known = on.step + 1;
    for (At& wait : waits)
        if (wait.block == on.block) {
            wait.step = std::max(wait.step, on.step);
            return;
        }
    waits.push_back(on);
}

void MscclProgram::append(const MscclOperation& operation)
{
    const std::uint32_t block = block_of(operation);
    std::vector<At> waits;
    const auto cell = [&](Buffer buffer, std::uint32_t first, std::uint32_t i) -> Cell& {
        return cells_[place(operation.rank, buffer, first + i)];
    };
    const bool reads = reads_source(operation.type);
    const bool writes = writes_destination(operation.type);
    for (std::uint32_t i = 0; i < operation.count; ++i) {
        if (reads) {
            const Cell& source = cell(operation.source_buffer, operation.source, i);
            if (source.written) depend(block, source.writer, waits);
        }
        if (writes) {
            const Cell& destination = cell(operation.destination_buffer, operation.destination, i);
            if (destination.written) depend(block, destination.writer, waits);
            for (const At reader : destination.readers) depend(block, reader, waits);
        }
    }
    MscclStep step;
    for (std::size_t w = 0; w < waits.size(); ++w) {
        blocks_[waits[w].block].steps[waits[w].step].has_dependents = true;
        step = {};
        step.block = waits[w].block;  // turned into ids at the end
        step.step = static_cast<std::int64_t>(waits[w].step);
        if (w + 1 < waits.size()) blocks_[block].steps.push_back(step);
    }
    step.type = operation.type;
    step.source_buffer = operation.source_buffer;
    step.destination_buffer = operation.destination_buffer;
    step.source = operation.source;
    step.destination = operation.destination;
    step.count = operation.count;
    blocks_[block].steps.push_back(step);
    const At here{block, blocks_[block].steps.size() - 1};
    for (std::uint32_t i = 0; i < operation.count; ++i) {
        if (reads) cell(operation.source_buffer, operation.source, i).readers.push_back(here);
        if (!writes) continue;
        Cell& destination = cell(operation.destination_buffer, operation.destination, i);
        destination.written = true;
        destination.writer = here;
        destination.readers.clear();
    }
}

void MscclProgram::finish(MscclAlgo& algo)
{
    // Channel numbers: the lowest that no other group has between the same two gpus.
    std::map<std::uint32_t, std::uint32_t> channels;  // by head
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> taken;
    algo.channels = 1;
    for (std::uint32_t c = 0; c < connections_.size(); ++c) {
        if (head(c) != c) continue;
        std::uint32_t channel = 0;
        const auto is_taken = [&](const auto& pair) { return taken[pair].count(channel) > 0; };
        while (std::any_of(connections_[c].pairs.begin(), connections_[c].pairs.end(), is_taken)) ++channel;
        for (const auto& pair : connections_[c].pairs) taken[pair].insert(channel);
        channels[c] = channel;
        algo.channels = std::max(algo.channels, channel + 1);
    }
    std::vector<std::uint32_t> next(schedule_.size());
    for (Block& block : blocks_) block.id = next[block.rank]++;
    for (Block& block : blocks_) {
        MscclBlock out;
        out.id = block.id;
        const std::uint32_t any = block.send != no_connection ? block.send : block.recv;
        if (block.send != no_connection) out.send = connections_[block.send].to;
        if (block.recv != no_connection) out.recv = connections_[block.recv].from;
        if (any != no_connection) out.channel = channels.at(head(any));
        out.steps = std::move(block.steps);
        for (MscclStep& step : out.steps)
            if (step.block >= 0) step.block = blocks_[static_cast<std::size_t>(step.block)].id;
        algo.gpus[block.rank].blocks.push_back(std::move(out));
    }
}

}  // namespace weft
