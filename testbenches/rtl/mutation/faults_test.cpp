// The list of faults is in step with the blocks.
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faults_test {

namespace {

using Json = nlohmann::json;

std::string contents(const std::string& path)
{
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

Json faults() { return Json::parse(contents(WEFT_SOURCE_DIR "/testbenches/rtl/mutation/faults.json")); }

}  // namespace

TEST(Faults, EachHasOnePlace)
{
    const Json all = faults();
    for (const auto& [block, entry] : all.items())
        for (const Json& fault : entry["faults"]) {
            const std::string text =
                contents(std::string(WEFT_SOURCE_DIR) + "/rtl/" + fault["file"].get<std::string>());
            const std::string from = fault["from"];
            const std::size_t first = text.find(from);
            EXPECT_NE(first, std::string::npos) << block << ": " << from;
            EXPECT_EQ(text.find(from, first + 1), std::string::npos) << block << ": " << from;
            EXPECT_NE(from, fault["to"].get<std::string>());
        }
}

TEST(Faults, AreManyAndEachIsThereOnce)
{
    std::set<std::string> seen;
    std::size_t count = 0;
    const Json all = faults();
    for (const auto& [block, entry] : all.items())
        for (const Json& fault : entry["faults"]) {
            seen.insert(fault.dump());
            ++count;
        }
    EXPECT_EQ(seen.size(), count);
    EXPECT_GE(count, 60U);
}

}  // namespace faults_test
