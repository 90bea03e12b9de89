#include "collectives/flow/programs/flow_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/diagnostic.h"
#include "collectives/synthesis/open_chunks.h"
#include "collectives/synthesis/switch_routes.h"

namespace weft {

namespace {

constexpr std::uint32_t most_waits_together = 32;
constexpr std::size_t most_operands = 65535;
constexpr unsigned chunk_bits = 28;  // of the slot of what is pushed

bool of_packets(const ChunkRef& ref) { return ref.buffer == Buffer::packets; }

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdU;
}

std::uint64_t hash_of(const FlowTemplate& of)
{
    std::uint64_t hash = of.ops.size();
    for (const FlowOp& op : of.ops) {
        hash = mixed(hash, std::uint64_t{op.peer} << 32 | op.semaphore);
        hash = mixed(hash,
            std::uint64_t{op.count} << 32 | static_cast<std::uint32_t>(op.flags) << 8 |
                static_cast<std::uint8_t>(op.kind));
    }
    for (const FlowOperand& operand : of.operands) hash = mixed(hash, std::uint64_t{operand.peer} << 32 | operand.slot);
    return hash;
}

// Covers what a thread does, without its semaphores, parts and slots: channels differ in these.
std::uint64_t hash_of_work(const FlowTemplate& of)
{
    std::uint64_t hash = of.ops.size();
    for (const FlowOp& op : of.ops) {
        hash = mixed(hash, std::uint64_t{op.peer} << 32 | op.count);
        hash = mixed(hash,
            std::uint64_t{op.own_sources} << 40 | std::uint64_t{op.own_destinations} << 24 |
                static_cast<std::uint64_t>(op.kind));
    }
    for (const FlowOperand& operand : of.operands) hash = mixed(hash, operand.peer);
    return hash;
}

// One thread of a rank as operations.
class Folder {
public:
    Folder(const Schedule& frame, const FlowProgram& program, bool fenced, const FirstReads* first_reads,
        std::uint32_t rank, std::uint32_t thread, FlowTemplate& out)
        : frame_(frame), grid_(program.grid), by_signaller_(program.by_signaller), fenced_(fenced),
          first_reads_(first_reads), rank_(rank), thread_(thread), out_(out)
    {
    }

    void fold(const Step& step)
    {
        refuse(step);
        FlowOp op;
        op.semaphore = step.semaphore;
        if (!step.after.empty()) op.flags |= FlowOp::depends;
        for (const StepId& id : step.after) out_.after.emplace_back(static_cast<std::uint32_t>(out_.ops.size()), id);
        switch (step.kind) {
        case StepKind::signal:
            op.kind = FlowKind::signal;
            op.peer = grid_.difference(rank_, step.peer);
            open_.fence();
            break;
        case StepKind::wait:
            op.kind = FlowKind::wait;
            op.peer = grid_.difference(rank_, step.peer);
            open_.barrier();
            break;
        case StepKind::barrier:
            op.kind = FlowKind::barrier;
            op.count = step.participants;
            break;
        case StepKind::nop: break;
        default: fold_move(step, op); break;
        }
        out_.ops.push_back(op);
    }

    void finish()
    {
        out_.shapes = static_cast<std::uint32_t>(shapes_.size());
        for (std::size_t i = 0; i < out_.ops.size(); ++i) {
            FlowOp& op = out_.ops[i];
            if (op.kind == FlowKind::wait) op.waits = waits_from(i);
            if (op.kind == FlowKind::move && i + 1 < out_.ops.size() && out_.ops[i + 1].has(FlowOp::with_previous))
                op.flags |= FlowOp::goes_on;
        }
    }

private:
    void refuse(const Step& step) const
    {
        const bool packets = std::any_of(step.sources.begin(), step.sources.end(), of_packets) ||
            std::any_of(step.destinations.begin(), step.destinations.end(), of_packets);
        if (in_switch(step.kind) && packets)
            throw InputError(frame_.name, 0,
                "a step of this plan lets a switch combine or copy packets, which flow fidelity has not",
                "engine.protocol=simple, or --fidelity line");
        if (step.channel == StepChannel::port)
            throw InputError(frame_.name, 0,
                "a step of this plan uses a port channel, but flow fidelity has no port channels",
                "engine.channel=memory, or --fidelity line");
        if (step.sources.size() > most_operands || step.destinations.size() > most_operands)
            throw InputError(frame_.name, 0, "a step has more than 65535 operands", "at most 65535 operands");
    }

