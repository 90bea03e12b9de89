#include "collectives/plans/mscclpp_lowering.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

constexpr std::uint64_t any_count = ~std::uint64_t{0};
constexpr std::uint64_t most_rounds = 4096;
constexpr std::size_t most_lowered_steps = std::size_t{1} << 22;

// Of the executor that carries such plans out.
constexpr std::size_t most_operations = 64;
constexpr std::size_t most_channels = 16;
constexpr std::size_t most_barriers = 16;

constexpr const char* synchronising[] = {"nop", "barrier", "signal", "rlxsignal", "wait", "rlxwait", "flush",
    "sem_acquire", "sem_release"};
constexpr const char* moving[] = {"put", "pws", "pwsf", "get", "copy", "re", "res", "rre", "rres", "ppkt", "cpkt",
    "upkt", "rppkt", "repkt", "respkt", "recpkt", "recspkt"};
constexpr const char* switching[] = {"glres", "gstore", "gstorepkt", "glre"};

template <std::size_t n>
bool holds(const char* const (&names)[n], const std::string& name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

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

MscclppLowering::MscclppLowering(const MscclppPlan& source, const PlanOptions& options, Plan& plan)
    : source_(source), options_(options), plan_(plan), schedule_(plan.schedule), fields_(plan.file)
{
}

void MscclppLowering::problem(int line, const std::string& what, const std::string& expected)
{
    if (plan_.problems.size() < most_plan_problems) plan_.problems.push_back({plan_.file, line, what, expected});
}

void MscclppLowering::lower()
{
    declare();
    for (rank_ = 0; rank_ < source_.gpus.size(); ++rank_) {
        gpu_ = &source_.gpus[rank_];
        barriers_.clear();
        initial_.clear();
        acquirer_.clear();
        tokens_.clear();
        moved_ = 0;
        for (std::uint64_t i = 0; i < gpu_->semaphores.size(); ++i) initial_[i] = gpu_->semaphores[i];
        for (thread_ = 0; thread_ < gpu_->blocks.size(); ++thread_) block();
        unused_tokens();
        plan_.moved += moved_;
        plan_.most_moved = std::max(plan_.most_moved, moved_);
        if (barriers_.size() > most_barriers || gpu_->semaphores.size() > most_barriers)
            plan_.notices.push_back({plan_.file, gpu_->line,
                fmt::format("gpu {} has {} barriers and {} semaphores", rank_, barriers_.size(),
                    gpu_->semaphores.size()),
                fmt::format("at most {} of each for the executor", most_barriers)});
    }
    schedule_.reduction = reduction_.value_or(ReduceOp::sum);
    plan_.own_reduction = reduction_.has_value();
    unequal_signals();
}

void MscclppLowering::declare()
{
    schedule_.name = source_.name;
    schedule_.op = source_.op;
    schedule_.chunks = source_.chunks;
    schedule_.in_place = source_.in_place;
    schedule_.spare_signals = true;
    schedule_.ranks.resize(source_.gpus.size());
    plan_.origins.resize(source_.gpus.size());
    for (std::uint32_t rank = 0; rank < source_.gpus.size(); ++rank) {
        const MscclppGpu& gpu = source_.gpus[rank];
        RankPlan& ranks = schedule_.ranks[rank];
        ranks.input_chunks = gpu.chunks[static_cast<unsigned>(Buffer::input)];
        ranks.output_chunks = gpu.chunks[static_cast<unsigned>(Buffer::output)];
        ranks.scratch_chunks = gpu.chunks[static_cast<unsigned>(Buffer::scratch)];
        ranks.semaphores = static_cast<std::uint32_t>(
            gpu.peers[0].size() + gpu.peers[1].size() + gpu.semaphores.size());
        ranks.threads.resize(gpu.blocks.size());
        plan_.origins[rank].resize(gpu.blocks.size());
        plan_.blocks += gpu.blocks.size();
        plan_.connections += gpu.peers[0].size() + gpu.peers[1].size();
    }
}

void MscclppLowering::block()
{
    block_ = &gpu_->blocks[thread_];
    run_.clear();
    const std::vector<JsonValue>& operations = block_->operations->items;
    for (origin_.step = 0; origin_.step < operations.size(); ++origin_.step) {
        counting_ = true;
        if (fields_.text(operations[origin_.step], "name") == "pipeline")
            pipeline(operations[origin_.step]);
        else
            operation(operations[origin_.step], {});
    }
    const auto notice = [this](const std::string& what, const std::string& expected) {
        plan_.notices.push_back({plan_.file, block_->line,
            fmt::format("threadblock {} of gpu {} has {}", block_->id, rank_, what), expected});
    };
    if (operations.size() > most_operations)
        notice(fmt::format("{} operations", operations.size()),
            fmt::format("at most {} for the executor", most_operations));
    for (unsigned type = 0; type < mscclpp_channels; ++type)
        if (block_->channels[type].size() > most_channels)
            notice(fmt::format("{} {} channels", block_->channels[type].size(),
                       name_of(static_cast<MscclppChannel>(type))),
                fmt::format("at most {} for the executor", most_channels));
}

void MscclppLowering::pipeline(const JsonValue& op)
{
    ++plan_.operations["pipeline"];
    const JsonValue& context = fields_.value(op, "iter_context", JsonValue::Kind::object);
    const std::uint64_t chunks = fields_.number(context, "num_chunks", most_plan_chunks);
    Round round;
    round.unit = fields_.number(context, "unit_size", any_count >> 1);
    if (round.unit == 0 || chunks == 0) fields_.refuse(context.line, "a pipeline of nothing", "numbers above 0");
    const JsonValue& operations = fields_.value(op, "ops", JsonValue::Kind::list);
    round.chunk = options_.bytes / std::max(1u, source_.chunks);
    if (options_.bytes == 0) {  // two rounds
        round.chunk = 2;
        round.unit = chunks;
    }
    const std::uint64_t rounds = (chunks * round.chunk + round.unit - 1) / round.unit;
    if (rounds > most_rounds)
        fields_.refuse(context.line, fmt::format("{} rounds of a pipeline", rounds),
            fmt::format("at most {}: a smaller message or larger units", most_rounds));
    for (; round.index < rounds; ++round.index) {
        counting_ = round.first();
        for (const JsonValue& inner : operations.items) operation(inner, round);
    }
}

void MscclppLowering::operation(const JsonValue& op, const Round& round)
{
    const std::string name = fields_.text(op, "name");
    origin_.line = op.line;
    if (++unrolled_ > most_lowered_steps) fields_.refuse(op.line, "more operations than can be followed", "a smaller plan");
    if (counting_) ++plan_.operations[name];
    if (holds(synchronising, name)) return synchronise(op, name);
    if (holds(moving, name)) return data(op, name, round);
    if (holds(switching, name)) return in_switch(op, name, round);
    if (name == "pipeline") fields_.refuse(op.line, "a pipeline in a pipeline", "operations");
    std::string known = "pipeline";
    for (const char* one : synchronising) known += std::string(", ") + one;
    for (const char* one : moving) known += std::string(", ") + one;
    for (const char* one : switching) known += std::string(", ") + one;
    fields_.refuse(op.line, fmt::format("an operation of unknown name in threadblock {} of gpu {}", block_->id, rank_),
        "one of " + known);
}

void MscclppLowering::synchronise(const JsonValue& op, const std::string& name)
{
    if (name == "nop") {
        run_.clear();
    } else if (name == "flush") {
        flush();
    } else if (name == "barrier") {
        Step step;
        step.kind = StepKind::barrier;
        step.semaphore = barrier_semaphore(fields_.number(op, "barrier_id", most_plan_chunks));
        step.participants = static_cast<std::uint32_t>(fields_.number(op, "num_threadblocks", most_plan_chunks));
        add(std::move(step));
    } else if (name == "sem_acquire" || name == "sem_release") {
        semaphores(op, name == "sem_acquire");
    } else {
        const std::vector<Step>& steps = schedule_.ranks[rank_].threads[thread_].steps;
        const std::size_t before = steps.size();
        signals(op, name == "wait" || name == "rlxwait");
        if (name == "signal" || name == "wait") return;
        for (std::size_t s = before; s < steps.size(); ++s)
            plan_.relaxed.push_back({rank_, thread_, static_cast<std::uint32_t>(s)});
    }
}

std::uint32_t MscclppLowering::channel_semaphore(std::uint32_t rank, MscclppChannel type,
    std::uint32_t channel) const
{
    const std::size_t before = type == MscclppChannel::port ? source_.gpus[rank].peers[0].size() : 0;
    return static_cast<std::uint32_t>(before + channel);
}

std::uint32_t MscclppLowering::block_semaphore(std::uint64_t index) const
{
    return static_cast<std::uint32_t>(gpu_->peers[0].size() + gpu_->peers[1].size() + index);
}

std::uint32_t MscclppLowering::barrier_semaphore(std::uint64_t id)
{
    const auto [found, added] = barriers_.emplace(id, schedule_.ranks[rank_].semaphores);
    if (added) ++schedule_.ranks[rank_].semaphores;
    return found->second;
}

std::optional<std::uint32_t> MscclppLowering::resolved(const std::vector<std::uint32_t>& table, std::uint64_t index,
    int line, const std::string& what)
{
    if (index < table.size()) return table[index];
    problem(line,
        fmt::format("{} {} in threadblock {} of gpu {}, which has {}", what, index, block_->id, rank_, table.size()),
        "an index into the lists of the threadblock");
    return std::nullopt;
}

void MscclppLowering::signals(const JsonValue& op, bool wait)
{
    const MscclppChannel type = fields_.channel(op, "channel_type");
    if (type == MscclppChannel::multimem)
        return problem(op.line, "a signal on a switch channel", "a memory or port channel");
    const auto t = static_cast<unsigned>(type);
    for (const std::uint32_t id : fields_.numbers(op, "channel_ids")) {
        const auto channel = resolved(block_->channels[t], id, op.line, fmt::format("{} channel", name_of(type)));
        if (!channel) continue;
        const std::uint32_t peer = gpu_->peers[t][*channel];
        if (wait) {
            const std::uint32_t semaphore = channel_semaphore(rank_, type, *channel);
            ++balance_[{rank_, semaphore}].second;
            add(wait_step(peer, semaphore));
            continue;
        }
        // The channel's other end has the same place among those that lead back.
        const auto own = gpu_->peers[t].begin();
        const auto place = std::count(own, own + *channel, peer);
        const std::vector<std::uint32_t>& others = source_.gpus[peer].peers[t];
        std::uint32_t other = 0;
        for (std::ptrdiff_t left = place; other < others.size(); ++other)
            if (others[other] == rank_ && left-- == 0) break;
        if (other == others.size()) {
            problem(op.line, fmt::format("{} channel {} from gpu {} to gpu {} has no other end", name_of(type), place,
                                 rank_, peer),
                fmt::format("as many channels from gpu {} to gpu {}", peer, rank_));
            continue;
        }
        const std::uint32_t semaphore = channel_semaphore(peer, type, other);
        ++balance_[{peer, semaphore}].first;
        Step signal = signal_step(peer, semaphore);
        signal.channel = type == MscclppChannel::port ? StepChannel::port : StepChannel::memory;
        add(std::move(signal));
    }
}

// Until what ports have been asked for is done.
void MscclppLowering::flush()
{
    run_.clear();
    Step step;
    step.channel = StepChannel::port;
    add(std::move(step));
}

void MscclppLowering::semaphores(const JsonValue& op, bool acquire)
{
    for (const std::uint32_t id : fields_.numbers(op, "semaphore_ids")) {
        if (id >= gpu_->semaphores.size()) {
            problem(op.line, fmt::format("semaphore {} of gpu {}, which has {}", id, rank_, gpu_->semaphores.size()),
                "one of 'semaphores'");
            continue;
        }
        ++(acquire ? tokens_[id].second : tokens_[id].first);
        if (!acquire) {
            add(signal_step(rank_, block_semaphore(id)));
            continue;
        }
        if (gpu_->semaphores[id] > 0 && acquirer_.emplace(id, thread_).first->second != thread_)
            problem(op.line, fmt::format("semaphore {} of gpu {} with init_value is acquired by two blocks", id, rank_),
                "one block, or init_value 0");
        if (initial_[id] > 0)
            --initial_[id];
        else
            add(wait_step(rank_, block_semaphore(id)));
    }
}

std::optional<ChunkRef> MscclppLowering::operand(const JsonValue& op, const JsonValue& entry)
{
    ChunkRef ref;
    ref.rank = rank_;
    ref.index = static_cast<std::uint32_t>(fields_.number(entry, "index", most_plan_chunks));
    ref.count = static_cast<std::uint32_t>(fields_.number(entry, "size", most_plan_chunks, 1));
    if (entry.member("buffer_id") == nullptr) {
        ref.buffer = fields_.buffer(entry, "type");
        return ref;
    }
    const MscclppChannel type = fields_.channel(op, "channel_type");
    const auto remote = resolved(block_->buffers[static_cast<unsigned>(type)], fields_.number(entry, "buffer_id", any_count),
        entry.line, fmt::format("{} buffer", name_of(type)));
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
        const auto size = static_cast<std::uint32_t>(fields_.number(entry, "size", most_plan_chunks, 1));
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
        if (name->text == "min") wanted = ReduceOp::min;
        else if (name->text == "max") wanted = ReduceOp::max;
        else if (name->text != "sum") fields_.refuse(name->line, "'reduce_op' of unknown name", "sum, min or max");
    }
    if (reduction_.value_or(wanted) != wanted) problem(op.line, "two reductions in one plan", "one");
    reduction_ = wanted;
}

