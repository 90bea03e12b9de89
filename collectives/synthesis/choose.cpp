#include "collectives/synthesis/choose.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/synthesis/permute.h"
#include "collectives/synthesis/ring_order.h"
#include "collectives/synthesis/slow_paths.h"
#include "collectives/synthesis/synthesize.h"

namespace weft {

namespace {

constexpr std::uint64_t most_steps_priced = 40'000;
constexpr std::uint32_t most_rings_tried = 8;

// Channels that a pricing plays through: as many of them as keep it short, each for several.
std::uint32_t priced_channels(std::uint32_t channels, std::uint64_t steps_of_one)
{
    std::uint32_t priced = channels;
    while (priced > 1 && (priced * steps_of_one > most_steps_priced || channels % priced != 0)) --priced;
    return priced;
}

bool in_a_switch(const CostGraph& graph, std::int64_t link)
{
    return std::any_of(graph.switches.begin(), graph.switches.end(),
        [link](const CostSwitch& one) { return one.adder == link || one.contexts == link; });
}

std::string explanation(const CostGraph& graph, const Estimate& estimate, Protocol protocol)
{
    std::string out = fmt::format("{} step{} of up to {}", estimate.steps, estimate.steps == 1 ? "" : "s",
        format_time_ps(estimate.alpha_ps));
    if (estimate.switches > 0)
        out += fmt::format(" in {} switch{}", estimate.switches, estimate.switches == 1 ? "" : "es");
    if (protocol != Protocol::simple) out += fmt::format(" in packets of {}", name_of(protocol));
    if (estimate.busiest < 0) return out;
    out += fmt::format("; {} on {} take {}", format_bytes(static_cast<std::uint64_t>(estimate.busiest_bytes)),
        graph.links[static_cast<std::size_t>(estimate.busiest)].name,
        format_time_ps(static_cast<std::uint64_t>(estimate.busiest_ps)));
    if (estimate.bound_by_latency()) return out + "; bound by latency";
    return out + (in_a_switch(graph, estimate.busiest) ? "; bound by that switch" : "; bound by that link");
}

// What can be built, with as many channels as are asked for.
struct Plan {
    std::string name;
    std::function<Schedule(std::uint32_t channels)> build;
    std::uint32_t channels = 1;
    double handicap = 0;    // share of its time by which it must be cheaper than others
    bool algorithm = true;  // whose channels are those of the request
};

struct Priced {
    Plan plan;
    std::uint32_t channels = 1;  // that its price plays through
    Candidate candidate;
};

class Chooser {
public:
    Chooser(const Chooser&) = delete;
    Chooser& operator=(const Chooser&) = delete;
    Chooser(const CostGraph& graph, const ChoiceRequest& request)
        : graph_(graph), request_(request), names_(algorithm_names(request.op))
    {
        if (names_.empty())
            throw InputError("", 0, std::string(name_of(request.op)) + " has no algorithm to choose from",
                "a collective with an algorithm");
        if (graph.size() > 1) require_connected(graph);
    }

    const std::vector<std::string>& names() const { return names_; }

    // Of so many.
    void expect(std::size_t algorithms) { state_.all = algorithms; }
    void begin(const std::string& name)
    {
        if (!state_.algorithm.empty()) ++state_.done;
        state_.algorithm = name;
        tell();
    }

    void add_built_in(const std::string& name, double handicap = 0)
    {
        add_built_in(name, name, request_.options, handicap);
        if (!follows_orders(name)) return;
        if (rings_.empty()) rings_ = ring_orders(graph_, most_rings_tried);
        add_along(name, "", rings_, handicap);
    }

    // Rings along the graph without paths that others go round faster, where they are other ones.
    void add_without_slow_paths(const std::string& name)
    {
        if (!follows_orders(name)) return;
        for (const ReducedGraph& one : reduced()) {
            const std::vector<std::vector<std::uint32_t>> rings = ring_orders(one.graph, most_rings_tried);
            if (rings != rings_) add_along(name, paths_of(one), rings, 0);
        }
    }

