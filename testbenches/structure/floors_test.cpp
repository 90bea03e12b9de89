#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "testbenches/structure/source_rules.h"

namespace floors_test {

using namespace weft::structure;

namespace {

// The findings of one planted file, one per line.
std::string findings_in(const std::string& path, const std::vector<std::string>& lines)
{
    std::string all;
    for (const Finding& finding : check_includes({path, lines})) all += finding.text() + "\n";
    return all;
}

}  // namespace

TEST(Floors, NoSourceIncludesAHigherFloor)
{
    const std::vector<SourceFile> sources = read_sources(WEFT_SOURCE_DIR);
    for (const SourceFile& source : sources)
        for (const Finding& finding : check_includes(source)) ADD_FAILURE() << finding.text();
}

TEST(Floors, TheSourcesAreReallyRead)
{
    const std::vector<SourceFile> sources = read_sources(WEFT_SOURCE_DIR);
    const auto units = std::find_if(sources.begin(), sources.end(),
        [](const SourceFile& source) { return source.path == "base/units.cpp"; });
    ASSERT_NE(units, sources.end());
    ASSERT_FALSE(units->lines.empty());
    EXPECT_EQ(units->lines.front(), "#include \"base/units.h\"");
}

// Of the folders that hold the program, those that a page does not name as "folder/".
std::vector<std::string> floors_missing_in(const std::string& page)
{
    std::vector<std::string> missing;
    for (const Area& area : areas()) {
        const std::string folder(area.folder);
        if (folder.find('/') != std::string::npos || folder == "testbenches" || folder == "examples") continue;
        if (page.find(folder + "/") == std::string::npos) missing.push_back(folder);
    }
    return missing;
}

TEST(Floors, PagesThatListThemListAll)
{
    for (const std::string page : {"README.md", "docs/architecture.md"}) {
        std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/" + page);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(floors_missing_in(text), std::vector<std::string>()) << page;
    }
    EXPECT_EQ(floors_missing_in("base/ infragraph/ tlm_interconnect/ sc_models/ gpu/ collectives/ platform/ include/"),
        std::vector<std::string>{"rtl"});
}

TEST(Floors, APlantedUpwardIncludeIsReportedWithItsLine)
{
    EXPECT_EQ(findings_in("sc_models/cache.h", {"#pragma once", "", "#include \"gpu/gpu.h\""}),
        "sc_models/cache.h:3: sc_models includes gpu/gpu.h, which is on a higher floor (gpu)\n");
    EXPECT_EQ(findings_in("base/units.cpp", {"  #  include <testbenches/support/tool.h>"}),
        "base/units.cpp:1: base includes testbenches/support/tool.h, which is on a higher floor "
        "(testbenches)\n");
}

TEST(Floors, NeighboursOnOneFloorStayApart)
{
    EXPECT_EQ(findings_in("rtl/reference.cpp", {"#include \"collectives/engine/engine.h\""}),
        "rtl/reference.cpp:1: rtl includes collectives/engine/engine.h, which stands beside it on the same "
        "floor\n");
}

TEST(Floors, RoomsOfAFloorHaveAnOrder)
{
    EXPECT_EQ(findings_in("tlm_interconnect/kernel/event_queue.cpp", {"#include \"tlm_interconnect/protocol/line.h\""}),
        "tlm_interconnect/kernel/event_queue.cpp:1: tlm_interconnect/kernel/ includes "
        "tlm_interconnect/protocol/line.h, which is in "
        "a room that it stands below\n");
    EXPECT_EQ(findings_in("platform/applications/fabric/fabric_bench.cpp",
                  {"#include \"platform/applications/probe/report.h\""}),
        "platform/applications/fabric/fabric_bench.cpp:1: platform/applications/fabric/ includes "
        "platform/applications/probe/report.h, which is in a room that it stands "
        "beside\n");
    EXPECT_EQ(findings_in("tlm_interconnect/switch/switch.h", {"#include \"tlm_interconnect/routing/route_table.h\""}),
        "");
}

TEST(Floors, FoldersOfARoomHaveAnOrder)
{
    EXPECT_EQ(findings_in("sc_models/memory/hbm.cpp", {"#include \"sc_models/l2/l2_spec.h\""}),
        "sc_models/memory/hbm.cpp:1: sc_models/memory/ includes sc_models/l2/l2_spec.h, which is in a folder that it "
        "stands below\n");
    EXPECT_EQ(
        findings_in("collectives/flow/links/flow_links.h", {"#include \"collectives/flow/devices/device_cost.h\""}),
        "collectives/flow/links/flow_links.h:1: collectives/flow/links/ includes "
        "collectives/flow/devices/device_cost.h, which is in a folder that it stands beside\n");
    EXPECT_EQ(findings_in("platform/configuration/resolution/resolve.cpp",
                  {"#include \"platform/configuration/tables/profile.h\""}),
        "");
}

TEST(Floors, SystemCStaysOutOfPureAreas)
{
    EXPECT_EQ(findings_in("infragraph/graph.h", {"#include <systemc>"}),
        "infragraph/graph.h:1: infragraph is free of SystemC and includes systemc\n");
    EXPECT_EQ(findings_in("collectives/chakra/reader.cpp", {"#include <string>", "#include <tlm_utils/peq.h>"}),
        "collectives/chakra/reader.cpp:2: collectives/chakra is free of SystemC and includes "
        "tlm_utils/peq.h\n");
    // Not by way of a header that may use it, either.
    EXPECT_EQ(
        findings_in("collectives/schedule/verification/verify.cpp", {"#include \"tlm_interconnect/link/link.h\""}),
        "collectives/schedule/verification/verify.cpp:1: collectives/schedule includes tlm_interconnect/link/link.h, "
        "which may "
        "use "
        "SystemC; collectives/schedule may not\n");
}

TEST(Floors, RoomsForReportsAndConfigurationNeverReachSystemC)
{
    const std::vector<SourceFile> sources = read_sources(WEFT_SOURCE_DIR);
    for (const Finding& finding : check_without_systemc(sources)) ADD_FAILURE() << finding.text();
    for (const std::string_view folder : folders_without_systemc())
        EXPECT_TRUE(std::any_of(sources.begin(), sources.end(),
            [&](const SourceFile& source) { return source.path.rfind(folder, 0) == 0; }))
            << folder << " has no sources";
    // A chain of three, planted.
    const std::vector<SourceFile> planted = {{"platform/report/page.h", {"#include \"platform/result/a.h\""}},
        {"platform/result/a.h", {"#include \"gpu/b.h\""}}, {"gpu/b.h", {"#include <systemc>"}}};
    const std::vector<Finding> findings = check_without_systemc(planted);
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].text(),
        "platform/report/page.h: is to be free of SystemC and reaches it: platform/report/page.h > platform/result/a.h "
        "> gpu/b.h > systemc");
}

