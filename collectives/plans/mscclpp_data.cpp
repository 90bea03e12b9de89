// Operations of an MSCCL++ plan that move or combine data.
#include "collectives/plans/mscclpp_lowering.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

bool overlap(const ChunkRef& a, const ChunkRef& b, const Schedule& schedule)
{
    if (a.rank != b.rank || schedule.home(a.buffer) != schedule.home(b.buffer)) return false;
    const std::uint64_t first = a.index + schedule.in_place_offset(a.rank, a.buffer);
    const std::uint64_t other = b.index + schedule.in_place_offset(b.rank, b.buffer);
    return first < other + b.count && other < first + a.count;
}

bool overlap(const std::vector<ChunkRef>& a, const std::vector<ChunkRef>& b, const Schedule& schedule)
{
    for (const ChunkRef& one : a)
        for (const ChunkRef& other : b)
            if (overlap(one, other, schedule)) return true;
    return false;
}

// For packets.
bool waits(const Step& step)
{
    return std::any_of(step.sources.begin(), step.sources.end(),
        [](const ChunkRef& source) { return source.buffer == Buffer::packets; });
}

}  // namespace

std::optional<ChunkRef> MscclppLowering::operand(const JsonValue& op, const JsonValue& entry)
{
    ChunkRef ref;
    ref.rank = rank_;
    ref.index = static_cast<std::uint32_t>(fields_.number(entry, "index", most_plan_chunks));
    ref.count = static_cast<std::uint32_t>(fields_.number(entry, "size", most_plan_chunks));
    if (entry.member("buffer_id") == nullptr) {
        ref.buffer = fields_.buffer(entry, "type");
        return ref;
    }
    const MscclppChannel type = fields_.channel(op, "channel_type");
    const auto remote = resolved(block_->buffers[static_cast<unsigned>(type)],
        fields_.number(entry, "buffer_id", any_count), entry.line, fmt::format("{} buffer", name_of(type)));
    if (!remote) return std::nullopt;
    ref.rank = gpu_->remotes[*remote].rank;
    ref.buffer = gpu_->remotes[*remote].buffer;
    return ref;
}

std::vector<ChunkRef> MscclppLowering::operands(const JsonValue& op, const char* key)
{
    std::vector<ChunkRef> out;
    for (const JsonValue& entry : fields_.value(op, key, JsonValue::Kind::list).items)
        if (const auto ref = operand(op, entry)) out.push_back(*ref);
    return out;
}

// The chunk of every rank of the group that a switch channel stands for.
std::vector<ChunkRef> MscclppLowering::group(const JsonValue& op, const char* key)
{
    std::vector<ChunkRef> out;
    for (const JsonValue& entry : fields_.value(op, key, JsonValue::Kind::list).items) {
        const auto channel = resolved(block_->channels[static_cast<unsigned>(MscclppChannel::multimem)],
            fields_.number(entry, "switch_channel_id", any_count), entry.line, "switch channel");
        if (!channel) continue;
        const MscclppGroup& members = gpu_->groups[*channel];
        const auto index = static_cast<std::uint32_t>(fields_.number(entry, "index", most_plan_chunks));
        const auto size = static_cast<std::uint32_t>(fields_.number(entry, "size", most_plan_chunks));
        for (const std::uint32_t rank : members.ranks) out.push_back({rank, members.buffer, index, size});
    }
    return out;
}

ChunkRef MscclppLowering::in_packets(ChunkRef ref, int line)
{
    if (ref.buffer != Buffer::scratch) {
        problem(line, fmt::format("packets in the {} of rank {}", name_of(ref.buffer), ref.rank), "scratch");
        return ref;
    }
    ref.buffer = Buffer::packets;
    schedule_.ranks[ref.rank].packet_chunks = schedule_.ranks[ref.rank].scratch_chunks;
    return ref;
}

void MscclppLowering::reduction(const JsonValue& op)
{
    ReduceOp wanted = ReduceOp::sum;
    if (const JsonValue* name = fields_.optional(op, "reduce_op", JsonValue::Kind::text)) {
        if (name->text == "min")
            wanted = ReduceOp::min;
        else if (name->text == "max")
            wanted = ReduceOp::max;
        else if (name->text != "sum")
            fields_.refuse(name->line, "'reduce_op' has an unknown name", "sum, min or max");
    }
    if (reduction_.value_or(wanted) != wanted) problem(op.line, "two reductions in one plan", "one");
    reduction_ = wanted;
}

// Where operands name buffers, channels say only by what means; they must be there all the same.
void MscclppLowering::check_channels(const JsonValue& op)
{
    const std::vector<std::uint32_t> ids = fields_.numbers(op, "channel_ids");
    if (ids.empty()) return;
    const MscclppChannel type = fields_.channel(op, "channel_type");
    for (const std::uint32_t id : ids)
        resolved(block_->channels[static_cast<unsigned>(type)], id, op.line, fmt::format("{} channel", name_of(type)));
}