    void fold_move(const Step& step, FlowOp& op)
    {
        op.kind = FlowKind::move;
        op.semaphore = 0;
        op.count = step.sources.front().count;
        op.moves = step.stands_for;
        op.parts = step.parts;
        if (step.with_previous) op.flags |= FlowOp::with_previous;
        if (loads_group(step.kind)) op.flags |= FlowOp::loads_group;
        if (stores_group(step.kind)) op.flags |= FlowOp::stores_group;
        if (step.kind == StepKind::push_reduce) op.flags |= FlowOp::pushes;
        op.first = static_cast<std::uint32_t>(out_.operands.size());
        for (std::uint32_t number = 0; number < step.sources.size(); ++number) {
            const ChunkRef& source = step.sources[number];
            if (of_packets(source)) op.flags |= FlowOp::loads_packets;
            if (source.rank == rank_ && !of_packets(source) && !op.has(FlowOp::loads_group)) {
                ++op.own_sources;
                if (comes_from_memory(source, number)) note_cold(op, number);
            } else {
                add_operand(source);
                out_.operands.back().cold = comes_from_memory(source, number);
                ++op.sources;
            }
        }
        const ChunkRef* own_packets = nullptr;
        for (const ChunkRef& destination : step.destinations) {
            if (of_packets(destination)) op.flags |= FlowOp::stores_packets;
            if (of_packets(destination) && destination.rank == rank_) {
                if (own_packets != nullptr)
                    throw InputError("", 0, "a step of this plan stores packets twice at its own rank",
                        "one such destination at flow fidelity");
                own_packets = &destination;
            }
            if (destination.rank == rank_ && !op.has(FlowOp::stores_group)) {
                ++op.own_destinations;
            } else {
                add_operand(destination);
                if (op.has(FlowOp::pushes))
                    out_.operands.back().slot =
                        static_cast<std::uint32_t>(destination.buffer) << chunk_bits | destination.index;
                ++op.destinations;
            }
        }
        if (own_packets != nullptr) {
            op.flags |= FlowOp::packs_own;
            add_operand(*own_packets);
        }
        if (op.has(FlowOp::loads_packets) || op.has(FlowOp::stores_packets) || op.has(FlowOp::pushes))
            op.part = step.part;
        const bool fence = fenced_ && op.has(FlowOp::stores_packets);
        const bool meets = !step.with_previous && open_.meets(frame_, step);
        if ((fence && !step.with_previous) || meets) {
            op.flags |= FlowOp::needs_fence;
            if (fence) op.flags |= FlowOp::asks_fenced;
            if (fence && meets) op.flags |= FlowOp::fenced_twice;
            open_.fence();
            open_.barrier();
        }
        open_.add(frame_, step);
        op.shape = shape_of(op);
    }

    // The `number`-th source of the step that is folded.
    bool comes_from_memory(const ChunkRef& source, std::uint32_t number) const
    {
        if (first_reads_ == nullptr) return source.buffer == Buffer::input;
        return first_reads_->is_first(rank_, thread_, static_cast<std::uint32_t>(out_.ops.size()), number);
    }

    // It waits for that of its sources which the thread asks for last.
    void note_cold(FlowOp& op, std::uint32_t number) const
    {
        const std::uint32_t behind = first_reads_ == nullptr
            ? 0
            : first_reads_->steps_behind(rank_, thread_, static_cast<std::uint32_t>(out_.ops.size()), number);
        op.behind = op.has(FlowOp::own_cold) ? std::min(op.behind, behind) : behind;
        op.flags |= FlowOp::own_cold;
    }

    void add_operand(const ChunkRef& ref)
    {
        FlowOperand operand;
        operand.peer = grid_.difference(rank_, ref.rank);
        operand.packets = of_packets(ref);
        operand.slot = operand.packets ? ref.index : 0;
        out_.operands.push_back(operand);
    }

    std::uint32_t shape_of(const FlowOp& op)
    {
        std::vector<std::uint32_t> key{op.own_sources, op.own_destinations, op.sources, op.destinations, op.count,
            op.moves, op.parts, op.behind,
            op.flags &
                static_cast<std::uint32_t>(
                    FlowOp::own_cold | FlowOp::loads_group | FlowOp::stores_group | FlowOp::pushes)};
        for (std::size_t i = op.first; i < out_.operands.size(); ++i) {
            const FlowOperand& operand = out_.operands[i];
            key.push_back(operand.peer);
            key.push_back((operand.packets ? 1U : 0U) + (operand.cold ? 2U : 0U));
        }
        return shapes_.emplace(std::move(key), static_cast<std::uint32_t>(shapes_.size())).first->second;
    }

