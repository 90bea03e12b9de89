// Who sends to whom, against the definitions.
#include <set>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tlm_interconnect/traffic/pattern.h"

namespace pattern_test {

using namespace weft;

namespace {

PatternSpec spec(PatternKind kind, std::uint32_t side = 0)
{
    PatternSpec out;
    out.kind = kind;
    out.side = side;
    return out;
}

std::vector<std::uint32_t> map_of(const PatternSpec& what, std::uint32_t endpoints, std::uint64_t seed = 1)
{
    const Pattern pattern(what, endpoints, seed);
    RandomStream random(seed, 0);
    std::vector<std::uint32_t> out;
    for (std::uint32_t source = 0; source < endpoints; ++source) {
        EXPECT_TRUE(pattern.sends(source));
        out.push_back(pattern.destination(source, 0, random));
        EXPECT_EQ(pattern.destination(source, 17, random), out.back());  // fixed
    }
    return out;
}

std::string refusal(const PatternSpec& what, std::uint32_t endpoints)
{
    try {
        const Pattern pattern(what, endpoints, 1);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

// How often each of `endpoints` is drawn by `source`.
std::vector<unsigned> draws(const PatternSpec& what, std::uint32_t endpoints, std::uint32_t source, unsigned count)
{
    const Pattern pattern(what, endpoints, 3);
    RandomStream random(3, source);
    std::vector<unsigned> out(endpoints, 0);
    for (unsigned i = 0; i < count; ++i) ++out.at(pattern.destination(source, i, random));
    return out;
}

using Map = std::vector<std::uint32_t>;

}  // namespace

TEST(Pattern, FixedMapsAreThoseOfTheirDefinitions)
{
    EXPECT_EQ(map_of(spec(PatternKind::transpose), 16), (Map{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
    EXPECT_EQ(map_of(spec(PatternKind::bit_complement), 8), (Map{7, 6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(map_of(spec(PatternKind::nearest_neighbour), 5), (Map{1, 2, 3, 4, 0}));
    EXPECT_EQ(map_of(spec(PatternKind::nearest_neighbour, 3), 9), (Map{4, 5, 3, 7, 8, 6, 1, 2, 0}));
    EXPECT_EQ(map_of(spec(PatternKind::tornado), 8), (Map{3, 4, 5, 6, 7, 0, 1, 2}));
    EXPECT_EQ(map_of(spec(PatternKind::tornado), 5), (Map{2, 3, 4, 0, 1}));
    EXPECT_EQ(map_of(spec(PatternKind::tornado, 3), 9), (Map{4, 5, 3, 7, 8, 6, 1, 2, 0}));
    EXPECT_EQ(map_of(spec(PatternKind::tornado, 4), 16), (Map{5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0}));
}

// Those on the diagonal send to themselves, which is nothing.
TEST(Pattern, WhoSendsToNobodyElse)
{
    const Pattern transpose(spec(PatternKind::transpose), 16, 1);
    for (std::uint32_t source = 0; source < 16; ++source)
        EXPECT_EQ(transpose.sends_to_others(source), source % 4 != source / 4) << source;
    const Pattern tornado(spec(PatternKind::tornado), 2, 1);
    EXPECT_FALSE(tornado.sends_to_others(0) || tornado.sends_to_others(1));
    PatternSpec two = spec(PatternKind::incast);
    two.sources = 2;
    const Pattern incast(two, 4, 1);
    for (std::uint32_t source = 0; source < 4; ++source)
        EXPECT_EQ(incast.sends_to_others(source), source == 1 || source == 2) << source;
    EXPECT_TRUE(Pattern(spec(PatternKind::uniform), 2, 1).sends_to_others(0));
}

TEST(Pattern, TransposeExchangesRowsAndColumnsOfEverySquare)
{
    for (const std::uint32_t side : {2U, 4U, 8U, 32U}) {
        const Map map = map_of(spec(PatternKind::transpose), side * side);
        for (std::uint32_t source = 0; source < side * side; ++source)
            EXPECT_EQ(map[source], source % side * side + source / side);
    }
}

TEST(Pattern, PermutationIsOneCycleOfTheSeed)
{
    for (const std::uint32_t endpoints : {2U, 3U, 17U, 64U}) {
        const Map map = map_of(spec(PatternKind::permutation), endpoints, 5);
        std::set<std::uint32_t> seen;
        for (std::uint32_t at = 0; seen.insert(at).second;) at = map[at];
        EXPECT_EQ(seen.size(), endpoints);
        EXPECT_EQ(map, map_of(spec(PatternKind::permutation), endpoints, 5));
    }
    EXPECT_NE(map_of(spec(PatternKind::permutation), 64, 5), map_of(spec(PatternKind::permutation), 64, 6));
}

TEST(Pattern, AllToAllVisitsTheOthersInTurn)
{
    const Pattern pattern(spec(PatternKind::all_to_all), 4, 1);
    RandomStream random(1, 0);
    Map order;
    for (std::uint64_t count = 0; count < 6; ++count) order.push_back(pattern.destination(2, count, random));
    EXPECT_EQ(order, (Map{3, 0, 1, 3, 0, 1}));
}

TEST(Pattern, IncastHasItsSourcesAndOneSink)
{
    PatternSpec three = spec(PatternKind::incast);
    three.sources = 3;
    const Pattern pattern(three, 8, 1);
    RandomStream random(1, 0);
    for (std::uint32_t source = 0; source < 8; ++source) {
        EXPECT_EQ(pattern.sends(source), source >= 1 && source <= 3) << source;
        EXPECT_EQ(pattern.takes_part(source), source <= 3) << source;
        EXPECT_EQ(pattern.destination(source, 0, random), 0u);
    }
    const Pattern all(spec(PatternKind::incast), 8, 1);
    for (std::uint32_t source = 0; source < 8; ++source) EXPECT_EQ(all.sends(source), source != 0);
}

// Chi-square: of k cells it has mean k - 1 and variance 2 (k - 1); five standard deviations.
TEST(Pattern, UniformIsUniform)
{
    constexpr unsigned count = 160'000;
    for (const bool self : {false, true}) {
        PatternSpec what = spec(PatternKind::uniform);
        what.self = self;
        const std::vector<unsigned> seen = draws(what, 16, 5, count);
        const double cells = self ? 16 : 15;
        double chi = 0;
        for (std::uint32_t to = 0; to < 16; ++to) {
            if (to == 5 && !self) {
                EXPECT_EQ(seen[to], 0u);
                continue;
            }
            const double off = seen[to] - count / cells;
            chi += off * off / (count / cells);
        }
        EXPECT_LT(chi, cells - 1 + 5 * std::sqrt(2 * (cells - 1)));
    }
}

// Endpoint 0 gets `fraction`, and of the rest its part.
TEST(Pattern, HotSpotGetsItsShare)
{
    constexpr unsigned count = 100'000;
    PatternSpec what = spec(PatternKind::hot_spot);
    what.fraction = 0.3;
    const std::vector<unsigned> seen = draws(what, 8, 5, count);
    const double hot = 0.3 + 0.7 / 7;
    EXPECT_NEAR(seen[0], count * hot, 4 * std::sqrt(count * hot * (1 - hot)));
    EXPECT_EQ(seen[5], 0u);
    for (const std::uint32_t to : {1U, 2U, 3U, 4U, 6U, 7U})
        EXPECT_NEAR(seen[to], count * 0.1, 4 * std::sqrt(count * 0.09));
    EXPECT_EQ(draws(what, 8, 0, 1'000)[0], 0u);  // it sends to the others
}

TEST(Pattern, WhatDoesNotExistIsRefused)
{
    EXPECT_EQ(refusal(spec(PatternKind::transpose), 8), "pattern transpose for 8 endpoints; expected a power of 4");
    EXPECT_EQ(refusal(spec(PatternKind::bit_complement), 6),
        "pattern bit_complement for 6 endpoints; expected a power of 2");
    EXPECT_EQ(refusal(spec(PatternKind::uniform), 1), "pattern uniform for 1 endpoints; expected at least 2 endpoints");
    EXPECT_EQ(refusal(spec(PatternKind::tornado, 3), 8), "pattern tornado for 8 endpoints; expected side x side");
    PatternSpec many = spec(PatternKind::incast);
    many.sources = 4;
    EXPECT_EQ(refusal(many, 4), "pattern incast for 4 endpoints; expected fewer sources than endpoints");
}

}  // namespace pattern_test
