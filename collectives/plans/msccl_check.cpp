#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "collectives/plans/msccl_algo.h"
#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

// Of the runtime that carries such plans out.
constexpr std::size_t most_steps = 256;
constexpr std::size_t most_blocks = 216;
constexpr std::size_t most_blocks_per_channel = 32;
constexpr std::int64_t most_count = 71;

// (source, destination, channel)
using CheckedConnection = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

struct Messages {
    const MscclBlock* block = nullptr;
    std::vector<const MscclStep*> steps;
};

std::string connection_text(const CheckedConnection& connection)
{
    const auto [from, to, channel] = connection;
    return fmt::format("from gpu {} to gpu {} on channel {}", from, to, channel);
}

class Checker {
public:
    Checker(const MscclAlgo& algo, const std::string& file, std::vector<Diagnostic>& notices)
        : algo_(algo), file_(file), notices_(notices)
    {
    }

    std::vector<Diagnostic> check()
    {
        ranks();
        for (const MscclGpu& gpu : algo_.gpus) {
            chunks(gpu);
            blocks(gpu);
        }
        if (problems_.empty()) connections();
        return std::move(problems_);
    }

private:
    void problem(int line, const std::string& what, const std::string& expected)
    {
        if (problems_.size() < most_plan_problems) problems_.push_back({file_, line, what, expected});
    }

    void notice(int line, const std::string& what, const std::string& expected)
    {
        if (notices_.size() < most_plan_problems) notices_.push_back({file_, line, what, expected});
    }

    void ranks()
    {
        std::set<std::int64_t> ids;
        for (const MscclGpu& gpu : algo_.gpus) {
            if (gpu.id >= algo_.ranks)
                problem(gpu.line, fmt::format("gpu {} of {}", gpu.id, algo_.ranks), "ids below ngpus");
            if (!ids.insert(gpu.id).second) problem(gpu.line, fmt::format("gpu {} twice", gpu.id), "once");
        }
        for (std::uint32_t rank = 0; rank < algo_.ranks; ++rank)
            if (ids.count(rank) == 0) {
                problem(algo_.line, fmt::format("gpu {} of {} is missing", rank, algo_.ranks), "every gpu");
                break;
            }
    }

    void chunks(const MscclGpu& gpu)
    {
        const bool gathers = algo_.op == CollectiveOp::all_gather || algo_.op == CollectiveOp::gather;
        const bool scatters = algo_.op == CollectiveOp::reduce_scatter || algo_.op == CollectiveOp::scatter;
        if (algo_.op == CollectiveOp::custom) return;
        const auto wanted = [&](Buffer buffer, const char* name, bool shared) {
            const std::uint32_t declared = gpu.chunks[static_cast<unsigned>(buffer)];
            const std::uint64_t whole = std::uint64_t{declared} * (shared ? algo_.ranks : 1);
            if (declared != 0 && whole != algo_.chunks)
                problem(gpu.line,
                    fmt::format("gpu {} has {}=\"{}\", which is {} chunks", gpu.id, name, declared, whole),
                    fmt::format("{}, the value of nchunksperloop", algo_.chunks));
        };
        wanted(Buffer::input, "i_chunks", gathers);
        wanted(Buffer::output, "o_chunks", scatters);
    }

    void blocks(const MscclGpu& gpu)
    {
        std::map<std::int64_t, const MscclBlock*> by_id;
        std::map<std::pair<std::int64_t, bool>, std::size_t> per_channel;
        for (const MscclBlock& block : gpu.blocks) {
            if (!by_id.emplace(block.id, &block).second)
                problem(block.line, fmt::format("tb {} of gpu {} twice", block.id, gpu.id), "ids of their own");
            peer(gpu, block, block.send, "sends to");
            peer(gpu, block, block.recv, "receives from");
            if (block.channel >= algo_.channels)
                problem(block.line, fmt::format("channel {} of {}", block.channel, algo_.channels),
                    "channels below nchannels");
            if (block.send >= 0) ++per_channel[{block.channel, true}];
            if (block.recv >= 0) ++per_channel[{block.channel, false}];
            if (block.steps.size() > most_steps)
                notice(block.line, fmt::format("tb {} of gpu {} has {} steps", block.id, gpu.id, block.steps.size()),
                    fmt::format("at most {} for the runtime", most_steps));
            for (const MscclStep& step : block.steps) steps(gpu, block, step);
        }
        if (gpu.blocks.size() > most_blocks)
            notice(gpu.line, fmt::format("gpu {} has {} thread blocks", gpu.id, gpu.blocks.size()),
                fmt::format("at most {} for the runtime", most_blocks));
        for (const auto& [key, count] : per_channel)
            if (count > most_blocks_per_channel)
                notice(gpu.line,
                    fmt::format("{} blocks of gpu {} {} on channel {}", count, gpu.id, key.second ? "send" : "receive",
                        key.first),
                    fmt::format("at most {} for the runtime", most_blocks_per_channel));
        const std::size_t before = problems_.size();
        for (const MscclBlock& block : gpu.blocks)
            for (const MscclStep& step : block.steps) dependency(gpu, by_id, step);
        if (problems_.size() == before) cycles(gpu, by_id);
    }

