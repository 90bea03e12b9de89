// A displaced dirty line takes the dirty lines of its run along.
#include <algorithm>

#include "testbenches/sc_models/l2_bench.h"

namespace l2_write_back_runs_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time us = 1'000'000;

L2Spec with_runs(std::uint64_t lines)
{
    L2Spec spec = small_l2();
    spec.write_back_run = lines;
    return spec;
}

// "write 3 @1060000" of several lines at one instant.
std::vector<std::string> writes(const std::vector<unsigned>& lines, Time at)
{
    std::vector<std::string> out;
    for (const unsigned line : lines) out.push_back("write " + std::to_string(line) + " @" + std::to_string(at));
    return out;
}

// Of 16 sets of 4 ways, all 64 lines dirty, from 1 us on.
struct DirtyBench : L2Bench {
    explicit DirtyBench(const L2Spec& spec) : L2Bench(spec)
    {
        for (unsigned line = 0; line < 64; ++line) issue(0, LineOp::write, line);
    }
};

}  // namespace

TEST(L2WriteBackRuns, DirtyLinesOfTheRunLeaveWithTheDisplacedOneAndStay)
{
    DirtyBench bench(with_runs(8));
    bench.issue(us, LineOp::write, 64 + 2);       // in place of line 2, of the run 0 to 7
    bench.issue(2 * us, LineOp::write, 64 + 3);   // of line 3, which is clean now
    bench.issue(3 * us, LineOp::read, 5);         // which is still there
    bench.issue(4 * us, LineOp::write, 64 + 12);  // of line 12, of the next run
    bench.run();
    std::vector<std::string> expected = writes({2, 0, 1, 3, 4, 5, 6, 7}, us + 60'000);
    const std::vector<std::string> next = writes({12, 8, 9, 10, 11, 13, 14, 15}, 4 * us + 60'000);
    expected.insert(expected.end(), next.begin(), next.end());
    EXPECT_EQ(bench.traffic(), expected);
    EXPECT_EQ(bench.at(66), 3 * us + 60'000);
    EXPECT_EQ(bench.statistic("write_backs"), 16);
    EXPECT_EQ(bench.statistic("cleaned"), 14);
}

TEST(L2WriteBackRuns, ALineWrittenAgainIsWrittenBackAgain)
{
    DirtyBench bench(with_runs(4));
    bench.issue(us, LineOp::write, 64);
    bench.issue(2 * us, LineOp::write, 1, 8);
    bench.issue(3 * us, LineOp::write, 64 + 2);  // in place of a clean line: nothing leaves
    bench.issue(4 * us, LineOp::write, 128);     // in place of line 16, of another run
    for (unsigned i = 0; i < 4; ++i)
        bench.issue((5 + i) * us, LineOp::write, 65 + 16 * i);  // the last in place of line 1
    bench.run();
    const std::vector<std::string> traffic = bench.traffic();
    EXPECT_EQ(std::count(traffic.begin(), traffic.end(), "write 1 @" + std::to_string(us + 60'000)), 1);
    EXPECT_EQ(std::count(traffic.begin(), traffic.end(), "write 1 @" + std::to_string(8 * us + 60'000)), 1);
}

TEST(L2WriteBackRuns, OneLineIsAlone)
{
    DirtyBench bench(with_runs(1));
    bench.issue(us, LineOp::write, 64 + 2);
    bench.run();
    EXPECT_EQ(bench.traffic(), writes({2}, us + 60'000));
    EXPECT_EQ(bench.statistic("cleaned"), 0);
}

TEST(L2WriteBackRuns, ARunHasALineOfASetAtMost)
{
    DirtyBench bench(with_runs(4096));
    bench.issue(us, LineOp::write, 64 + 8);
    bench.run();
    EXPECT_EQ(bench.traffic().size(), 16u);
    EXPECT_EQ(bench.traffic().front(), "write 8 @" + std::to_string(us + 60'000));
    EXPECT_EQ(bench.traffic().back(), "write 15 @" + std::to_string(us + 60'000));
}

TEST(L2WriteBackRuns, TheyTakeTheRoomThatThereIs)
{
    L2Spec spec = with_runs(8);
    spec.outstanding_write_backs = 3;
    DirtyBench bench(spec);
    bench.issue(us, LineOp::write, 64 + 2);
    bench.issue(2 * us, LineOp::write, 64 + 7);
    bench.run();
    std::vector<std::string> expected = writes({2, 0, 1}, us + 60'000);
    const std::vector<std::string> next = writes({7, 3, 4}, 2 * us + 60'000);
    expected.insert(expected.end(), next.begin(), next.end());
    EXPECT_EQ(bench.traffic(), expected);
}

TEST(L2WriteBackRuns, BothSectorsOfATag)
{
    L2Spec spec = with_runs(4);
    spec.line = 128;
    L2Bench bench(spec);  // 8 sets of 4 ways
    for (unsigned line = 0; line < 64; ++line)
        if (line != 3) bench.issue(0, LineOp::write, line);
    bench.issue(us, LineOp::write, 64);
    bench.run();
    EXPECT_EQ(bench.traffic(), writes({0, 1, 2}, us + 60'000));
}

// What displaced lines of one partition have beside them may be dirty in either; both go to their homes.
TEST(L2WriteBackRuns, MirroredPartitionsCleanBoth)
{
    L2Spec spec = with_runs(8);
    spec.slices = 2;
    spec.partitions = 2;
    spec.size *= 2;
    spec.bandwidth *= 2;
    L2Bench bench(spec);
    for (unsigned i = 0; i < 128; ++i) bench.issue_in(i % 2, us + 10 * step * i, LineOp::write, i);
    for (unsigned i = 0; i < 128; ++i) bench.issue_in(0, 10 * us + 10 * step * i, LineOp::write, 128 + i);
    bench.run();
    // Each of the first lines is written once, whichever way it leaves.
    std::vector<int> times(256, 0);
    for (const LineMemory* memory : {&bench.memory, bench.other_memory.get()})
        for (const std::uint64_t address : memory->addresses) ++times[local_of(address) / 64];
    EXPECT_EQ(std::vector<int>(times.begin(), times.begin() + 128), std::vector<int>(128, 1));
    EXPECT_EQ(bench.statistic("write_backs"),
        static_cast<double>(bench.memory.addresses.size() + bench.other_memory->addresses.size()));
    EXPECT_GT(bench.statistic("cleaned"), 64);
}

}  // namespace l2_write_back_runs_test
