// `weft calibrate`: what it measures and writes, and what its file is good for.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace calibrate_test {

using namespace weft::commands_test;
using nlohmann::json;

TEST(CalibrateCommand, WritesAFileForRunsOfTheSameSystem)
{
    const Fixtures files;
    const std::string path = files.path("c.yaml");
    const std::vector<std::string> arguments{"calibrate", files.pair_system(), "-j", "1", "-o", path};
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("all_reduce  direct      384KiB"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("the number changes nothing here"), std::string::npos) << outcome.out;
    const std::string text = weft::read_text_file(path);
    EXPECT_EQ(text.rfind("schema: weft.calibration/1\n", 0), 0U);
    EXPECT_NE(text.find("credit_wait: 0.66"), std::string::npos) << text;
    std::vector<std::string> again = arguments;
    again[3] = "2";
    ASSERT_EQ(call(again).code, 0);
    EXPECT_EQ(weft::read_text_file(path), text);

    const std::vector<std::string> run{"run", files.pair_system(), "--collective", "all_gather", "--bytes", "64KiB",
        "--fidelity", "flow", "--calibration", path, "--quiet", "--json", "-"};
    const Outcome used = call(run);
    ASSERT_EQ(used.code, 0) << used.err;
    EXPECT_EQ(json::parse(used.out)["calibration"], "file");
    const Outcome explained = call({"explain", files.pair_system(), "--calibration", path});
    EXPECT_NE(explained.out.find("credit_wait  0.66 packets, behind network cards 0.66  file: " + path),
        std::string::npos);
    EXPECT_NE(call({"explain", files.pair_system()})
                  .out.find("credit_wait  0.66 packets, behind network cards 0.95  built in: 63 runs"),
        std::string::npos);
    std::vector<std::string> changed = run;
    changed.insert(changed.end(), {"--set", "link.latency=1us"});
    const Outcome refused = call(changed);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find(path + ":1: this calibration is of '"), std::string::npos) << refused.err;
}

// A number at the end of the range, a large error, and parameters that flow follows in part are told.
TEST(CalibrateCommand, TellsWhatTheNumberDoesNotTell)
{
    const Fixtures files;
    const std::string network = files.path("switch.yaml");
    ASSERT_EQ(call({"network", "Switch(4)", "--bandwidth", "50GB/s", "-o", network}).code, 0);
    const std::vector<std::string> few{"calibrate", network, "--set", "link.response_credits=120", "-j", "1"};
    const Outcome outcome = call(few);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("credit_wait 1.30 packets, error 4.3"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("1.30 is the end of the range that is searched, 0.30 to 1.30"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(outcome.out.find("the error stays above 15 %"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("flow fidelity does not follow link.response_credits = 120 (followed in part)"),
        std::string::npos)
        << outcome.err;

    const Outcome wrong = call({"calibrate", network, "--set", "link.request_credits=40", "-j", "1"});
    ASSERT_EQ(wrong.code, 0) << wrong.err;
    EXPECT_NE(wrong.out.find("error 78."), std::string::npos) << wrong.out;
    EXPECT_NE(wrong.out.find("the error stays above 15 %"), std::string::npos) << wrong.out;

    const Outcome plain = call({"calibrate", files.pair_system(), "-j", "1"});
    EXPECT_EQ(plain.out.find("end of the range"), std::string::npos) << plain.out;
    EXPECT_EQ(plain.out.find("the error stays"), std::string::npos) << plain.out;
    EXPECT_EQ(plain.err, "");
}

TEST(CalibrateCommand, RefusesInOneLine)
{
    const Fixtures files;
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& text) {
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    };
    refused({"calibrate"}, "SYSTEM");
    refused({"calibrate", files.pair_system(), "--ranks", "3"}, "--ranks");
    refused({"calibrate", files.path("none.yaml")}, "none.yaml");
    refused({"run", files.pair_system(), "--uncalibrated"}, "--fidelity flow");
    refused({"run", files.pair_system(), "--symmetry", "off"}, "--fidelity flow");
    refused({"run", files.pair_system(), "--fidelity", "flow", "--symmetry", "no"}, "on or off");
    refused({"run", files.pair_system(), "--fidelity", "flow", "--uncalibrated", "--calibration", "c"}, "one of them");
}

}  // namespace calibrate_test
