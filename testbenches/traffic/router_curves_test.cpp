// Ten loads on each of the two networks whose curves are published, in one table and two pictures.
//
// WEFT_UPDATE_DOCS=1 writes docs/models/router_curves.md and docs/pictures/router_{mesh,tree}.svg.
#include <chrono>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/traffic/curve_plot.h"
#include "testbenches/traffic/router_configurations.h"

namespace router_curves_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time cycle = 1'000;

struct Published {
    double load;
    double clocks;  // 0: nothing published at this load
};

struct Network {
    std::string name;
    std::string title;
    Configuration configuration;
    std::vector<Published> loads;
    double from;  // saturation
    double to;
    double beyond;  // a load behind it
};

std::vector<Network> networks()
{
    return {{"mesh", "8 x 8 mesh, 4 channels of 8 lines, uniform traffic", mesh_of_64(),
                {{0.001, 26.62}, {0.05, 0}, {0.1, 27.22}, {0.2, 27.74}, {0.3, 28.87}, {0.35, 0}, {0.4, 32.64},
                    {0.42, 34.83}, {0.44, 39.96}, {0.46, 131.9}},
                0.454, 0.459, 0.5},
        {"tree", "fat tree of 64, 4 channels of 16 lines, uniform traffic", tree_of_64(),
            {{0.001, 19.56}, {0.1, 19.70}, {0.2, 0}, {0.3, 20.49}, {0.4, 0}, {0.5, 23.04}, {0.6, 27.73}, {0.65, 0},
                {0.7, 59.2}, {0.74, 0}},
            0.73, 0.738, 0.8}};
}

struct Table {
    Curve curve;
    std::string rows;
};

Table run(const Network& network)
{
    Table out;
    out.curve = {network.title, "BookSim2", {}, 0, network.from, network.to};
    const double nine_tenths = 0.9 * (network.from + network.to) / 2;
    for (const Published& point : network.loads) {
        SCOPED_TRACE(network.name + " at " + std::to_string(point.load));
        Configuration configuration = network.configuration;
        configuration.options.checkers = false;
        // As many lines at the lowest load as elsewhere; routers without lines cost nothing.
        configuration.options.traffic.duration = (point.load < 0.01 ? 400'000 : 40'000) * cycle;
        const NetworkResult result = run_apart(configuration.at(point.load));
        EXPECT_EQ(result.left, 0u);
        out.curve.saturation = std::max(out.curve.saturation, result.load);
        out.curve.points.push_back(
            {point.load, point.clocks, result.cycles, result.latency.half_width / cycle, result.latency.steady});
        const double error = point.clocks > 0 ? result.cycles / point.clocks - 1 : 0;
        if (point.load < nine_tenths) {
            EXPECT_LT(std::abs(error), 0.03);
        }
        // So few lines hardly meet: 6 clocks and 4 for each further router.
        if (point.load < 0.01) {
            EXPECT_NEAR(result.cycles, 6 + 4 * (result.routers_passed - 1), 0.1);
        }
        out.rows += fmt::format("| {} | {:g} | {} | {:.2f} +- {:.2f}{} | {} | {:.3f} |\n", network.name, point.load,
            point.clocks > 0 ? fmt::format("{:g}", point.clocks) : "", result.cycles, result.latency.half_width / cycle,
            result.latency.steady ? "" : ", not steady", point.clocks > 0 ? fmt::format("{:+.1f}", 100 * error) : "",
            result.routers_passed);
    }
    Configuration beyond = network.configuration;
    beyond.options.checkers = false;
    beyond.options.traffic.duration = 20'000 * cycle;
    out.curve.saturation = std::max(out.curve.saturation, run_apart(beyond.at(network.beyond)).load);
    const double middle = (network.from + network.to) / 2;
    EXPECT_NEAR(out.curve.saturation, middle, 0.03 * middle);
    out.rows += fmt::format("| {} | saturation | {} to {} | {:.4f} accepted | {:+.1f} | |\n", network.name,
        network.from, network.to, out.curve.saturation, 100 * (out.curve.saturation / middle - 1));
    return out;
}

const char* const page_begin =
    "# Curves of router networks beside published ones\n\n"
    "Written by `WEFT_UPDATE_DOCS=1 build/release/tests/traffic_test --gtest_filter=RouterCurves.*`, which also draws "
    "the pictures and, without the\n"
    "variable, is one of the tests. The networks are those of the page of the [scheduled "
    "crossbar](crossbar_switch.md):\n"
    "40,000 clocks a load (400,000 at 0.001), seed 7, latency in clocks with its 95 % interval, error against "
    "BookSim2\n"
    "[Jiang 2013] as published for the same buffers, allocators and delays. Nothing was fitted. Accepted: up to 90 % "
    "of\n"
    "saturation a latency within 3 %, saturation within 3 % of the middle of the published range, and at load 0.001 "
    "the\n"
    "law latency = 6 + 4 (routers - 1), which holds for single lines to the picosecond. The published mesh sample at "
    "0.001\n"
    "passed 6.154 routers, ours another number: both lie on the law. Beyond the knee (mesh 0.46) a mean latency says "
    "how\n"
    "long a run was, not what the network does.\n\n"
    "![Mesh](../pictures/router_mesh.svg)\n\n![Tree](../pictures/router_tree.svg)\n\n"
    "| network | load | published | simulated | error % | routers passed |\n|---|---|---|---|---|---|\n";

}  // namespace

TEST(RouterCurves, TenLoadsOnEachNetworkFollowThePublishedOnes)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::string docs = std::string(WEFT_SOURCE_DIR) + "/docs/";
    const bool update = std::getenv("WEFT_UPDATE_DOCS") != nullptr;
    std::string page = page_begin;
    for (const Network& network : networks()) {
        const Table table = run(network);
        page += table.rows;
        const std::string picture = curve_svg(table.curve, 80);
        EXPECT_EQ(picture.rfind("<svg ", 0), 0u);
        if (update) write_text_file(docs + "pictures/router_" + network.name + ".svg", picture);
    }
    if (update) write_text_file(docs + "models/router_curves.md", page);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    fmt::print("{}\n{:.1f} s of wall time\n", page.substr(page.find("| network")), wall.count());
}

}  // namespace router_curves_test