    // On the whole graph, and without its paths that are slower than a way round.
    void add_synthesized(std::uint32_t chunks)
    {
        const std::string name = fmt::format("synthesized in {} chunk{}", chunks, chunks == 1 ? "" : "s");
        add_synthesized(name, "", chunks, graph_);
        for (const ReducedGraph& one : reduced()) add_synthesized(name, paths_of(one), chunks, one.graph);
    }

    ScheduleChoice choose()
    {
        if (priced_.empty())
            throw InputError("", 0, std::string(name_of(request_.op)) + " has no algorithm that can be estimated here",
                "an algorithm by its name");
        std::stable_sort(priced_.begin(), priced_.end(),
            [](const Priced& a, const Priced& b) { return worth(a) < worth(b); });
        ScheduleChoice out;
        out.without_price = std::move(without_price_);
        state_.done = state_.all;
        take_usable(out);
        for (std::size_t i = 0; i < std::min<std::size_t>(request_.explained, priced_.size()); ++i) explain(priced_[i]);
        for (Priced& priced : priced_) out.candidates.push_back(std::move(priced.candidate));
        return out;
    }

private:
    // The cheapest that is not refused; those before it move out of the list of prices.
    void take_usable(ScheduleChoice& out)
    {
        std::size_t taken = 0;
        std::string expected;
        for (; taken < priced_.size(); ++taken) {
            const Priced& priced = priced_[taken];
            out.schedule = written(priced.plan, out.channels);
            Refusal refusal = request_.refusal ? request_.refusal(out.schedule) : Refusal{};
            if (refusal.why.empty()) break;
            if (taken == 0) expected = std::move(refusal.expected);
            out.passed_over.push_back({priced.plan.name, priced.candidate.estimate.time_ps, std::move(refusal.why)});
        }
        if (taken == priced_.size()) {
            const PassedOver& first = out.passed_over.front();
            throw InputError("", 0,
                fmt::format("no algorithm can be used; the cheapest, {}: {}", first.name, first.why), expected);
        }
        priced_.erase(priced_.begin(), priced_.begin() + static_cast<std::ptrdiff_t>(taken));
    }

    Schedule written(const Plan& plan, std::uint32_t& channels) const
    {
        channels = request_.options.channels;
        if (!plan.algorithm || !request_.written) return plan.build(plan.channels);
        Schedule one = plan.build(1);
        channels = request_.written(one);
        return channels == 1 ? std::move(one) : plan.build(channels);
    }

    const std::vector<ReducedGraph>& reduced()
    {
        if (!reduced_) reduced_ = without_slow_paths(graph_);
        return *reduced_;
    }

    static std::string paths_of(const ReducedGraph& one)
    {
        return fmt::format(", without {} slow path{}", one.without, one.without == 1 ? "" : "s");
    }

    bool follows_orders(const std::string& name) const
    {
        return request_.options.orders.empty() && (name == "ring" || name == "bidirectional_ring" || name == "rings");
    }

    // Where that is better than the order of the ranks.
    void add_along(const std::string& name, const std::string& paths,
        const std::vector<std::vector<std::uint32_t>>& rings, double handicap)
    {
        AlgorithmOptions options = request_.options;
        if (name == "rings")
            options.orders = rings;
        else
            options.orders = {rings.front()};
        if (name == "rings" ? rings.size() < 2 : rings.front() == rank_order(graph_.size())) return;
        add_built_in(name, name + " along the graph" + paths, options, handicap);
    }

    void add_synthesized(const std::string& name, const std::string& paths, std::uint32_t chunks,
        const CostGraph& graph)
    {
        SynthesisOptions options;
        options.bytes = request_.bytes;
        options.chunks = chunks;
        options.root = request_.options.root;
        options.reduction = request_.options.reduction;
        options.parts = 1;
        std::uint32_t connections = 1;
        Estimate best;
        std::uint64_t seed = 0;
        for (options.seed = 0; options.seed < request_.seeds; ++options.seed) {
            const Schedule schedule = synthesize(request_.op, graph, options);
            Estimate price;
            try {
                price = price_of(schedule, request_.options.channels);
            } catch (const InputError&) {  // not in this protocol
                without_price_.push_back(name + paths);
                return;
            }
            if (options.seed > 0 && price.time_ps >= best.time_ps) continue;
            best = price;
            seed = options.seed;
            connections = most_connections(schedule, 1);
        }
        options.seed = seed;
        std::uint32_t most = request_.options.channels;
        for (const CostRank& rank : graph_.ranks) most = std::min(most, std::max(1U, rank.threads / connections));
        std::vector<std::uint32_t> tried{most, std::max(1U, request_.options.channels / connections)};
        if (tried[0] <= tried[1]) tried.resize(1);
        for (const std::uint32_t parts : tried)
            add({fmt::format("{}, {} part{}{}", name, parts, parts == 1 ? "" : "s", paths),
                [this, options, &graph](std::uint32_t channels) mutable {
                    options.parts = channels;
                    return synthesize(request_.op, graph, options);
                },
                parts, trusted_gain, false});
    }

