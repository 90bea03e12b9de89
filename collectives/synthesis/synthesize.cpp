#include "collectives/synthesis/synthesize.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/builders.h"
#include "collectives/synthesis/chunk_matching.h"

namespace weft {

namespace {

using algorithms::input;
using algorithms::output;
using algorithms::scratch;

using RankChunk = std::pair<std::uint32_t, std::uint32_t>;

// A transfer with the threads that send and use it.
struct Hop {
    ChunkTransfer at;
    std::uint32_t connection = 0;      // of its sender
    bool sums = false;                 // carries partial sums
    std::vector<std::uint32_t> users;  // connections of the receiver whose threads pass it on or add it up
    std::uint32_t slot = 0;            // of a sum at the receiver
};

class Writer {
public:
    Writer(CollectiveOp op, const CostGraph& graph, const SynthesisOptions& options)
        : op_(op), graph_(graph), options_(options), n_(graph.size())
    {
        const bool one_owner = op == CollectiveOp::broadcast;
        const std::uint32_t chunks = one_owner ? options.chunks : n_ * options.chunks;
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
            owners_.push_back(one_owner ? options.root : chunk / options.chunks);
        out_.name = "synthesized";
        out_.op = op;
        out_.reduction = options.reduction;
        out_.root = one_owner ? options.root : 0;
        out_.ranks.resize(n_);
        algorithms::frame(out_, chunks, 0, 0, 0);
    }

    Schedule write()
    {
        const double bytes = static_cast<double>(options_.bytes) / static_cast<double>(owners_.size());
        std::uint64_t sums_end = 0;
        if (sums()) {
            const ChunkTransfers sums = gathered(match_chunks(reversed(graph_), owners_, bytes, options_.seed));
            for (const ChunkTransfer& transfer : sums.transfers) hops_.push_back({transfer, 0, true, {}, 0});
            sums_end = sums.end_ps;
        }
        if (op_ != CollectiveOp::reduce_scatter)
            for (ChunkTransfer transfer : match_chunks(graph_, owners_, bytes, options_.seed).transfers) {
                transfer.start_ps += sums_end;
                hops_.push_back({transfer, 0, false, {}, 0});
            }
        find_connections();
        find_users();
        for (std::uint32_t rank = 0; rank < n_; ++rank)
            out_.ranks[rank].threads.resize(std::size_t{connections_[rank]} * parts());
        number_signals();
        for (std::size_t i = 0; i < hops_.size(); ++i) write_hop(i);
        for (std::uint32_t rank = 0; rank < n_; ++rank) write_end(rank);
        return std::move(out_);
    }

private:
    // Threads at both ends: signals of `connection` of `from` to the thread of `user` (connections of the receiver;
    // no_user: its end).
    using Line = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // to, user, from, connection
    static constexpr std::uint32_t no_user = ~std::uint32_t{0};

    bool sums() const { return op_ == CollectiveOp::reduce_scatter || op_ == CollectiveOp::all_reduce; }
    std::uint32_t parts() const { return options_.parts; }
    std::uint32_t thread(std::uint32_t connection, std::uint32_t part) const { return connection * parts() + part; }
    std::vector<Step>& steps(std::uint32_t rank, std::uint32_t connection, std::uint32_t part)
    {
        return out_.ranks[rank].threads[thread(connection, part)].steps;
    }
    bool owns(std::uint32_t rank, std::uint32_t chunk) const { return owners_[chunk] == rank; }

    // One thread for everything that leaves a rank by the same links.
    void find_connections()
    {
        std::vector<std::map<std::vector<std::uint32_t>, std::uint32_t>> known(n_);
        for (Hop& hop : hops_) {
            std::vector<std::uint32_t> links;
            for (const LinkShare& part : graph_.path(hop.at.from, hop.at.to).stages.front().links)
                links.push_back(part.link);
            std::sort(links.begin(), links.end());
            auto& connections = known[hop.at.from];
            hop.connection =
                connections.try_emplace(links, static_cast<std::uint32_t>(connections.size())).first->second;
        }
        // A rank that only receives has a thread to wait in.
        for (const auto& connections : known)
            connections_.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(connections.size())));
    }

    // Who uses what arrives: sums are added by the one hop that takes the chunk on, or by its owner.
    void find_users()
    {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> outgoing[2];  // (rank, chunk)
        for (std::size_t i = 0; i < hops_.size(); ++i)
            outgoing[hops_[i].sums ? 1 : 0][{hops_[i].at.from, hops_[i].at.chunk}].push_back(i);
        for (const auto& [key, sent] : outgoing[0])
            if (owns(key.first, key.second)) first_hops_[key] = sent.size();
        std::vector<std::uint32_t> slots(n_);
        for (std::size_t i = 0; i < hops_.size(); ++i) {
            Hop& hop = hops_[i];
            const std::pair key{hop.at.to, hop.at.chunk};
            if (hop.sums) {
                hop.slot = slots[hop.at.to]++;
                terms_[key].push_back(i);
                const bool last = owns(hop.at.to, hop.at.chunk);
                hop.users = {
                    last ? adder(hop.at.to, hop.at.chunk, outgoing[0]) : hops_[outgoing[1].at(key).front()].connection};
                continue;
            }
            const auto next = outgoing[0].find(key);
            if (next == outgoing[0].end()) continue;
            for (const std::size_t user : next->second) hop.users.push_back(hops_[user].connection);
            std::sort(hop.users.begin(), hop.users.end());
            hop.users.erase(std::unique(hop.users.begin(), hop.users.end()), hop.users.end());
        }
        for (std::uint32_t rank = 0; rank < n_; ++rank) out_.ranks[rank].scratch_chunks = slots[rank];
    }

