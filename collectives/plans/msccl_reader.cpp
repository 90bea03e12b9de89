#include "collectives/plans/msccl_reader.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "collectives/plans/msccl_algo.h"
#include "collectives/plans/slot_lengths.h"

namespace weft {

namespace {

constexpr std::uint32_t most_buffer_slots = 1U << 24;

using Connection = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;

// One direction between two blocks, at the receiver.
struct MscclChannel {
    std::uint32_t semaphore = 0;
    std::vector<std::uint32_t> slots;  // first slot of each message
    std::size_t sent = 0;
    std::size_t received = 0;
};

class Lowering {
public:
    Lowering(const MscclAlgo& algo, const PlanOptions& options, Plan& plan)
        : algo_(algo), packets_(options.packets), bytes_(options.bytes), element_bytes_(options.element_bytes),
          plan_(plan), schedule_(plan.schedule), gpus_(algo.ranks)
    {
        for (const MscclGpu& gpu : algo.gpus) gpus_[static_cast<std::size_t>(gpu.id)] = &gpu;
    }

    void lower()
    {
        schedule_.name = algo_.name;
        schedule_.op = algo_.op;
        schedule_.chunks = algo_.chunks;
        schedule_.root = algo_.root;
        schedule_.in_place = algo_.in_place;
        schedule_.ranks.resize(algo_.ranks);
        plan_.origins.resize(algo_.ranks);
        for (rank_ = 0; rank_ < algo_.ranks; ++rank_) {
            RankPlan& ranks = schedule_.ranks[rank_];
            ranks.input_chunks = gpus_[rank_]->chunks[static_cast<unsigned>(Buffer::input)];
            ranks.output_chunks = gpus_[rank_]->chunks[static_cast<unsigned>(Buffer::output)];
            ranks.scratch_chunks = gpus_[rank_]->chunks[static_cast<unsigned>(Buffer::scratch)];
            plan_.first_arrival.push_back(ranks.scratch_chunks);
        }
        allocate();
        if (!plan_.problems.empty()) return;
        for (rank_ = 0; rank_ < algo_.ranks; ++rank_) threads();
        if (bytes_ > 0) know_empty_slots(schedule_, bytes_, element_bytes_);
    }

private:
    // Slots and semaphores, by receiver, its blocks and their steps.
    void allocate()
    {
        plan_.arrivals.resize(algo_.ranks);
        for (std::uint32_t to = 0; to < algo_.ranks; ++to) {
            RankPlan& ranks = schedule_.ranks[to];
            for (const MscclBlock& block : gpus_[to]->blocks) {
                const auto receiving = [](const MscclStep& step) { return receives(step.type); };
                if (std::none_of(block.steps.begin(), block.steps.end(), receiving)) continue;
                MscclChannel& channel = channels_[{static_cast<std::uint32_t>(block.recv), to, block.channel}];
                if (!packets_) channel.semaphore = ranks.semaphores++;
                for (const MscclStep& step : block.steps) {
                    if (!receives(step.type)) continue;
                    std::uint32_t& slots = packets_ ? ranks.packet_chunks : ranks.scratch_chunks;
                    if (slots > most_buffer_slots) {
                        plan_.problems.push_back({plan_.file, step.line,
                            fmt::format("gpu {} receives more than {} chunks", to, most_buffer_slots),
                            "a smaller plan"});
                        return;
                    }
                    plan_.arrivals[to].push_back({slots, static_cast<std::uint32_t>(block.recv), block.channel,
                        static_cast<std::uint32_t>(channel.slots.size())});
                    channel.slots.push_back(slots);
                    slots += static_cast<std::uint32_t>(step.count);
                }
            }
        }
    }

    void threads()
    {
        const MscclGpu& gpu = *gpus_[rank_];
        std::vector<Thread>& threads = schedule_.ranks[rank_].threads;
        threads.resize(gpu.blocks.size());
        plan_.origins[rank_].resize(gpu.blocks.size());
        number_.clear();
        done_.assign(gpu.blocks.size(), {});
        for (std::uint32_t t = 0; t < gpu.blocks.size(); ++t) number_[gpu.blocks[t].id] = t;
        // How far a step has come that others depend on is known once its thread is numbered.
        for (std::uint32_t t = 0; t < gpu.blocks.size(); ++t) {
            std::uint32_t at = 0;
            for (const MscclStep& step : gpu.blocks[t].steps) {
                if (!packets_ && receives(step.type)) ++at;
                done_[t].push_back(at++);
                if (!packets_ && sends(step.type)) ++at;
            }
        }
        for (thread_ = 0; thread_ < gpu.blocks.size(); ++thread_) {
            const MscclBlock& block = gpu.blocks[thread_];
            for (std::uint32_t s = 0; s < block.steps.size(); ++s) step(block, block.steps[s], s);
        }
    }

