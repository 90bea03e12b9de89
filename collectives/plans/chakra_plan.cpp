#include "collectives/plans/chakra_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "collectives/chakra/trace_set.h"
#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

using chakra::Node;
using chakra::NodeType;

constexpr std::size_t most_nodes = std::size_t{1} << 20;

using PlanChannel = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;  // source, destination, tag

struct PlanMessage {
    std::uint64_t bytes = 0;
    std::uint32_t semaphore = 0;  // at the receiver
    std::uint32_t slot = 0;       // likewise
};

class Builder {
public:
    Builder(const chakra::TraceSet& traces, Plan& plan) : traces_(traces), plan_(plan), schedule_(plan.schedule) {}

    void build()
    {
        for (rank_ = 0; rank_ < traces_.ranks(); ++rank_) read();
        if (!plan_.problems.empty()) return;
        match();
        if (!plan_.problems.empty()) return;
        message();
        schedule_.ranks.resize(traces_.ranks());
        plan_.origins.resize(traces_.ranks());
        plan_.first_arrival.resize(traces_.ranks());
        slots();
        if (!plan_.problems.empty()) return;
        for (rank_ = 0; rank_ < traces_.ranks(); ++rank_) threads();
    }

private:
    void problem(const Node* node, const std::string& what, const std::string& expected)
    {
        if (plan_.problems.size() < most_plan_problems)
            plan_.problems.push_back(
                {traces_.file(rank_), 0, (node != nullptr ? label_of(*node) + ": " : "") + what, expected});
    }

    // The nodes of a rank, every one behind its parents.
    void read()
    {
        std::vector<Node> nodes;
        const auto reader = traces_.reader(rank_);
        std::map<std::uint64_t, std::size_t> place;
        for (Node node; reader->next(node);) {
            if (node.type == NodeType::metadata) continue;
            if (nodes.size() >= most_nodes)
                throw InputError(traces_.file(rank_), 0, "more nodes than one collective has", "an algorithm trace");
            if (!place.emplace(node.id, nodes.size()).second) problem(&node, "an id that another node has", "another");
            nodes.push_back(node);
            check(nodes.back());
        }
        std::vector<std::size_t> missing(nodes.size());
        std::vector<std::vector<std::size_t>> children(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::vector<std::uint64_t>& parents = nodes[i].data_deps;
            parents.insert(parents.end(), nodes[i].ctrl_deps.begin(), nodes[i].ctrl_deps.end());
            std::sort(parents.begin(), parents.end());
            parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
            for (const std::uint64_t parent : parents) {
                const auto found = place.find(parent);
                if (found == place.end()) {
                    problem(&nodes[i], fmt::format("depends on node {}, which does not exist", parent),
                        "the id of a node");
                    continue;
                }
                children[found->second].push_back(i);
                ++missing[i];
            }
        }
        std::set<std::size_t> ready;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (missing[i] == 0) ready.insert(i);
        ranks_.emplace_back();
        while (!ready.empty()) {
            const std::size_t next = *ready.begin();
            ready.erase(ready.begin());
            for (const std::size_t child : children[next])
                if (--missing[child] == 0) ready.insert(child);
            ranks_.back().push_back(nodes[next]);
        }
        if (ranks_.back().size() < nodes.size() && plan_.problems.empty())
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (missing[i] > 0)
                    return problem(&nodes[i], "waits for itself through its parents", "parents without a cycle");
    }

    void check(const Node& node)
    {
        if (node.type == NodeType::comp) {
            ++plan_.operations["COMP"];
        } else if (node.type == NodeType::send || node.type == NodeType::recv) {
            const bool sends = node.type == NodeType::send;
            ++plan_.operations[sends ? "SEND" : "RECV"];
            const std::optional<std::uint32_t> peer = sends ? node.dst : node.src;
            if (!peer || *peer >= traces_.ranks() || *peer == rank_)
                problem(&node, peer ? fmt::format("peer {} of {}", *peer, traces_.ranks()) : "no peer",
                    sends ? "another rank in comm_dst" : "another rank in comm_src");
            if (node.comm_size.value_or(0) == 0) problem(&node, "no comm_size", "a size in bytes");
        } else {
            problem(&node, name_of(node.type) + ", which a custom collective never finishes", "SEND, RECV or COMP");
        }
    }

