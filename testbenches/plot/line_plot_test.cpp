// Pictures: every value where it belongs, whatever the axis.
#include "platform/plotting/line_plot.h"

#include <algorithm>
#include <iterator>
#include <regex>

#include <gtest/gtest.h>

namespace line_plot_test {

using namespace weft;

namespace {

std::vector<PlotPoint> circles(const std::string& svg)
{
    static const std::regex pattern("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
    std::vector<PlotPoint> out;
    for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it)
        out.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
    return out;
}

LinePlot plot_of(std::vector<PlotPoint> points)
{
    LinePlot plot;
    plot.curves.push_back({"curve", std::move(points), false, ""});
    return plot;
}

}  // namespace

TEST(LinePlot, LinearAxesKeepRatiosOfDistances)
{
    const std::vector<PlotPoint> at = circles(line_plot_svg(plot_of({{0, 0}, {1, 5}, {4, 10}})));
    ASSERT_EQ(at.size(), 3u);
    EXPECT_NEAR((at[2].x - at[0].x) / (at[1].x - at[0].x), 4, 0.01);
    EXPECT_NEAR((at[2].y - at[0].y) / (at[1].y - at[0].y), 2, 0.01);
    EXPECT_LT(at[2].y, at[0].y);  // upwards
}

TEST(LinePlot, LogarithmicAxesKeepRatios)
{
    LinePlot plot = plot_of({{1, 10}, {10, 1000}, {1000, 100}});
    plot.log_x = plot.log_y = true;
    const std::vector<PlotPoint> at = circles(line_plot_svg(plot));
    ASSERT_EQ(at.size(), 3u);
    EXPECT_NEAR((at[2].x - at[0].x) / (at[1].x - at[0].x), 3, 0.01);
    EXPECT_NEAR((at[2].y - at[0].y) / (at[1].y - at[0].y), 0.5, 0.01);
}

TEST(LinePlot, EverythingIsInsideThePicture)
{
    static const std::regex number("(?:x1|x2|cx|x)=\"(-?[0-9.]+)\"");
    for (const bool logarithmic : {false, true})
        for (const auto& points : {std::vector<PlotPoint>{}, {{3, 7}}, {{5, 5}, {5, 5}}, {{1e-9, 1e12}, {1e9, 1e-12}},
                 {{100, 1000}, {101, 1001}}, {{0, 0}, {-5, -2}}}) {
            LinePlot plot = plot_of(points);
            plot.log_x = plot.log_y = logarithmic;
            plot.mark = PlotTick{2, "here"};
            const std::string svg = line_plot_svg(plot);
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf"), std::string::npos);
            EXPECT_LT(svg.size(), 20'000u);
            for (std::sregex_iterator it(svg.begin(), svg.end(), number), end; it != end; ++it) {
                EXPECT_GE(std::stod((*it)[1]), 0) << svg;
                EXPECT_LE(std::stod((*it)[1]), 1000) << svg;
            }
        }
}

TEST(LinePlot, NamesAreEscapedAndCurvesAreToldApart)
{
    LinePlot plot;
    plot.title = "a < b & c";
    for (int i = 0; i < 10; ++i)
        plot.curves.push_back({"c" + std::to_string(i), {{1, 1.0 + i}, {2, 2.0 + i}}, false, ""});
    const std::string svg = line_plot_svg(plot);
    EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
    std::vector<std::string> styles;
    static const std::regex path("<path d=\"[^\"]*\" fill=\"none\" ([^/]*)/>");
    for (std::sregex_iterator it(svg.begin(), svg.end(), path), end; it != end; ++it) styles.push_back((*it)[1]);
    ASSERT_EQ(styles.size(), 10u);
    std::sort(styles.begin(), styles.end());
    EXPECT_EQ(std::unique(styles.begin(), styles.end()), styles.end());
}

TEST(LinePlot, CurvesAreCutOffWhereTheAxisEnds)
{
    LinePlot plot = plot_of({{0, 1}, {1, 2}, {2, 100}});
    plot.most_y = 4;
    plot.curves[0].open = true;
    const std::string svg = line_plot_svg(plot);
    EXPECT_EQ(circles(svg).size(), 2u);  // the last one is no value
}

// M and L of the paths.
std::size_t paths_begun(const std::string& svg)
{
    std::size_t out = 0;
    static const std::regex pattern("<path d=\"([^\"]*)\"");
    for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it) {
        const std::string path = (*it)[1];
        out += static_cast<std::size_t>(std::count(path.begin(), path.end(), 'M'));
    }
    return out;
}

TEST(LinePlot, AMissingPointLeavesAGapAndAMark)
{
    const std::string whole = line_plot_svg(plot_of({{1, 5}, {2, 6}, {3, 7}}));
    EXPECT_EQ(paths_begun(whole), 1u);
    EXPECT_EQ(whole.find("class=\"missing\""), std::string::npos);
    EXPECT_EQ(whole.find(">no result<"), std::string::npos);
    const std::string gap = line_plot_svg(plot_of({{1, 5}, {2, PlotPoint::no_value}, {3, 7}}));
    EXPECT_EQ(paths_begun(gap), 2u);
    EXPECT_EQ(circles(gap).size(), 2u);
    EXPECT_NE(gap.find("class=\"missing\""), std::string::npos);
    EXPECT_NE(gap.find(">no result<"), std::string::npos);
    // The last value along x keeps its place, though nothing is there.
    const std::vector<PlotPoint> at = circles(line_plot_svg(plot_of({{0, 5}, {1, 5}, {9, PlotPoint::no_value}})));
    ASSERT_EQ(at.size(), 2u);
    EXPECT_LT(at[1].x, 200);
}

TEST(LinePlot, AxesStartAtZeroOrSayThatTheyDoNot)
{
    EXPECT_EQ(line_plot_svg(plot_of({{0, 1}, {4, 10}})).find("starts at"), std::string::npos);
    LinePlot far = plot_of({{0, 241}, {4, 250}});
    far.y_title = "ns";
    EXPECT_NE(line_plot_svg(far).find(">ns, starts at 240<"), std::string::npos) << line_plot_svg(far);
    far.zero = true;
    EXPECT_EQ(line_plot_svg(far).find("starts at"), std::string::npos);
    LinePlot logarithmic = plot_of({{1, 1}, {400, 10}});
    logarithmic.x_title = "bytes";
    logarithmic.log_x = true;
    EXPECT_NE(line_plot_svg(logarithmic).find(">bytes, log scale<"), std::string::npos);
}

TEST(LinePlot, EveryAxisHasTwoTicksOrMore)
{
    static const std::regex across("text-anchor=\"middle\" >-?[0-9.e+-]+<");
    static const std::regex up("text-anchor=\"end\" >-?[0-9.e+-]+<");
    for (const bool logarithmic : {false, true})
        for (const auto& points :
            {std::vector<PlotPoint>{{3, 7}}, {{1, 1}, {2, 1.5}}, {{5, 1e9}, {6, 1.0001e9}}, {{1, 1e-9}, {1e6, 1e9}}}) {
            LinePlot plot = plot_of(points);
            plot.log_x = plot.log_y = logarithmic;
            const std::string svg = line_plot_svg(plot);
            for (const std::regex& labels : {across, up})
                EXPECT_GE(std::distance(std::sregex_iterator(svg.begin(), svg.end(), labels), std::sregex_iterator()),
                    2)
                    << svg;
        }
}

TEST(LinePlot, AValueBeyondTheEndLeavesATriangle)
{
    LinePlot plot = plot_of({{0, 1}, {1, 2}, {2, 100}, {3, 200}});
    EXPECT_EQ(line_plot_svg(plot).find("<polygon"), std::string::npos);
    plot.most_y = 4;
    const std::string svg = line_plot_svg(plot);
    EXPECT_EQ(circles(svg).size(), 2u);
    const std::size_t first = svg.find("<polygon");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(svg.find("<polygon", first + 1), std::string::npos);
}

TEST(LinePlot, ThePanelBelowHasTheSameXAndItsOwnLinearAxis)
{
    LinePlot plot = plot_of({{1, 10}, {1000, 1e6}});
    plot.log_x = plot.log_y = true;
    PlotPanel below;
    below.y_title = "error (%)";
    below.zero = true;
    below.level = 0;
    below.curves.push_back({"error", {{1, -10}, {1000, 5}}, false, ""});
    plot.below = below;
    const std::vector<PlotPoint> at = circles(line_plot_svg(plot));
    ASSERT_EQ(at.size(), 4u);
    EXPECT_EQ(at[0].x, at[2].x);
    EXPECT_EQ(at[1].x, at[3].x);
    EXPECT_GT(at[2].y, at[3].y);
    EXPECT_GT(at[3].y, std::max(at[0].y, at[1].y));  // below the first panel
}

}  // namespace line_plot_test
