// Tables of measurements, and what is made of runs beside them.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/applications/validation/page_sections.h"
#include "platform/applications/validation/validation_report.h"

namespace comparison_test {

using namespace weft;

namespace {

MeasuredTable table(const std::string& more = "")
{
    return read_measured("dir/t.yaml",
        "validation:\n  title: T\n  source: S\n  system: s.yaml\n" + more +
            "  rows: {1 KiB: 10 us, 2 KiB: 12 us, 4 KiB: 20 us}\n");
}

std::vector<SimulatedRun> runs(const std::vector<double>& us, std::size_t variant = 0)
{
    std::vector<SimulatedRun> out;
    for (std::size_t i = 0; i < us.size(); ++i)
        out.push_back({1024ULL << i, variant, us[i], static_cast<double>(1024ULL << i)});
    return out;
}

void expect_refused(const std::string& text, const std::string& problem)
{
    try {
        read_measured("t.yaml", text);
        FAIL() << "taken";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
}

}  // namespace

TEST(Measured, TableIsReadAndItsSystemFoundBesideIt)
{
    const MeasuredTable read =
        table("  options: [--a=b, --c]\n  variants: {LL: [--x], Simple: []}\n  launch: 2.5 us\n");
    EXPECT_EQ(read.system, "dir/s.yaml");
    EXPECT_EQ(read.options, (std::vector<std::string>{"--a=b", "--c"}));
    ASSERT_EQ(read.variants.size(), 2U);
    EXPECT_EQ(read.variants[0].name, "LL");
    EXPECT_EQ(read.variants[0].options, std::vector<std::string>{"--x"});
    EXPECT_EQ(read.launch_us, 2.5);
    ASSERT_EQ(read.rows.size(), 3U);
    EXPECT_EQ(read.rows[2].number, 4096U);
    EXPECT_EQ(read.rows[2].value, 20.0);
}

TEST(Measured, ValuesAreRoundedToAPicosecondAndAByteASecond)
{
    const std::string head = "validation:\n  title: T\n  source: S\n  system: s\n";
    EXPECT_DOUBLE_EQ(read_measured("t.yaml", head + "  rows: {1 KiB: 40.123456789 us}\n").rows[0].value, 40.123457);
    EXPECT_DOUBLE_EQ(
        read_measured("t.yaml", head + "  quantity: busbw\n  rows: {1 KiB: 112.3333333333 GB/s}\n").rows[0].value,
        112.333333333);
}

TEST(Measured, WhatIsWrongIsNamedWithItsLine)
{
    const std::string head = "validation:\n  title: T\n  source: S\n  system: s\n";
    expect_refused(head, "has no 'rows'");
    expect_refused(head + "  rows: {1 KiB: fast}\n", "t.yaml:5: 'fast' is not a measured value; expected a time");
    expect_refused(head + "  rows: {2 KiB: 1 us, 1 KiB: 2 us}\n", "not above the row before it");
    expect_refused(head + "  quantity: algbw\n  rows: {1 KiB: 1 us}\n", "unknown quantity 'algbw'");
    expect_refused(head + "  options: [--collective=barrier]\n  quantity: busbw\n  rows: {8: 40 GB/s}\n",
        "t.yaml:6: 'quantity: busbw' of a barrier, which moves no bytes; expected quantity: time");
    expect_refused(head + "  launsh: 0\n  rows: {1 KiB: 1 us}\n", "launsh");
    expect_refused("title: T\n", "title");
    expect_refused("validation:\n  title: T\n  rows: {1 KiB: 1 us}\n", "has no 'source'");
}

TEST(Comparison, ErrorsAreThoseOfTheRows)
{
    const Comparison result = compare(table(), runs({5, 12, 22}));
    ASSERT_EQ(result.rows.size(), 3U);
    EXPECT_DOUBLE_EQ(result.rows[0].error, -0.5);
    EXPECT_DOUBLE_EQ(result.rows[1].error, 0);
    EXPECT_NEAR(result.rows[2].error, 0.1, 1e-12);
    EXPECT_NEAR(result.mean_error, 0.2, 1e-12);
    EXPECT_DOUBLE_EQ(result.worst_error, -0.5);
}

// 10, 12, 20 against 4, 7, 16: 5 us more make 9, 12, 21, which no other constant beats.
TEST(Comparison, TheLaunchConstantMakesTheMeanErrorSmallest)
{
    const Comparison result = compare(table("  launch: fitted\n"), runs({4, 7, 16}));
    EXPECT_DOUBLE_EQ(result.launch_us, 5);
    for (const double other : {4.9, 5.1, 6.0, 4.0}) {
        const Comparison compared = compare(table("  launch: " + std::to_string(other) + "us\n"), runs({4, 7, 16}));
        EXPECT_GT(compared.mean_error, result.mean_error);
    }
    EXPECT_DOUBLE_EQ(compare(table("  launch: fitted\n"), runs({30, 30, 30})).launch_us, 0);
}

// One row of 25 GB/s us after 1 us, nine of 100 after 100 us, all measured at 1 GB/s: up to 24 us the errors add up to
// 25 / (1 + L) - 1 + 9 (1 - 100 / (100 + L)), smallest at (100 + L) / (1 + L) = 6, where no row fits.
TEST(Comparison, TheLaunchConstantOfBandwidthsLiesBetweenRows)
{
    std::string rows = "  rows: {1 KiB: 1 GB/s";
    std::vector<SimulatedRun> all{{1024, 0, 1, 25}};
    for (unsigned i = 2; i <= 10; ++i) {
        rows += ", " + std::to_string(i) + " KiB: 1 GB/s";
        all.push_back({i * 1024, 0, 100, 100});
    }
    const std::string head = "validation:\n  title: T\n  source: S\n  system: s.yaml\n  quantity: busbw\n";
    const Comparison result = compare(read_measured("t.yaml", head + "  launch: fitted\n" + rows + "}\n"), all);
    EXPECT_NEAR(result.launch_us, 18.8, 1e-4);
    EXPECT_NEAR(result.mean_error, (25 / 19.8 - 1 + 9 * (1 - 100 / 118.8)) / 10, 1e-9);
    for (const double other : {0.0, 18.0, 19.6, 24.0, 30.0}) {
        const std::string launch = "  launch: " + std::to_string(other) + "us\n";
        EXPECT_GT(compare(read_measured("t.yaml", head + launch + rows + "}\n"), all).mean_error, result.mean_error);
    }
}

TEST(Comparison, EveryRowTakesTheFastestVariant)
{
    std::vector<SimulatedRun> all = runs({5, 12, 40});
    for (const SimulatedRun& run : runs({9, 9, 9}, 1)) all.push_back(run);
    const Comparison result = compare(table("  variants: {LL: [], Simple: []}\n"), all);
    EXPECT_EQ(result.rows[0].variant, 0U);
    EXPECT_EQ(result.rows[1].variant, 1U);
    EXPECT_EQ(result.rows[2].variant, 1U);
}

// 1, 2, 3 us at 1, 2 and 4 KiB with the last octave at 0.5 us a KiB: 8 KiB take 5 us.
TEST(Comparison, LargerSizesGoOnAtTheRateOfTheLastOctave)
{
    const MeasuredTable larger = read_measured("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: s\n  largest: 4 KiB\n  rows: {4 KiB: 3 us, 8 KiB: 5 us, 16 "
        "KiB: 18 us}\n");
    EXPECT_EQ(numbers_to_run(larger, larger.variants[0]), (std::vector<std::uint64_t>{1024, 2048, 4096}));
    const Comparison result = compare(larger, runs({1, 2, 3}));
    ASSERT_EQ(result.rows.size(), 3U);
    EXPECT_FALSE(result.rows[0].extrapolated);
    EXPECT_TRUE(result.rows[1].extrapolated);
    EXPECT_DOUBLE_EQ(result.rows[1].us, 5);
    EXPECT_DOUBLE_EQ(result.rows[2].us, 9);
    ASSERT_TRUE(result.method_error);
    EXPECT_NEAR(*result.method_error, 4.0 / 3 - 1, 1e-12);  // from 1 and 2 us, 4 us where it was 3
}

TEST(Comparison, RowsThatCannotGoOnAreNamed)
{
    const MeasuredTable larger = read_measured("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: s\n  largest: 4 KiB\n  rows: {4 KiB: 3 us, 8 KiB: 5 us, 16 "
        "KiB: 18 us}\n");
    std::vector<SimulatedRun> some = runs({1, 2, 3});
    EXPECT_TRUE(rows_left_out(larger, compare(larger, some)).empty());
    some[1].us = 0;
    const Comparison result = compare(larger, some);
    EXPECT_EQ(result.rows.size(), 1U);
    EXPECT_EQ(rows_left_out(larger, result), (std::vector<std::uint64_t>{8192, 16384}));
}

TEST(Comparison, BandwidthsGrowWithShorterTimes)
{
    MeasuredTable bus = read_measured("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: s\n  quantity: busbw\n  over: ranks\n  rows: {4: 300 GB/s, 8: "
        "400 GB/s}\n");
    const Comparison result = compare(bus, {{4, 0, 10, 3300}, {8, 0, 10, 3600}});
    EXPECT_DOUBLE_EQ(result.rows[0].value, 330);
    EXPECT_NEAR(result.rows[0].error, 0.1, 1e-12);
    EXPECT_NEAR(result.rows[1].error, -0.1, 1e-12);
}

TEST(Comparison, AFailedRunLeavesItsRowOut)
{
    const MeasuredTable measured = table();
    const Comparison result = compare(measured, {{1024, 0, 0, 0}, {2048, 0, 12, 0}});
    ASSERT_EQ(result.rows.size(), 1U);
    EXPECT_EQ(result.rows[0].measured->key, "2 KiB");
}

TEST(ValidationReport, SaysWhatWasFittedAndContinued)
{
    ValidationResult result{table("  launch: fitted\n  free: [engine.channels]\n  remark: No tuner.\n"), {}, {}};
    result.comparison = compare(result.table, runs({4, 7, 16}));
    const std::string page = validation_markdown({result}, {"pictures/p.svg"});
    EXPECT_NE(page.find("| 1 KiB | 10 | 9 | -10.0 |"), std::string::npos) << page;
    EXPECT_NE(page.find("with a launch constant of 5 us, fitted to 3 rows; growth from the smallest size, without a "
                        "constant: mean error 35.0 %, worst +50.0 %."),
        std::string::npos)
        << page;
    EXPECT_NE(page.find("Free: engine.channels. No tuner."), std::string::npos) << page;
    EXPECT_NE(page.find("![T](pictures/p.svg)"), std::string::npos) << page;
    EXPECT_NE(validation_svg(result).find("<svg"), std::string::npos);
    EXPECT_NE(validation_json({result}).find("\"mean_error_pct\""), std::string::npos);
}

// Errors of -10 and +10 %: as far below zero as above it, on a linear axis that names itself.
TEST(ValidationReport, ThePictureShowsTheErrorOnALinearAxis)
{
    ValidationResult result{table(), {}, {}};
    result.comparison = compare(result.table, runs({9, 12, 22}));
    const std::string svg = validation_svg(result);
    EXPECT_NE(svg.find(">error (%)<"), std::string::npos) << svg;
    std::vector<double> heights;
    const std::string circle = "<circle cx=\"";
    for (std::size_t at = svg.find(circle); at != std::string::npos; at = svg.find(circle, at + 1))
        heights.push_back(std::stod(svg.substr(svg.find("cy=\"", at) + 4)));
    ASSERT_EQ(heights.size(), 9u);  // measured, simulated, error
    EXPECT_NEAR(heights[6] - heights[7], heights[7] - heights[8], 0.2);
    EXPECT_GT(heights[6] - heights[8], 40);
}

// Of two sizes that are near each other the larger one has its name at the axis, too.
TEST(ValidationReport, ThePictureNamesTheFirstAndTheLastSize)
{
    ValidationResult result{read_measured("t.yaml",
                                "validation:\n  title: T\n  source: S\n  system: s.yaml\n"
                                "  rows: {1 KiB: 10 us, 2 KiB: 12 us}\n"),
        {}, {}};
    result.comparison = compare(result.table, runs({9, 12}));
    const std::string svg = validation_svg(result);
    EXPECT_NE(svg.find(">1 KiB<"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">2 KiB<"), std::string::npos) << svg;
}

TEST(Comparison, AVariantIsRunForTheRowsThatItCovers)
{
    const MeasuredTable both = table("  variants:\n    LL: {options: [--x], to: 1 KiB}\n    Simple: {from: 2 KiB}\n");
    EXPECT_EQ(numbers_to_run(both, both.variants[0]), std::vector<std::uint64_t>{1024});
    EXPECT_EQ(numbers_to_run(both, both.variants[1]), (std::vector<std::uint64_t>{2048, 4096}));
    std::vector<SimulatedRun> of_both = runs({20, 1, 1}, 0);
    for (const SimulatedRun& run : runs({1, 12, 22}, 1)) of_both.push_back(run);
    const Comparison result = compare(both, of_both);
    ASSERT_EQ(result.rows.size(), 3U);
    EXPECT_EQ(result.rows[0].us, 20);
    EXPECT_EQ(result.rows[1].us, 12);
    EXPECT_EQ(result.rows[2].us, 22);
}

TEST(PageSections, OnlyWhatStandsBetweenTheMarksIsReplaced)
{
    const std::string page = "# Page\n<!-- weft validate: a -->\nold\n<!-- end -->\nby hand\n<!-- weft validate: b "
                             "-->\nkept\n<!-- end -->\n";
    const std::string once = with_sections("p.md", page, {{"a", "new\n"}});
    EXPECT_EQ(once,
        "# Page\n<!-- weft validate: a -->\n\nnew\n\n<!-- end -->\nby hand\n<!-- weft validate: b -->\nkept\n<!-- end "
        "-->\n");
    EXPECT_EQ(with_sections("p.md", once, {{"a", "new\n"}}), once);
    EXPECT_EQ(section_names(page).count("b"), 1U);
    EXPECT_EQ(section_names(page).count("c"), 0U);
}

TEST(PageSections, APageWithoutAPlaceIsRefused)
{
    const auto refusal = [](const std::string& page) -> std::string {
        try {
            with_sections("p.md", page, {{"a", ""}});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal("text\n"), "p.md: the page has no section for 'a'; expected a line '<!-- weft validate: a -->'");
    EXPECT_EQ(refusal("\n<!-- weft validate: a -->\nold\n"),
        "p.md:2: section 'a' is not closed; expected a line '<!-- end -->'");
}

// Each is read, and the page has a place for it.
TEST(PageSections, EveryTableOfTheExamplesIsOnThePage)
{
    const std::filesystem::path root = WEFT_SOURCE_DIR;
    const std::string page = read_text_file((root / "docs/validation.md").string());
    unsigned tables = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root / "examples/validation")) {
        if (entry.path().extension() != ".yaml") continue;
        const MeasuredTable read = read_measured(entry.path().string(), read_text_file(entry.path().string()));
        EXPECT_TRUE(std::filesystem::exists(read.system)) << read.system;
        EXPECT_EQ(section_names(page).count(entry.path().stem().string()), 1U) << entry.path();
        ++tables;
    }
    EXPECT_GT(tables, 20u);
}

}  // namespace comparison_test