    PlanChannel channel(const Node& node, std::uint32_t rank) const
    {
        const std::int64_t tag = node.tag.value_or(0);
        return node.type == NodeType::send ? PlanChannel{rank, *node.dst, tag} : PlanChannel{*node.src, rank, tag};
    }

    // The k-th SEND meets the k-th RECV of the same source, destination and tag.
    void match()
    {
        std::map<PlanChannel, std::size_t> received;
        for (rank_ = 0; rank_ < ranks_.size(); ++rank_) {
            std::uint64_t sent = 0;
            for (const Node& node : ranks_[rank_]) {
                if (node.type != NodeType::send) continue;
                messages_[channel(node, rank_)].push_back({*node.comm_size, 0, 0});
                ++sent;
            }
            plan_.moved += sent;
            plan_.most_moved = std::max(plan_.most_moved, sent);
        }
        plan_.connections = messages_.size();
        for (rank_ = 0; rank_ < ranks_.size(); ++rank_)
            for (const Node& node : ranks_[rank_]) {
                if (node.type != NodeType::recv) continue;
                const PlanChannel where = channel(node, rank_);
                const std::size_t index = received[where]++;
                const auto found = messages_.find(where);
                if (found == messages_.end() || index >= found->second.size())
                    problem(&node,
                        fmt::format("no rank sends message {} of rank {} with tag {}", index, std::get<0>(where),
                            std::get<2>(where)),
                        "a SEND for every RECV");
                else if (found->second[index].bytes != *node.comm_size)
                    problem(&node, fmt::format("receives {} bytes of {}", *node.comm_size, found->second[index].bytes),
                        "equal sizes");
            }
        for (const auto& [where, messages] : messages_) {
            rank_ = std::get<0>(where);
            if (received[where] < messages.size())
                problem(nullptr,
                    fmt::format("{} messages to rank {} with tag {} are sent, but {} are received", messages.size(),
                        std::get<1>(where), std::get<2>(where), received[where]),
                    "the same number");
        }
    }

