#include "collectives/schedule/verification/verify.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/clocks.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/order.h"
#include "collectives/schedule/verification/contribution.h"
#include "collectives/schedule/verification/end_check.h"
#include "collectives/schedule/verification/packet_causes.h"
#include "collectives/schedule/verification/presence.h"
#include "collectives/schedule/verification/signal_check.h"
#include "collectives/schedule/verification/structure.h"
#include "collectives/schedule/verification/symbolic_memory.h"
#include "collectives/schedule/verification/verify_log.h"

namespace weft {

namespace {

// What a hostile or mistaken plan may cost: far above what 64 ranks with 64 channels need.
constexpr std::uint64_t most_chunks = std::uint64_t{1} << 24;
constexpr std::uint64_t most_clock_entries = std::uint64_t{1} << 28;
constexpr std::uint64_t most_contributions = std::uint64_t{1} << 27;
constexpr std::uint64_t most_operands = std::uint64_t{1} << 28;

struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ValueId value = nothing_written;
};

// Problems that were found before stay: they are problems whatever the rest would show.
void too_large(Verification& result, const std::string& what)
{
    result.too_large = result.problems.empty();
    result.problems.push_back(what);
}

// Chunks that all steps together touch.
std::uint64_t operands_of(const Schedule& schedule)
{
    std::uint64_t operands = 0;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind))
                    operands += (step.sources.size() + step.destinations.size()) * step.sources.front().count;
    return operands;
}

std::string chunk_name(const ChunkRef& ref, std::uint32_t chunk)
{
    return fmt::format("{} chunk {} of rank {}", name_of(ref.buffer), ref.index + chunk, ref.rank);
}

class Run {
public:
    Run(const Schedule& schedule, const Layout& layout, const Numbering& numbering, Clocks& clocks,
        const VerifyOptions& options, Verification& result)
        : schedule_(schedule), layout_(layout), numbering_(numbering), clocks_(clocks),
          presence_(schedule, numbering, clocks), values_(schedule.reduction), memory_(schedule), causes_(schedule),
          log_(result, options.most_problems), result_(result), options_(options)
    {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) write_input(rank);
    }

    void run()
    {
        const Order order = legal_order(schedule_, numbering_);
        result_.executed = order.steps.size();
        for (std::size_t i = 0; i < order.steps.size();) {
            const Step& step = step_at(schedule_, order.steps[i]);
            if (step.kind == StepKind::barrier) {
                barrier(&order.steps[i], step.participants);
                i += step.participants;
            } else if (step.kind == StepKind::push_reduce) {
                push_reduce(&order.steps[i], step.destinations.size());
                i += step.destinations.size();
            } else {
                execute(order.steps[i++], step);
            }
            if (values_.held() > most_contributions) {
                too_large(result_, fmt::format("its steps combine more than {} contributions", most_contributions));
                return;
            }
        }
        for (const Blocked& blocked : order.blocked)
            problem(describe(schedule_, blocked.at) + " never runs: it " + blocked.waits_for);
        statistics();
        check_signals(schedule_, numbering_, log_);
        // Outputs of a plan that did not run to its end say nothing that the lines above do not.
        if (order.blocked.empty()) check_end_state(schedule_, layout_, memory_, values_, log_);
        if (order.blocked.empty() && result_.problems.size() == not_entered_.size())
            check_ends(schedule_, numbering_, presence_, memory_, options_.without_relaxed, log_);
        if (order.blocked.empty() && schedule_.op == CollectiveOp::barrier) check_barrier(schedule_, presence_, log_);
        log_.finish();
    }

