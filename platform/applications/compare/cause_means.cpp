#include "platform/applications/compare/cause_means.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace weft {

namespace {

bool is_activity(const Fact& fact) { return fact.field.compare(0, 5, "time.") == 0; }

bool is_cause_of_rank(const Fact& fact)
{
    return fact.group == FactGroup::causes && fact.element.compare(0, 5, "rank.") == 0;
}

// Ranks whose causes of waiting are known, or, of a trace, whose activities are.
std::set<std::string> ranks_known(const std::vector<Fact>& facts, bool activities)
{
    std::set<std::string> out;
    for (const Fact& fact : facts)
        if (is_cause_of_rank(fact) && is_activity(fact) == activities) out.insert(fact.element);
    return out;
}

void add_means(std::vector<Fact>& facts, bool activities, const std::set<std::string>& ranks)
{
    std::vector<Fact> means;
    std::map<std::string, std::size_t> places;
    for (const Fact& fact : facts) {
        if (!is_cause_of_rank(fact) || is_activity(fact) != activities || ranks.count(fact.element) == 0) continue;
        const auto [place, fresh] = places.emplace(fact.field, means.size());
        if (fresh) means.push_back({FactGroup::causes, "mean", fact.field, fact.unit, 0.0, "", fact.whole});
        *means[place->second].value += *fact.value;
    }
    for (Fact& mean : means) *mean.value /= static_cast<double>(ranks.size());
    const auto first = std::find_if(facts.begin(), facts.end(), is_cause_of_rank);
    facts.insert(first, std::make_move_iterator(means.begin()), std::make_move_iterator(means.end()));
}

}  // namespace

void add_cause_means(const Facts& of_a, const Facts& of_b, std::vector<Fact>& a, std::vector<Fact>& b,
    std::vector<std::string>& notices)
{
    for (const bool activities : {true, false}) {
        const std::set<std::string> in_a = ranks_known(a, activities);
        const std::set<std::string> in_b = ranks_known(b, activities);
        if (in_a.empty() || in_b.empty() || (in_a.size() == of_a.ranks && in_b.size() == of_b.ranks)) {
            add_means(a, activities, in_a);
            add_means(b, activities, in_b);
            continue;
        }
        std::set<std::string> both;
        std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(both, both.end()));
        add_means(a, activities, both);
        add_means(b, activities, both);
        notices.push_back(fmt::format("causes: {} has those of {} of {} ranks, {} of {} of {}: {}", of_a.file,
            in_a.size(), of_a.ranks, of_b.file, in_b.size(), of_b.ranks,
            both.empty() ? std::string("no rank has them in both, and no means are compared")
                         : fmt::format("means are over the {} that have them in both", both.size())));
    }
}

}  // namespace weft