    // The thread in which the owner completes a sum: where it is sent first, else one after the other.
    std::uint32_t adder(std::uint32_t rank, std::uint32_t chunk,
        const std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>& sent) const
    {
        const auto first = sent.find({rank, chunk});
        return first == sent.end() ? chunk % connections_[rank] : hops_[first->second.front()].connection;
    }

    Line line(const Hop& hop, std::uint32_t user) const { return {hop.at.to, user, hop.at.from, hop.connection}; }

    // Every line has a semaphore at its receiver for each part; a hop that is passed on is its k-th signal.
    void number_signals()
    {
        std::map<Line, std::size_t> last_unused;
        for (std::size_t i = 0; i < hops_.size(); ++i) {
            const Hop& hop = hops_[i];
            for (const std::uint32_t user : hop.users) place_[{i, user}] = ++signals_[line(hop, user)];
            if (hop.users.empty()) last_unused[line(hop, no_user)] = i;
        }
        for (const auto& [at, hop] : last_unused) {
            signals_[at] = 1;
            ends_[{std::get<2>(at), std::get<3>(at)}].emplace(hop, std::get<0>(at));
        }
        for (const auto& entry : signals_) {
            RankPlan& plan = out_.ranks[std::get<0>(entry.first)];
            semaphore_[entry.first] = plan.semaphores;
            plan.semaphores += parts();
        }
    }

    void wait_for(std::size_t index, std::uint32_t user, std::uint32_t part)
    {
        const Hop& hop = hops_[index];
        const Line at = line(hop, user);
        std::uint32_t& taken = taken_[{at, part}];
        for (; taken < place_.at({index, user}); ++taken)
            steps(hop.at.to, user, part).push_back(wait_step(hop.at.from, semaphore_.at(at) + part));
    }

    Step& add_step(std::uint32_t rank, std::uint32_t connection, std::uint32_t part, std::vector<ChunkRef> sources,
        std::vector<ChunkRef> destinations)
    {
        Step step = move_step(std::move(sources), std::move(destinations));
        step.part = part;
        step.parts = parts();
        steps(rank, connection, part).push_back(std::move(step));
        return steps(rank, connection, part).back();
    }

    void write_hop(std::size_t index)
    {
        const Hop& hop = hops_[index];
        const auto [chunk, from, to] = std::tuple(hop.at.chunk, hop.at.from, hop.at.to);
        const std::uint32_t own = op_ == CollectiveOp::all_gather ? chunk % options_.chunks : chunk;
        const std::pair key{from, chunk};
        for (std::uint32_t part = 0; part < parts(); ++part) {
            std::vector<Step>& thread_steps = steps(from, hop.connection, part);
            std::vector<ChunkRef> sources;
            std::vector<ChunkRef> destinations{hop.sums ? scratch(to, hop.slot) : output(to, chunk)};
            const auto sent = first_sent_.find(key);
            const bool complete = sums() && !hop.sums && owns(from, chunk);
            std::vector<StepId> after;
            if (hop.sums || (complete && sent == first_sent_.end() && first_hops_.at(key) == 1)) {
                sources = terms(from, chunk, hop.connection, part);
                if (!hop.sums) destinations.insert(destinations.begin(), output(from, chunk));
            } else if (complete && sent == first_sent_.end()) {
                // Where several wait for the sum none of them waits for what goes to another.
                add_step(from, hop.connection, part, terms(from, chunk, hop.connection, part), {output(from, chunk)});
                sources = {output(from, chunk)};
            } else if (!owns(from, chunk)) {
                sources = {output(from, chunk)};
                wait_for(arrived_.at(key), hop.connection, part);
            } else if (sums()) {
                sources = {output(from, chunk)};
                if (sent->second.first != hop.connection)
                    after = {{thread(sent->second.first, part), sent->second.second}};
            } else {
                sources = {input(from, own)};
                if (sent == first_sent_.end()) destinations.insert(destinations.begin(), output(from, chunk));
            }
            const bool follows =
                !thread_steps.empty() && is_data(thread_steps.back().kind) && after.empty() && !complete;
            Step& step = add_step(from, hop.connection, part, std::move(sources), std::move(destinations));
            step.with_previous = follows;
            step.after = std::move(after);
            for (const std::uint32_t user : hop.users)
                thread_steps.push_back(signal_step(to, semaphore_.at(line(hop, user)) + part));
        }
        if (!hop.sums) {
            const auto at = static_cast<std::uint32_t>(steps(from, hop.connection, 0).size() - 1 - hop.users.size());
            const bool apart = sums() && owns(from, chunk) && first_hops_.at(key) > 1;
            if (owns(from, chunk)) first_sent_.try_emplace(key, hop.connection, apart ? at - 1 : at);
            arrived_[{to, chunk}] = index;
        }
        signal_ends(index);
    }