private:
    void problem(const std::string& text) { log_.problem(text); }

    void write_input(std::uint32_t rank)
    {
        for (std::uint32_t i = 0; i < SymbolicMemory::filled_input(schedule_, rank); ++i)
            memory_.chunk(rank, Buffer::input, i).front().value = values_.input(rank, i);
    }

    void execute(StepAt at, const Step& step)
    {
        const std::uint32_t thread = numbering_.thread(at.rank, at.thread);
        clocks_.start(thread, step, at.step);
        bool remote = false;
        if (step.kind == StepKind::wait) {
            if (!clocks_.wait(thread, numbering_.semaphore(at.rank, step.semaphore)))
                problem(fmt::format(
                    "{}: another thread waits on semaphore {}, too, and the order of the two is not defined",
                    describe(schedule_, at), step.semaphore));
        } else if (step.kind == StepKind::signal) {
            clocks_.signal(thread, numbering_.semaphore(step.peer, step.semaphore));
        } else if (is_data(step.kind)) {
            move(at, step, {thread, at.step + 1});
            const auto elsewhere = [&at](const ChunkRef& ref) { return ref.rank != at.rank; };
            remote = step.kind != StepKind::move || std::any_of(step.sources.begin(), step.sources.end(), elsewhere) ||
                std::any_of(step.destinations.begin(), step.destinations.end(), elsewhere);
        }
        clocks_.finish(thread, at.step, remote);
    }

    void barrier(const StepAt* at, std::uint32_t participants)
    {
        std::vector<std::uint32_t> threads;
        for (const StepAt* one = at; one != at + participants; ++one) {
            threads.push_back(numbering_.thread(one->rank, one->thread));
            clocks_.start(threads.back(), step_at(schedule_, *one), one->step);
        }
        clocks_.barrier(threads);
        for (std::uint32_t i = 0; i < participants; ++i) clocks_.finish(threads[i], at[i].step, false);
    }

    // Everybody's step reads the own source and writes the own destination; the value is that of all.
    void push_reduce(const StepAt* at, std::size_t members)
    {
        Step whole = step_at(schedule_, at[0]);
        whole.sources.clear();
        Depth deepest;
        for (const StepAt* one = at; one != at + members; ++one) {
            const Step& step = step_at(schedule_, *one);
            const std::uint32_t thread = numbering_.thread(one->rank, one->thread);
            whole.sources.push_back(step.sources.front());
            clocks_.start(thread, step, one->step);
            const Depth depth = clocks_.depth_at(thread, false);
            deepest = {std::max(deepest.moves, depth.moves), std::max(deepest.signals, depth.signals)};
        }
        const std::string mismatch = layout_.mismatch(whole);
        if (!mismatch.empty()) problem(describe(schedule_, at[0]) + ": operands differ in length: " + mismatch);
        const std::vector<ChunkShare> shares = mismatch.empty() ? layout_.shares(whole) : std::vector<ChunkShare>{};
        for (const ChunkShare& share : shares) {
            for (std::size_t m = 0; m < members; ++m) read(at[m], whole.sources[m], share, epoch(at[m]), false);
            const std::vector<Stretch> result = combined(whole, share);
            for (std::size_t m = 0; m < members; ++m) write(at[m], whole.destinations[m], share, epoch(at[m]), result);
        }
        for (const StepAt* one = at; one != at + members; ++one) {
            const std::uint32_t thread = numbering_.thread(one->rank, one->thread);
            clocks_.follow(thread, deepest);
            clocks_.finish(thread, one->step, true);
        }
    }

    StepAt step_of(Epoch epoch) const
    {
        StepAt at = numbering_.owner(epoch.thread);
        at.step = epoch.count - 1;
        return at;
    }

    Epoch epoch(StepAt at) const { return {numbering_.thread(at.rank, at.thread), at.step + 1}; }

    void move(StepAt at, const Step& step, Epoch now)
    {
        const std::string mismatch = layout_.mismatch(step);
        if (!mismatch.empty()) return problem(describe(schedule_, at) + ": operands differ in length: " + mismatch);
        overlaps(at, step);
        for (const StepAt store : causes_.stores_read_by(at)) presence_.heard_of(store.rank, now);
        for (const ChunkRef& source : step.sources)
            for (std::uint32_t i = 0; source.buffer == Buffer::packets && i < source.count; ++i)
                clocks_.follow(now.thread, packet_depths_[{source.rank, source.index + i}]);
        const auto in_slot = [](const ChunkRef& ref) { return is_slot(ref.buffer); };
        const bool whole_slots = !step.like && std::all_of(step.sources.begin(), step.sources.end(), in_slot) &&
            std::all_of(step.destinations.begin(), step.destinations.end(), in_slot);
        for (const ChunkShare& share : layout_.shares(step)) {
            for (const ChunkRef& source : step.sources) read(at, source, share, now, whole_slots);
            const std::vector<Stretch> result = combined(step, share);
            for (const ChunkRef& destination : step.destinations) write(at, destination, share, now, result);
        }
        causes_.carried_out(at);
        for (const ChunkRef& ref : step.destinations)
            for (std::uint32_t i = 0; ref.buffer == Buffer::packets && i < ref.count; ++i) {
                const Depth stored = clocks_.depth_at(now.thread, ref.rank != at.rank);
                Depth& depth = packet_depths_[{ref.rank, ref.index + i}];
                depth = {std::max(depth.moves, stored.moves), std::max(depth.signals, stored.signals)};
            }
    }

    // A chunk may be read and written by one step only in the same place.
    void overlaps(StepAt at, const Step& step)
    {
        for (const ChunkRef& destination : step.destinations)
            for (const ChunkRef& source : step.sources) {
                const std::int64_t apart = memory_.distance(source, destination);
                if (apart != 0 && std::abs(apart) < std::int64_t{source.count})
                    problem(fmt::format("{}: source {} and destination {} overlap", describe(schedule_, at),
                        chunk_name(source, 0), chunk_name(destination, 0)));
            }
    }

    void conflict(StepAt at, const char* what, const ChunkRef& ref, std::uint32_t chunk, Epoch other, const char* did)
    {
        if (!log_.spelled_out()) return log_.suppress();
        const std::uint32_t thread = numbering_.thread(at.rank, at.thread);
        if (other.thread == thread && other.count == at.step + 1)
            return problem(fmt::format("{} writes {} twice", describe(schedule_, at), chunk_name(ref, chunk)));
        problem(fmt::format("{} {} {}, unordered with {}, which {} it", describe(schedule_, at), what,
            chunk_name(ref, chunk), describe(schedule_, step_of(other)), did));
    }

    std::uint64_t length(const ChunkRef& ref, std::uint32_t chunk) const
    {
        return layout_.range(ref.rank, ref.buffer, ref.index + chunk).size();
    }

    // What lies there before the chunk's byte 0: a cell of staging begins with the share that it holds.
    static std::uint64_t before(const ChunkRef& ref, const ChunkShare& share)
    {
        return ref.buffer == Buffer::staging ? share.begin : 0;
    }

    void read(StepAt at, const ChunkRef& ref, const ChunkShare& share, Epoch now, bool whole_slots)
    {
        SymbolicMemory::Chunk& chunk = memory_.chunk(ref.rank, ref.buffer, ref.index + share.chunk);
        const std::uint64_t shift = before(ref, share);
        const auto [first, last] =
            SymbolicMemory::split(chunk, share.begin - shift, share.end - shift, length(ref, share.chunk));
        bool written = false;
        bool missing = false;
        for (std::size_t i = first; i < last; ++i) {
            Cell& cell = chunk[i];
            // A read of packets comes behind their store, whatever is known of it.
            if (ref.buffer != Buffer::packets && !clocks_.ordered(cell.writer, now.thread))
                conflict(at, "reads", ref, share.chunk, cell.writer, "writes");
            (cell.value == nothing_written ? missing : written) = true;
            if (ref.rank != at.rank && cell.writer.count == 0 && cell.value != nothing_written)
                check_entry(at, ref, share.chunk);
            const auto mine = std::find_if(cell.readers.begin(), cell.readers.end(),
                [now](const Epoch& reader) { return reader.thread == now.thread; });
            if (mine == cell.readers.end())
                cell.readers.push_back(now);
            else
                *mine = now;
        }
        // A copy of a whole slot carries along the bytes behind a shorter chunk.
        const auto filled = [](const Cell& cell) { return cell.value != nothing_written; };
        if (missing && !(whole_slots && std::any_of(chunk.begin(), chunk.end(), filled)))
            problem(fmt::format("{} reads {}, {} of which was written before", describe(schedule_, at),
                chunk_name(ref, share.chunk), written ? "not all" : "nothing"));
    }

    // The input of a peer is there when the peer has entered. Told once for two ranks.
    void check_entry(StepAt at, const ChunkRef& ref, std::uint32_t chunk)
    {
        if (options_.without_relaxed || presence_.entered(ref.rank, numbering_.thread(at.rank, at.thread))) return;
        if (not_entered_.emplace(at.rank, ref.rank).second)
            problem(fmt::format("{} reads {}, but rank {} may not have entered; expected a handshake with it",
                describe(schedule_, at), chunk_name(ref, chunk), ref.rank));
    }

    void write(StepAt at, const ChunkRef& ref, const ChunkShare& share, Epoch now, const std::vector<Stretch>& result)
    {
        SymbolicMemory::Chunk& chunk = memory_.chunk(ref.rank, ref.buffer, ref.index + share.chunk);
        const std::uint64_t size = length(ref, share.chunk);
        const std::uint64_t shift = before(ref, share);
        for (const Stretch& stretch : result) {
            const auto [first, last] = SymbolicMemory::split(chunk, stretch.begin - shift, stretch.end - shift, size);
            for (std::size_t i = first; i < last; ++i) {
                Cell& cell = chunk[i];
                if (ref.buffer == Buffer::packets && cell.value != nothing_written)
                    problem(fmt::format("{} stores packets to {}, which holds some already", describe(schedule_, at),
                        chunk_name(ref, share.chunk)));
                if (!clocks_.ordered(cell.writer, now.thread))
                    conflict(at, "writes", ref, share.chunk, cell.writer, "writes");
                for (const Epoch& reader : cell.readers) {
                    const bool by_this_step = reader.thread == now.thread && reader.count == now.count;
                    if (!by_this_step && !clocks_.ordered(reader, now.thread) && !causes_.had_read(step_of(reader), at))
                        conflict(at, "writes", ref, share.chunk, reader, "reads");
                }
                cell.readers.clear();
                cell.writer = now;
                cell.value = stretch.value;
            }
        }
    }

    // The values that a step stores, cut where any of its sources changes.
    std::vector<Stretch> combined(const Step& step, const ChunkShare& share)
    {
        std::vector<Stretch> result;
        for (std::uint64_t begin = share.begin; begin < share.end;) {
            Stretch stretch{begin, share.end, nothing_written};
            bool first = true;
            for (const ChunkRef& source : step.sources) {
                SymbolicMemory::Chunk& chunk = memory_.chunk(source.rank, source.buffer, source.index + share.chunk);
                const std::uint64_t shift = before(source, share);
                const Cell* cell = &SymbolicMemory::at(chunk, begin - shift);
                stretch.value = first ? cell->value : values_.combine(stretch.value, cell->value);
                first = false;
                if (cell != &chunk.back()) stretch.end = std::min(stretch.end, cell[1].begin + shift);
            }
            if (!result.empty() && result.back().value == stretch.value)
                result.back().end = stretch.end;
            else
                result.push_back(stretch);
            begin = stretch.end;
        }
        return result;
    }

    void statistics()
    {
        for (std::uint32_t t = 0; t < numbering_.threads(); ++t) {
            result_.steps = std::max(result_.steps, clocks_.depth(t).moves);
            result_.signal_steps = std::max(result_.signal_steps, clocks_.depth(t).signals);
        }
    }

    const Schedule& schedule_;
    const Layout& layout_;
    const Numbering& numbering_;
    Clocks& clocks_;
    Presence presence_;
    Contributions values_;
    SymbolicMemory memory_;
    PacketCauses causes_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Depth> packet_depths_;  // by rank and slot: of the stores
    std::set<std::pair<std::uint32_t, std::uint32_t>> not_entered_;           // a rank and a peer whose input it reads
    VerifyLog log_;
    Verification& result_;
    const VerifyOptions& options_;
};

}  // namespace

