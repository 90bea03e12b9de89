// A replay GPU beside a full one: every time is a sum of parameters.
#include <cmath>

#include <gtest/gtest.h>

#include "testbenches/gpu/replay_pair.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace replay_gpu_test {

using namespace weft;
using weft::testing::ReplayPair;

namespace {

constexpr std::uint64_t far = std::uint64_t{1} << endpoint_shift;

const GpuSpec g;
const L2Spec l2;
const LinkSpec link_spec;

std::uint64_t flag_at(std::uint32_t endpoint, std::uint64_t number)
{
    return global_address(endpoint, MemoryImage::flag_base + 64 * number);
}

ReplayGpu::Row write_row(Time time, std::uint64_t bytes = 64, std::uint64_t address = 0)
{
    ReplayGpu::Row row;
    row.time = time;
    row.bytes = bytes;
    row.address = address;
    return row;
}

ReplayGpu::Row flag_row(Time time, std::uint64_t number = 0)
{
    ReplayGpu::Row row;
    row.op = LineOp::atomic;
    row.time = time;
    row.address = flag_at(0, number);
    return row;
}

Time wire(LineOp op, LineClass cls)
{
    const std::uint32_t size = op == LineOp::atomic ? 8 : 64;
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}

// From a unit to the home slice of another GPU, and back with the answer.
Time there(LineOp op) { return g.unit_to_port + wire(op, LineClass::request) + link_spec.latency + g.port_to_l2; }
Time back(LineOp op)
{
    return l2.latency + g.l2_to_port + wire(op, LineClass::response) + link_spec.latency + g.port_to_unit;
}

Program one(Operation::Kind kind, std::uint64_t address, std::uint64_t bytes = 64)
{
    Program program;
    if (kind == Operation::Kind::signal) program.add_signal(address);
    if (kind == Operation::Kind::wait) program.add_wait(address, 1);
    if (kind == Operation::Kind::move) program.add_move({}, {address}, bytes, ElementType::u8, ReduceOp::sum);
    return program;
}

GpuSpec monitoring()
{
    GpuSpec spec;
    spec.wait_policy = WaitPolicy::waiting_atomic;
    return spec;
}

}  // namespace

