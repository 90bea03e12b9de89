// Pictures of graphs: nothing stands on anything else, every link is somewhere, and large graphs are grouped.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "infragraph/load.h"
#include "platform/plotting/colours.h"
#include "platform/plotting/graph_picture.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace picture_test {

using namespace weft::commands_test;

namespace {

// Pairs of nodes that overlap, nodes outside the picture or across the edge of a box; one a line.
std::string overlaps(const weft::GraphLayout& layout)
{
    std::string out;
    const auto apart = [](const auto& a, const auto& b) {
        return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
    };
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
        const weft::PictureNode& a = layout.nodes[i];
        if (a.x < -0.01 || a.y < -0.01 || a.x + a.width > layout.width + 0.01 || a.y + a.height > layout.height + 0.01)
            out += a.label + " is outside\n";
        for (std::size_t j = i + 1; j < layout.nodes.size(); ++j)
            if (!apart(a, layout.nodes[j])) out += a.label + " stands on " + layout.nodes[j].label + "\n";
        for (const weft::PictureBox& box : layout.boxes) {
            const bool inside = a.x >= box.x && a.x + a.width <= box.x + box.width && a.y >= box.y &&
                a.y + a.height <= box.y + box.height;
            if (!inside && !apart(a, box)) out += a.label + " lies across " + box.label + "\n";
        }
    }
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
        for (std::size_t j = i + 1; j < layout.boxes.size(); ++j)
            if (!apart(layout.boxes[i], layout.boxes[j]))
                out += layout.boxes[i].label + " stands on " + layout.boxes[j].label + "\n";
    return out;
}

std::size_t links_of(const weft::GraphLayout& layout)
{
    std::size_t links = 0;
    for (const weft::PictureEdge& edge : layout.edges) links += edge.edges.size();
    return links;
}

std::size_t nodes_of(const weft::GraphLayout& layout)
{
    std::size_t nodes = 0;
    for (const weft::PictureNode& node : layout.nodes) nodes += node.count;
    return nodes;
}

// Hosts of eight accelerators behind one switch each, which all lead to every spine.
std::string large_document(int hosts, int spines)
{
    std::string text =
        fmt::format("name: large\ndevices:\n- name: server\n  components:\n"
                    "  - {{name: xpu, choice: xpu, count: 8, description: accelerator}}\n  - {{name: sw, choice: "
                    "switch, count: 1, description: switch}}\n"
                    "  links:\n  - {{name: up, physical: {{bandwidth: {{gigabytes_per_second: 50}}}}}}\n"
                    "  edges:\n  - {{ep1: {{component: xpu}}, ep2: {{component: sw}}, scheme: many2many, link: up}}\n"
                    "- name: spine\n  components:\n  - {{name: asic, choice: switch, count: 1, description: switch}}\n"
                    "  links: []\n  edges: []\ninstances:\n- {{name: host, device: server, count: {}}}\n- {{name: "
                    "spine, device: spine, count: {}}}\n"
                    "links:\n- {{name: out, physical: {{bandwidth: {{gigabytes_per_second: 100}}}}}}\n"
                    "edges:\n- {{ep1: {{instance: host, component: sw}}, ep2: {{instance: spine, component: asic}}, "
                    "scheme: many2many, link: out}}\n",
            hosts, spines);
    return text;
}

}  // namespace

TEST(Picture, OfEveryExampleHasNothingOnTopOfAnythingElse)
{
    std::size_t pictures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/examples")) {
        const std::filesystem::path document = entry.path() / (entry.path().filename().string() + ".yaml");
        if (!std::filesystem::exists(document)) continue;
        const weft::LoadedGraph loaded = weft::load_infrastructure(document.string());
        for (const std::size_t most : {std::size_t{130}, std::size_t{10}}) {
            const weft::GraphLayout layout = weft::lay_out(loaded.graph, most);
            EXPECT_EQ(overlaps(layout), "") << document << " " << most;
            EXPECT_EQ(links_of(layout), loaded.graph.edge_count());
            EXPECT_LE(nodes_of(layout), loaded.graph.node_count());
            EXPECT_EQ(layout.place.size(), loaded.graph.node_count());
        }
        ++pictures;
    }
    EXPECT_GE(pictures, 8u);
}

TEST(Picture, TheCheckFindsAnOverlap)
{
    const Fixtures files;
    const weft::LoadedGraph loaded = weft::load_infrastructure(files.pair());
    weft::GraphLayout layout = weft::lay_out(loaded.graph);
    EXPECT_EQ(overlaps(layout), "");
    layout.nodes[1].x = layout.nodes[0].x + 5;
    EXPECT_NE(overlaps(layout), "");
}

