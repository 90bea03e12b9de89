#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

namespace check_test {

using namespace weft::commands_test;

namespace {

std::string document_text(const std::string& path)
{
    return "file         " + path +
        "\nname         pair\ninstances    host = 1 x card\nnodes        2 (xpu 2)\n"
        "edges        1 (wire 1)\nendpoints    2 (nodes of type xpu)\ncomponents   1 connected\nisolated     "
        "0\n";
}

// The fixture names no part.
const std::string open_profile = "assumed      2 accelerators `xpu`: no profile given, taken as generic (L2 ";

}  // namespace

TEST(Check, SaysWhatIsInADocument)
{
    const Fixtures files;
    const Outcome outcome = call({"check", files.pair()});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out.substr(0, outcome.out.find("assumed")), document_text(files.pair()));
    EXPECT_EQ(outcome.out.substr(outcome.out.find("assumed"), open_profile.size()), open_profile);
    EXPECT_EQ(outcome.err, "");
}

TEST(Check, TakesSystemFiles)
{
    const Fixtures files;
    const Outcome outcome = call({"check", files.pair_system()});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out,
        document_text(files.pair()) + "system       pair (" + files.pair_system() +
            ")\nprofiles     generic 2\nworkload     all_reduce over 4 KiB of fp32 (sum), algorithm ring\n"
            "routes       2 endpoints over 1 link, free of deadlock\n");
}

TEST(Check, RefusesASystemThatCouldDeadlock)
{
    const Outcome outcome = call({"check", "examples/switch_ring/system.yaml"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("ring.0.sw.0 -> ring.1.sw.0, ring.1.sw.0 -> ring.2.sw.0"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(call({"check", "examples/switch_ring/switch_ring.yaml"}).code, 0);
}

TEST(Check, NamesFileAndLineOfWhatIsWrong)
{
    const Fixtures files;
    std::string text = files.read("pair.yaml");
    text.replace(text.find("link: wire"), 10, "link: wir");
    const std::string path = files.write("wrong.yaml", text);
    const Outcome outcome = call({"check", path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.compare(0, path.size() + 4, path + ":9: "), 0) << outcome.err;
    EXPECT_NE(outcome.err.find("'wire'"), std::string::npos) << outcome.err;

    const Outcome lenient = call({"check", path, "--lenient"});
    EXPECT_EQ(lenient.code, 0) << lenient.err;
    EXPECT_NE(lenient.out.find("notice       " + path + ":9: "), std::string::npos) << lenient.out;
}

TEST(Check, WritesJson)
{
    const Fixtures files;
    EXPECT_EQ(call({"check", files.pair(), "--json", files.path("check.json")}).out, call({"check", files.pair()}).out);
    const auto json = nlohmann::json::parse(files.read("check.json"));
    EXPECT_EQ(json["nodes"], 2);
    EXPECT_EQ(json["endpoints"], 2);
    EXPECT_EQ(json["assumptions"][0]["what"], "profile of accelerator xpu");
    EXPECT_EQ(call({"check", files.pair(), "--json", "-"}).out, files.read("check.json"));
}

}  // namespace check_test