TEST(ReplayGpu, AWriteTakesItsTimeAndThePartsOfAStore)
{
    ReplayPair system;
    system.replay->start("rows", {write_row(5'000)}, 1);
    sc_core::sc_start();
    EXPECT_TRUE(system.replay->finished());
    EXPECT_EQ(system.replay->finish_time(), 5'000 + there(LineOp::write) + back(LineOp::write));
    EXPECT_EQ(system.pool.live(), 0U);
    EXPECT_FALSE(system.progress.anything_busy());
}

TEST(ReplayGpu, LinesOfARowFollowEachOtherAtTheGapOverLineBoundsAndRepetitions)
{
    ReplayPair system;
    ReplayGpu::Row row = write_row(0, 200, 60);  // pieces of 4, 64, 64 and 64 bytes, and 4 more
    row.gap = 1'000'000;
    row.left = 3;
    system.replay->start("rows", {row}, 1);
    sc_core::sc_start();
    EXPECT_EQ(system.replay->lines(), 15U);
    const Time last =
        wire_bytes(link_spec, LineOp::write, 4, LineClass::request) * 1'000'000'000'000 / link_spec.bandwidth;
    EXPECT_EQ(system.replay->finish_time(),
        14'000'000 + there(LineOp::write) - wire(LineOp::write, LineClass::request) + last + back(LineOp::write));
}

TEST(ReplayGpu, AFlagIsNoticedByAMonitorAfterTheSumOfTheParts)
{
    ReplayPair system(monitoring());
    const Program wait = one(Operation::Kind::wait, flag_at(0, 7));
    system.launch(wait);
    system.replay->start("rows", {flag_row(2'000'000, 7)}, 1);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], 2'000'000 + there(LineOp::atomic) + l2.latency + g.l2_to_unit);
    EXPECT_EQ(system.full->image().flag(local_of(flag_at(0, 7))), 1U);
}

TEST(ReplayGpu, ARowThatWaitsCountsItsTimeFromTheFlag)
{
    ReplayPair system(monitoring());
    const Program signal = one(Operation::Kind::signal, flag_at(1, 3));
    const Program wait = one(Operation::Kind::wait, flag_at(0, 0));
    system.launch(signal);
    system.launch(wait);
    ReplayGpu::Row row = flag_row(40'000);
    row.after = local_of(flag_at(1, 3));
    ReplayGpu::Row never = row;
    never.after_value = 2;
    never.line = 12;
    system.replay->start("rows.csv", {never, row}, 1);
    sc_core::sc_start();
    const Time flag_there = there(LineOp::atomic);
    EXPECT_EQ(system.done[1], flag_there + 40'000 + there(LineOp::atomic) + l2.latency + g.l2_to_unit);
    EXPECT_FALSE(system.replay->finished());
    EXPECT_FALSE(system.progress.anything_busy());
    EXPECT_EQ(system.replay->blocked(),
        std::vector<std::string>{"gpu1: rows.csv:12 waits for value 2 of flag 3, which has 1"});
}

TEST(ReplayGpu, AddsItsValueAsOftenAsItSays)
{
    ReplayPair system;
    ReplayGpu::Row row = flag_row(0, 2);
    row.value = 3;
    row.left = 4;
    row.gap = 10'000;
    system.replay->start("rows", {row}, 1);
    sc_core::sc_start();
    EXPECT_EQ(system.full->image().flag(local_of(flag_at(0, 2))), 12U);
    EXPECT_EQ(system.replay->finish_time(), 30'000 + there(LineOp::atomic) + back(LineOp::atomic));
}

TEST(ReplayGpu, ItsLatencyIsThatOfItsL2)
{
    L2Spec slow;
    slow.latency = l2.latency + 12'345;
    ReplayPair system(g, slow);
    const Program program = one(Operation::Kind::move, far);
    system.launch(program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], there(LineOp::write) + 12'345 + back(LineOp::write));
}

TEST(ReplayGpu, AnswersStoresAndLoadsAsHits)
{
    ReplayPair system;
    Program program = one(Operation::Kind::move, far);
    program.add_fence(Scope::system);
    program.add_move({far + 64}, {}, 64, ElementType::u8, ReduceOp::sum);
    system.launch(program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], there(LineOp::write) + back(LineOp::write) + there(LineOp::read) + back(LineOp::read));
}

TEST(ReplayGpu, AnswersAtTheRateOfASlice)
{
    L2Spec slow;
    slow.slices = 1;
    slow.bandwidth = 1'000'000'000;  // 64 ns a line
    GpuSpec spec;
    ReplayPair system(spec, slow);
    const Program program = one(Operation::Kind::move, far, 64 * 32);
    system.launch(program, 32);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], there(LineOp::write) + 31 * 64'000 + back(LineOp::write));
}

TEST(ReplayGpu, ARemoteWaitIsAnsweredWhenTheFlagComes)
{
    ReplayPair system(monitoring());
    const Program wait = one(Operation::Kind::wait, flag_at(1, 9));
    Program signal;
    signal.add_compute(3'000'000);
    signal.add_signal(flag_at(1, 9));
    system.launch(wait);
    system.launch(signal);
    sc_core::sc_start();
    const Time answer =
        wire_bytes(link_spec, LineOp::await, 8, LineClass::response) * 1'000'000'000'000 / link_spec.bandwidth;
    EXPECT_EQ(system.done[0],
        3'000'000 + there(LineOp::atomic) + l2.latency + g.l2_to_port + answer + link_spec.latency + g.port_to_unit);
}

TEST(ReplayGpu, NoMoreLinesWithoutAnAnswerThanAllowed)
{
    GpuSpec spec;
    spec.replay_in_flight = 1;
    ReplayPair system(spec);
    system.replay->start("rows", {write_row(0, 64 * 10)}, 1);
    sc_core::sc_start();
    const Time turn = there(LineOp::write) + back(LineOp::write) - g.port_to_unit;
    EXPECT_EQ(system.replay->finish_time(), 10 * turn + g.port_to_unit);
    EXPECT_EQ(system.replay->statistics()[4].name, "time_late");
    EXPECT_EQ(system.replay->statistics()[4].value, static_cast<double>(45 * turn));
    EXPECT_EQ(system.pool.capacity(), 256U);  // one block
}

TEST(ReplayGpu, CostsNoItemUntilItHasSomethingToDo)
{
    ReplayPair system;
    ReplayGpu::Row waits = flag_row(0);
    waits.after = local_of(flag_at(1, 0));
    system.replay->start("rows", {write_row(1'000'000'000), waits}, 1);
    sc_core::sc_start(sc_core::sc_time(900, sc_core::SC_US));
    EXPECT_EQ(system.event_queue.items_run(), 0U);
}

TEST(ReplayGpu, RowsOfOneInstantShareTheWire)
{
    ReplayPair system;
    std::vector<ReplayGpu::Row> rows{write_row(1'000, 128, 64), write_row(1'000), write_row(0, 64, 256)};
    system.replay->start("rows", rows, 1);
    sc_core::sc_start();
    // One wire: the early line, then one after another.
    const Time line = wire(LineOp::write, LineClass::request);
    EXPECT_EQ(system.replay->finish_time(),
        g.unit_to_port + std::max<Time>(line, 1'000) + 3 * line + link_spec.latency + g.port_to_l2 +
            back(LineOp::write));
}

TEST(ReplayGpu, JitterIsUniformOverItsRangeAndAStreamOfTheGpu)
{
    ReplayPair system(monitoring());
    constexpr std::uint64_t most = 1'000'000;
    constexpr std::uint64_t count = 500;
    constexpr std::uint64_t apart = 10 * most;
    std::vector<ReplayGpu::Row> rows;
    std::vector<Program> waits;
    for (std::uint64_t i = 0; i < count; ++i) {
        rows.push_back(flag_row(i * apart, i));
        rows.back().jitter = most;
        waits.push_back(one(Operation::Kind::wait, flag_at(0, i)));
    }
    for (const Program& wait : waits) system.launch(wait);
    system.replay->start("rows", rows, 7);
    sc_core::sc_start();
    RandomStream draws(7, 1);
    double sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Time drawn = system.done[i] - i * apart - (there(LineOp::atomic) + l2.latency + g.l2_to_unit);
        EXPECT_EQ(drawn, draws.below(most + 1));
        EXPECT_LE(drawn, most);
        sum += static_cast<double>(drawn);
    }
    // Four standard errors of the mean of so many uniform draws.
    EXPECT_NEAR(sum / count / most, 0.5, 4 * 0.2887 / std::sqrt(count));
}

}  // namespace replay_gpu_test