    void add_built_in(const std::string& name, const std::string& shown, AlgorithmOptions options, double handicap)
    {
        const std::uint32_t channels = options.channels;
        const auto build = [this, name, options](std::uint32_t priced) mutable {
            options.channels = priced;
            return make_schedule(name, request_.op, graph_.size(), options);
        };
        add({shown, build, channels, handicap});
    }

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
        Estimate price;
        try {
            price = price_of(channels == 1 ? one : plan.build(channels), plan.channels / channels);
        } catch (const InputError&) {  // not in this protocol
            price.runs = false;
        }
        if (!price.runs) {
            without_price_.push_back(plan.name);
            return;
        }
        Candidate candidate{plan.name, price, explanation(graph_, price, request_.protocol)};
        priced_.push_back({std::move(plan), channels, std::move(candidate)});
    }

    Schedule carried_out(const Schedule& schedule) const
    {
        if (request_.protocol != Protocol::simple) return in_packets(schedule);
        return request_.slices > 1 ? in_slices(schedule, request_.slices) : schedule;
    }

    EstimateOptions options_of(std::uint32_t each) const
    {
        return {request_.bytes, each, format_of(request_.protocol), request_.fenced, request_.watch ? &tell_ : nullptr};
    }

    Estimate price_of(const Schedule& schedule, std::uint32_t each) const
    {
        return estimate(carried_out(schedule), graph_, options_of(each));
    }

    void tell() const
    {
        if (request_.watch) request_.watch(state_);
    }

    void explain(Priced& priced)
    {
        state_.algorithm = priced.plan.name;
        tell();
        const Schedule schedule = carried_out(priced.plan.build(priced.channels));
        priced.candidate.terms = estimate_terms(priced.candidate.estimate, schedule, graph_,
            options_of(priced.plan.channels / priced.channels));
    }

    const CostGraph& graph_;
    const ChoiceRequest& request_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::uint32_t>> rings_;     // along the graph
    std::optional<std::vector<ReducedGraph>> reduced_;  // when first asked for
    std::vector<Priced> priced_;
    std::vector<std::string> without_price_;
    PricingState state_;
    std::function<void()> tell_ = [this] { tell(); };
};

bool is_ring(const std::string& name) { return name.find("ring") != std::string::npos; }

}  // namespace

ScheduleChoice choose_algorithm(const CostGraph& graph, const ChoiceRequest& request)
{
    Chooser chooser(graph, request);
    chooser.expect(chooser.names().size());
    for (const std::string& name : chooser.names()) {
        chooser.begin(name);
        chooser.add_built_in(name);
    }
    return chooser.choose();
}

ScheduleChoice choose_synthesized(const CostGraph& graph, const ChoiceRequest& request)
{
    if (!can_synthesize(request.op) || graph.size() < 2) return choose_algorithm(graph, request);
    Chooser chooser(graph, request);
    std::vector<std::string> names;
    for (const std::string& name : chooser.names())
        if (is_ring(name) || name == "direct") names.push_back(name);
    chooser.expect(names.size() + request.chunks.size());
    for (const std::string& name : names) {
        chooser.begin(name);
        chooser.add_built_in(name, is_ring(name) ? 0 : trusted_gain);
        chooser.add_without_slow_paths(name);
    }
    for (const std::uint32_t chunks : request.chunks) {
        chooser.begin(fmt::format("synthesized in {} chunk{}", chunks, chunks == 1 ? "" : "s"));
        chooser.add_synthesized(chunks);
    }
    return chooser.choose();
}

}  // namespace weft
