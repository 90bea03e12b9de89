#include "platform/applications/compare/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/applications/compare/cause_means.h"
#include "platform/applications/compare/match_collectives.h"
#include "platform/applications/compare/match_points.h"
#include "platform/applications/compare/read_facts.h"

namespace weft {

namespace {

bool same(const Fact& a, const Fact& b)
{
    return a.value == b.value && (a.value || a.text == b.text) && a.unit == b.unit && a.at_least == b.at_least;
}

// Alike modules share a path, and which modules are alike differs between results: paths that do not agree are taken apart.
void take_apart(std::vector<Fact>& a, std::vector<Fact>& b)
{
    const auto key_of = [](const Fact& fact) { return fact.name() + "\n" + fact.unit + "\n" + fact.text; };
    const auto apart = [&](const std::vector<Fact>& facts, const std::vector<Fact>& other) {
        std::unordered_map<std::string, bool> known;
        for (const Fact& fact : other)
            if (fact.group == FactGroup::parameters) known.emplace(key_of(fact), true);
        std::vector<Fact> out;
        for (const Fact& fact : facts) {
            if (fact.group != FactGroup::parameters || known.count(key_of(fact)) > 0) {
                out.push_back(fact);
                continue;
            }
            for (const std::string& name : ungrouped(fact.element)) {
                out.push_back(fact);
                out.back().element = name;
            }
        }
        return out;
    };
    std::vector<Fact> new_a = apart(a, b);
    std::vector<Fact> new_b = apart(b, a);
    a = std::move(new_a);
    b = std::move(new_b);
}

double change_between(const Fact& a, const Fact& b)
{
    if (*a.value == *b.value) return 0;
    const double base = a.whole.value_or(*a.value);
    if (base == 0) return std::copysign(std::numeric_limits<double>::infinity(), *b.value - *a.value);
    return (*b.value - *a.value) / std::abs(base);
}

bool is_energy(const Fact& fact) { return fact.element == "energy" || fact.field.compare(0, 7, "energy.") == 0; }

// Energies are sums of what is known: where that is not the same, the totals are not of the same parts.
void tell_of_energy(const Facts& a, const Facts& b, std::vector<std::string>& notices)
{
    for (const auto& [facts, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        std::vector<std::pair<std::string, std::size_t>> found;  // a part and the number of points that leave it out
        std::size_t compared = 0;
        for (const EnergyLeftOut& one : facts->energy_unknown) {
            const auto same = std::find_if(other->energy_unknown.begin(), other->energy_unknown.end(),
                [&](const EnergyLeftOut& each) { return each.element == one.element; });
            if (same == other->energy_unknown.end()) continue;
            ++compared;
            for (const std::string& part : one.parts) {
                if (std::find(same->parts.begin(), same->parts.end(), part) != same->parts.end()) continue;
                const auto known =
                    std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.first == part; });
                if (known == found.end())
                    found.emplace_back(part, 1);
                else
                    ++known->second;
            }
        }
        std::string out;
        for (const auto& [part, count] : found) {
            out += (out.empty() ? "" : "; ") + part;
            if (count < compared) out += fmt::format(" ({} of {} points)", count, compared);
        }
        if (!out.empty()) notices.push_back("the energy of " + facts->file + " leaves out, unlike the other: " + out);
    }
}

// The same events, each by another energy.
void tell_of_figures(const Facts& a, const Facts& b, std::vector<std::string>& notices)
{
    std::string out;
    for (const EnergyFigureOf& of_a : a.energy_figures)
        for (const EnergyFigureOf& of_b : b.energy_figures) {
            if (of_a.part != of_b.part || of_a.figure == of_b.figure) continue;
            out += fmt::format("{}{}: {} ({}) and {} ({})", out.empty() ? "" : "; ", of_a.part, of_a.figure,
                of_a.source, of_b.figure, of_b.source);
        }
    if (!out.empty()) notices.push_back("the energies are by different figures: " + out);
}

// A bound of each combination: the first is told, the others are counted.
struct Bounds {
    std::string first;
    std::size_t more = 0;

    void add(const Facts& a, const Facts& b, const Fact& of_a, const Fact& of_b)
    {
        // In bytes it is the same bound once more.
        if ((!of_a.at_least && !of_b.at_least) || of_a.unit == "GB/s") return;
        if (!first.empty()) {
            ++more;
            return;
        }
        const auto text = [](const Fact& fact, const Facts& facts) {
            return fmt::format("{}{:.6g} {} in {}", fact.at_least ? "at least " : "", fact.value.value_or(0), fact.unit,
                facts.file);
        };
        first = fmt::format("{}{} is {} and {}", of_a.field, of_a.element.empty() ? "" : " of " + of_a.element,
            text(of_a, a), text(of_b, b));
    }

