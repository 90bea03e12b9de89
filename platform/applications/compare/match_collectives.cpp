#include "platform/applications/compare/match_collectives.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr std::size_t most_told = 4;

std::string identity(const ComparedCollective& of, unsigned stage)
{
    std::string out = of.op + "\n" + of.group + "\n" + of.ranks;
    if (stage < 2) out += "\n" + of.bytes;
    if (stage < 1) out += "\n" + of.name;
    return out;
}

// Of each collective of `b` the number of its partner in `a`, and who has none.
struct Partners {
    static constexpr std::size_t none = ~std::size_t{0};
    std::vector<std::size_t> of_b;
    std::vector<bool> met_a;

    Partners(const Facts& a, const Facts& b) : of_b(b.collectives.size(), none), met_a(a.collectives.size(), false)
    {
        for (unsigned stage = 0; stage < 3; ++stage) {
            std::map<std::string, std::vector<std::size_t>> free;  // the last first
            for (std::size_t i = a.collectives.size(); i-- > 0;)
                if (!met_a[i]) free[identity(a.collectives[i], stage)].push_back(i);
            for (std::size_t i = 0; i < b.collectives.size(); ++i) {
                if (of_b[i] != none) continue;
                const auto found = free.find(identity(b.collectives[i], stage));
                if (found == free.end() || found->second.empty()) continue;
                of_b[i] = found->second.back();
                met_a[of_b[i]] = true;
                found->second.pop_back();
            }
        }
    }
};

std::string told(const ComparedCollective& of, std::size_t number)
{
    return fmt::format("{} ({} {}, group {}, ranks {}, {} B)", number, of.op, of.name, of.group, of.ranks, of.bytes);
}

template <class Alone>
void tell(const Facts& facts, const Facts& other, const Alone& alone, std::vector<std::string>& notices)
{
    std::string out;
    std::size_t count = 0;
    for (std::size_t i = 0; i < facts.collectives.size(); ++i)
        if (alone(i) && ++count <= most_told) out += (count == 1 ? "" : "; ") + told(facts.collectives[i], i);
    if (count == 0) return;
    if (count > most_told) out += fmt::format("; and {} more", count - most_told);
    notices.push_back(fmt::format("{} of {} ha{} no partner in {}: {}", count == 1 ? "a collective" : "collectives",
        facts.file, count == 1 ? "s" : "ve", other.file, out));
}

}  // namespace

Facts with_collectives_of(const Facts& a, Facts b, std::vector<std::string>& notices)
{
    const std::size_t most = std::max(a.collectives.size(), b.collectives.size());
    if (a.collectives_known != b.collectives_known && most > 1)
        notices.push_back(fmt::format("collectives are compared in the order in which they started: {} does not say "
                                      "which groups they are of",
            a.collectives_known ? b.file : a.file));
    if (!a.collectives_known || !b.collectives_known) return b;
    const Partners partners(a, b);
    std::map<std::string, std::string> names;
    for (const char* kind : {"collective", "critical_path"})
        for (std::size_t i = 0; i < b.collectives.size(); ++i)
            names[fmt::format("{}.{}", kind, i)] = partners.of_b[i] == Partners::none
                ? fmt::format("{}.B.{}", kind, i)
                : fmt::format("{}.{}", kind, partners.of_b[i]);
    for (Fact& fact : b.facts)
        if (const auto found = names.find(fact.element); found != names.end()) fact.element = found->second;
    tell(
        a, b, [&](std::size_t i) { return !partners.met_a[i]; }, notices);
    tell(
        b, a, [&](std::size_t i) { return partners.of_b[i] == Partners::none; }, notices);
    return b;
}

}  // namespace weft
