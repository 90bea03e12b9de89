#include "collectives/schedule/schedule.h"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr CollectiveOp all_ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter, CollectiveOp::barrier, CollectiveOp::send_receive, CollectiveOp::custom};

}  // namespace

const char* name_of(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::all_reduce: return "all_reduce";
    case CollectiveOp::all_gather: return "all_gather";
    case CollectiveOp::reduce_scatter: return "reduce_scatter";
    case CollectiveOp::all_to_all: return "all_to_all";
    case CollectiveOp::broadcast: return "broadcast";
    case CollectiveOp::reduce: return "reduce";
    case CollectiveOp::gather: return "gather";
    case CollectiveOp::scatter: return "scatter";
    case CollectiveOp::barrier: return "barrier";
    case CollectiveOp::send_receive: return "send_receive";
    case CollectiveOp::custom: return "custom";
    }
    return "?";
}

bool collective_from_name(const std::string& name, CollectiveOp& op)
{
    for (CollectiveOp known : all_ops)
        if (name == name_of(known)) {
            op = known;
            return true;
        }
    return false;
}

const char* name_of(StepKind kind)
{
    switch (kind) {
    case StepKind::move: return "move";
    case StepKind::signal: return "signal";
    case StepKind::wait: return "wait";
    case StepKind::barrier: return "barrier";
    case StepKind::multicast: return "multicast";
    case StepKind::load_reduce: return "load_reduce";
    case StepKind::reduce_multicast: return "reduce_multicast";
    case StepKind::push_reduce: return "push_reduce";
    case StepKind::nop: return "nop";
    }
    return "?";
}

const char* name_of(Buffer buffer)
{
    switch (buffer) {
    case Buffer::input: return "input";
    case Buffer::output: return "output";
    case Buffer::scratch: return "scratch";
    case Buffer::packets: return "packets";
    case Buffer::staging: return "staging";
    }
    return "?";
}

std::uint32_t Schedule::chunks_per_rank() const
{
    switch (op) {
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter: return ranks.empty() ? 0 : chunks / size();
    default: return chunks;
    }
}

std::uint32_t Schedule::message_chunks(std::uint32_t rank, Buffer buffer) const
{
    if (op == CollectiveOp::custom || is_slot(buffer)) return declared_chunks(rank, buffer);
    if (op == CollectiveOp::barrier) return 0;
    const bool part_of_input = op == CollectiveOp::all_gather || op == CollectiveOp::gather;
    const bool part_of_output = op == CollectiveOp::reduce_scatter || op == CollectiveOp::scatter;
    if (buffer == Buffer::input && part_of_input) return chunks_per_rank();
    if (buffer == Buffer::output && part_of_output) return chunks_per_rank();
    return chunks;
}

std::uint32_t Schedule::declared_chunks(std::uint32_t rank, Buffer buffer) const
{
    const RankPlan& plan = ranks[rank];
    switch (buffer) {
    case Buffer::input: return plan.input_chunks;
    case Buffer::output: return plan.output_chunks;
    case Buffer::scratch: return plan.scratch_chunks;
    case Buffer::packets: return plan.packet_chunks;
    case Buffer::staging: return plan.staging_chunks;
    }
    return 0;
}

Buffer Schedule::home(Buffer buffer) const
{
    if (!in_place || is_slot(buffer)) return buffer;
    const bool in_input = op == CollectiveOp::reduce_scatter || op == CollectiveOp::scatter;
    return in_input ? Buffer::input : Buffer::output;
}

std::uint32_t Schedule::in_place_offset(std::uint32_t rank, Buffer buffer) const
{
    if (home(buffer) == buffer) return 0;
    switch (op) {
    case CollectiveOp::all_gather:
    case CollectiveOp::gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::scatter: return rank * chunks_per_rank();
    default: return 0;
    }
}

bool is_data(StepKind kind) { return kind == StepKind::move || in_switch(kind); }

bool in_switch(StepKind kind)
{
    return kind == StepKind::multicast || kind == StepKind::load_reduce || kind == StepKind::reduce_multicast ||
        kind == StepKind::push_reduce;
}

Step move_step(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations)
{
    Step step;
    step.kind = StepKind::move;
    step.sources = std::move(sources);
    step.destinations = std::move(destinations);
    return step;
}

Step signal_step(std::uint32_t peer, std::uint32_t semaphore)
{
    Step step;
    step.kind = StepKind::signal;
    step.peer = peer;
    step.semaphore = semaphore;
    return step;
}

Step wait_step(std::uint32_t peer, std::uint32_t semaphore)
{
    Step step = signal_step(peer, semaphore);
    step.kind = StepKind::wait;
    return step;
}

ByteRange chunk_bounds(std::uint64_t bytes, std::uint32_t element_bytes, std::uint32_t chunks, std::uint32_t index,
    std::uint32_t count)
{
    const std::uint64_t elements = bytes / element_bytes;
    const std::uint64_t base = elements / chunks;
    const std::uint64_t longer = elements % chunks;  // so many chunks hold one element more
    const std::uint64_t last = std::uint64_t{index} + count;
    const std::uint64_t first_element = index * base + std::min<std::uint64_t>(index, longer);
    const std::uint64_t end_element = last * base + std::min(last, longer);
    return {first_element * element_bytes, end_element * element_bytes};
}

}  // namespace weft
