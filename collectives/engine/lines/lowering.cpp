#include "collectives/engine/lines/lowering.h"

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "collectives/engine/lines/port_order.h"
#include "collectives/schedule/channels.h"

namespace weft {

namespace {

using StepKey = std::pair<std::uint32_t, std::uint32_t>;

// Flag of every step that another thread of the rank depends on, numbered behind the semaphores.
std::map<StepKey, std::uint32_t> dependency_flags(const RankPlan& plan)
{
    std::map<StepKey, std::uint32_t> flags;
    for (std::uint32_t t = 0; t < plan.threads.size(); ++t)
        for (const Step& step : plan.threads[t].steps)
            for (const StepId& id : step.after)
                if (id.thread != t) flags.emplace(StepKey{id.thread, id.step}, 0);
    std::uint32_t next = plan.semaphores;
    for (auto& [key, flag] : flags) flag = next++;
    return flags;
}

// The two programs of a thread: what its workgroup does, and what a copy engine does. With ports: port_order.h. With copy
// engines, moves of one source go to the list, others to the workgroup; whatever else there is stays with the move before it,
// a wait with the move behind it. A thread that moves nothing is a list. Where the thread goes from one to the other, the one
// sets a flag that the other waits for.
class ThreadPrograms {
public:
    ThreadPrograms(const Thread& thread, Program& workgroup, Program& list, Mover mover, std::uint32_t endpoint,
        std::uint64_t flags)
        : thread_(thread), workgroup_(workgroup, mover == Mover::bulk), list_(list),
          port_(workgroup, list, endpoint, flags + flag_stride), mover_(mover), copies_(mover == Mover::copy_engine),
          flags_(flags)
    {
    }

    StepOrder& of(std::uint32_t step)
    {
        if (mover_ == Mover::port) {
            port_.through_port(thread_.steps[step].channel == StepChannel::port);
            return port_;
        }
        StepOrder* next = copies_ ? runner(step) : &workgroup_;
        if (current_ != nullptr && next != current_) {
            const unsigned side = next == &list_ ? 0 : 1;
            const std::uint64_t flag = flags_ + side * flag_stride;
            current_->signal(flag, step);
            next->wait(flag, ++handed_[side], step);
        }
        current_ = next;
        return *current_;
    }

private:
    StepOrder* runner(std::uint32_t step)
    {
        const StepKind kind = thread_.steps[step].kind;
        if (current_ != nullptr && kind != StepKind::wait && !is_data(kind)) return current_;
        for (; step < thread_.steps.size(); ++step)
            if (is_data(thread_.steps[step].kind)) break;
        if (step == thread_.steps.size()) return current_ != nullptr ? current_ : &list_;
        if (thread_.steps[step].sources.size() == 1 && !in_switch(thread_.steps[step].kind)) return &list_;
        return &workgroup_;
    }

