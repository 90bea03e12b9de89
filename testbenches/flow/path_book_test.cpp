// Links that go together have one clock, and part without losing it.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/flow/links/flow_links.h"

namespace path_book_test {

using namespace weft;

namespace {

constexpr double ps_per_byte = 10;

// Four equal links between ranks 0 and 1; ranks 2 and 3 use the first two of them.
CostPath path_of(std::uint32_t from, std::uint32_t to)
{
    if (to > 3) return {};
    const std::uint32_t used = from < 2 ? 4 : 2;
    PathStage stage{100, {}};
    for (std::uint32_t link = 0; link < used; ++link) stage.links.push_back({link, 1.0 / used});
    return {{stage}, 100, 100, true};
}

std::vector<CostLink> four_links()
{
    std::vector<CostLink> links(4);
    for (CostLink& link : links) link.ps_per_byte = ps_per_byte;
    return links;
}

}  // namespace

TEST(PathBook, PathsAreMadeOnce)
{
    const std::vector<CostLink> links = four_links();
    unsigned asked = 0;
    PathBook book(links, [&](std::uint32_t from, std::uint32_t to) {
        ++asked;
        return path_of(from, to);
    });
    EXPECT_EQ(book.find(0, 1), book.find(0, 1));
    EXPECT_NE(book.find(0, 1), book.find(1, 0));
    EXPECT_EQ(asked, 2U);
    EXPECT_EQ(book.groups(), 1U);
    EXPECT_FALSE(book.alone(book.find(0, 1)));  // two pairs have the links
    EXPECT_THROW(book.find(0, 9), InputError);
}

// To look whether another path begins with the same links leaves no trace: who has a link alone keeps it.
TEST(PathBook, WhetherAnotherPathBeginsAlikeAddsNone)
{
    const std::vector<CostLink> links = four_links();
    const auto one_link = [](std::uint32_t from, std::uint32_t to) -> CostPath {
        if (from == to) return {};
        return {{PathStage{100, {{to == 3 ? 3U : from, 1.0}}}}, 100, 100, true};
    };
    PathBook book(links, one_link);
    const std::uint32_t path = book.find(0, 1);
    EXPECT_TRUE(book.begins_as(path, 2));
    EXPECT_FALSE(book.begins_as(path, 3));
    EXPECT_FALSE(book.begins_as(path, 0));
    EXPECT_TRUE(book.alone(path));
    EXPECT_EQ(book.groups(), 1U);
}

TEST(PathBook, AGroupThatIsSplitGoesOnFromItsClock)
{
    const std::vector<CostLink> links = four_links();
    PathBook book(links, path_of);
    FlowLinks clock(book, {});
    FlowFlight first = clock.put(book.find(0, 1), 0, 4000, 0);
    EXPECT_FALSE(clock.pass(first));
    EXPECT_EQ(first.tail_ps, 100 + 1000 * 10);
    // Half of the links: behind what occupies them.
    FlowFlight second = clock.put(book.find(2, 3), 2, 1000, 0);
    EXPECT_FALSE(clock.pass(second));
    EXPECT_EQ(second.tail_ps, 100 + 1000 * 10 + 500 * 10);
    // All four again: the first two are free later.
    FlowFlight third = clock.put(book.find(0, 1), 0, 400, 0);
    EXPECT_FALSE(clock.pass(third));
    EXPECT_EQ(third.tail_ps, 100 + 1000 * 10 + 500 * 10 + 100 * 10);
    EXPECT_DOUBLE_EQ(book.payload(0), 1000 + 500 + 100);
    EXPECT_DOUBLE_EQ(book.payload(3), 1000 + 100);
    EXPECT_DOUBLE_EQ(book.busy_ps(3), 1100 * ps_per_byte);
}

TEST(PathBook, WhatGoesBackOccupiesTheOtherDirection)
{
    std::vector<CostLink> links(2);
    for (std::size_t link = 0; link < 2; ++link) {
        links[link].ps_per_byte = ps_per_byte;
        links[link].back_ps_per_byte = 2;
        links[link].reverse = static_cast<std::int32_t>(1 - link);
    }
    PathBook book(links, [](std::uint32_t from, std::uint32_t) { return CostPath{{{0, {{from, 1}}}}, 50, 50, true}; });
    FlowLinks clock(book, {});
    FlowFlight there = clock.put(book.find(0, 1), 0, 1000, 0);
    clock.pass(there);
    FlowFlight back = clock.put(book.find(1, 0), 1, 100, 0);
    clock.pass(back);
    EXPECT_EQ(back.tail_ps, 1000 * 2 + 100 * 10 + 50U);
}

TEST(FlowLinks, CutTimesToWholeQuantaAndStoreBeforeTheyForward)
{
    const std::vector<CostLink> links = four_links();
    PathBook book(links, [](std::uint32_t, std::uint32_t) {
        return CostPath{{{0, {{0, 1}}}, {500, {{1, 1}}}}, 1000, 0, true};
    });
    FlowLinks whole(book, {1000, true});
    EXPECT_EQ(whole.occupancy_ps(299, ps_per_byte), 2000U);
    FlowFlight flight = whole.put(book.find(0, 1), 0, 299, 0);
    EXPECT_TRUE(whole.pass(flight));
    EXPECT_EQ(flight.head_ps, 2000U + 500);
    EXPECT_FALSE(whole.pass(flight));
    EXPECT_EQ(flight.tail_ps, 2000U + 500 + 2000 + 500);
}

}  // namespace path_book_test