    std::uint8_t waits_from(std::size_t first) const
    {
        std::set<std::pair<std::uint32_t, std::uint32_t>> flags;
        std::uint8_t waits = 0;
        for (std::size_t at = first; at < out_.ops.size() && waits < most_waits_together; ++at, ++waits) {
            const FlowOp& op = out_.ops[at];
            if (op.kind != FlowKind::wait) break;
            if (at > first && (op.has(FlowOp::depends) || out_.ops[at - 1].has(FlowOp::published))) break;
            if (!flags.insert({op.semaphore, by_signaller_ ? op.peer : 0}).second) break;
        }
        return waits;
    }

    const Schedule& frame_;
    const RankGrid& grid_;
    bool by_signaller_;
    bool fenced_;
    const FirstReads* first_reads_;
    std::uint32_t rank_;
    std::uint32_t thread_;
    FlowTemplate& out_;
    OpenChunks open_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> shapes_;
};

// Semaphores that several ranks signal or several threads wait for.
class SharedFlags {
public:
    explicit SharedFlags(std::uint32_t ranks) : users_(ranks), shared_(ranks) {}

    // `side`: 0 signals, 1 waits.
    void note(std::uint32_t rank, std::uint32_t semaphore, unsigned side, std::uint32_t user)
    {
        std::vector<std::array<std::uint32_t, 2>>& users = users_[rank];
        if (users.size() <= semaphore) {
            users.resize(semaphore + 1, {nobody, nobody});
            shared_[rank].resize(semaphore + 1);
        }
        std::uint32_t& known = users[semaphore][side];
        if (known != nobody && known != user) shared_[rank][semaphore] = true;
        known = user;
    }
    std::vector<std::vector<bool>> take() { return std::move(shared_); }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};
    std::vector<std::vector<std::array<std::uint32_t, 2>>> users_;
    std::vector<std::vector<bool>> shared_;
};

}  // namespace

bool FlowOp::operator==(const FlowOp& other) const
{
    const auto all = [](const FlowOp& op) {
        return std::tuple(op.kind, op.waits, op.flags, op.own_sources, op.own_destinations, op.sources, op.destinations,
            op.first, op.peer, op.semaphore, op.count, op.moves, op.part, op.parts, op.behind);
    };
    return all(*this) == all(other);
}

RankGrid::RankGrid(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes))
{
    for (const std::uint32_t size : sizes_) {
        strides_.push_back(ranks_);
        ranks_ *= size;
    }
}

std::uint32_t RankGrid::difference(std::uint32_t rank, std::uint32_t peer) const
{
    if (rank == peer) return 0;
    std::uint32_t found = 0;
    for (std::uint32_t axis = 0; axis < sizes_.size(); ++axis) {
        const std::uint32_t here = rank / strides_[axis] % sizes_[axis];
        const std::uint32_t there = peer / strides_[axis] % sizes_[axis];
        if (here == there) continue;
        if (found != 0) throw std::logic_error("ranks differ on several axes");
        found = axis << axis_shift | (there + sizes_[axis] - here) % sizes_[axis];
    }
    return found;
}

std::uint64_t FlowProgram::moves() const
{
    std::vector<std::uint64_t> of(templates.size());
    for (std::size_t t = 0; t < templates.size(); ++t)
        for (const FlowOp& op : templates[t].ops)
            if (op.kind == FlowKind::move) of[t] += op.sources + op.destinations;
    std::uint64_t sum = 0;
    for (const std::uint32_t t : template_of) sum += of[t];
    return first.empty() ? sum * ranks() : sum;
}

std::uint64_t FlowProgram::operations() const
{
    std::uint64_t sum = 0;
    for (const std::uint32_t t : template_of) sum += templates[t].ops.size() + 1;
    return first.empty() ? sum * ranks() : sum;
}

std::size_t FlowProgram::bytes() const
{
    std::size_t sum = (first.size() + template_of.size()) * sizeof(std::uint32_t);
    for (const FlowTemplate& one : templates) sum += one.bytes();
    return sum;
}

