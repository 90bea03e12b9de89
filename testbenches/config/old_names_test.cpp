// Names of the last release: each is read as the name of today wherever users write names, and said once.
#include <fstream>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/configuration/explain.h"
#include "platform/configuration/parameters/old_names.h"
#include "testbenches/config/support.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::old_names_test {
namespace {

using Names = std::vector<std::string>;

// A value of the parameter that is no default.
std::string value_of(const OldName& name)
{
    if (name.now == "vc_sets") return "2";
    if (name.now == "bundle_selection") return "round_robin";
    if (name.now == "path_selection") return "pairs";
    return "";
}

std::string notice(const std::string& where, const std::string& old, const std::string& now)
{
    return where + ": '" + old + "' is an old name: write '" + now + "', the next release reads no other";
}

KnownNames with_reference_switch()
{
    KnownNames known;
    known.models = {{"switch", {"switch", "reference_switch"}}};
    return known;
}

ResolvedSystem with(const std::string& lines, const Names& sets)
{
    return resolved(lines, sets, small_box, with_reference_switch());
}

std::string name_of(const OldName& name, const std::string& text)
{
    return (name.kind == OldName::Kind::parameter ? name.owner + "." : "") + text;
}

// As --set or as a line of the system file.
std::string in_file(const OldName& name, const std::string& text)
{
    if (name.kind == OldName::Kind::model) return "bind:\n- {nodes: {component: nvsw}, model: " + text + "}\n";
    if (name.kind == OldName::Kind::value) return "parameters:\n  " + name.owner + ": " + text + "\n";
    return "parameters:\n  " + name.owner + "." + text + ": " + value_of(name) + "\n";
}

}  // namespace

TEST(OldNames, AreReadInSystemFilesLikeTheNewOnes)
{
    ASSERT_EQ(all_old_names().size(), 6U);
    for (const OldName& name : all_old_names()) {
        const Names sets{"l2.partitions=1", "l2.line=64", "l2.size=40 MiB"};  // what clocked slices take
        const ResolvedSystem old = with(in_file(name, name.old), sets);
        const ResolvedSystem now = with(in_file(name, name.now), sets);
        EXPECT_EQ(explain(old), explain(now)) << name.old;
        EXPECT_EQ(old.notices, now.notices) << name.old;
        EXPECT_EQ(now.old_names, Names{}) << name.old;
        const std::string where = old.old_names.empty() ? "" : old.old_names[0].substr(0, old.old_names[0].find(": "));
        EXPECT_EQ(old.old_names, Names{notice(where, name_of(name, name.old), name_of(name, name.now))}) << name.old;
        EXPECT_EQ(where.substr(0, 12), "system.yaml:") << name.old;
        // It does say something: the system is another one without.
        EXPECT_NE(explain(old), explain(with("", sets))) << name.old;
    }
}

TEST(OldNames, OfParametersInEveryFormOfAPath)
{
    const ResolvedSystem now = resolved("", {"link.vc_sets=2"});
    for (const char* path : {"link.vc_lanes", "*.vc_lanes", "*.link.vc_lanes", "*~*.link.vc_lanes"}) {
        const ResolvedSystem old = resolved("", {std::string(path) + "=2"});
        EXPECT_EQ(explain(old), explain(now)) << path;
        EXPECT_EQ(old.old_names, Names{notice("--set", "link.vc_lanes", "link.vc_sets")}) << path;
    }
    const std::string link = now.graph().kind(EdgeId{0}).link;
    EXPECT_EQ(explain(resolved("", {"links." + link + ".vc_lanes=2"})),
        explain(resolved("", {"links." + link + ".vc_sets=2"})));
    // Once, however often it is said.
    const ResolvedSystem twice = resolved("", {"link.vc_lanes=2", "links." + link + ".vc_lanes=3"});
    EXPECT_EQ(twice.old_names.size(), 1U);
}

TEST(OldNames, OfOtherBlocksAreNone)
{
    EXPECT_NE(error_of([] { resolved("", {"switch.vc_lanes=2"}); }).find("unknown parameter 'switch.vc_lanes'"),
        std::string::npos);
    EXPECT_NE(error_of([] { resolved("", {"l2.model=link_twin"}); }).find("'link_twin' is not a value of l2.model"),
        std::string::npos);
    EXPECT_NE(
        error_of([] { with("bind:\n- {nodes: {component: nvsw}, model: link_twin}\n", {}); }).find("unknown model"),
        std::string::npos);
}

// A model of the registry comes before an old name.
TEST(OldNames, GiveWayToModelsOfThatName)
{
    KnownNames known;
    known.models = {{"link", {"link", "link_twin"}}, {"switch", {"switch", "switch_twin"}}};
    const ResolvedSystem system = resolved("bind:\n- {nodes: {component: nvsw}, model: switch_twin}\n",
        {"link.model=link_twin"}, small_box, known);
    EXPECT_EQ(system.link_model(0), "link_twin");
    EXPECT_EQ(system.model(*system.graph().find("box.0.nvsw.0")), "switch_twin");
    EXPECT_EQ(system.old_names, Names{});
}

TEST(OldNames, AreOnThePageOfSystems)
{
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/systems.md");
    for (const OldName& name : all_old_names()) {
        const auto written = [&name](const std::string& text) {
            if (name.kind == OldName::Kind::model) return "model `" + text + "`";
            return "`" + name.owner + (name.kind == OldName::Kind::value ? "=" : ".") + text + "`";
        };
        EXPECT_NE(page.find("| " + written(name.old) + " | " + written(name.now) + " |"), std::string::npos)
            << name.old;
    }
}

TEST(OldNames, InAProfileOfAUser)
{
    const test::ScratchFolder folder;
    const std::string path = folder.file("mine.yaml");
    const auto system = [&path](const std::string& selection, const std::string& slice) {
        std::ofstream(path)
            << "profile: mine\nbase: h100\nl2:\n  partitions: 1\n  line: 64\n  size: 40 MiB\n  model: " + slice +
                "\nrouting:\n  " + selection + ": pairs\n";
        return resolved("profile: " + path + "\n");
    };
    const ResolvedSystem old = system("spread", "slice_twin");
    const ResolvedSystem now = system("path_selection", "reference_slice");
    EXPECT_EQ(explain(old), explain(now));
    EXPECT_EQ(now.routing().path_selection, PathSelection::pairs);
    EXPECT_EQ(now.old_names, Names{});
    EXPECT_EQ(old.old_names,
        (Names{notice(path + ":7", "slice_twin", "reference_slice"),
            notice(path + ":9", "routing.spread", "routing.path_selection")}));
}

}  // namespace weft::old_names_test