    // What nobody passes on is signalled where the thread signals next anyhow, at its end at the latest.
    void signal_ends(std::size_t index)
    {
        const Hop& hop = hops_[index];
        const std::pair key{hop.at.from, hop.connection};
        std::size_t& left = left_[key];
        if (left == 0) left = hops_of(key);
        const bool last = --left == 0;
        if (!last && hop.users.empty()) return;
        auto& ends = ends_[key];
        while (!ends.empty() && ends.begin()->first <= index) {
            const std::uint32_t to = ends.begin()->second;
            for (std::uint32_t part = 0; part < parts(); ++part)
                steps(key.first, key.second, part)
                    .push_back(signal_step(to, semaphore_.at({to, no_user, key.first, key.second}) + part));
            ends.erase(ends.begin());
        }
    }

    std::size_t hops_of(const std::pair<std::uint32_t, std::uint32_t>& key)
    {
        if (counts_.empty())
            for (const Hop& hop : hops_) ++counts_[{hop.at.from, hop.connection}];
        return counts_.at(key);
    }

    // The own input and the partial sums that have come, which are waited for in thread `connection`.
    std::vector<ChunkRef> terms(std::uint32_t rank, std::uint32_t chunk, std::uint32_t connection, std::uint32_t part)
    {
        std::vector<ChunkRef> sources;
        const auto found = terms_.find({rank, chunk});
        if (found != terms_.end())
            for (const std::size_t term : found->second) {
                wait_for(term, connection, part);
                sources.push_back(scratch(rank, hops_[term].slot));
            }
        sources.push_back(input(rank, chunk));
        return sources;
    }

    // Sums that stay, and waits for what stays.
    void write_end(std::uint32_t rank)
    {
        for (std::uint32_t part = 0; part < parts(); ++part) {
            if (op_ == CollectiveOp::reduce_scatter)
                for (std::uint32_t i = 0; i < options_.chunks; ++i) {
                    const std::uint32_t chunk = rank * options_.chunks + i;
                    const std::uint32_t connection = chunk % connections_[rank];
                    add_step(rank, connection, part, terms(rank, chunk, connection, part), {output(rank, i)});
                }
            for (const auto& [at, semaphore] : semaphore_)
                if (std::get<0>(at) == rank && std::get<1>(at) == no_user)
                    steps(rank, 0, part).push_back(wait_step(std::get<2>(at), semaphore + part));
        }
    }

    CollectiveOp op_;
    const CostGraph& graph_;
    const SynthesisOptions& options_;
    std::uint32_t n_;
    std::vector<std::uint32_t> owners_;       // by chunk
    std::vector<Hop> hops_;                   // in the order of their start, sums first
    std::vector<std::uint32_t> connections_;  // by rank
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>
        terms_;  // (rank, chunk): sums that come
    std::map<Line, std::uint32_t> signals_;
    std::map<Line, std::uint32_t> semaphore_;
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> place_;  // (hop, user): which signal it is
    std::map<std::pair<Line, std::uint32_t>, std::uint32_t> taken_;         // (line, part): waits so far
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>
        first_sent_;                                                             // connection, step
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first_hops_;  // (owner, chunk): how many
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arrived_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::multimap<std::size_t, std::uint32_t>>
        ends_;  // (rank, connection): hop, to
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> left_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> counts_;
    Schedule out_;
};

}  // namespace

bool can_synthesize(CollectiveOp op)
{
    return op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter || op == CollectiveOp::all_reduce ||
        op == CollectiveOp::broadcast;
}

Schedule synthesize(CollectiveOp op, const CostGraph& graph, const SynthesisOptions& options)
{
    if (!can_synthesize(op))
        throw InputError("", 0, std::string(name_of(op)) + " cannot be synthesized",
            "all_gather, reduce_scatter, all_reduce or broadcast");
    if (graph.size() < 2) throw InputError("", 0, "a schedule for a single rank", "two ranks or more");
    if (options.chunks == 0 || options.parts == 0) throw InputError("", 0, "chunks in 0 parts", "1 or more");
    return Writer(op, graph, options).write();
}

std::uint32_t most_connections(const Schedule& schedule, std::uint32_t parts)
{
    std::size_t most = 1;
    for (const RankPlan& plan : schedule.ranks) most = std::max(most, plan.threads.size() / parts);
    return static_cast<std::uint32_t>(most);
}

}  // namespace weft