void MscclppLowering::data(const JsonValue& op, const MscclppForm& form, const Round& round)
{
    const std::string name = form.name;
    std::vector<ChunkRef> from = operands(op, "src_buff");
    std::vector<ChunkRef> to = operands(op, "dst_buff");
    check_channels(op);
    if (name == "pws" || name == "pwsf") only_on_ports(op, name);
    // Remote buffers that are not there are problems already.
    if (from.empty() || to.empty() || (form.pairwise && from.size() != to.size())) return;
    const auto packed = [&](std::vector<ChunkRef>& refs, std::size_t first) {
        for (std::size_t i = first; i < refs.size(); ++i) refs[i] = in_packets(refs[i], op.line);
    };
    if (name == "ppkt" || name == "cpkt" || name == "rppkt") packed(to, 0);
    if (name == "upkt" || name == "rppkt") packed(from, 0);
    if (name == "repkt" || name == "respkt" || name == "recpkt" || name == "recspkt") {
        packed(from, 1);
        packed(to, 1);
    }
    const bool adds = from.size() > 1 && !form.pairwise;
    if (adds) reduction(op);
    if (const JsonValue* unread = op.member("reduce_op"); unread != nullptr && !adds && counting_)
        plan_.notices.push_back(
            {plan_.file, unread->line, "'reduce_op' of a " + name + " that adds nothing is not read", ""});
    if (form.pairwise)
        for (std::size_t i = 0; i < from.size(); ++i) move(op, round, StepKind::move, {from[i]}, {to[i]});
    else
        move(op, round, StepKind::move, std::move(from), std::move(to));
    if (name == "pws" || name == "pwsf") signals(op, false);
    if (name == "pwsf") flush();
}

void MscclppLowering::in_switch(const JsonValue& op, const MscclppForm& form, const Round& round)
{
    const std::string name = form.name;
    const bool loads = name == "glres" || name == "glre";
    const bool stores = name != "glre";
    std::vector<ChunkRef> from = loads ? group(op, "src_buff") : operands(op, "src_buff");
    std::vector<ChunkRef> to = stores ? group(op, "dst_buff") : operands(op, "dst_buff");
    if (from.empty() || to.empty()) return;  // a switch channel that is not there is a problem already
    if (name == "gstorepkt")
        for (ChunkRef& ref : to) ref = in_packets(ref, op.line);
    if (loads) reduction(op);
    const StepKind kind = !loads ? StepKind::multicast : stores ? StepKind::reduce_multicast : StepKind::load_reduce;
    if (name == "glre")
        plan_.notices.push_back({plan_.file, op.line, "glre", "an operation that the executor carries out"});
    move(op, round, kind, std::move(from), std::move(to));
}

void MscclppLowering::move(const JsonValue& op, const Round& round, StepKind kind, std::vector<ChunkRef> sources,
    std::vector<ChunkRef> destinations)
{
    Step step;
    step.kind = kind;
    step.sources = std::move(sources);
    step.destinations = std::move(destinations);
    const std::uint64_t size = step.sources.front().count;
    if (counting_ && kind == StepKind::move)
        for (const std::vector<ChunkRef>* refs : {&step.sources, &step.destinations})
            for (const ChunkRef& ref : *refs)
                if (ref.rank != rank_) moved_ += ref.count;
    if (round.unit > 0) {
        const std::uint64_t rounds = std::max<std::uint64_t>(1, (size * round.chunk + round.unit - 1) / round.unit);
        if (round.index >= rounds) return;
        step.part = static_cast<std::uint32_t>(round.index);
        step.parts = static_cast<std::uint32_t>(rounds);
    }
    if (const JsonValue* share = fields_.optional(op, "tbg_info", JsonValue::Kind::object)) {
        const auto parts = static_cast<std::uint32_t>(fields_.number(*share, "tbg_size", 1024));
        const auto part = static_cast<std::uint32_t>(fields_.number(*share, "tb_id", 1024));
        if (part >= parts)
            return problem(share->line, fmt::format("'tb_id' {} of 'tbg_size' {}", part, parts),
                "an id below the size");
        step.part = step.part * parts + part;
        step.parts *= parts;
    }
    if (kind == StepKind::move && op.member("channel_type") != nullptr)
        step.channel =
            fields_.channel(op, "channel_type") == MscclppChannel::port ? StepChannel::port : StepChannel::memory;
    step.with_previous = joins_run(step);
    if (!step.with_previous) run_.clear();
    run_.push_back(step);
    add(std::move(step));
}

// Whether the data steps since the last synchronisation neither write what this one touches nor read what it writes.
bool MscclppLowering::joins_run(const Step& step) const
{
    if (run_.empty() || step.kind != StepKind::move || waits(step)) return false;
    for (const Step& earlier : run_)
        if (earlier.kind != StepKind::move || waits(earlier) ||
            overlap(step.sources, earlier.destinations, schedule_) ||
            overlap(step.destinations, earlier.destinations, schedule_) ||
            overlap(step.destinations, earlier.sources, schedule_))
            return false;
    return true;
}

void MscclppLowering::add(Step step)
{
    if (!is_data(step.kind)) run_.clear();
    schedule_.ranks[rank_].threads[thread_].steps.push_back(std::move(step));
    plan_.origins[rank_][thread_].push_back(origin_);
}

}  // namespace weft
