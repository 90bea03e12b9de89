// The files of replay GPUs: both forms say the same, every mistake has its line, nothing crashes the reader.
#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "gpu/replay/replay_profile.h"

namespace weft::replay_profile_test {
namespace {

const char* const csv = R"(# a comment
gpu,time,to,kind,at,bytes,gap,repeat,value,after_flag,after_value,jitter
box.0.xpu.1,1.5 us,box.0.xpu.0,write,scratch+0x40,4 KiB,505,2,,,,

*,2000,+1,flag,7,,,,3,5,2,10 ns
2,0,0,read,0x1000,64,,,,,,
)";

const char* const json = R"([
  {"gpu": "box.0.xpu.1", "time": "1.5 us", "to": "box.0.xpu.0", "kind": "write", "at": "scratch+64",
   "bytes": 4096, "gap": 505, "repeat": 2},
  {"time": 2000, "to": "+1", "kind": "flag", "at": 7, "value": 3, "after_flag": 5, "after_value": 2, "jitter": "10 ns"},
  {"gpu": 2, "time": 0, "to": 0, "kind": "read", "at": 4096, "bytes": 64}
])";

void expect_rows(const ReplayProfile& profile)
{
    ASSERT_EQ(profile.rows.size(), 3U);
    const ReplayRow& write = profile.rows[0];
    EXPECT_EQ(profile.names[write.gpu], "box.0.xpu.1");
    EXPECT_EQ(profile.names[write.to], "box.0.xpu.0");
    EXPECT_EQ(write.kind, ReplayRow::Kind::write);
    EXPECT_EQ(write.place, ReplayRow::Place::scratch);
    EXPECT_EQ(write.time, 1'500'000U);
    EXPECT_EQ(write.offset, 64U);
    EXPECT_EQ(write.bytes, 4096U);
    EXPECT_EQ(write.gap, 505U);
    EXPECT_EQ(write.repeat, 2U);
    EXPECT_EQ(write.lines(), 64U);
    EXPECT_EQ(write.duration(), 127U * 505);
    EXPECT_EQ(write.after_flag, ReplayRow::no_flag);
    const ReplayRow& flag = profile.rows[1];
    EXPECT_EQ(profile.names[flag.gpu], "");
    EXPECT_EQ(profile.names[flag.to], "+1");
    EXPECT_EQ(flag.kind, ReplayRow::Kind::flag);
    EXPECT_EQ(flag.offset, 7U);
    EXPECT_EQ(flag.value, 3U);
    EXPECT_EQ(flag.after_flag, 5U);
    EXPECT_EQ(flag.after_value, 2U);
    EXPECT_EQ(flag.jitter, 10'000U);
    const ReplayRow& read = profile.rows[2];
    EXPECT_EQ(profile.names[read.gpu], "2");
    EXPECT_EQ(read.kind, ReplayRow::Kind::read);
    EXPECT_EQ(read.place, ReplayRow::Place::address);
    EXPECT_EQ(read.offset, 4096U);
}

std::string error_of(const std::string& text)
{
    try {
        read_replay_text("p.csv", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ReplayProfile, ReadsCommaSeparatedValues)
{
    const ReplayProfile profile = read_replay_text("p.csv", csv);
    expect_rows(profile);
    EXPECT_EQ(profile.rows[0].line, 3);
    EXPECT_EQ(profile.rows[1].line, 5);
}

TEST(ReplayProfile, ReadsTheSameFromJson)
{
    expect_rows(read_replay_text("p.json", json));
    expect_rows(read_replay_text("p.json", "{\"rows\": " + std::string(json) + "}"));
    EXPECT_EQ(read_replay_text("p.json", json).rows[2].line, 5);
}

TEST(ReplayProfile, EndsOfLinesAndBlanksDoNotMatter)
{
    EXPECT_EQ(read_replay_text("p", "time , to,kind,at\r\n 1 ,0, flag ,2\r\n").rows.size(), 1U);
    EXPECT_EQ(read_replay_text("p", "time,to,kind,at\n1,0,flag,2").rows.size(), 1U);
    EXPECT_TRUE(read_replay_text("p", "time,to,kind,at\n").rows.empty());
    EXPECT_TRUE(read_replay_text("p", "[]").rows.empty());
}

TEST(ReplayProfile, MistakesHaveALine)
{
    const std::string header = "gpu,time,to,kind,at,bytes,gap,repeat,value,after_flag,after_value,jitter\n";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "p.csv: has no header line; expected time,to,kind,at,bytes,..."},
        {"time,too\n", "p.csv:1: unknown column 'too'; expected "},
        {"time,to,time\n", "p.csv:1: column 'time' occurs twice; expected it once"},
        {"time,to\n\n1,2,3\n",
            "p.csv:3: 3 cells under a header of 2; expected a cell for each column, which may be empty"},
        {header + ",,0,flag,1,,,,,,,\n",
            "p.csv:2: the row has no 'time'; expected picoseconds, or a time with its unit"},
        {header + ",1,,flag,1,,,,,,,\n", "p.csv:2: the row has no 'to'; expected the GPU that is written to"},
        {header + ",1,0,flag,,,,,,,,\n", "p.csv:2: the row has no 'at'; expected the number of the flag"},
        {header + ",1,0,write,,64,,,,,,\n", "p.csv:2: the row has no 'at'; expected an address"},
        {header + ",1,0,write,0,,,,,,,\n", "p.csv:2: the row has no 'bytes'; expected how many bytes"},
        {header + ",1,0,store,0,64,,,,,,\n", "p.csv:2: 'kind' is 'store'; expected write, read or flag"},
        {header + ",-1,0,flag,0,,,,,,,\n",
            "p.csv:2: 'time' is '-1'; expected whole picoseconds, or a time such as 2.5 us"},
        {header + ",1.5,0,flag,0,,,,,,,\n", "p.csv:2: 'time' is '1.5'; expected whole picoseconds"},
        {header + ",9999999999999999999,0,flag,0,,,,,,,\n", "p.csv:2: 'time' is '9999999999999999999'"},
        {header + ",1,0,write,0,0,,,,,,\n", "p.csv:2: 'bytes' is '0'; expected 1 B to 1 TiB"},
        {header + ",1,0,write,0,2 TiB,,,,,,\n", "p.csv:2: 'bytes' is '2 TiB'; expected 1 B to 1 TiB"},
        {header + ",1,0,write,heap+4,64,,,,,,\n", "p.csv:2: 'at' is 'heap+4'; expected an address, or input, output"},
        {header + ",1,0,write,input+,64,,,,,,\n", "p.csv:2: 'at' is 'input+'; expected an address"},
        {header + ",1,0,flag,2000000,,,,,,,\n",
            "p.csv:2: 'at' is '2000000'; expected a whole number from 0 to 1048575"},
        {header + ",1,0,flag,0,8,,,,,,\n", "p.csv:2: a flag with 'bytes'; expected 'value', or kind write"},
        {header + ",1,0,write,0,8,,,1,,,\n", "p.csv:2: a write with 'value'; expected 'bytes', or kind flag"},
        {header + ",1,0,flag,0,,,,0,,,\n", "p.csv:2: 'value' is '0'; expected a whole number from 1 to "},
        {header + ",1,0,flag,0,,,0,,,,\n", "p.csv:2: 'repeat' is '0'; expected a whole number from 1 to 1000000000"},
        {header + ",1,0,flag,0,,,,,,2,\n",
            "p.csv:2: 'after_value' without 'after_flag'; expected the number of the flag"},
        {header + ",1,0,write,0,1 TiB,1 s,,,,,\n",
            "p.csv:2: the row ends after the longest simulated time; expected a shorter"},
        {header + ",1,0,write,0,64,1 s,1000000000,,,,\n", "p.csv:2: the row ends after the longest simulated time"},
        {"{\"lines\": []}", "p.csv:1: the top of the file is "},
        {"{\"rows\": 4}", "p.csv:1: the rows are "},
        {"[\n4]", "p.csv:2: a row is the integer '4'; expected a mapping"},
        {"[\n{\"time\": [1]}]", "p.csv:2: 'time' is "},
        {"[\n{\"tiem\": 1}]", "p.csv:2: unknown column 'tiem'; expected "},
    };
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of(text);
        EXPECT_EQ(error.substr(0, expected.size()), expected) << error;
    }
}