void MscclppLowering::data(const JsonValue& op, const std::string& name, const Round& round)
{
    std::vector<ChunkRef> from = operands(op, "src_buff");
    std::vector<ChunkRef> to = operands(op, "dst_buff");
    if (from.empty() || to.empty())
        return problem(op.line, fmt::format("{} without operands", name), "'src_buff' and 'dst_buff'");
    const bool pairwise = name == "put" || name == "pws" || name == "pwsf" || name == "get" || name == "ppkt";
    if (pairwise && from.size() != to.size())
        return problem(op.line, fmt::format("{} of {} sources to {} destinations", name, from.size(), to.size()),
            "as many");
    const bool local_pair = name == "copy" || name == "cpkt" || name == "upkt";
    if (local_pair && (from.size() != 1 || to.size() != 1))
        return problem(op.line, fmt::format("{} of {} sources to {} destinations", name, from.size(), to.size()),
            "one of each");
    const auto packed = [&](std::vector<ChunkRef>& refs, std::size_t first) {
        for (std::size_t i = first; i < refs.size(); ++i) refs[i] = in_packets(refs[i], op.line);
    };
    if (name == "ppkt" || name == "cpkt" || name == "rppkt") packed(to, 0);
    if (name == "upkt" || name == "rppkt") packed(from, 0);
    if (name == "repkt" || name == "respkt" || name == "recpkt" || name == "recspkt") {
        packed(from, 1);
        packed(to, 1);
    }
    if (from.size() > 1 && !pairwise) reduction(op);
    if (pairwise)
        for (std::size_t i = 0; i < from.size(); ++i) move(op, round, StepKind::move, {from[i]}, {to[i]});
    else
        move(op, round, StepKind::move, std::move(from), std::move(to));
    if (name == "pws" || name == "pwsf") signals(op, false);
    if (name == "pwsf") flush();
}

