// The walk of docs/ that brings switches of somebody else.
#include <gtest/gtest.h>

#include "testbenches/process/walk.h"
#include "testbenches/plugin/built_examples.h"

namespace plugin_walk_test {

using namespace weft::plugin_test;

TEST(PluginWalk, OfAnEvaluatorPrintsWhatItsPageShows)
{
    const BuiltExamples& built = built_examples();
    const auto walked = weft::commands_test::walk(weft::commands_test::page_of("walk_evaluator"), {"curve."},
        {{"build/my_switch/libmy_switch.so", built.my_switch},
            {"build/base_router/libbase_router.so", built.base_router}});
    EXPECT_EQ(walked.problems, std::vector<std::string>{});
    EXPECT_EQ(walked.commands, 5u);
    EXPECT_GT(walked.lines, 20u);
    EXPECT_NE(walked.written.at("curve.svg").find("base_router_lt"), std::string::npos);
}

}  // namespace plugin_walk_test
