#include "collectives/plans/mscclpp_lowering.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

constexpr std::uint64_t most_rounds = 4096;
constexpr std::size_t most_lowered_steps = std::size_t{1} << 22;

// Of the executor that carries such plans out.
constexpr std::size_t most_operations = 64;
constexpr std::size_t most_channels = 16;
constexpr std::size_t most_barriers = 16;

constexpr const char* synchronising[] = {"nop", "barrier", "signal", "rlxsignal", "wait", "rlxwait", "flush",
    "sem_acquire", "sem_release"};

template <std::size_t n>
bool holds(const char* const (&names)[n], const std::string& name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
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
        ranks.semaphores =
            static_cast<std::uint32_t>(gpu.peers[0].size() + gpu.peers[1].size() + gpu.semaphores.size());
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
    if (round.unit == 0 || chunks == 0)
        fields_.refuse(context.line, "a pipeline without iterations", "numbers above 0");
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
    if (++unrolled_ > most_lowered_steps) fields_.refuse(op.line, "the plan has too many operations", "a smaller plan");
    if (counting_) ++plan_.operations[name];
    if (holds(synchronising, name)) return synchronise(op, name);
    if (const MscclppForm* form = mscclpp_form(name)) {
        check_operands(op, *form, fields_);
        return form->in_switch() ? in_switch(op, *form, round) : data(op, *form, round);
    }
    if (name == "pipeline") fields_.refuse(op.line, "a pipeline in a pipeline", "operations");
    std::string known = "pipeline";
    for (const char* one : synchronising) known += std::string(", ") + one;
    fields_.refuse(op.line, fmt::format("unknown operation in threadblock {} of gpu {}", block_->id, rank_),
        "one of " + known + mscclpp_form_names());
}

}  // namespace weft
