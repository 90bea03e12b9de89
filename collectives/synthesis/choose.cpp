#include "collectives/synthesis/choose.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/synthesis/permute.h"
#include "collectives/synthesis/ring_order.h"
#include "collectives/synthesis/synthesize.h"

namespace weft {

namespace {

constexpr std::uint64_t most_steps_priced = 40'000;

// Channels that a pricing plays through: as many of them as keep it short, each for several.
std::uint32_t priced_channels(std::uint32_t channels, std::uint64_t steps_of_one)
{
    std::uint32_t priced = channels;
    while (priced > 1 && (priced * steps_of_one > most_steps_priced || channels % priced != 0)) --priced;
    return priced;
}

std::string explanation(const CostGraph& graph, const Estimate& estimate)
{
    std::string out = fmt::format("{} step{} x {}", estimate.steps, estimate.steps == 1 ? "" : "s",
        format_time_ps(estimate.alpha_ps));
    if (estimate.busiest < 0) return out;
    out += fmt::format("; {} on {} take {}", format_bytes(static_cast<std::uint64_t>(estimate.busiest_bytes)),
        graph.links[static_cast<std::size_t>(estimate.busiest)].name,
        format_time_ps(static_cast<std::uint64_t>(estimate.busiest_ps)));
    return out + (estimate.bound_by_latency() ? "; bound by latency" : "; bound by that link");
}

// What can be built, with as many channels as are asked for.
struct Plan {
    std::string name;
    std::function<Schedule(std::uint32_t channels)> build;
    std::uint32_t channels = 1;
    double handicap = 0;  // share of its time by which it must be cheaper than others
};

struct Priced {
    Plan plan;
    Candidate candidate;
};

class Chooser {
public:
    Chooser(const CostGraph& graph, const ChoiceRequest& request)
        : graph_(graph), request_(request), names_(algorithm_names(request.op))
    {
        if (names_.empty())
            throw InputError("", 0, std::string(name_of(request.op)) + " has no algorithm to choose from",
                "a collective with an algorithm");
        if (graph.size() > 1) require_connected(graph);
    }

    const std::vector<std::string>& names() const { return names_; }

    void add_built_in(const std::string& name, const std::string& shown, const std::vector<std::uint32_t>& order,
        double handicap = 0)
    {
        AlgorithmOptions options = request_.options;
        const auto build = [this, name, options, order](std::uint32_t channels) mutable {
            options.channels = channels;
            Schedule schedule = make_schedule(name, request_.op, graph_.size(), options);
            return order.empty() ? schedule : permuted(schedule, order);
        };
        add({shown, build, options.channels, handicap});
    }

    // A ring along the graph, where it is better than the order of the ranks.
    void add_ring_along_graph(const std::string& name)
    {
        if (ring_.empty()) ring_ = ring_order(graph_);
        if (ring_ == rank_order(graph_.size())) return;
        std::vector<std::uint32_t> order = ring_;
        // A root stays where it is.
        const bool rooted = request_.op == CollectiveOp::broadcast || request_.op == CollectiveOp::reduce ||
                            request_.op == CollectiveOp::gather || request_.op == CollectiveOp::scatter;
        if (rooted) {
            const std::uint32_t root = request_.options.root;
            const auto at = std::find(order.begin(), order.end(), root) - order.begin();
            std::rotate(order.begin(), order.begin() + (at + static_cast<std::ptrdiff_t>(order.size()) -
                static_cast<std::ptrdiff_t>(root)) % static_cast<std::ptrdiff_t>(order.size()), order.end());
        }
        add_built_in(name, name + " along the graph", order);
    }

