// Old names at the command line: the same bytes of a result as under the new ones, and one line on stderr.
#include <algorithm>

#include <gtest/gtest.h>

#include "platform/configuration/parameters/old_names.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace old_names_test {

using namespace weft::commands_test;
using weft::OldName;

namespace {

using Arguments = std::vector<std::string>;

Arguments saying(const OldName& name, const std::string& text)
{
    if (name.kind == OldName::Kind::model) return {"--model", "dgx.0.nvsw.*=" + text};
    if (name.kind == OldName::Kind::value)
        return {"--set", name.owner + "=" + text, "--set", "l2.partitions=1", "--set", "l2.line=64", "--set",
            "l2.size=40MiB"};
    const char* const value = name.now == "vc_sets" ? "2" : name.now == "path_selection" ? "pairs" : "round_robin";
    return {"--set", name.owner + "." + text + "=" + value};
}

Arguments with(Arguments first, const Arguments& more)
{
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

std::size_t notices_in(const std::string& text)
{
    std::size_t count = 0;
    for (std::size_t at = text.find("is an old name"); at != std::string::npos;
         at = text.find("is an old name", at + 1))
        ++count;
    return count;
}

}  // namespace

TEST(OldNamesRun, GiveTheSameBytesAndOneNotice)
{
    const Fixtures files;
    const auto run = [&files](const Arguments& said, const std::string& json) {
        return call(with({"run", "examples/dgx_h100/system.yaml", "--bytes", "1KiB", "--no-data", "--ranks", "2",
                             "--quiet", "--no-timing", "--json", files.path(json)},
            said));
    };
    for (const OldName& name : weft::all_old_names()) {
        const Outcome now = run(saying(name, name.now), "now.json");
        const Outcome old = run(saying(name, name.old), "old.json");
        ASSERT_EQ(now.code, 0) << now.err;
        ASSERT_EQ(old.code, 0) << old.err;
        EXPECT_EQ(files.read("old.json"), files.read("now.json")) << name.old;
        EXPECT_EQ(notices_in(now.err), 0U) << now.err;
        EXPECT_EQ(notices_in(old.err), 1U) << old.err;
        EXPECT_NE(old.err.find("notice: --"), std::string::npos) << old.err;
        EXPECT_NE(old.err.find(name.old + "' is an old name: write '"), std::string::npos) << old.err;
        // What it names is in the result, under the new name.
        EXPECT_NE(files.read("old.json").find(name.now), std::string::npos) << name.old;
        EXPECT_EQ(files.read("old.json").find(name.old + "\""), std::string::npos) << name.old;
    }
}

// A sweep does not pass on what its runs say: it says itself what old names are among the values.
TEST(OldNamesRun, ASweepSaysThemOnce)
{
    const Fixtures files;
    const auto sweep = [&files](const std::string& over, const Arguments& more = {}) {
        return call(with({"sweep", "examples/dgx_h100/system.yaml", "--bytes", "1KiB", "--no-data", "--ranks", "2",
                             "--over", over, "--quiet", "--json", files.path("sweep.json")},
            more));
    };
    for (const char* over : {"link.model=link,link_twin", "link.model=link_twin,link", "routing.spread=lines,pairs"}) {
        const Outcome outcome = sweep(over);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(notices_in(outcome.err), 1U) << outcome.err;
    }
    // A run that fails is shown with its error, not with its notice.
    const Outcome refused = sweep("link.model=link_twin", {"--set", "link.vc_sets=3"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(notices_in(refused.err), 1U) << refused.err;
    EXPECT_NE(refused.err.find("sweep: link.model=link_twin: --set: a clocked link with more than 8 channels"),
        std::string::npos)
        << refused.err;
}

}  // namespace old_names_test
