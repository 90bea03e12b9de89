#include "collectives/engine/lowering.h"

#include <map>

#include "base/diagnostic.h"

namespace weft {

namespace {

using StepKey = std::pair<std::uint32_t, std::uint32_t>;

// Steps of a thread take effect in order; the wavefronts of its workgroup go ahead by themselves. Adds the barriers
// and fences that this takes: behind a wait, which only wavefront zero does; before a signal, which stands for the stores of
// all; and before a move that touches what moves since the last barrier have written, or writes what they read.
class Ordered {
public:
    explicit Ordered(Program& program) : program_(program) {}

    void move(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
        std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label, bool with_previous)
    {
        if (waited_) {
            barrier(label);
        }
        if (!with_previous && depends(sources, destinations, bytes)) {
            if (moved_) barrier(label);
            program_.add_fence(Scope::system, label);
            publish();
            barrier(label);
        }
        program_.add_move(sources, destinations, bytes, type, reduction, label, with_previous);
        for (const std::uint64_t source : sources) read_.push_back({source, source + bytes});
        for (const std::uint64_t destination : destinations) written_.push_back({destination, destination + bytes});
        moved_ = true;
    }
    void signal(std::uint64_t flag, std::uint32_t label)
    {
        if (moved_) barrier(label);
        program_.add_signal(flag, label);
        publish();
    }
    void wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label)
    {
        program_.add_wait(flag, value, label);
        waited_ = true;
    }

private:
    struct Range {
        std::uint64_t begin;
        std::uint64_t end;
    };

    static bool meets(const std::vector<Range>& ranges, const std::vector<std::uint64_t>& addresses, std::uint64_t bytes)
    {
        for (const std::uint64_t address : addresses)
            for (const Range& range : ranges)
                if (address < range.end && range.begin < address + bytes) return true;
        return false;
    }
    bool depends(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
        std::uint64_t bytes) const
    {
        return meets(written_, sources, bytes) || meets(written_, destinations, bytes) ||
               meets(published_, sources, bytes) || meets(published_, destinations, bytes) ||
               meets(read_, destinations, bytes);
    }
    void barrier(std::uint32_t label)
    {
        program_.add_barrier(label);
        waited_ = moved_ = false;
        read_.clear();
        published_.clear();
    }
    // Wavefront zero has seen the stores so far performed; the others know at the next barrier.
    void publish()
    {
        published_.insert(published_.end(), written_.begin(), written_.end());
        written_.clear();
    }

    Program& program_;
    bool waited_ = false;
    bool moved_ = false;
    std::vector<Range> read_;
    std::vector<Range> written_;    // not known to be performed
    std::vector<Range> published_;  // known to wavefront zero
};

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

}  // namespace

std::uint32_t flags_of(const RankPlan& plan)
{
    return plan.semaphores + static_cast<std::uint32_t>(dependency_flags(plan).size());
}

std::string flag_text(const RankPlan& plan, std::uint64_t flag)
{
    for (const auto& [step, number] : dependency_flags(plan))
        if (number == flag)
            return "step " + std::to_string(step.second) + " of thread " + std::to_string(step.first);
    return "semaphore " + std::to_string(flag);
}

std::vector<Program> lower(const Schedule& schedule, const Layout& layout, ElementType type, std::uint32_t rank,
    const std::vector<RankAddresses>& addresses, const SignalFlags* at_signallers)
{
    const RankPlan& plan = schedule.ranks[rank];
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

    std::vector<Program> programs(plan.threads.size());
    std::map<std::uint64_t, std::uint64_t> waits;     // by flag: waits so far
    std::map<StepKey, std::uint64_t> rounds;          // (thread, semaphore): barriers joined
    std::vector<std::uint64_t> sources;
    std::vector<std::uint64_t> destinations;
    for (std::uint32_t t = 0; t < plan.threads.size(); ++t) {
        Ordered program(programs[t]);
        const std::vector<Step>& steps = plan.threads[t].steps;
        for (std::uint32_t s = 0; s < steps.size(); ++s) {
            const Step& step = steps[s];
            for (const StepId& id : step.after)
                if (id.thread != t) program.wait(flag(rank, after_flags.at({id.thread, id.step})), 1, s);
            switch (step.kind) {
            case StepKind::move: {
                bool with_previous = step.with_previous && step.after.empty();
                for (const Piece& piece : layout.pieces(step)) {
                    sources.clear();
                    destinations.clear();
                    for (const Place& place : piece.sources) sources.push_back(address(place));
                    for (const Place& place : piece.destinations) destinations.push_back(address(place));
                    program.move(sources, destinations, piece.bytes, type, schedule.reduction, s, with_previous);
                    with_previous = true;
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
            case StepKind::multicast:
            case StepKind::load_reduce:
                throw InputError(schedule.name, 0,
                    std::string("rank ") + std::to_string(rank) + " thread " + std::to_string(t) + " step " +
                        std::to_string(s) + ": " + name_of(step.kind) + " cannot run",
                    "steps that need no multicast or reduction in a switch");
            case StepKind::nop: break;
            }
            const auto depended = after_flags.find({t, s});
            if (depended != after_flags.end()) program.signal(flag(rank, depended->second), s);
        }
    }
    return programs;
}

}  // namespace weft