Verification verify(const Schedule& schedule, const VerifyOptions& options)
{
    Verification result;
    result.problems = malformed_parts(schedule, options.most_problems);
    if (!result.problems.empty()) return result;
    if (SymbolicMemory::chunks_needed(schedule) > most_chunks) {
        too_large(result, fmt::format("it has more than {} chunks", most_chunks));
        return result;
    }
    if (operands_of(schedule) > most_operands) {
        too_large(result, fmt::format("its steps touch more than {} chunks", most_operands));
        return result;
    }
    try {
        const Layout layout(schedule, options.bytes == 0 ? SymbolicMemory::even_message(schedule) : options.bytes,
            options.bytes == 0 ? 1 : options.element_bytes);
        const Numbering numbering(schedule);
        Clocks clocks(schedule, numbering);
        if (clocks.entries() > most_clock_entries)
            too_large(result,
                fmt::format("its threads depend on more than {} steps of each other", most_clock_entries));
        else
            Run(schedule, layout, numbering, clocks, options, result).run();
    } catch (const InputError& error) {
        result.problems.push_back(error.what());
    }
    result.ok = result.problems.empty();
    return result;
}

void require_right(const Schedule& schedule) { require_right(schedule, verify(schedule)); }

void require_right(const Schedule& schedule, const Verification& verdict)
{
    if (verdict.ok) return;
    if (verdict.too_large)
        throw InputError("", 0,
            fmt::format("{} among {} ranks is too large to be verified: {}", schedule.name, schedule.size(),
                verdict.problems.front()),
            "fewer ranks or channels, or another algorithm");
    throw InputError("", 0, "the schedule is wrong: " + verdict.problems.front());
}

}  // namespace weft
