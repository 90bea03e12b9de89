#include "collectives/schedule/protocol/protocol.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/protocol/puts.h"

namespace weft {

namespace {

constexpr const char* otherwise = "engine.protocol=simple";

class PacketSchedule {
public:
    explicit PacketSchedule(const Schedule& from)
        : from_(from), found_(find_puts(from, Numbering(from), "packets", otherwise)), to_(from)
    {
    }

    Schedule make()
    {
        for_each_data_step([](Step& step) { step.like = size_of_move(step); });
        for (const Put& put : found_.puts) slots_.push_back(slot_of(put));
        for (const Message& message : found_.messages) {
            if (message.mixed)
                refuse(describe(from_, message.signal) +
                        " signals a semaphore that other steps signal too, some after puts and some not",
                    "a semaphore for each of the two uses");
            gone_.insert(key(message.signal));
            gone_.insert(key(message.wait));
        }
        for (std::size_t put = 0; put < found_.puts.size(); ++put) place(found_.puts[put], slots_[put]);
        for (std::uint32_t rank = 0; rank < from_.size(); ++rank) write_out(rank);
        return std::move(to_);
    }

private:
    [[noreturn]] void refuse(const std::string& what, const char* expected) const
    {
        throw InputError(from_.name, 0, what + ", which is impossible with packets", expected);
    }

    // What is put into packets is as long as it was: the operand that says so may become packets.
    template <typename Visit>
    void for_each_data_step(Visit visit)
    {
        for (RankPlan& plan : to_.ranks)
            for (Thread& thread : plan.threads)
                for (Step& step : thread.steps)
                    if (is_data(step.kind)) visit(step);
    }

    // Parts of the same chunks share a slot; what is put there again gets one of its own.
    std::uint32_t slot_of(const Put& put)
    {
        const auto again =
            rounds_[{put.where.rank, put.where.buffer, put.where.index, put.where.count, put.parts, put.part}]++;
        const auto known = known_.emplace(
            std::tuple(put.where.rank, put.where.buffer, put.where.index, put.where.count, put.parts, again),
            to_.ranks[put.where.rank].packet_chunks);
        if (known.second) to_.ranks[put.where.rank].packet_chunks += put.where.count;
        return known.first->second;
    }

    void place(const Put& put, std::uint32_t at)
    {
        const ChunkRef slot{put.where.rank, Buffer::packets, at, put.where.count};
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
            refuse(fmt::format("no step waits for the data that {} puts", describe(from_, put.at)),
                "a wait for every put");
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
    const Puts found_;
    Schedule to_;
    std::map<std::tuple<std::uint32_t, Buffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
        std::uint32_t>
        rounds_, known_;
    std::vector<std::uint32_t> slots_;  // by put
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