TEST(Floors, AnExampleIncludesItsOwnHeadersByName)
{
    EXPECT_EQ(findings_in("examples/user_switch/plugin.cpp", {"#include \"priority_switch.h\""}), "");
    EXPECT_EQ(findings_in("examples/user_switch/plugin.cpp", {"#include \"../gpu.h\""}),
        "examples/user_switch/plugin.cpp:1: includes \"../gpu.h\"; expected a path from the repository root\n");
}

TEST(Floors, PathsAreWrittenFromTheRoot)
{
    EXPECT_EQ(findings_in("infragraph/graph.cpp", {"#include \"../gpu/gpu.h\""}),
        "infragraph/graph.cpp:1: includes \"../gpu/gpu.h\"; expected a path from the repository root\n");
    EXPECT_EQ(findings_in("infragraph/graph.cpp", {"#include \"graph.h\""}),
        "infragraph/graph.cpp:1: includes \"graph.h\"; expected a path from the repository root\n");
}

TEST(Floors, DownwardOwnSystemAndGeneratedHeadersAreFine)
{
    EXPECT_EQ(findings_in("gpu/gpu.cpp",
                  {"#include \"gpu/gpu.h\"", "#include \"base/units.h\"", "#include <systemc>", "#include <vector>",
                      "// #include \"platform/simulation/run.h\""}),
        "");
    EXPECT_EQ(findings_in("collectives/engine/engine.cpp",
                  {"#include \"collectives/schedule/schedule.h\"", "#include <tlm>"}),
        "");
    EXPECT_EQ(findings_in("collectives/chakra/reader.cpp", {"#include \"et_def.pb.h\""}), "");
}

}  // namespace floors_test
