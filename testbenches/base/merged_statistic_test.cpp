// One value for the modules of a kind: what is no sum is not added up.
#include <gtest/gtest.h>

#include "base/merged_statistic.h"

namespace merged_statistic_test {

using namespace weft;

namespace {

std::optional<double> of(const std::string& kind, const std::string& name, const std::vector<double>& values)
{
    MergedStatistic merged(merging_of(kind, name));
    for (const double value : values) merged.add(value);
    return merged.value();
}

}  // namespace

TEST(MergedStatistic, TheNameSaysHow)
{
    EXPECT_EQ(of("hbm", "reads", {3, 4}), 7);
    EXPECT_EQ(of("hbm", "busy", {3, 4}), 7);
    EXPECT_EQ(of("port", "peak_queue", {3, 9, 4}), 9);
    EXPECT_EQ(of("switch", "group_contexts_peak", {2, 1}), 2);
    EXPECT_EQ(of("l2", "flag_waiters_most", {1, 5}), 5);
    EXPECT_EQ(of("hbm", "mean_queue", {1, 2, 6}), 3);
    EXPECT_EQ(of("network", "unit_out_busy", {8, 2}), 8) << "of the busiest place";
    EXPECT_EQ(of("network", "unit_out_bytes", {8, 2}), 10);
    EXPECT_EQ(of("network", "link_request_busiest_bytes", {8, 2}), 8);
    EXPECT_EQ(of("mine", "almost", {8, 2}), 10) << "words, not parts of words";
}

TEST(MergedStatistic, NumbersOfPlacesHaveNoCommonValue)
{
    EXPECT_EQ(of("network", "link_request_busiest_from", {3}), 3);
    EXPECT_EQ(of("network", "link_request_busiest_from", {3, 3}), std::nullopt);
    EXPECT_EQ(of("network", "link_answer_busiest_to", {0, 2}), std::nullopt);
    EXPECT_EQ(of("l2", "hits", {}), std::nullopt);
}

}  // namespace merged_statistic_test
