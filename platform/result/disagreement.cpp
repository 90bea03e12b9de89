#include "platform/result/disagreement.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/parameters/blocks.h"

namespace weft {

namespace {

using Share = std::pair<std::string, double>;

// The two largest, "62 % flag, 20 % loads".
std::string largest(std::vector<Share> shares)
{
    double total = 0;
    for (const Share& share : shares) total += share.second;
    if (total <= 0) return "not counted";
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.second > b.second; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, shares.size()) && shares[i].second > 0; ++i)
        out += fmt::format("{}{:.0f} % {}", i == 0 ? "" : ", ", 100 * shares[i].second / total, shares[i].first);
    return out;
}

std::string what_ranks_did(const RunResult& result)
{
    std::vector<Share> shares;
    for (const RankResult& rank : result.ranks)
        for (std::size_t cause = 0; cause < rank.stall_ps.size(); ++cause) {
            if (shares.size() <= cause) shares.emplace_back(rank.stall_ps[cause].first, 0.0);
            shares[cause].second += static_cast<double>(rank.stall_ps[cause].second);
        }
    return "the time of ranks is " + largest(std::move(shares));
}

std::string what_the_estimate_has(const SchedulePrice& price)
{
    std::vector<Share> shares;
    for (const auto& [term, ps] : price.terms) shares.emplace_back(term, std::max(0.0, static_cast<double>(ps)));
    return "the estimate is " + largest(std::move(shares));
}

}  // namespace

std::vector<std::string> disagreements(const RunResult& result)
{
    std::vector<std::string> out;
    if (result.stop != StopReason::finished || result.collectives.size() != 1) return out;
    const CollectiveResult& run = result.collectives.front();
    struct Figure {
        const char* name;
        std::uint64_t ps;
    };
    const Figure simulated{"the simulated time", run.end_ps - run.start_ps};
    const Figure formula{"alpha-beta", result.theory ? result.theory->time_ps : 0};
    const Figure estimate{"the estimate", run.price ? run.price->estimate_ps : 0};
    const auto compare = [&](const Figure& a, const Figure& b, const std::string& below, const std::string& above) {
        if (a.ps == 0 || b.ps == 0) return;
        const bool more = a.ps > b.ps;
        const Figure& large = more ? a : b;
        const Figure& small = more ? b : a;
        const double times = static_cast<double>(large.ps) / static_cast<double>(small.ps);
        if (times <= most_apart) return;
        out.push_back(fmt::format("{} ({}) is {:.{}f} times {} ({}): {}", large.name, format_time_ps(large.ps), times,
            times < 10 ? 1 : 0, small.name, format_time_ps(small.ps), more ? above : below));
    };
    const auto compare_unknown = [&](const Figure& figure, const std::vector<std::string>& models) {
        const std::string why = std::string(figure.name) + " knows nothing of " + joined_names(models, " and ");
        compare(simulated, figure, why, why);
    };
    const std::string adds_up = "alpha-beta adds up steps and bytes that overlap";
    if (!result.not_in_formula.empty())
        compare_unknown(formula, result.not_in_formula);
    else
        compare(simulated, formula, adds_up,
            "alpha-beta has no queues and no consecutive polls; " + what_ranks_did(result));
    if (!result.not_in_estimate.empty())
        compare_unknown(estimate, result.not_in_estimate);
    else
        compare(simulated, estimate, "the estimate has waits that overlap in the run; " + what_ranks_did(result),
            "the estimate has no back pressure and no contention between compute units; " + what_ranks_did(result));
    if (run.price) {
        const std::string has = what_the_estimate_has(*run.price);
        compare(estimate, formula, adds_up + "; " + has, "alpha-beta has no queues and no consecutive polls; " + has);
    }
    return out;
}

}  // namespace weft
