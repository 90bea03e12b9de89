// Launch constants that tables share, what is said of them, and errors that need none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include <unistd.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/applications/validation/launch_groups.h"
#include "platform/applications/validation/validation_report.h"

namespace launch_test {

using namespace weft;

namespace {

std::string text_of(const std::string& title, const std::string& launch, const std::string& rows)
{
    return "validation:\n  title: " + title + "\n  source: S\n  system: s.yaml\n" + launch + "  rows: " + rows + "\n";
}

MeasuredTable table(const std::string& name, const std::string& launch, const std::string& rows)
{
    return read_measured("dir/" + name + ".yaml", text_of(name, launch, rows));
}

const std::string fitted_group = "  launch: fitted\n  launch_group: Library, host\n";

std::vector<SimulatedRun> runs(const std::vector<double>& us)
{
    std::vector<SimulatedRun> out;
    for (std::size_t i = 0; i < us.size(); ++i)
        out.push_back({1024ULL << i, 0, us[i], static_cast<double>(1024ULL << i)});
    return out;
}

std::string refusal(const std::vector<MeasuredTable>& tables)
{
    try {
        check_launch_groups(tables);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

// A folder of tables for the time of a test.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("weft_launch_" + std::to_string(::getpid())))
    {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    MeasuredTable write(const std::string& name, const std::string& text) const
    {
        const std::string file = (path_ / (name + ".yaml")).string();
        std::ofstream(file) << text;
        return read_measured(file, text);
    }
    void write_other(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

private:
    std::filesystem::path path_;
};

}  // namespace

// Alone, the first needs 6 us and the second 2 us. Over both rows of each, 2 us leave |12 - 16| / 16 = 25 % twice and nothing;
// 6 us leave nothing and 4 / 6 twice. Without the group each table fits exactly.
TEST(LaunchGroup, TablesOfAGroupHaveOneConstantFittedOverAllTheirRows)
{
    const MeasuredTable slow = table("slow", fitted_group, "{1 KiB: 16 us, 2 KiB: 16 us}");
    const MeasuredTable fast = table("fast", fitted_group, "{1 KiB: 6 us, 2 KiB: 6 us}");
    const MeasuredTable alone = table("alone", "  launch: fitted\n", "{1 KiB: 16 us, 2 KiB: 16 us}");
    const std::vector<Comparison> all =
        compare_all({{&slow, runs({10, 10})}, {&alone, runs({10, 10})}, {&fast, runs({4, 4})}});
    EXPECT_DOUBLE_EQ(all[0].launch_us, 2);
    EXPECT_DOUBLE_EQ(all[2].launch_us, 2);
    EXPECT_EQ(all[0].fitted_over, (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(all[2].fitted_over, all[0].fitted_over);
    EXPECT_EQ(all[0].fitted_rows, 4U);
    EXPECT_DOUBLE_EQ(all[0].mean_error, 0.25);
    EXPECT_DOUBLE_EQ(all[2].mean_error, 0);
    EXPECT_DOUBLE_EQ(all[1].launch_us, 6);
    EXPECT_EQ(all[1].fitted_over, std::vector<std::size_t>{1});
    EXPECT_DOUBLE_EQ(all[1].mean_error, 0);
}

// No constant at all beats the shared one by the group's mean.
TEST(LaunchGroup, TheSharedConstantMakesTheMeanOfTheGroupSmallest)
{
    const std::vector<std::vector<double>> simulated = {{4, 7, 16}, {1, 3, 9}};
    const std::vector<std::string> rows = {"{1 KiB: 10 us, 2 KiB: 12 us, 4 KiB: 20 us}",
        "{1 KiB: 4 us, 2 KiB: 8 us, 4 KiB: 11 us}"};
    const auto mean = [&](const std::string& launch) {
        const MeasuredTable a = table("a", launch + "  launch_group: G\n", rows[0]);
        const MeasuredTable b = table("b", launch + "  launch_group: G\n", rows[1]);
        const std::vector<Comparison> both = compare_all({{&a, runs(simulated[0])}, {&b, runs(simulated[1])}});
        return std::pair((both[0].mean_error + both[1].mean_error) / 2, both[0].launch_us);
    };
    const auto [best, constant] = mean("  launch: fitted\n");
    for (double other = 0; other < 12; other += 0.25) {
        if (other == constant) continue;
        EXPECT_GT(mean("  launch: " + std::to_string(other) + " us\n").first, best) << other;
    }
}

TEST(LaunchGroup, AStatedConstantIsNotFitted)
{
    const MeasuredTable stated = table("a", "  launch: 2 us\n  launch_group: G\n", "{1 KiB: 10 us}");
    const Comparison result = compare(stated, runs({5}));
    EXPECT_DOUBLE_EQ(result.launch_us, 2);
    EXPECT_TRUE(result.fitted_over.empty());
    ValidationResult report{stated, result, {}, 1};
    EXPECT_NE(validation_section(report, "").find("with a launch constant of 2 us, not fitted"), std::string::npos);
}

TEST(LaunchGroup, DifferentConstantsInOneGroupAreRefused)
{
    const MeasuredTable fitted = table("a", fitted_group, "{1 KiB: 1 us}");
    const MeasuredTable stated = table("b", "  launch: 2 us\n  launch_group: Library, host\n", "{1 KiB: 1 us}");
    const MeasuredTable other = table("c", "  launch: 2 us\n  launch_group: Another\n", "{1 KiB: 1 us}");
    EXPECT_EQ(refusal({fitted, other, fitted}), "");
    EXPECT_EQ(refusal({fitted, other, stated}),
        "dir/b.yaml:6: launch of group 'Library, host' is 2 us here, but fitted in dir/a.yaml; expected one 'launch' "
        "for all tables of a group");
    EXPECT_NE(refusal({stated, table("d", "  launch: 2.5 us\n  launch_group: Library, host\n", "{1 KiB: 1 us}")})
                  .find("2.5 us here, but 2 us in"),
        std::string::npos);
}

TEST(LaunchGroup, AGroupWithoutALaunchIsRefused)
{
    try {
        table("a", "  launch_group: G\n", "{1 KiB: 1 us}");
        FAIL() << "taken";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "dir/a.yaml:5: 'launch_group' without 'launch'; expected 'launch': a time or 'fitted'");
    }
}

TEST(LaunchGroup, ANoticeNamesTheTablesThatAreNotGiven)
{
    const Folder folder;
    const MeasuredTable a = folder.write("a", text_of("A", fitted_group, "{1 KiB: 1 us}"));
    const MeasuredTable b = folder.write("b", text_of("B", fitted_group, "{1 KiB: 1 us}"));
    const MeasuredTable c = folder.write("c", text_of("C", fitted_group, "{1 KiB: 1 us}"));
    folder.write("other", text_of("O", "  launch: fitted\n  launch_group: Another\n", "{1 KiB: 1 us}"));
    folder.write_other("system.yaml", "system: s\n");
    EXPECT_EQ(absent_tables({a, b, c}).size(), 0U);
    EXPECT_EQ(launch_notices({a, b, c}, absent_tables({a, b, c})), std::vector<std::string>());
    EXPECT_EQ(launch_notices({a, c}, absent_tables({a, c})),
        std::vector<std::string>{
            "the launch constant of 'Library, host' is fitted over 2 of 3 tables: a, c; not given: b"});
    // A table of the group that cannot be read would be missing from the count.
    folder.write_other("d.yaml", text_of("D", fitted_group, "{1 KiB: fast}"));
    EXPECT_THROW(absent_tables({a}), InputError);
}

TEST(LaunchGroup, ReportsSayOverWhichTablesAConstantIsFitted)
{
    const MeasuredTable a = table("a", fitted_group, "{1 KiB: 10 us, 2 KiB: 12 us}");
    const MeasuredTable b = table("b", fitted_group, "{1 KiB: 10 us, 2 KiB: 12 us}");
    const std::vector<Comparison> all = compare_all({{&a, runs({5, 7})}, {&b, runs({5, 7})}});
    std::vector<ValidationResult> results{{a, all[0], {}, 2}, {b, all[1], {}, 2}};
    EXPECT_NE(validation_section(results[0], "").find("launch constant of 5 us, fitted to 4 rows of 2 tables;"),
        std::string::npos)
        << validation_section(results[0], "");
    EXPECT_NE(validation_summary(results).find("| a | 2 | 5, fitted over 2 tables | 0.0 | "), std::string::npos)
        << validation_summary(results);
    EXPECT_NE(validation_json(results).find("\"dir/b.yaml\""), std::string::npos);
    for (ValidationResult& result : results) result.group_tables = 3;
    EXPECT_NE(validation_text(results).find("fitted to 4 rows of 2 of the group's 3 tables\n  growth from"),
        std::string::npos)
        << validation_text(results);
    EXPECT_NE(validation_summary(results).find("| 5, fitted over 2 tables of 3 |"), std::string::npos)
        << validation_summary(results);
}

// The tables of a group agree, it has several of them, and docs/validation.md lists it.
TEST(LaunchGroup, ThoseOfTheExamplesAreListedOnThePage)
{
    const std::filesystem::path root = WEFT_SOURCE_DIR;
    const std::string page = read_text_file((root / "docs/validation.md").string());
    std::vector<MeasuredTable> tables;
    std::map<std::string, unsigned> groups;
    for (const auto& entry : std::filesystem::directory_iterator(root / "examples/validation")) {
        if (entry.path().extension() != ".yaml") continue;
        tables.push_back(read_measured(entry.path().string(), read_text_file(entry.path().string())));
        if (!tables.back().launch_group.empty()) ++groups[tables.back().launch_group];
    }
    EXPECT_EQ(refusal(tables), "");
    EXPECT_EQ(absent_tables(tables).size(), 0U);
    EXPECT_GE(groups.size(), 12U);
    for (const auto& [group, count] : groups) {
        EXPECT_GE(count, 2U) << group;
        EXPECT_NE(page.find("\n| " + group + " | "), std::string::npos) << group;
    }
}

// Measured 10, 12, 20; simulated 4, 7, 13 grow by 3 and 9 where 2 and 10 were measured: +50 % and -10 %, whatever the constant.
TEST(Growth, ErrorsOfDifferencesBetweenSizesNeedNoConstant)
{
    for (const char* launch : {"  launch: 0\n", "  launch: fitted\n", "  launch: 100 us\n"}) {
        const Comparison result =
            compare(table("t", launch, "{1 KiB: 10 us, 2 KiB: 12 us, 4 KiB: 20 us}"), runs({4, 7, 13}));
        ASSERT_TRUE(result.growth_mean_error);
        EXPECT_NEAR(*result.growth_mean_error, 0.3, 1e-12) << launch;
        EXPECT_NEAR(*result.growth_worst_error, 0.5, 1e-12) << launch;
    }
}

// Nothing was measured to grow: 0.5 us too much are half of a tenth of 10 us. A fall of 4 us counts as 4 us.
TEST(Growth, ALittleGrowthIsNotDividedBy)
{
    const Comparison flat = compare(table("t", "", "{1 KiB: 10 us, 2 KiB: 10 us}"), runs({10, 10.5}));
    EXPECT_NEAR(*flat.growth_mean_error, 0.5, 1e-12);
    const Comparison fall = compare(table("t", "", "{1 KiB: 10 us, 2 KiB: 6 us}"), runs({10, 12}));
    EXPECT_NEAR(*fall.growth_mean_error, 1.5, 1e-12);
}

TEST(Growth, OneSizeAndRanksHaveNone)
{
    EXPECT_FALSE(compare(table("t", "", "{1 KiB: 10 us}"), runs({10})).growth_mean_error);
    const MeasuredTable ranks = table("t", "  over: ranks\n  quantity: busbw\n", "{4: 300 GB/s, 8: 400 GB/s}");
    const Comparison result = compare(ranks, {{4, 0, 10, 3300}, {8, 0, 10, 3600}});
    EXPECT_FALSE(result.growth_mean_error);
    EXPECT_NE(validation_summary({{ranks, result, {}, 1}}).find("| t | 2 | 0 | 10.0 | +10.0 | - | - |"),
        std::string::npos)
        << validation_summary({{ranks, result, {}, 1}});
}

// 1000 and 3000 GB/s x us at 100 and 200 GB/s: 10 and 15 us were measured, 8 and 14 simulated.
TEST(Growth, BandwidthsOverSizesCountAsTimes)
{
    const MeasuredTable bus = table("t", "  quantity: busbw\n", "{1 KiB: 100 GB/s, 2 KiB: 200 GB/s}");
    const Comparison result = compare(bus, {{1024, 0, 8, 1000}, {2048, 0, 14, 3000}});
    EXPECT_NEAR(*result.growth_mean_error, 0.2, 1e-12);
}

TEST(NotSimulated, SuchARowIsShownWithItsReasonAndCountsNowhere)
{
    const MeasuredTable some = table("t", "  largest: 2 KiB\n  launch: fitted\n",
        "{1 KiB: 10 us, 2 KiB: 12 us, 8 KiB: {measured: 99 us, not_simulated: too large}}");
    EXPECT_EQ(numbers_to_run(some, some.variants[0]), (std::vector<std::uint64_t>{1024, 2048}));
    const ValidationResult result{some, compare(some, runs({5, 7})), {}, 1};
    ASSERT_EQ(result.comparison.rows.size(), 3U);
    EXPECT_EQ(simulated_rows(result.comparison), 2U);
    EXPECT_EQ(result.comparison.fitted_rows, 2U);
    EXPECT_DOUBLE_EQ(result.comparison.mean_error, 0);
    EXPECT_NE(validation_section(result, "").find("| 8 KiB | 99 | not simulated: too large | |\n"), std::string::npos)
        << validation_section(result, "");
    EXPECT_NE(validation_text({result}).find("99  not simulated: too large\n"), std::string::npos)
        << validation_text({result});
    EXPECT_NE(validation_summary({result}).find("| t | 2 of 3 |"), std::string::npos) << validation_summary({result});
    EXPECT_NE(validation_json({result}).find("\"not_simulated\": \"too large\""), std::string::npos);
    EXPECT_NE(validation_svg(result).find("<svg"), std::string::npos);
}

TEST(NotSimulated, ATableOfSuchRowsHasNoErrors)
{
    const MeasuredTable none = table("t", "", "{8 KiB: {measured: 99 us, not_simulated: too large}}");
    const ValidationResult result{none, compare(none, {}), {}, 1};
    EXPECT_NE(validation_section(result, "").find("\n\nNo row of it is simulated.\n"), std::string::npos)
        << validation_section(result, "");
    EXPECT_NE(validation_summary({result}).find("| t | 0 of 1 | not simulated | - | - | - | - |\n"), std::string::npos)
        << validation_summary({result});
    EXPECT_NE(validation_svg(result).find("<svg"), std::string::npos);
}

TEST(NotSimulated, AReasonAndAMeasurementAreWanted)
{
    for (const auto& [row, problem] :
        {std::pair("{measured: 9 us}", "t.yaml:5: row '1 KiB' has no reason; expected 'not_simulated'"),
            std::pair("{not_simulated: why}", "'' is not a measured value"),
            std::pair("{measured: 9 us, reason: why}", "reason")}) {
        try {
            table("t", "", std::string("{1 KiB: ") + row + "}");
            FAIL() << row;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
        }
    }
}

}  // namespace launch_test
