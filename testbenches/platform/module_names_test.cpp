// Names of modules in SystemC are the paths of the document, which system files, --set and results use.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/platform/switch_board.h"

namespace module_names_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup dgx(const std::string& set = "l2.partitions=1")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n";
    setup.sets = {set};
    return setup;
}

const sc_core::sc_module* module(const std::string& name)
{
    return dynamic_cast<const sc_core::sc_module*>(sc_core::sc_find_object(name.c_str()));
}

void count_names(const std::vector<sc_core::sc_object*>& objects, std::vector<std::string>& names)
{
    for (sc_core::sc_object* object : objects) {
        names.emplace_back(object->name());
        count_names(object->get_child_objects(), names);
    }
}

}  // namespace

TEST(ModuleNames, AreThoseOfTheDocument)
{
    const SwitchBoard board(dgx());
    for (const std::string name : {"dgx.0.xpu.0", "dgx.0.xpu.7.l2.3", "dgx.0.xpu.0.network", "dgx.0.xpu.0.hbm",
             "dgx.0.xpu.0.units", "dgx.0.xpu.0.port.3", "dgx.0.nvsw.2"})
        EXPECT_NE(module(name), nullptr) << name;
    EXPECT_EQ(module("dgx.0.xpu.8"), nullptr);
    EXPECT_EQ(module("dgx.0.xpu.0.l2.3"),
        dynamic_cast<const sc_core::sc_module*>(board.system.gpus()[0]->slices()[3].get()));
}

TEST(ModuleNames, AreUnique)
{
    const SwitchBoard board(dgx());
    std::vector<std::string> names;
    count_names(sc_core::sc_get_top_level_objects(), names);
    EXPECT_GT(names.size(), 1000U);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// Sockets in arrays are elements of sc_vectors, with the names that SystemC gives them.
TEST(ModuleNames, SocketsInArraysAreThoseOfVectors)
{
    const SwitchBoard board(dgx());
    for (const std::string name : {"dgx.0.nvsw.0.target", "dgx.0.nvsw.0.initiator", "dgx.0.xpu.0.network.to_slice",
             "dgx.0.xpu.0.network.from_port", "dgx.0.xpu.0.hbm.target", "dgx.0.xpu.0.ports"}) {
        const auto* vector = dynamic_cast<const sc_core::sc_vector_base*>(sc_core::sc_find_object(name.c_str()));
        ASSERT_NE(vector, nullptr) << name;
        EXPECT_GT(vector->size(), 1U) << name;
        for (const sc_core::sc_object* element : vector->get_elements()) EXPECT_NE(element, nullptr) << name;
    }
    EXPECT_NE(dynamic_cast<LineTargetSocket*>(sc_core::sc_find_object("dgx.0.nvsw.0.target_0")), nullptr);
    EXPECT_NE(dynamic_cast<LineInitiatorSocket*>(sc_core::sc_find_object("dgx.0.xpu.0.network.to_slice_3")), nullptr);
}

// A node that is also the place of others: both have modules.
TEST(ModuleNames, APlaceThatIsTakenByAModuleKeepsWhatIsBelow)
{
    ModuleTree tree;
    struct Plain : sc_core::sc_module {
        explicit Plain(const std::string& name) : sc_module(sc_core::sc_module_name(name.c_str())) {}
    };
    const auto make = [](const std::string& name) { return std::make_unique<Plain>(name); };
    const auto inner = tree.at("a.b.c", make);
    const auto outer = tree.at("a.b", make);  // the place of c has this name already
    const auto below = tree.at("a.b_.d", make);
    EXPECT_STREQ(inner->name(), "a.b.c");
    EXPECT_STREQ(outer->name(), "a.b_");
    EXPECT_STREQ(below->name(), "a.b_.d");
    EXPECT_EQ(below->get_parent_object(), outer.get());
    EXPECT_EQ(ModuleTree::part("dgx.0~sw 1"), "dgx_0~sw_1");
}

// SystemC would change names with spaces, with a warning for each, and rename the second of two such places.
TEST(ModuleNames, SpacesAreUnderscores)
{
    ModuleTree tree;
    struct Plain : sc_core::sc_module {
        explicit Plain(const std::string& name) : sc_module(sc_core::sc_module_name(name.c_str())) {}
    };
    const auto make = [](const std::string& name) { return std::make_unique<Plain>(name); };
    const auto warnings = [] { return sc_core::sc_report_handler::get_count(sc_core::SC_WARNING); };
    const int before = warnings();
    const auto first = tree.at("host a.x pu.0", make);
    const auto second = tree.at("host a.x pu.1", make);
    const auto alike = tree.at("host_a.x_pu.0", make);
    EXPECT_STREQ(first->name(), "host_a.x_pu.0");
    EXPECT_STREQ(second->name(), "host_a.x_pu.1");
    EXPECT_STREQ(alike->name(), "host_a.x_pu.0_");
    EXPECT_EQ(first->get_parent_object(), second->get_parent_object());
    EXPECT_EQ(warnings(), before);
}

}  // namespace module_names_test