    void message()
    {
        for (const auto& [where, messages] : messages_)
            for (const PlanMessage& message : messages) {
                chunk_ = std::gcd(chunk_, message.bytes);
                plan_.bytes = std::max(plan_.bytes, message.bytes);
            }
        if (chunk_ == 0) chunk_ = 1;
        schedule_.op = CollectiveOp::custom;
        schedule_.chunks = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_plan_chunks, plan_.bytes / chunk_));
    }

    std::uint32_t chunks(std::uint64_t bytes) const { return static_cast<std::uint32_t>(bytes / chunk_); }

    void slots()
    {
        for (RankPlan& rank : schedule_.ranks) rank.input_chunks = schedule_.chunks;
        for (auto& [where, messages] : messages_) {
            RankPlan& receiver = schedule_.ranks[std::get<1>(where)];
            for (PlanMessage& message : messages) {
                message.semaphore = receiver.semaphores++;
                message.slot = receiver.scratch_chunks;
                if (message.bytes / chunk_ > most_plan_chunks - receiver.scratch_chunks) {
                    rank_ = std::get<1>(where);
                    return problem(nullptr,
                        fmt::format("the greatest common divisor of all message sizes is {} bytes", chunk_),
                        "sizes that are multiples of one chunk");
                }
                receiver.scratch_chunks += chunks(message.bytes);
            }
        }
    }

    // A node follows in the thread of the first parent that is the last of its thread; other parents are named.
    void threads()
    {
        std::vector<Thread>& threads = schedule_.ranks[rank_].threads;
        std::map<std::uint64_t, StepId> done;
        std::map<std::uint64_t, ChunkRef> result;  // what a node leaves behind
        for (const Node& node : ranks_[rank_]) {
            thread_ = static_cast<std::uint32_t>(threads.size());
            after_.clear();
            std::optional<ChunkRef> data;
            for (const std::uint64_t parent : node.data_deps) {
                const StepId id = done.at(parent);
                if (const auto found = result.find(parent); found != result.end() && !data) data = found->second;
                if (thread_ == threads.size() && threads[id.thread].steps.size() == id.step + 1)
                    thread_ = id.thread;
                else
                    after_.push_back(id);
            }
            if (thread_ == threads.size()) {
                threads.emplace_back();
                plan_.origins[rank_].emplace_back();
                ++plan_.blocks;
            }
            if (const auto left = carry_out(node, data)) result[node.id] = *left;
            done[node.id] = {thread_, static_cast<std::uint32_t>(threads[thread_].steps.size() - 1)};
        }
    }

    std::optional<ChunkRef> carry_out(const Node& node, const std::optional<ChunkRef>& data)
    {
        if (node.type == NodeType::comp) {
            if (!data) {
                add(node, Step{});
                return std::nullopt;
            }
            std::uint32_t& slots = schedule_.ranks[rank_].scratch_chunks;
            const ChunkRef sum{rank_, Buffer::scratch, slots, data->count};
            slots += data->count;
            add(node, move_step({*data, {rank_, Buffer::input, 0, data->count}}, {sum}));
            return sum;
        }
        const PlanChannel where = channel(node, rank_);
        std::size_t& used = (node.type == NodeType::send ? sent_ : received_)[where];
        const PlanMessage& message = messages_.at(where)[used++];
        const std::uint32_t count = chunks(message.bytes);
        const ChunkRef slot{std::get<1>(where), Buffer::scratch, message.slot, count};
        if (node.type == NodeType::recv) {
            add(node, wait_step(*node.src, message.semaphore));
            return slot;
        }
        const bool forwards = data && data->count == count;
        add(node, move_step({forwards ? *data : ChunkRef{rank_, Buffer::input, 0, count}}, {slot}));
        add(node, signal_step(*node.dst, message.semaphore));
        return data;
    }

    void add(const Node& node, Step step)
    {
        step.after = std::move(after_);
        after_.clear();
        std::vector<Step>& steps = schedule_.ranks[rank_].threads[thread_].steps;
        steps.push_back(std::move(step));
        plan_.origins[rank_][thread_].push_back({0, static_cast<std::uint32_t>(node.id)});
    }

    const chakra::TraceSet& traces_;
    Plan& plan_;
    Schedule& schedule_;
    std::vector<std::vector<Node>> ranks_;
    std::map<PlanChannel, std::vector<PlanMessage>> messages_;
    std::map<PlanChannel, std::size_t> sent_;
    std::map<PlanChannel, std::size_t> received_;
    std::uint64_t chunk_ = 0;  // bytes
    std::vector<StepId> after_;
    std::uint32_t rank_ = 0;
    std::uint32_t thread_ = 0;
};

}  // namespace

bool is_chakra_prefix(const std::string& prefix)
{
    std::error_code error;
    for (const char* ending : {".0.et", ".0.et.gz", ".0.json", ".0.json.gz"})
        if (std::filesystem::is_regular_file(prefix + ending, error)) return true;
    return false;
}

Plan read_chakra_plan(const std::string& prefix, const PlanOptions&)
{
    const chakra::TraceSet traces = chakra::TraceSet::open(prefix);
    Plan plan;
    plan.file = prefix;
    plan.format = "chakra";
    plan.name = std::filesystem::path(prefix).filename().string();
    plan.collective = "custom";
    Builder(traces, plan).build();
    plan.schedule.name = plan.name;
    return plan;
}

}  // namespace weft
