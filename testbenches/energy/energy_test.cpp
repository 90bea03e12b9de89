#include <cmath>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/energy/energy.h"

namespace energy_test {

using namespace weft;

namespace {

constexpr std::uint64_t us = 1'000'000;

std::string refusal(const std::string& text)
{
    EnergyTable table;
    try {
        table.read("t.yaml", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

const std::vector<EnergyCount>& counts()
{
    static const std::vector<EnergyCount> all{{EnergyEvent::link_bit, "nvlink_4", 8e6, ""},
        {EnergyEvent::switch_bit, "nvlink_4", 4e6, ""}, {EnergyEvent::hbm_bit, "h100", 1e6, ""},
        {EnergyEvent::l2_byte, "h100", 1e6, ""}, {EnergyEvent::operation, "h100", 1e9, ""},
        {EnergyEvent::idle, "h100", 8.0 * 10 * us, ""}};
    return all;
}

}  // namespace

TEST(EnergyTable, HasEveryFigureWithSourceAndGrade)
{
    const EnergyTable table;
    for (const EnergyCount& count : counts()) {
        const EnergyFigure* figure = table.find(count.event, count.name);
        ASSERT_NE(figure, nullptr) << section_of(count.event);
        EXPECT_LE(figure->low, figure->high);
        EXPECT_FALSE(figure->source.empty());
        EXPECT_FALSE(figure->grade.empty());
    }
    EXPECT_EQ(table.find(EnergyEvent::link_bit, "ddr5"), nullptr);
}

TEST(Energy, IsEventsTimesFigureToTheLastDigit)
{
    const EnergyResult energy = energy_of(EnergyTable(), counts(), 10 * us);
    ASSERT_EQ(energy.parts.size(), 6u);
    EXPECT_EQ(energy.parts[0].low_J, 8e6 * 5 * 1e-12);
    EXPECT_EQ(energy.parts[0].high_J, 8e6 * 7 * 1e-12);
    EXPECT_EQ(energy.parts[5].low_J, 8.0 * 10 * us * 72 * 1e-12);  // eight GPUs, 10 us, 72 W
    double low = 0;
    for (const EnergyPart& part : energy.parts) low += part.low_J;
    EXPECT_EQ(energy.low_J, low);
    EXPECT_DOUBLE_EQ(energy.low_W, low / 10e-6);
}

// Each figure twice as large: its part doubles, and nothing else moves.
TEST(Energy, EveryFigureMovesItsOwnPartAlone)
{
    const EnergyTable before;
    const EnergyResult base = energy_of(before, counts(), 10 * us);
    for (std::size_t i = 0; i < counts().size(); ++i) {
        const EnergyFigure* figure = before.find(counts()[i].event, counts()[i].name);
        EnergyTable table;
        table.read("mine.yaml",
            std::string(section_of(counts()[i].event)) + ":\n  " + counts()[i].name +
                ": {low: " + std::to_string(2 * figure->low) + ", high: " + std::to_string(2 * figure->high) + "}\n");
        const EnergyResult moved = energy_of(table, counts(), 10 * us);
        for (std::size_t k = 0; k < base.parts.size(); ++k) {
            EXPECT_EQ(moved.parts[k].low_J, base.parts[k].low_J * (i == k ? 2 : 1));
            EXPECT_EQ(moved.parts[k].high_J, base.parts[k].high_J * (i == k ? 2 : 1));
            EXPECT_EQ(moved.parts[k].events, base.parts[k].events);
        }
        EXPECT_EQ(moved.parts[i].each.source, "mine.yaml:2");
    }
}

TEST(Energy, ListsWhatIsNotKnownAndAddsNothing)
{
    std::vector<EnergyCount> some = counts();
    some.push_back({EnergyEvent::link_bit, "ddr5", 100.0, ""});
    some.push_back({EnergyEvent::hbm_bit, "b200", std::nullopt, "flow fidelity counts no accesses"});
    some.push_back({EnergyEvent::switch_bit, "ethernet", 0.0, ""});  // nothing passed: nothing is missing
    const EnergyResult energy = energy_of(EnergyTable(), some, 10 * us);
    EXPECT_EQ(energy.unknown,
        (std::vector<std::string>{"links ddr5: the table has no figure",
            "hbm b200: flow fidelity counts no accesses"}));
    EXPECT_EQ(energy.low_J, energy_of(EnergyTable(), counts(), 10 * us).low_J);
}

TEST(Energy, IsKnownOnceSomethingCountedHasAFigure)
{
    const EnergyCount strange{EnergyEvent::link_bit, "ddr5", 100.0, ""};
    const EnergyCount none{EnergyEvent::link_bit, "nvlink_4", 0.0, ""};
    const EnergyCount some{EnergyEvent::link_bit, "nvlink_4", 1.0, ""};
    EXPECT_FALSE(energy_of(EnergyTable(), {strange}, us).known());
    EXPECT_FALSE(energy_of(EnergyTable(), {strange, none}, us).known());
    EXPECT_TRUE(energy_of(EnergyTable(), {strange, some}, us).known());
    EXPECT_TRUE(energy_of(EnergyTable(), {none}, us).known());  // nothing is missing
}

// As YAML has them; -0 is 0.
TEST(EnergyTable, NumbersMayHaveASign)
{
    EnergyTable table;
    table.read("t.yaml", "links:\n  nvlink_4: {low: -0, high: +5}\n  xgmi: {low: +.5, high: +1e1}\n");
    const EnergyFigure* figure = table.find(EnergyEvent::link_bit, "nvlink_4");
    ASSERT_NE(figure, nullptr);
    EXPECT_EQ(figure->low, 0);
    EXPECT_FALSE(std::signbit(figure->low));
    EXPECT_EQ(figure->high, 5);
    EXPECT_EQ(table.find(EnergyEvent::link_bit, "xgmi")->low, 0.5);
    EXPECT_EQ(table.find(EnergyEvent::link_bit, "xgmi")->high, 10);
    for (const char* wrong : {"+-0", "++1", "+", "-1", "+inf"})
        EXPECT_NE(refusal(std::string("links:\n  xgmi: {low: ") + wrong + ", high: 9}\n").find("t.yaml:2: 'low' is "),
            std::string::npos)
            << wrong;
}

TEST(EnergyTable, NoneTakesARowAway)
{
    EnergyTable table;
    table.read("t.yaml", "switches:\n  nvlink_4: none\n");
    EXPECT_EQ(table.find(EnergyEvent::switch_bit, "nvlink_4"), nullptr);
    EXPECT_NE(table.find(EnergyEvent::switch_bit, "nvlink_5"), nullptr);
    EXPECT_EQ(table.rows_of_files().size(), 1U);
    EXPECT_NE(refusal("switches:\n  nvlink_4: nothing\n").find("t.yaml:2: "), std::string::npos);
    EXPECT_NE(refusal("switches: none\n").find("t.yaml:1: "), std::string::npos);
}

TEST(EnergyTable, OfAUserIsRefusedWithItsLine)
{
    EXPECT_NE(refusal("links:\n  nvlink_4: {low: 9, high: 7}\n").find("t.yaml:2: 'low' is above 'high'"),
        std::string::npos);
    EXPECT_NE(
        refusal("links:\n  nvlink_4: {low: x, high: 7}\n").find("t.yaml:2: 'low' is the text 'x'; expected a number"),
        std::string::npos);
    EXPECT_NE(refusal("links:\n  nvlink_4: {low: 1}\n").find("without 'high'"), std::string::npos);
    EXPECT_NE(refusal("link:\n  nvlink_4: {low: 1, high: 2}\n").find("t.yaml:1: unknown energy table key 'link'"),
        std::string::npos);
    EXPECT_NE(refusal("links:\n  nvlink_4: {low: -1, high: 2}\n").find("expected a number from 0"), std::string::npos);
}

}  // namespace energy_test