    void peer(const MscclGpu& gpu, const MscclBlock& block, std::int64_t peer, const char* does)
    {
        if (peer >= algo_.ranks)
            problem(block.line, fmt::format("tb {} of gpu {} {} gpu {}", block.id, gpu.id, does, peer),
                fmt::format("a gpu below {}, or -1", algo_.ranks));
        if (peer == gpu.id)
            problem(block.line, fmt::format("tb {} of gpu {} {} itself", block.id, gpu.id, does), "another gpu, or -1");
    }

    void steps(const MscclGpu& gpu, const MscclBlock& block, const MscclStep& step)
    {
        const char* type = name_of(step.type);
        if (sends(step.type) && block.send < 0)
            problem(step.line,
                fmt::format("step {} sends in tb {} of gpu {}, which has no peer to send to", type, block.id, gpu.id),
                "a peer in 'send'");
        if (receives(step.type) && block.recv < 0)
            problem(step.line,
                fmt::format("step {} receives in tb {} of gpu {}, which has no peer to receive from", type, block.id,
                    gpu.id),
                "a peer in 'recv'");
        if (step.type == MscclType::nop) return;
        if (step.count < 1) problem(step.line, fmt::format("cnt {} of a step {}", step.count, type), "at least 1");
        if (step.count > most_count)
            notice(step.line, fmt::format("cnt {}", step.count), fmt::format("at most {} for the runtime", most_count));
        if (reads_source(step.type)) offset(gpu, step.source_buffer, step.source, step, "srcoff");
        if (writes_destination(step.type)) offset(gpu, step.destination_buffer, step.destination, step, "dstoff");
    }

    void offset(const MscclGpu& gpu, Buffer buffer, std::int64_t first, const MscclStep& step, const char* name)
    {
        const std::int64_t declared = gpu.chunks[static_cast<unsigned>(buffer)];
        if (first >= 0 && first + step.count <= declared) return;
        problem(step.line,
            fmt::format("{} {} and cnt {} lie outside the {} of gpu {}", name, first, step.count, name_of(buffer),
                gpu.id),
            declared == 0 ? "a buffer with chunks" : fmt::format("chunks 0 to {}", declared - 1));
    }

    void dependency(const MscclGpu& gpu, const std::map<std::int64_t, const MscclBlock*>& by_id, const MscclStep& step)
    {
        if (step.block < 0 && step.step < 0) return;
        const auto found = by_id.find(step.block);
        if (step.block < 0 || step.step < 0 || found == by_id.end() ||
            step.step >= static_cast<std::int64_t>(found->second->steps.size()))
            return problem(step.line,
                fmt::format("depends on step {} of tb {}, which gpu {} does not have", step.step, step.block, gpu.id),
                "an existing step, or -1 for both");
        if (!found->second->steps[static_cast<std::size_t>(step.step)].has_dependents)
            notice(step.line, fmt::format("depends on step {} of tb {}, which has hasdep=\"0\"", step.step, step.block),
                "hasdep=\"1\" there; else the runtime never signals that step");
    }