    const Thread& thread_;
    WorkgroupOrder workgroup_;
    ListOrder list_;
    PortOrder port_;
    Mover mover_;
    bool copies_;
    std::uint64_t flags_;  // to the list, and behind it back
    StepOrder* current_ = nullptr;
    std::uint64_t handed_[2] = {0, 0};
};

bool moves_packets(const Step& step)
{
    const auto in_packets = [](const ChunkRef& ref) { return ref.buffer == Buffer::packets; };
    return std::any_of(step.sources.begin(), step.sources.end(), in_packets) ||
        std::any_of(step.destinations.begin(), step.destinations.end(), in_packets);
}

// A move for every chunk, so that each begins with packets of its own. Whether there is any.
bool packet_moves(const Step& step, const Layout& layout, const PacketSlots& packets,
    const std::vector<RankAddresses>& addresses, MoveStep move, StepOrder& program)
{
    move.packets = true;
    move.turn = 0;
    for (const ChunkShare& share : layout.shares(step)) {
        const auto operand = [&](const ChunkRef& ref) -> MoveOperand {
            const std::uint32_t chunk = ref.index + share.chunk;
            const std::uint64_t* memory = addresses[ref.rank].memory;
            if (ref.buffer == Buffer::packets)
                return {memory[static_cast<unsigned>(ref.buffer)] + packets.offset(chunk, share.begin, step.part),
                    true};
            const Place place = layout.place_of(ref.rank, ref.buffer);
            return {memory[static_cast<unsigned>(place.memory)] + place.offset +
                    layout.range(ref.rank, ref.buffer, chunk).begin + share.begin,
                false};
        };
        move.sources.clear();
        move.destinations.clear();
        move.packet_sources.clear();
        move.packet_destinations.clear();
        for (const ChunkRef& ref : step.sources) {
            move.packet_sources.push_back(operand(ref));
            if (ref.buffer != Buffer::packets) move.sources.push_back(move.packet_sources.back().address);
        }
        for (const ChunkRef& ref : step.destinations) {
            move.packet_destinations.push_back(operand(ref));
            if (ref.buffer != Buffer::packets) move.destinations.push_back(move.packet_destinations.back().address);
        }
        move.bytes = share.end - share.begin;
        move.fenced = packets.fenced() && !move.with_previous && move.destinations.size() < step.destinations.size();
        program.move(move);
        move.with_previous = true;
        ++move.turn;
    }
    return !move.packet_sources.empty();
}

}  // namespace

std::uint32_t flags_of(const RankPlan& plan, Mover mover)
{
    const auto own = plan.semaphores + static_cast<std::uint32_t>(dependency_flags(plan).size());
    return mover == Mover::copy_engine || mover == Mover::port
        ? own + 2 * static_cast<std::uint32_t>(plan.threads.size())
        : own;
}

std::string flag_text(const RankPlan& plan, std::uint64_t flag, Mover mover)
{
    const std::map<StepKey, std::uint32_t> dependencies = dependency_flags(plan);
    const std::uint64_t handed = plan.semaphores + dependencies.size();
    const std::uint64_t own = flags_of(plan, mover);
    if (flag >= own) return "signal " + std::to_string(flag - own) + " of its own";
    if (flag >= handed)
        return std::string(flag % 2 == handed % 2 ? "the workgroup" : "the copy engine") + " of thread " +
            std::to_string((flag - handed) / 2);
    for (const auto& [step, number] : dependencies)
        if (number == flag) return "step " + std::to_string(step.second) + " of thread " + std::to_string(step.first);
    return "semaphore " + std::to_string(flag);
}

Lowered lower(const Schedule& schedule, const Layout& layout, ElementType type, std::uint32_t rank,
    const std::vector<RankAddresses>& addresses, Mover mover, const SignalFlags* at_signallers,
    const PacketSlots* packets, const GroupNumbers* groups)
{
    const RankPlan channels = schedule.channels > 1 ? whole_plan(schedule, rank) : RankPlan();
    const RankPlan& plan = schedule.channels > 1 ? channels : schedule.ranks[rank];
    const std::map<StepKey, std::uint32_t> after_flags = dependency_flags(plan);
    const auto flag = [&](std::uint32_t owner, std::uint32_t number) {
        return addresses[owner].flags + number * flag_stride;
    };
    // Of a signal of one rank to a semaphore of another.
    const auto signal_flag = [&](std::uint32_t signaller, std::uint32_t waiter, std::uint32_t semaphore) {
        if (at_signallers == nullptr) return flag(waiter, semaphore);
        return flag(signaller, at_signallers->number(signaller, waiter, semaphore));
    };
    const auto address = [&](const Place& place) {
        return addresses[place.rank].memory[static_cast<unsigned>(place.memory)] + place.offset;
    };
    // Where operands of a switch step, which lie at these addresses of their ranks, are to the group.
    const auto in_group = [&](const Step& step, std::uint32_t s, std::uint32_t t,
                              const std::vector<std::uint32_t>& ranks, const std::vector<std::uint64_t>& at) {
        const auto refused = [&](const char* what, const char* expected) {
            return InputError(schedule.name, 0,
                "rank " + std::to_string(rank) + " thread " + std::to_string(t) + " step " + std::to_string(s) + ": " +
                    name_of(step.kind) + what,
                expected);
        };
        if (groups == nullptr)
            throw refused(" cannot run here", "steps that need no multicast or reduction in a switch");
        for (const std::uint64_t address : at)
            if (local_of(address) != local_of(at.front()))
                throw refused(" of chunks at different addresses of the ranks", "the same chunk at every rank");
        return global_address(groups->at(ranks), local_of(at.front()));
    };

    Lowered out;
    out.workgroups.resize(plan.threads.size());
    out.lists.resize(plan.threads.size());
    const auto handing = static_cast<std::uint32_t>(plan.semaphores + after_flags.size());
    std::map<std::uint64_t, std::uint64_t> waits;  // by flag: waits so far
    std::map<StepKey, std::uint64_t> rounds;       // (thread, semaphore): barriers joined
    MoveStep move;
    move.type = type;
    move.reduction = schedule.reduction;
    for (std::uint32_t t = 0; t < plan.threads.size(); ++t) {
        ThreadPrograms both(plan.threads[t], out.workgroups[t], out.lists[t], mover, endpoint_of(addresses[rank].flags),
            flag(rank, handing + 2 * t));
        const std::vector<Step>& steps = plan.threads[t].steps;
        bool in_run = false;  // a move of the present run of data steps has been added: the first may have no bytes
        for (std::uint32_t s = 0; s < steps.size(); ++s) {
            const Step& step = steps[s];
            StepOrder& program = both.of(s);
            if (!step.with_previous || !step.after.empty()) in_run = false;
            for (const StepId& id : step.after)
                if (id.thread != t) program.wait(flag(rank, after_flags.at({id.thread, id.step})), 1, s);
            switch (step.kind) {
            case StepKind::move:
            case StepKind::multicast:
            case StepKind::load_reduce:
            case StepKind::reduce_multicast:
            case StepKind::push_reduce: {
                move.label = s;
                move.with_previous = in_run;
                if (moves_packets(step)) {
                    if (in_switch(step.kind))
                        throw InputError(schedule.name, 0,
                            std::string("rank ") + std::to_string(rank) + " thread " + std::to_string(t) + " step " +
                                std::to_string(s) + ": " + name_of(step.kind) + " of packets cannot run",
                            "packets that units store");
                    in_run |= packet_moves(step, layout, *packets, addresses, move, program);
                    out.workgroups[t].format = packets->format();
                    break;
                }
                move.group_source = move.group_destination = 0;
                move.pushes = step.kind == StepKind::push_reduce;
                move.turn = 0;
                for (const Piece& piece : layout.pieces(step)) {
                    move.sources.clear();
                    move.destinations.clear();
                    for (const Place& place : piece.sources) move.sources.push_back(address(place));
                    for (const Place& place : piece.destinations) move.destinations.push_back(address(place));
                    move.bytes = piece.bytes;
                    if (reads_group(step.kind))
                        move.group_source = in_group(step, s, t, reading_group(step), move.sources);
                    if (writes_group(step.kind))
                        move.group_destination = in_group(step, s, t, writing_group(step), move.destinations);
                    program.move(move);
                    move.with_previous = in_run = true;
                    ++move.turn;  // one copy by all wavefronts, cut where its chunks are
                }
                break;
            }
            case StepKind::signal: program.signal(signal_flag(rank, step.peer, step.semaphore), s); break;
            case StepKind::wait: {
                const std::uint64_t where = signal_flag(step.peer, rank, step.semaphore);
                program.wait(where, ++waits[where], s);
                break;
            }
            case StepKind::barrier: {
                const std::uint64_t round = ++rounds[{t, step.semaphore}];
                program.signal(flag(rank, step.semaphore), s);
                program.wait(flag(rank, step.semaphore), round * step.participants, s);
                break;
            }
            case StepKind::nop:
                if (step.channel == StepChannel::port) program.flush(s);
                break;
            }
            const auto depended = after_flags.find({t, s});
            if (depended != after_flags.end()) program.signal(flag(rank, depended->second), s);
        }
    }
    return out;
}

}  // namespace weft
