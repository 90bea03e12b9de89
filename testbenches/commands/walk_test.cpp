// The walks of docs/ that need no plug-in; testbenches/plugin has the other.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/process/walk.h"
#include "testbenches/support/thorough.h"

namespace walk_test {

using namespace weft::commands_test;

TEST(Walk, OfATrainingStepPrintsWhatItsPageShows)
{
    // By default the shortest of its four runs.
    const bool all = weft::test::thorough();
    const Walked walked = walk(page_of("walk_step"), {"step"}, {},
        all ? std::vector<std::string>{} : std::vector<std::string>{"--trace step1 --", "--trace step3 --"});
    EXPECT_EQ(walked.problems, std::vector<std::string>{});
    EXPECT_EQ(walked.commands, all ? 7u : 4u);
    EXPECT_GT(walked.lines, all ? 40u : 10u);
}

TEST(Walk, OfAnArchitectPrintsWhatItsPageShows)
{
    // By default one run at flow and one by lines.
    const bool all = weft::test::thorough();
    const Walked walked = walk(page_of("walk_architect"), {"machine.svg", "report.html"}, {},
        all ? std::vector<std::string>{} : std::vector<std::string>{"engine.protocol=ll", "./weft sweep", "--html"});
    EXPECT_EQ(walked.problems, std::vector<std::string>{});
    EXPECT_EQ(walked.files, 3u);
    EXPECT_EQ(walked.written.at("machine.svg"),
        weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/pictures/rack64.svg"));
    if (all) {
        EXPECT_NE(walked.written.at("report.html").find("rack64"), std::string::npos);
    }
    EXPECT_EQ(walked.commands, all ? 9u : 5u);
    EXPECT_GT(walked.lines, all ? 30u : 15u);
}

TEST(Walk, ALineThatIsNotPrintedIsFound)
{
    const std::string text = "```yaml\n# own.yaml\nsystem: own\ninfrastructure: examples/dgx_h100/dgx_h100.yaml\n```\n"
                             "```sh\n./weft check examples/dgx_h100/dgx_h100.yaml\n```\n"
                             "```text\nname         dgx_h100\n...\nname         another\n```\n"
                             "```sh\n./weft check none.yaml\n```\n";
    const Walked walked = walk(text, {});
    ASSERT_EQ(walked.problems.size(), 2u);
    EXPECT_EQ(walked.problems[0], "name         another");
    EXPECT_NE(walked.problems[1].find("none.yaml"), std::string::npos);
}

}  // namespace walk_test
