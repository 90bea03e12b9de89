// Pictures: every value where it belongs, whatever the axis.
#include "platform/plot/line_plot.h"

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
    for (int i = 0; i < 10; ++i) plot.curves.push_back({"c" + std::to_string(i), {{1, 1.0 + i}, {2, 2.0 + i}}, false, ""});
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

}  // namespace line_plot_test