FlowProgramMaker::FlowProgramMaker(const Schedule& frame, RankGrid grid, bool by_signaller, bool fenced,
    const FirstReads* first_reads)
    : frame_(frame), fenced_(fenced), first_reads_(first_reads)
{
    program_.name = frame.name;
    program_.op = frame.op;
    program_.chunks = frame.chunks;
    program_.grid = std::move(grid);
    program_.by_signaller = by_signaller;
    program_.first = {0};
}

FlowTemplate FlowProgramMaker::folded(std::uint32_t rank, std::uint32_t thread, const RankPlan& plan) const
{
    FlowTemplate out;
    Folder folder(frame_, program_, fenced_, first_reads_, rank, thread, out);
    for (const Step& step : plan.threads[thread].steps) {
        folder.fold(step);
        FlowOp& op = out.ops.back();
        if (shared_.empty() || (op.kind != FlowKind::signal && op.kind != FlowKind::wait)) continue;
        const std::vector<bool>& at = shared_[op.kind == FlowKind::signal ? step.peer : rank];
        if (step.semaphore < at.size() && at[step.semaphore]) op.flags |= FlowOp::shared_flag;
    }
    for (const Thread& other : plan.threads)
        for (const Step& step : other.steps)
            for (const StepId& id : step.after)
                if (id.thread == thread) out.ops[id.step].flags |= FlowOp::published;
    folder.finish();
    return out;
}

std::uint32_t FlowProgramMaker::intern(FlowTemplate&& made)
{
    std::vector<std::uint32_t>& alike = by_hash_[hash_of(made)];
    for (const std::uint32_t number : alike)
        if (program_.templates[number] == made) return number;
    const auto number = static_cast<std::uint32_t>(program_.templates.size());
    alike.push_back(number);
    program_.templates.push_back(std::move(made));
    return number;
}

std::vector<std::uint32_t> FlowProgramMaker::templates_of(std::uint32_t rank, const RankPlan& plan)
{
    std::vector<FlowTemplate> threads;
    std::map<std::uint64_t, std::uint32_t> alike;
    for (std::uint32_t thread = 0; thread < plan.threads.size(); ++thread) {
        threads.push_back(folded(rank, thread, plan));
        ++alike[hash_of_work(threads.back())];
    }
    std::vector<std::uint32_t> out;
    for (FlowTemplate& made : threads) {
        made.lone = alike.at(hash_of_work(made)) == 1;
        for (const FlowOp& op : made.ops) {
            if (op.kind == FlowKind::barrier) program_.barriers = std::max(program_.barriers, op.semaphore + 1);
            program_.in_switches = program_.in_switches || op.has(FlowOp::loads_group) || op.has(FlowOp::stores_group);
            program_.has_packets =
                program_.has_packets || op.has(FlowOp::loads_packets) || op.has(FlowOp::stores_packets);
        }
        out.push_back(intern(std::move(made)));
    }
    return out;
}

void FlowProgramMaker::add(std::uint32_t rank, const RankPlan& plan)
{
    for (const std::uint32_t number : templates_of(rank, plan)) program_.template_of.push_back(number);
    program_.first.push_back(static_cast<std::uint32_t>(program_.template_of.size()));
}

FlowProgram FlowProgramMaker::take() { return std::move(program_); }

FlowProgram FlowProgramMaker::take_for_all(std::vector<std::uint32_t> threads)
{
    program_.first.clear();
    program_.template_of = std::move(threads);
    return std::move(program_);
}

FlowProgram program_of(const Schedule& schedule, bool fenced, const FirstReads* first_reads)
{
    SharedFlags shared(schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (std::uint32_t thread = 0; thread < schedule.ranks[rank].threads.size(); ++thread)
            for (const Step& step : schedule.ranks[rank].threads[thread].steps) {
                if (step.kind == StepKind::signal) shared.note(step.peer, step.semaphore, 0, rank);
                if (step.kind == StepKind::wait) shared.note(rank, step.semaphore, 1, thread);
            }
    FlowProgramMaker maker(schedule, RankGrid({schedule.size()}), false, fenced, first_reads);
    maker.set_shared_flags(shared.take());
    for (const RankPlan& plan : schedule.ranks) maker.add(plan);
    FlowProgram out = maker.take();
    if (out.has_packets) out.packets_cut_otherwise = packets_cut_otherwise(schedule);
    return out;
}

}  // namespace weft
