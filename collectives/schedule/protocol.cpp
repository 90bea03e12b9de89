#include "collectives/schedule/protocol.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/order.h"

namespace weft {

namespace {

// One remote destination of a step.
struct Put {
    StepAt at;
    unsigned destination = 0;  // of the step
    ChunkRef where;
    std::uint32_t part = 0;
    std::uint32_t parts = 1;
    std::uint32_t slot = 0;
    std::optional<StepAt> wait;  // for the signal behind it
    struct Reader {
        StepAt at;
        unsigned source = 0;
    };
    std::vector<Reader> readers;
    bool in_memory = false;  // needed where it was put, when the wait is over
    bool stays = true;       // is there when all is over
};

class PacketSchedule {
public:
    explicit PacketSchedule(const Schedule& from) : from_(from), numbering_(from), to_(from) {}

    Schedule make()
    {
        const Order order = legal_order(from_, numbering_);
        signals_.resize(numbering_.semaphores());
        for (const StepAt& at : order.steps) visit(at);
        match_waits();
        for (const Put& put : puts_) place(put);
        for (std::uint32_t rank = 0; rank < from_.size(); ++rank) write_out(rank);
        return std::move(to_);
    }

private:
    [[noreturn]] void refuse(const std::string& what, const char* expected) const
    {
        throw InputError(from_.name, 0, what + ", which packets cannot do", expected);
    }

    // What is put into packets is as long as it was: the operand that says so may become packets.
    void keep_size(StepAt at, const Step& step)
    {
        if (step.like) return;
        for (const std::vector<ChunkRef>* side : {&step.sources, &step.destinations})
            for (const ChunkRef& ref : *side)
                if (!is_slot(ref.buffer)) {
                    step_of(at).like = ref;
                    return;
                }
    }

    void visit(StepAt at)
    {
        const Step& step = step_at(from_, at);
        if (step.kind == StepKind::wait) {
            semaphore(at.rank, step).waits.push_back(at);
        } else if (step.kind == StepKind::signal) {
            std::vector<std::size_t>& puts = pending(at, step.peer);
            semaphore(step.peer, step).signals.push_back({at, std::move(puts)});
            puts.clear();
        } else if (is_data(step.kind)) {
            if (in_switch(step.kind))
                refuse(describe(from_, at) + " leaves work to a switch", "an algorithm of stores, or engine.protocol=simple");
            keep_size(at, step);
            for (unsigned s = 0; s < step.sources.size(); ++s) read(at, step, s);
            for (unsigned d = 0; d < step.destinations.size(); ++d) write(at, step, d);
        }
    }

    // What is in a chunk's memory, by who wrote it last: puts, each in its own part.
    std::vector<std::size_t>& written(const ChunkRef& ref, std::uint32_t chunk)
    {
        return written_[{ref.rank, from_.home(ref.buffer), first(ref) + chunk}];
    }
    std::uint32_t first(const ChunkRef& ref) const
    {
        return ref.index + from_.in_place_offset(ref.rank, ref.buffer);
    }
    bool same_cut(const Put& put, const Step& step, const ChunkRef& ref) const
    {
        return put.parts == step.parts && put.where.count == ref.count && first(put.where) == first(ref);
    }

    void read(StepAt at, const Step& step, unsigned source)
    {
        const ChunkRef& ref = step.sources[source];
        if (ref.rank != at.rank)
            refuse(describe(from_, at) + " loads from a peer", "an algorithm that only stores to peers, or engine.protocol=simple");
        for (std::uint32_t i = 0; i < ref.count; ++i)
            for (const std::size_t number : written(ref, i)) {
                Put& put = puts_[number];
                if (!same_cut(put, step, ref)) {
                    put.in_memory = true;
                } else if (put.part == step.part && i == 0) {
                    put.readers.push_back({at, source});
                }
            }
    }

    void write(StepAt at, const Step& step, unsigned destination)
    {
        const ChunkRef& ref = step.destinations[destination];
        for (std::uint32_t i = 0; i < ref.count; ++i) {
            std::vector<std::size_t>& there = written(ref, i);
            for (std::size_t k = 0; k < there.size();) {
                Put& put = puts_[there[k]];
                const bool same = same_cut(put, step, ref);
                if (same && put.part != step.part) {
                    ++k;
                    continue;
                }
                if (!same) put.in_memory = true;  // and in part overwritten there
                put.stays = false;
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(k));
            }
            if (ref.rank != at.rank) there.push_back(puts_.size());
        }
        if (ref.rank == at.rank || ref.buffer == Buffer::packets) return;
        Put put;
        put.at = at;
        put.destination = destination;
        put.where = ref;
        put.part = step.part;
        put.parts = step.parts;
        put.slot = slot_of(put);
        pending(at, ref.rank).push_back(puts_.size());
        puts_.push_back(std::move(put));
    }

    // Parts of the same chunks share a slot; what is put there again gets one of its own.
    std::uint32_t slot_of(const Put& put)
    {
        const auto again = rounds_[{put.where.rank, put.where.buffer, put.where.index, put.where.count, put.parts, put.part}]++;
        const auto known = slots_.emplace(
            std::tuple(put.where.rank, put.where.buffer, put.where.index, put.where.count, put.parts, again),
            to_.ranks[put.where.rank].packet_chunks);
        if (known.second) to_.ranks[put.where.rank].packet_chunks += put.where.count;
        return known.first->second;
    }

    std::vector<std::size_t>& pending(StepAt at, std::uint32_t peer)
    {
        return pending_[{numbering_.thread(at.rank, at.thread), peer}];
    }