    ChunkRef here(Buffer buffer, std::int64_t first, std::int64_t count) const
    {
        return {rank_, buffer, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
    }

    ChunkRef slot(std::uint32_t rank, std::uint32_t first, std::int64_t count) const
    {
        return {rank, packets_ ? Buffer::packets : Buffer::scratch, first, static_cast<std::uint32_t>(count)};
    }

    void step(const MscclBlock& block, const MscclStep& step, std::uint32_t index)
    {
        origin_ = {step.line, index};
        after_.clear();
        if (step.block >= 0) {
            const std::uint32_t thread = number_.at(step.block);
            after_.push_back({thread, done_[thread][static_cast<std::size_t>(step.step)]});
        }
        if (step.type == MscclType::nop) return add(Step{});
        Step move;
        move.kind = StepKind::move;
        const ChunkRef source = here(step.source_buffer, step.source, step.count);
        const ChunkRef destination = here(step.destination_buffer, step.destination, step.count);
        if (step.type == MscclType::re) move.sources.push_back(destination);
        if (reads_source(step.type)) move.sources.push_back(source);
        if (writes_destination(step.type)) move.destinations.push_back(destination);
        if (receives(step.type)) {
            const auto peer = static_cast<std::uint32_t>(block.recv);
            MscclChannel& channel = channels_.at({peer, rank_, block.channel});
            move.sources.push_back(slot(rank_, channel.slots[channel.received++], step.count));
            if (!packets_) add(wait_step(peer, channel.semaphore));
        }
        if (!sends(step.type)) return add(std::move(move));
        const auto peer = static_cast<std::uint32_t>(block.send);
        MscclChannel& channel = channels_.at({rank_, peer, block.channel});
        move.destinations.push_back(slot(peer, channel.slots[channel.sent++], step.count));
        add(std::move(move));
        if (!packets_) add(signal_step(peer, channel.semaphore));
    }

    // The first step that comes of a step of the file carries its dependency.
    void add(Step step)
    {
        step.after = std::move(after_);
        after_.clear();
        schedule_.ranks[rank_].threads[thread_].steps.push_back(std::move(step));
        plan_.origins[rank_][thread_].push_back(origin_);
    }

    const MscclAlgo& algo_;
    bool packets_;
    std::uint64_t bytes_;
    std::uint32_t element_bytes_;
    Plan& plan_;
    Schedule& schedule_;
    std::vector<const MscclGpu*> gpus_;  // by id
    std::map<Connection, MscclChannel> channels_;
    std::map<std::int64_t, std::uint32_t> number_;  // of the rank: thread by block id
    std::vector<std::vector<std::uint32_t>> done_;  // of the rank: data step of the schedule by thread and step
    std::vector<StepId> after_;
    PlanOrigin origin_;
    std::uint32_t rank_ = 0;
    std::uint32_t thread_ = 0;
};

void count(const MscclAlgo& algo, Plan& plan)
{
    for (const MscclGpu& gpu : algo.gpus) {
        std::uint64_t sent = 0;
        plan.blocks += gpu.blocks.size();
        for (const MscclBlock& block : gpu.blocks) {
            bool any = false;
            for (const MscclStep& step : block.steps) {
                ++plan.operations[name_of(step.type)];
                if (!sends(step.type)) continue;
                any = true;
                sent += static_cast<std::uint64_t>(std::max<std::int64_t>(0, step.count));
            }
            if (any) ++plan.connections;
        }
        plan.moved += sent;
        plan.most_moved = std::max(plan.most_moved, sent);
    }
}

}  // namespace

Plan read_msccl_xml(const std::string& text, const std::string& file, const PlanOptions& options)
{
    const MscclAlgo algo = parse_msccl(text, file);
    Plan plan;
    plan.file = file;
    plan.format = "msccl_xml";
    plan.name = algo.name;
    plan.collective = algo.collective;
    plan.protocol = algo.protocol;
    plan.min_bytes = algo.min_bytes;
    plan.max_bytes = algo.max_bytes;
    count(algo, plan);
    plan.notices = algo.unread;
    plan.problems = check_msccl(algo, file, plan.notices);
    if (plan.problems.empty()) Lowering(algo, options, plan).lower();
    return plan;
}

}  // namespace weft
