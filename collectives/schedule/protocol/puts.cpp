#include "collectives/schedule/protocol/puts.h"

#include <map>
#include <set>
#include <tuple>

#include "base/diagnostic.h"

namespace weft {

namespace {

class Finder {
public:
    Finder(const Schedule& schedule, const Numbering& numbering, const char* who, const char* otherwise)
        : schedule_(schedule), numbering_(numbering), who_(who), otherwise_(otherwise),
          semaphores_(numbering.semaphores())
    {
    }

    Puts find()
    {
        for (const StepAt& at : legal_order(schedule_, numbering_).steps) visit(at);
        match_waits();
        return std::move(out_);
    }

private:
    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const
    {
        throw InputError(schedule_.name, 0, what + ", which " + who_ + " cannot do", expected + ", or " + otherwise_);
    }

    void visit(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        if (step.kind == StepKind::wait) {
            semaphores_[numbering_.semaphore(at.rank, step.semaphore)].waits.push_back(at);
        } else if (step.kind == StepKind::signal) {
            std::vector<std::size_t>& puts = pending(at, step.peer);
            semaphores_[numbering_.semaphore(step.peer, step.semaphore)].signals.push_back({at, std::move(puts)});
            puts.clear();
        } else if (is_data(step.kind)) {
            if (in_switch(step.kind))
                refuse(describe(schedule_, at) + " has steps in switches", "an algorithm of stores");
            for (unsigned s = 0; s < step.sources.size(); ++s) read(at, step, s);
            for (unsigned d = 0; d < step.destinations.size(); ++d) write(at, step, d);
        }
    }

    // What is in a chunk's memory, by who wrote it last: puts, each in its own part.
    std::vector<std::size_t>& written(const ChunkRef& ref, std::uint32_t chunk)
    {
        return written_[{ref.rank, schedule_.home(ref.buffer), first(ref) + chunk}];
    }
    std::uint32_t first(const ChunkRef& ref) const
    {
        return ref.index + schedule_.in_place_offset(ref.rank, ref.buffer);
    }
    bool same_cut(const Put& put, const Step& step, const ChunkRef& ref) const
    {
        return put.parts == step.parts && put.where.count == ref.count && first(put.where) == first(ref);
    }

    void read(StepAt at, const Step& step, unsigned source)
    {
        const ChunkRef& ref = step.sources[source];
        if (ref.rank != at.rank)
            refuse(describe(schedule_, at) + " loads from a peer", "an algorithm that only stores to peers");
        for (std::uint32_t i = 0; i < ref.count; ++i)
            for (const std::size_t number : written(ref, i)) {
                Put& put = out_.puts[number];
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
                Put& put = out_.puts[there[k]];
                const bool same = same_cut(put, step, ref);
                if (same && put.part != step.part) {
                    ++k;
                    continue;
                }
                if (!same) put.in_memory = true;  // and in part overwritten there
                put.stays = false;
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(k));
            }
            if (ref.rank != at.rank) there.push_back(out_.puts.size());
        }
        if (ref.rank == at.rank || ref.buffer == Buffer::packets) return;
        Put put;
        put.at = at;
        put.destination = destination;
        put.where = ref;
        put.part = step.part;
        put.parts = step.parts;
        pending(at, ref.rank).push_back(out_.puts.size());
        out_.puts.push_back(std::move(put));
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

    // The k-th signal of a semaphore goes with its k-th wait. Where several threads signal, that is so only for all together.
    void match_waits()
    {
        for (const Semaphore& semaphore : semaphores_) {
            std::set<std::uint32_t> signallers;
            std::size_t publishing = 0;
            for (const Signal& signal : semaphore.signals) {
                signallers.insert(numbering_.thread(signal.at.rank, signal.at.thread));
                if (!signal.puts.empty()) ++publishing;
            }
            const bool mixed = signallers.size() > 1 && publishing > 0 && publishing < semaphore.signals.size();
            for (std::size_t k = 0; k < semaphore.signals.size() && k < semaphore.waits.size(); ++k) {
                const Signal& signal = semaphore.signals[k];
                if (signal.puts.empty()) continue;
                for (const std::size_t put : signal.puts) out_.puts[put].wait = semaphore.waits[k];
                out_.messages.push_back({signal.at, semaphore.waits[k], signal.puts, mixed});
            }
        }
    }

    const Schedule& schedule_;
    const Numbering& numbering_;
    const char* who_;
    const char* otherwise_;
    Puts out_;
    std::map<std::tuple<std::uint32_t, Buffer, std::uint32_t>, std::vector<std::size_t>> written_;
    // By thread and peer: puts since its last signal to it.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> pending_;
    std::vector<Semaphore> semaphores_;
};

}  // namespace

Puts find_puts(const Schedule& schedule, const Numbering& numbering, const char* who, const char* otherwise)
{
    return Finder(schedule, numbering, who, otherwise).find();
}

std::optional<ChunkRef> size_of_move(const Step& step)
{
    if (step.like) return step.like;
    for (const std::vector<ChunkRef>* side : {&step.sources, &step.destinations})
        for (const ChunkRef& ref : *side)
            if (!is_slot(ref.buffer)) return ref;
    return std::nullopt;
}

}  // namespace weft