    struct Signal {
        StepAt at;
        std::vector<std::size_t> puts;
    };
    struct Semaphore {
        std::vector<Signal> signals;
        std::vector<StepAt> waits;
    };
    Semaphore& semaphore(std::uint32_t owner, const Step& step)
    {
        return signals_[numbering_.semaphore(owner, step.semaphore)];
    }

    // The k-th signal of a semaphore goes with its k-th wait. Where several threads signal, that is so only for all together.
    void match_waits()
    {
        for (const Semaphore& semaphore : signals_) {
            std::set<std::uint32_t> signallers;
            std::size_t publishing = 0;
            for (const Signal& signal : semaphore.signals) {
                signallers.insert(numbering_.thread(signal.at.rank, signal.at.thread));
                if (!signal.puts.empty()) ++publishing;
            }
            if (signallers.size() > 1 && publishing > 0 && publishing < semaphore.signals.size())
                refuse(describe(from_, semaphore.signals.front().at) + " signals a semaphore that others signal too, some behind puts "
                       "and some not", "a semaphore for each");
            for (std::size_t k = 0; k < semaphore.signals.size() && k < semaphore.waits.size(); ++k) {
                const Signal& signal = semaphore.signals[k];
                if (signal.puts.empty()) continue;
                gone_.insert(key(signal.at));
                gone_.insert(key(semaphore.waits[k]));
                for (const std::size_t put : signal.puts) puts_[put].wait = semaphore.waits[k];
            }
        }
    }

    void place(const Put& put)
    {
        const ChunkRef slot{put.where.rank, Buffer::packets, put.slot, put.where.count};
        step_of(put.at).destinations[put.destination] = slot;
        for (const Put::Reader& reader : put.readers)
            if (!put.in_memory) step_of(reader.at).sources[reader.source] = slot;
        if (!put.in_memory && (!put.stays || is_slot(put.where.buffer))) return;
        for (const Put::Reader& reader : put.readers)
            if (!put.in_memory && step_at(from_, reader.at).sources.size() == 1) {
                step_of(reader.at).destinations.push_back(put.where);
                return;
            }
        if (!put.wait)
            refuse(fmt::format("nobody waits for what {} puts", describe(from_, put.at)), "a wait for every put");
        Step copy = move_step({slot}, {put.where});
        copy.like = step_of(put.at).like;
        copy.part = put.part;
        copy.parts = put.parts;
        copies_[key(*put.wait)].push_back(std::move(copy));
    }

    Step& step_of(StepAt at) { return to_.ranks[at.rank].threads[at.thread].steps[at.step]; }

    void write_out(std::uint32_t rank)
    {
        RankPlan& plan = to_.ranks[rank];
        // Of every step the number of steps that now come before or stand for it: dependencies name the last of them.
        std::vector<std::vector<std::uint32_t>> until(plan.threads.size());
        for (std::uint32_t t = 0; t < plan.threads.size(); ++t) {
            std::vector<Step> steps;
            std::vector<StepId> carried;
            bool copied = false;  // the last step is an added copy
            const auto add = [&](Step step) {
                step.after.insert(step.after.begin(), carried.begin(), carried.end());
                carried.clear();
                steps.push_back(std::move(step));
            };
            for (std::uint32_t s = 0; s < plan.threads[t].steps.size(); ++s) {
                Step& step = plan.threads[t].steps[s];
                const auto at = key({rank, t, s});
                if (gone_.count(at) == 0) {
                    add(std::move(step));
                    copied = false;
                } else {
                    carried.insert(carried.end(), step.after.begin(), step.after.end());
                }
                const auto copies = copies_.find(at);
                if (copies != copies_.end())
                    for (Step& copy : copies->second) {
                        copy.with_previous = copied;
                        copied = true;
                        add(std::move(copy));
                    }
                until[t].push_back(static_cast<std::uint32_t>(steps.size()));
            }
            plan.threads[t].steps = std::move(steps);
        }
        std::uint32_t scratch = 0;
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps) {
                std::vector<StepId> after;
                for (const StepId& id : step.after)
                    if (until[id.thread][id.step] > 0) after.push_back({id.thread, until[id.thread][id.step] - 1});
                step.after = std::move(after);
                for (const std::vector<ChunkRef>* side : {&step.sources, &step.destinations})
                    for (const ChunkRef& ref : *side)
                        if (ref.buffer == Buffer::scratch) scratch = std::max(scratch, ref.index + ref.count);
            }
        plan.scratch_chunks = scratch;
    }

    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    static Key key(StepAt at) { return {at.rank, at.thread, at.step}; }

    const Schedule& from_;
    Numbering numbering_;
    Schedule to_;
    std::vector<Put> puts_;
    std::map<std::tuple<std::uint32_t, Buffer, std::uint32_t>, std::vector<std::size_t>> written_;
    std::map<std::tuple<std::uint32_t, Buffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
        rounds_, slots_;
    // By thread and peer: puts since its last signal to it.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> pending_;
    std::vector<Semaphore> signals_;                 // by number
    std::set<Key> gone_;
    std::map<Key, std::vector<Step>> copies_;  // in place of a wait
};

}  // namespace

const char* name_of(Protocol protocol)
{
    switch (protocol) {
    case Protocol::simple: return "simple";
    case Protocol::ll: return "ll";
    case Protocol::ll128: return "ll128";
    }
    return "?";
}

PacketFormat format_of(Protocol protocol)
{
    return protocol == Protocol::ll128 ? PacketFormat::ll128 : PacketFormat::ll;
}

Schedule in_packets(const Schedule& schedule) { return PacketSchedule(schedule).make(); }

}  // namespace weft