TEST(ReplayProfile, ListsManyMistakesButNotAll)
{
    std::string text = "time,to,kind,at\n";
    for (int i = 0; i < 1000; ++i) text += "x,0,flag,1\n";
    try {
        read_replay_text("p", text);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().size(), 20U);
    }
}

TEST(ReplayProfile, MutatedFilesAreReadOrRefused)
{
    const std::vector<std::string> pieces{",", "\n", "0", "-1", "18446744073709551616", "0x", "0xffffffffffffffff", "+",
        "*", "flag", "write", "read", "input+", "scratch", "1e9", " us", "1 TiB", "\"", "[", "]", "{", "}", ":", "#",
        "\t", "\r", std::string(1, '\0'), "\x80", "time", "gpu", "repeat", "999999999"};
    std::mt19937 random(1);
    unsigned good = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = round % 2 == 0 ? csv : json;
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
            const std::size_t at = random() % (text.size() + 1);
            const std::size_t cut = std::min<std::size_t>(random() % 6, text.size() - at);
            text.replace(at, random() % 2 == 0 ? cut : 0, random() % 4 == 0 ? "" : pieces[random() % pieces.size()]);
        }
        try {
            const ReplayProfile profile = read_replay_text("p", text);
            ++good;
            for (const ReplayRow& row : profile.rows) {
                EXPECT_LT(row.gpu, profile.names.size());
                EXPECT_FALSE(profile.names[row.to].empty());
                EXPECT_LE(row.time + row.jitter, ReplayProfile::longest);
                EXPECT_LE(row.duration(), ReplayProfile::longest);
                EXPECT_TRUE(row.kind == ReplayRow::Kind::flag || row.bytes > 0);
            }
        } catch (const InputError& error) {
            EXPECT_FALSE(error.diagnostics().empty());
        }
    }
    EXPECT_GT(good, 1000U);
}

}  // namespace
}  // namespace weft::replay_profile_test