    void tell(std::vector<std::string>& notices) const
    {
        if (first.empty()) return;
        notices.push_back(first +
            (more == 0 ? "" : fmt::format(", and {} more {} a lower bound", more, more == 1 ? "is" : "are")) +
            "; it is not judged where one is a lower bound, and loads nearer to it tell more");
    }
};

// A check has no measure: with a tolerance, another outcome is always beyond it.
bool is_beyond(const Difference& difference, bool judged)
{
    if (!judged) return false;
    if (difference.fact.group == FactGroup::checks) return true;
    if (!difference.tolerance || std::isinf(*difference.tolerance)) return false;
    return !difference.change || std::abs(*difference.change) > *difference.tolerance;
}

}  // namespace

std::size_t ResultComparison::beyond() const
{
    return static_cast<std::size_t>(
        std::count_if(differences.begin(), differences.end(), [](const Difference& each) { return each.beyond; }));
}

ResultComparison compare_results(const Facts& a, const Facts& as_written, const Tolerances& tolerances)
{
    std::vector<std::string> of_collectives;
    const Facts b = with_collectives_of(a, with_names_of(a, as_written), of_collectives);
    if (a.schema != b.schema)
        throw InputError(b.file, 0, "is '" + b.schema + "', while " + a.file + " is '" + a.schema + "'",
            "two results of the same command");
    ResultComparison out{a.file, b.file, a.title, b.title, a.schema, tolerances.given(), 0, 0, {}, {}};
    out.notices = std::move(of_collectives);
    std::vector<Fact> of_a = a.facts;
    std::vector<Fact> of_b = b.facts;
    take_apart(of_a, of_b);
    add_cause_means(a, b, of_a, of_b, out.notices);
    std::unordered_map<std::string, std::vector<std::size_t>> places;  // facts of one name, in order
    for (std::size_t i = of_b.size(); i-- > 0;) places[of_b[i].name()].push_back(i);
    std::vector<bool> met(of_b.size(), false);
    Bounds bounds;

    const auto add = [&](Difference difference) {
        const bool bound = difference.in_a && difference.in_b && (difference.a_at_least || difference.b_at_least);
        difference.tolerance = tolerances.of(difference.fact);
        if (bound) difference.tolerance.reset();
        difference.beyond = is_beyond(difference, out.judged);
        if (difference.tolerance && !difference.beyond) ++out.within;
        out.differences.push_back(std::move(difference));
    };
    for (const Fact& fact : of_a) {
        ++out.compared;
        tolerances.of(fact);  // a rule is in use also where nothing differs
        const auto found = places.find(fact.name());
        if (found == places.end() || found->second.empty()) {
            add({fact, true, false, fact.value, {}, fact.text, "", {}, {}, false, fact.at_least, false});
            continue;
        }
        const std::size_t place = found->second.back();
        found->second.pop_back();
        met[place] = true;
        const Fact& other = of_b[place];
        bounds.add(a, b, fact, other);
        if (same(fact, other)) continue;
        Difference difference{fact, true, true, fact.value, other.value, fact.text, other.text, {}, {}, false,
            fact.at_least, other.at_least};
        if (fact.value && other.value && fact.unit == other.unit && !fact.at_least && !other.at_least)
            difference.change = change_between(fact, other);
        add(std::move(difference));
    }
    for (std::size_t i = 0; i < of_b.size(); ++i) {
        if (met[i]) continue;
        ++out.compared;
        add({of_b[i], false, true, {}, of_b[i].value, "", of_b[i].text, {}, {}, false, false, of_b[i].at_least});
    }
    std::stable_sort(out.differences.begin(), out.differences.end(),
        [](const Difference& one, const Difference& other) { return one.fact.group < other.fact.group; });
    const std::vector<std::string> unused = tolerances.unused();
    if (!unused.empty())
        throw InputError("", 0, "--tolerance '" + unused.front() + "' matches no fact of the results",
            "a group or a pattern of names that 'weft compare A B --json -' lists");
    const bool energies = std::any_of(out.differences.begin(), out.differences.end(),
        [](const Difference& each) { return is_energy(each.fact); });
    if (energies) tell_of_energy(a, b, out.notices);
    tell_of_figures(a, b, out.notices);
    bounds.tell(out.notices);
    for (const Facts* facts : {&a, &b})
        if (facts->partial) out.notices.push_back(facts->file + " is partial: its run did not finish");
    return out;
}

}  // namespace weft