void MscclppLowering::in_switch(const JsonValue& op, const std::string& name, const Round& round)
{
    const bool loads = name == "glres" || name == "glre";
    const bool stores = name != "glre";
    std::vector<ChunkRef> from = loads ? group(op, "src_buff") : operands(op, "src_buff");
    std::vector<ChunkRef> to = stores ? group(op, "dst_buff") : operands(op, "dst_buff");
    if (from.empty() || to.empty())
        return problem(op.line, fmt::format("{} without operands", name), "'src_buff' and 'dst_buff'");
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
            return problem(share->line, fmt::format("'tb_id' {} of 'tbg_size' {}", part, parts), "an id below the size");
        step.part = step.part * parts + part;
        step.parts *= parts;
    }
    if (kind == StepKind::move && op.member("channel_type") != nullptr)
        step.channel = fields_.channel(op, "channel_type") == MscclppChannel::port ? StepChannel::port : StepChannel::memory;
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
        if (earlier.kind != StepKind::move || waits(earlier) || overlap(step.sources, earlier.destinations, schedule_) ||
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

// Of a channel. Waits that outnumber the signals never end; signals that outnumber the waits stay unused.
void MscclppLowering::unequal_signals()
{
    for (const auto& [place, count] : balance_) {
        if (count.first == count.second) continue;
        const auto [rank, semaphore] = place;
        const auto memory = static_cast<std::uint32_t>(source_.gpus[rank].peers[0].size());
        const bool port = semaphore >= memory;
        const std::uint32_t channel = port ? semaphore - memory : semaphore;
        const std::string what = fmt::format("{} channel {} of gpu {} is signalled {} times by gpu {} and waited for {} times",
            port ? "port" : "memory", channel, rank, count.first, source_.gpus[rank].peers[port ? 1 : 0][channel],
            count.second);
        if (count.first < count.second)
            problem(source_.gpus[rank].line, what, "as many signals as waits");
        else
            plan_.notices.push_back({plan_.file, source_.gpus[rank].line,
                what + fmt::format(", so {} of them stay unused", count.first - count.second), ""});
    }
}

// Of a semaphore between blocks: a pool of credits ends as full as it began, or fuller.
void MscclppLowering::unused_tokens()
{
    for (const auto& [id, count] : tokens_) {
        const std::uint64_t begin = gpu_->semaphores[id];
        const auto [released, acquired] = count;
        if (begin + released <= acquired) continue;
        plan_.notices.push_back({plan_.file, gpu_->line,
            fmt::format("semaphore {} of gpu {} begins with {}, is released {} times and acquired {} times, and ends with {}", id,
                rank_, begin, released, acquired, begin + released - acquired),
            ""});
    }
}

}  // namespace weft