    // Steps of one gpu that wait for each other: what cannot run though all messages arrive.
    void cycles(const MscclGpu& gpu, const std::map<std::int64_t, const MscclBlock*>& by_id)
    {
        std::map<const MscclBlock*, std::size_t> next;
        const auto stuck = [&](const MscclBlock& block) -> const MscclStep* {
            if (next[&block] >= block.steps.size()) return nullptr;
            const MscclStep& step = block.steps[next[&block]];
            if (step.block < 0) return nullptr;
            return next[by_id.at(step.block)] > static_cast<std::size_t>(step.step) ? nullptr : &step;
        };
        for (bool moved = true; moved;) {
            moved = false;
            for (const MscclBlock& block : gpu.blocks)
                for (; next[&block] < block.steps.size() && stuck(block) == nullptr; moved = true) ++next[&block];
        }
        for (const MscclBlock& block : gpu.blocks) {
            if (stuck(block) == nullptr) continue;
            // Some block on the way round comes twice.
            const MscclBlock* at = &block;
            std::set<const MscclBlock*> seen;
            while (seen.insert(at).second) at = by_id.at(stuck(*at)->block);
            std::string chain;
            const MscclBlock* begin = at;
            do {
                const MscclStep* step = stuck(*at);
                chain += fmt::format("{}tb {} step {} for tb {} step {}", chain.empty() ? "" : ", ", at->id, next[at],
                    step->block, step->step);
                at = by_id.at(step->block);
            } while (at != begin);
            return problem(stuck(*begin)->line, fmt::format("steps of gpu {} wait for each other: {}", gpu.id, chain),
                "dependencies without a cycle");
        }
    }

    void connections()
    {
        std::map<CheckedConnection, Messages> sent;
        std::map<CheckedConnection, Messages> received;
        for (const MscclGpu& gpu : algo_.gpus)
            for (const MscclBlock& block : gpu.blocks) {
                if (block.send >= 0) gather(sent[{gpu.id, block.send, block.channel}], gpu, block, true);
                if (block.recv >= 0) gather(received[{block.recv, gpu.id, block.channel}], gpu, block, false);
            }
        for (auto& [connection, messages] : sent) {
            const auto other = received.find(connection);
            if (!messages.steps.empty() && other == received.end())
                problem(messages.block->line, "no block receives the data sent " + connection_text(connection),
                    "a block with that peer and channel");
            else if (other != received.end())
                pairs(connection, messages, other->second);
        }
        for (const auto& [connection, messages] : received)
            if (!messages.steps.empty() && sent.count(connection) == 0)
                problem(messages.block->line, "no block sends the data received " + connection_text(connection),
                    "a block with that peer and channel");
    }

    void gather(Messages& messages, const MscclGpu& gpu, const MscclBlock& block, bool sending)
    {
        if (messages.block != nullptr)
            return problem(block.line,
                fmt::format("tb {} and tb {} of gpu {} {} on one connection", messages.block->id, block.id, gpu.id,
                    sending ? "send" : "receive"),
                "one block for each connection and direction");
        messages.block = &block;
        for (const MscclStep& step : block.steps)
            if (sending ? sends(step.type) : receives(step.type)) messages.steps.push_back(&step);
    }

    void pairs(const CheckedConnection& connection, const Messages& sent, const Messages& received)
    {
        const std::size_t both = std::min(sent.steps.size(), received.steps.size());
        for (std::size_t i = 0; i < both; ++i)
            if (sent.steps[i]->count != received.steps[i]->count)
                return problem(received.steps[i]->line,
                    fmt::format("message {} {} is sent with cnt {} (line {}) and received with cnt {}", i,
                        connection_text(connection), sent.steps[i]->count, sent.steps[i]->line,
                        received.steps[i]->count),
                    "equal counts");
        if (sent.steps.size() == received.steps.size()) return;
        const bool more = sent.steps.size() > both;
        problem(more ? sent.steps[both]->line : received.steps[both]->line,
            fmt::format("{} messages are sent {} but {} are received", sent.steps.size(), connection_text(connection),
                received.steps.size()),
            "the same number");
    }

    const MscclAlgo& algo_;
    const std::string& file_;
    std::vector<Diagnostic>& notices_;
    std::vector<Diagnostic> problems_;
};

}  // namespace

std::vector<Diagnostic> check_msccl(const MscclAlgo& algo, const std::string& file, std::vector<Diagnostic>& notices)
{
    return Checker(algo, file, notices).check();
}

}  // namespace weft