TEST(Picture, OfTenThousandNodesIsGrouped)
{
    const Fixtures files;
    const weft::LoadedGraph loaded = weft::load_infrastructure(files.write("large.yaml", large_document(1100, 16)));
    ASSERT_EQ(loaded.graph.node_count(), 1100u * 9 + 16);
    const weft::GraphLayout layout = weft::lay_out(loaded.graph);
    EXPECT_TRUE(layout.grouped);
    EXPECT_LE(layout.nodes.size(), 130u);
    EXPECT_EQ(overlaps(layout), "");
    EXPECT_EQ(links_of(layout), loaded.graph.edge_count());
    EXPECT_EQ(nodes_of(layout), loaded.graph.node_count());
    const std::string svg = weft::graph_picture_svg(loaded.graph, layout, {"large", true, {}, {}});
    EXPECT_NE(svg.find(">1100 x server<"), std::string::npos);
    EXPECT_LT(svg.size(), 100'000u);
}

// Of texts in the small font, which is narrower than 6.3 a letter.
TEST(Picture, NotesOfASmallGroupedSystemEndInside)
{
    const Fixtures files;
    const weft::LoadedGraph loaded = weft::load_infrastructure(files.write("small.yaml", large_document(18, 2)));
    const weft::GraphLayout layout = weft::lay_out(loaded.graph);
    ASSERT_TRUE(layout.grouped);
    const std::string svg = weft::graph_picture_svg(loaded.graph, layout, {"small", true, {}, {}});
    double width = 0;
    ASSERT_EQ(std::sscanf(svg.c_str() + svg.find("viewBox"), "viewBox=\"0 0 %lf", &width), 1);
    unsigned notes = 0;
    for (std::size_t at = svg.find("<text class=\"small\" x="); at != std::string::npos;
         at = svg.find("<text class=\"small\" x=", at + 1), ++notes) {
        const std::size_t begin = svg.find('>', at) + 1;
        const std::size_t letters = svg.find('<', begin) - begin;
        const double left = std::stod(svg.substr(at + 23));
        EXPECT_LE(left + 6.3 * static_cast<double>(letters), width) << svg.substr(begin, letters);
    }
    EXPECT_GE(notes, 2u);
}

TEST(Picture, OfPartsOfARun)
{
    const auto count = [](const std::string& text, const std::string& what) {
        std::size_t out = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
        return out;
    };
    const std::string system = "examples/dgx_h100/system.yaml";
    const Outcome outcome = call({"graph", system, "--format", "svg", "--partitions", "2"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(count(outcome.out, "stroke-dasharray"), 16u + 1) << "links that are cut, and the legend";
    EXPECT_EQ(count(outcome.out, ", part 0</title>"), 6u);
    EXPECT_EQ(count(outcome.out, ", part 1</title>"), 6u);
    EXPECT_EQ(count(outcome.out, ", not in the run</title>"), 6u);
    EXPECT_EQ(count(outcome.out, "part 1: 4 GPUs, 2 other, weight 352"), 1u);
    EXPECT_EQ(count(outcome.out, "lookahead 70 ns, 16 of 32 links cut (50.0 %)"), 1u);

    const Fixtures files;
    const std::string parts = files.write("parts.yaml", "parts:\n- [\"*.xpu.0\"]\n- [\"*.xpu.[8-9]\"]\n");
    EXPECT_EQ(call({"graph", system, "--format", "svg", "--parts", parts}).err,
        parts +
            ":3: '*.xpu.[8-9]' fits no node of the run; expected names of nodes as 'weft graph' lists them, or "
            "patterns of them\n");
    files.write("parts.yaml", "parts:\n- [\"*.xpu.0\"]\n- [\"*.xpu.?\"]\n");
    EXPECT_NE(call({"graph", system, "--format", "svg", "--parts", parts}).err.find("dgx.0.xpu.0 is in part 0 and"),
        std::string::npos);
    EXPECT_NE(
        call({"graph", system, "--partitions", "2"}).err.find("--partitions with --format json; expected --format svg"),
        std::string::npos);
}

TEST(Picture, StatesBandwidthsOnceAndTiersInRows)
{
    const Outcome outcome = call({"graph", "examples/clos_8/system.yaml", "--format", "svg"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto count = [&](const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = outcome.out.find(part, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    EXPECT_EQ(count(">spine_link: 12 links of 50 GB/s each way<"), 1u);
    EXPECT_EQ(count("GB/s"), 4u);  // a line of the legend for each kind of link
    const weft::LoadedGraph loaded =
        weft::load_infrastructure(std::string(WEFT_SOURCE_DIR) + "/examples/clos_8/clos_8.yaml");
    const weft::GraphLayout layout = weft::lay_out(loaded.graph);
    const auto row_of = [&](const std::string& label) {
        const auto found = std::find_if(layout.nodes.begin(), layout.nodes.end(),
            [&](const auto& node) { return node.label == label; });
        return found == layout.nodes.end() ? -1.0 : found->y;
    };
    EXPECT_EQ(row_of("spine.0"), row_of("spine.2"));
    EXPECT_LT(row_of("spine.0"), row_of("leaf.0"));
    EXPECT_LT(row_of("leaf.0"), row_of("nic.0"));
    EXPECT_LT(row_of("nic.0"), row_of("xpu.0"));
}

TEST(Picture, ColoursOfSharesAreOrderedAndBounded)
{
    EXPECT_EQ(weft::colour_of_share(-1), weft::colour_of_share(0));
    EXPECT_EQ(weft::colour_of_share(7), weft::colour_of_share(1));
    EXPECT_NE(weft::colour_of_share(0.2), weft::colour_of_share(0.8));
    EXPECT_EQ(weft::xml_text("<a&\"\x01>"), "&lt;a&amp;&quot;?&gt;");
}

}  // namespace picture_test