    void add_synthesized(std::uint32_t chunks)
    {
        SynthesisOptions options;
        options.bytes = request_.bytes;
        options.chunks = chunks;
        options.root = request_.options.root;
        options.reduction = request_.options.reduction;
        options.parts = 1;
        std::uint32_t ways = 1;
        Estimate best;
        std::uint64_t seed = 0;
        for (options.seed = 0; options.seed < request_.seeds; ++options.seed) {
            const Schedule schedule = synthesize(request_.op, graph_, options);
            const Estimate price = estimate(schedule, graph_, {request_.bytes, request_.options.channels});
            if (options.seed > 0 && price.time_ps >= best.time_ps) continue;
            best = price;
            seed = options.seed;
            ways = most_ways_out(schedule, 1);
        }
        options.seed = seed;
        std::uint32_t most = request_.options.channels;
        for (const CostRank& rank : graph_.ranks) most = std::min(most, std::max(1U, rank.threads / ways));
        std::vector<std::uint32_t> tried{most, std::max(1U, request_.options.channels / ways)};
        if (tried[0] <= tried[1]) tried.resize(1);
        for (const std::uint32_t parts : tried)
            add({fmt::format("synthesized in {} chunk{}, {} part{}", chunks, chunks == 1 ? "" : "s", parts,
                     parts == 1 ? "" : "s"),
                [this, options](std::uint32_t channels) mutable {
                    options.parts = channels;
                    return synthesize(request_.op, graph_, options);
                },
                parts, trusted_gain});
    }

    ScheduleChoice choose()
    {
        if (priced_.empty())
            throw InputError("", 0, std::string(name_of(request_.op)) + " has no algorithm with a price here",
                "an algorithm by its name");
        std::stable_sort(priced_.begin(), priced_.end(), [](const Priced& a, const Priced& b) {
            return worth(a) < worth(b);
        });
        ScheduleChoice out;
        out.without_price = std::move(without_price_);
        for (Priced& priced : priced_) out.candidates.push_back(std::move(priced.candidate));
        out.schedule = priced_.front().plan.build(priced_.front().plan.channels);
        return out;
    }

private:
    static double worth(const Priced& priced)
    {
        return static_cast<double>(priced.candidate.estimate.time_ps) * (1 + priced.plan.handicap);
    }

    void add(Plan plan)
    {
        Schedule one;
        try {
            one = plan.build(1);
        } catch (const InputError&) {  // it needs what was not asked for, or other numbers of ranks
            without_price_.push_back(plan.name);
            return;
        }
        const std::uint32_t channels = priced_channels(plan.channels, data_steps(one));
        const Schedule schedule = channels == 1 ? std::move(one) : plan.build(channels);
        const Estimate price = estimate(schedule, graph_, {request_.bytes, plan.channels / channels});
        if (!price.runs) {
            without_price_.push_back(plan.name);
            return;
        }
        Candidate candidate{plan.name, price, explanation(graph_, price)};
        priced_.push_back({std::move(plan), std::move(candidate)});
    }

    const CostGraph& graph_;
    const ChoiceRequest& request_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> ring_;
    std::vector<Priced> priced_;
    std::vector<std::string> without_price_;
};

bool is_ring(const std::string& name) { return name.find("ring") != std::string::npos; }

}  // namespace

ScheduleChoice choose_algorithm(const CostGraph& graph, const ChoiceRequest& request)
{
    Chooser chooser(graph, request);
    for (const std::string& name : chooser.names()) {
        chooser.add_built_in(name, name, {});
        if (name == "ring" && graph.size() > 1) chooser.add_ring_along_graph(name);
    }
    return chooser.choose();
}

ScheduleChoice choose_synthesized(const CostGraph& graph, const ChoiceRequest& request)
{
    if (!can_synthesize(request.op) || graph.size() < 2) return choose_algorithm(graph, request);
    Chooser chooser(graph, request);
    for (const std::string& name : chooser.names()) {
        if (!is_ring(name) && name != "direct") continue;
        chooser.add_built_in(name, name, {}, is_ring(name) ? 0 : trusted_gain);
        if (name == "ring") chooser.add_ring_along_graph(name);
    }
    for (const std::uint32_t chunks : request.chunks) chooser.add_synthesized(chunks);
    return chooser.choose();
}

}  // namespace weft
