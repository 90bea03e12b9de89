// A slice as a clocked block: times by theory, data, RTL against reference model, memory that is used again.
#include <fmt/format.h>

#include "base/diagnostic.h"
#include "testbenches/rtl/modules/slice_bench.h"
#include "testbenches/rtl/rtl_test.h"

namespace clocked_slice_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time latency = 60'000;
// A line that is not there: a clock more than a hit and memory.
constexpr Time missed = latency + slice_clock + slice_memory;

// Times and data of all answers, contents of memory and counts.
std::string outcome(const L2Spec& spec, const ClockedSlice::Factory& make, unsigned count, std::uint64_t seed,
    bool data_on = true)
{
    return in_child([&] {
        SliceBench bench(spec, make, data_on);
        issue_random(bench, count, seed);
        bench.run();
        std::string out;
        for (const LineIssuer::Done& done : bench.issuer.done) {
            out += fmt::format("{} ", done.at);
            for (const std::uint8_t byte : done.data) out += data_on ? fmt::format("{:02x}", byte) : "";
        }
        for (const char* name : {"hits", "misses", "merged", "write_backs", "clocks"})
            out += fmt::format(" {} {}", name, bench.statistic(name));
        return out;
    });
}

class ClockedSliceRtl : public RtlTest {};

}  // namespace

TEST(ClockedSlice, AHitTakesTheLatencyFromTheEdge)
{
    SliceBench bench;
    bench.write(1'000'000, 5);
    bench.read(2'000'000, 5);
    bench.read(3'000'001, 5);
    bench.read(4'000'499, 5);
    bench.run();
    EXPECT_EQ(bench.at(0), 1'000'000 + latency);  // a whole line needs no fill
    EXPECT_EQ(bench.at(1), 2'000'000 + latency);
    EXPECT_EQ(bench.at(2), 3'000'500 + latency);
    EXPECT_EQ(bench.at(3), 4'000'500 + latency);
    EXPECT_EQ(bench.statistic("hits"), 4);
    EXPECT_EQ(bench.statistic("misses"), 0);
}

TEST(ClockedSlice, AMissTakesAClockMoreThanTheLatencyAndMemory)
{
    SliceBench bench;
    bench.read(1'000'000, 5);
    bench.issue(2'000'000, LineOp::write, 7 * 64, 32, 9);
    bench.read(3'000'000, 7);
    bench.run();
    EXPECT_EQ(bench.at(0), 1'000'000 + missed);
    EXPECT_EQ(bench.at(1), 2'000'000 + missed);  // fetch on write
    EXPECT_EQ(bench.at(2), 3'000'000 + latency);
    EXPECT_EQ(bench.statistic("misses"), 2);
}

// Tag clocks and one before the read, data clocks and the wire behind the fill.
TEST(ClockedSlice, MemoryIsAskedThreeClocksAfterTheRequestWasTaken)
{
    SliceBench bench;
    bench.read(1'000'000, 5);
    bench.run();
    EXPECT_EQ(bench.memory.arrivals, std::vector<Time>{1'000'000 + 3 * slice_clock});
}

TEST(ClockedSlice, OneRequestAClock)
{
    SliceBench bench;
    for (std::uint64_t i = 0; i < 16; ++i) bench.write(1'000'000, i);
    for (std::uint64_t i = 0; i < 16; ++i) bench.read(2'000'000, i);
    bench.run();
    for (std::uint64_t i = 0; i < 16; ++i) {
        EXPECT_EQ(bench.at(i), 1'000'000 + i * slice_clock + latency);
        EXPECT_EQ(bench.at(16 + i), 2'000'000 + i * slice_clock + latency);
    }
}

// 1 + modify clocks from one to the next.
TEST(ClockedSlice, AtomicsOnAWordTakeTwoClocksEach)
{
    SliceBench bench;
    bench.write(1'000'000, 5, 0);
    for (std::uint64_t i = 0; i < 10; ++i) bench.fetch_add(2'000'000, 5, 3);
    bench.run();
    for (std::uint64_t i = 0; i < 10; ++i) {
        EXPECT_EQ(bench.at(1 + i), 2'000'000 + 2 * i * slice_clock + latency);
        EXPECT_EQ(bench.word(1 + i), 3 * i);
    }
}

// The first at the fill; the second a clock later and the modify clock that the fill takes; the third a clock after that.
TEST(ClockedSlice, RequestsOfALineOnItsWayShareItsFill)
{
    SliceBench bench;
    for (std::uint64_t i = 0; i < 3; ++i) bench.read(1'000'000, 5);
    bench.run();
    for (std::uint64_t i = 0; i < 3; ++i)
        EXPECT_EQ(bench.at(i), 1'000'000 + missed + (i == 0 ? 0 : i + 1) * slice_clock);
    EXPECT_EQ(bench.statistic("merged"), 2);
    EXPECT_EQ(bench.memory.arrivals.size(), 1U);
}

// The credit of a request comes back in the clock in which the block takes it; who waited for it is on the pins in the next.
TEST(ClockedSlice, CreditsComeBackWhenTheBlockTakesTheRequest)
{
    SliceBench bench(small_slice(), reference_slice, true, 0, 1);
    for (std::uint64_t i = 0; i < 8; ++i) bench.write(1'000'100, i);
    bench.run();
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(bench.issuer.done[i].sent, i == 0 ? 1'000'100 : 1'000'000 + i * slice_clock);
        EXPECT_EQ(bench.at(i), 1'000'500 + i * slice_clock + latency);
    }
}

TEST(ClockedSlice, TheClockIsThatOfALineAtTheBandwidthOrAsSet)
{
    L2Spec spec = small_slice();
    EXPECT_EQ(slice_block_spec(spec).clock, slice_clock);
    spec.slices = 3;
    spec.size *= 3;
    EXPECT_EQ(slice_block_spec(spec).clock, 1500U);
    spec.bandwidth = 100'000'000'000;  // 33.3 GB/s each
    EXPECT_EQ(slice_block_spec(spec).clock, 1920U);
    spec.clock = 700;
    EXPECT_EQ(slice_block_spec(spec).clock, 700U);
    EXPECT_EQ(slice_block_spec(spec).rest, 60'000U - 5 * 700);
}

// What has been written is in memory at the end, by way of the block's pins.
TEST(ClockedSlice, VictimsAndTheFlushBringAllToMemory)
{
    SliceBench bench;
    for (std::uint64_t i = 0; i < 200; ++i) bench.write(1'000'000 + i * 1000, i, i + 1);
    for (std::uint64_t i = 0; i < 200; ++i) bench.read(9'000'000 + i * 1000, i);
    bench.run();
    for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(bench.word(200 + i) & 0xff, i + 1);
    EXPECT_GE(bench.statistic("write_backs"), 136);
}

TEST(ClockedSlice, InputsThatWereThereBeforeAreRead)
{
    SliceBench bench;
    std::uint64_t value = 0x1122334455667788;
    bench.image.write(5 * 64, reinterpret_cast<const std::uint8_t*>(&value), 8);
    bench.read(1'000'000, 5);
    bench.fetch_add(2'000'000, 5, 1);
    bench.run();
    EXPECT_EQ(bench.word(0), value);
    EXPECT_EQ(bench.word(1), value);
    std::uint64_t now = 0;
    bench.image.read(5 * 64, reinterpret_cast<std::uint8_t*>(&now), 8);
    EXPECT_EQ(now, value + 1);
}

// Memory that was released and filled anew: the block still has the line of before.
TEST(ClockedSlice, MemoryThatIsUsedAgainIsNew)
{
    SliceBench bench;
    bench.write(1'000'000, 5, 0x11);
    bench.write(1'000'000, 6, 0x22);
    bench.run_on();
    bench.image.discard(5 * 64, 64);
    const std::vector<std::uint8_t> fresh(64, 0x33);
    bench.image.write(5 * 64, fresh.data(), fresh.size());
    bench.read(2'000'000, 5);
    bench.read(2'000'000, 6);
    // Ten times over, with victims of all of them among the rest.
    bench.run_on();
    for (unsigned again = 0; again < 10; ++again) {
        bench.image.discard(5 * 64, 64);
        bench.write(3'000'000 + again * 1'000'000, 5, 0x40 + again);
        for (std::uint64_t i = 0; i < 64; ++i) bench.write(3'000'000 + again * 1'000'000, 1000 + i, i);
        bench.run_on();
    }
    bench.run();
    EXPECT_EQ(bench.word(2), 0x3333333333333333U);
    EXPECT_EQ(bench.word(3) & 0xff, 0x22U);
}

// The same while a request to it waits for memory.
TEST(ClockedSlice, MemoryMayBeReleasedWhileRequestsAreInside)
{
    SliceBench bench;
    bench.issue(1'000'000, LineOp::write, 5 * 64, 32, 0x11);
    bench.read(1'000'000, 5);
    bench.event_queue.set_end(1'050'000);
    sc_core::sc_start();
    const std::vector<std::uint8_t> fresh(64, 0x33);
    bench.image.write_past_caches(5 * 64, fresh.data(), fresh.size());
    bench.event_queue.set_end(~Time{0});
    bench.fetch_add(1'060'000, 5, 1);
    for (std::uint64_t i = 0; i < 100; ++i) bench.write(2'000'000 + 1000 * i, 100 + i, i);
    bench.read(4'000'000, 5);
    bench.run();
    EXPECT_EQ(bench.word(1) & 0xff, 0x11U);
    EXPECT_EQ(bench.word(2), 0x3333333333333333U);
    EXPECT_EQ(bench.word(103), 0x3333333333333334U);
}

TEST(ClockedSlice, FlagsAreServedBeside)
{
    SliceBench bench;
    const std::uint64_t flag = MemoryImage::flag_base;
    bench.issue(1'000'000, LineOp::await, flag, 8, 2);
    bench.issue(1'500'123, LineOp::fetch, flag, 8, 1);
    bench.issue(2'000'123, LineOp::atomic, flag, 8, 1);
    bench.issue(3'000'000, LineOp::read, flag, 8);
    bench.run();
    EXPECT_EQ(bench.at(0), 2'000'123 + latency);
    EXPECT_EQ(bench.at(1), 1'500'123 + latency);
    EXPECT_EQ(bench.at(2), 2'000'123 + latency);
    EXPECT_EQ(bench.word(0), 2U);
    EXPECT_EQ(bench.word(3), 2U);
    EXPECT_EQ(bench.statistic("flag_operations"), 4);
    EXPECT_EQ(bench.statistic("clocks"), 0);
}

TEST(ClockedSlice, PacketsAreFoundWhenTheyHaveCome)
{
    SliceBench bench;
    bench.image.expect_packets(0, 64);
    const auto packets = [&](Time at, LineOp op, std::uint64_t value) {
        bench.issue(at, op, 0, 64, value).flag(LineHeader::packet_flag);
    };
    packets(1'000'000, LineOp::read, 0);
    packets(2'000'000, LineOp::write, 0x55);
    packets(3'000'000, LineOp::read, 0);
    bench.run();
    EXPECT_EQ(bench.word(2) & 0xff, 0x55U);
    EXPECT_TRUE(bench.image.packets_there(0, 64));
}

TEST(ClockedSlice, DebugReadsSeeWhatHasCome)
{
    SliceBench bench;
    bench.write(1'000'000, 5, 0x77);
    bench.run();
    LineTarget& target = bench.slice;
    Line& line = bench.pool.take();
    line.begin(LineOp::read, global_address(3, 5 * 64), 64);
    EXPECT_EQ(target.debug(0, line), 64U);
    EXPECT_EQ(line.data()[20], 0x77);
    // A write past the slice: its line no longer counts.
    line.begin(LineOp::write, global_address(3, 5 * 64), 64);
    std::memset(line.data(), 0x12, 64);
    EXPECT_EQ(target.debug(0, line), 64U);
    bench.pool.give(line);
    bench.read(4'000'000, 5);
    bench.run();
    EXPECT_EQ(bench.word(1) & 0xff, 0x12U);
}

TEST(ClockedSlice, IdleClocksAreLeftOut)
{
    SliceBench bench;
    bench.read(1'000'000, 5);
    bench.write(900'000'000, 6);
    bench.run_on();
    EXPECT_LT(bench.statistic("clocks"), 80);
}

TEST(ClockedSlice, RandomRequestsAreRightAndRepeat)
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const std::string one = outcome(small_slice(), reference_slice, 2000, seed);
        EXPECT_EQ(one, outcome(small_slice(), reference_slice, 2000, seed));
        EXPECT_NE(one, outcome(small_slice(), reference_slice, 2000, seed + 10));
    }
}

TEST(ClockedSlice, DataChangeNoTime)
{
    const auto times = [](bool data_on) {
        return in_child([&] {
            SliceBench bench(small_slice(), reference_slice, data_on);
            issue_random(bench, 2000, 5);
            bench.run();
            std::string out;
            for (const LineIssuer::Done& done : bench.issuer.done) out += fmt::format("{} ", done.at);
            return out;
        });
    };
    EXPECT_EQ(times(true), times(false));
}

// Each slice of several has its share of the addresses, and its numbers on the pins.
TEST(ClockedSlice, ASliceOfSeveralKnowsItsLines)
{
    L2Spec spec = small_slice();
    spec.slices = 5;
    spec.size *= 5;
    spec.bandwidth *= 5;
    SliceBench bench(spec, reference_slice, true, 2);
    const Divider slices(5);
    for (std::uint64_t number = 0; number < 100; ++number) {
        bench.write(1'000'000 + number * 1000, line_of_place(number, 2, slices), number);
        bench.read(9'000'000 + number * 1000, line_of_place(number, 2, slices));
    }
    bench.run();
    for (std::uint64_t number = 0; number < 100; ++number) EXPECT_EQ(bench.word(2 * number + 1) & 0xff, number);
    for (const std::uint64_t address : bench.memory.addresses)
        EXPECT_EQ(slice_place(local_of(address) / 64, slices).slice, 2U);
}

TEST(ClockedSlice, RefusesWhatItIsNot)
{
    const auto refusal = [](const std::function<void(L2Spec&)>& change) -> std::string {
        L2Spec spec = small_slice();
        change(spec);
        try {
            slice_block_spec(spec);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_EQ(refusal([](L2Spec&) {}), "");
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.partitions = 2; }), "l2.partitions=1"));
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.line = 128; }), "l2.line=64"));
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.size *= 5; }), "l2.size=16 KiB, a power of two of sets"));
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.outstanding_misses = 257; }), "l2.outstanding_misses up to 256"));
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.merges = 256; }), "l2.merges up to 255"));
    EXPECT_TRUE(has(refusal([](L2Spec& spec) { spec.latency = 2499; }), "l2.latency of at least 5 clocks"));
    EXPECT_EQ(refusal([](L2Spec& spec) { spec.latency = 2500; }), "");
}

TEST_F(ClockedSliceRtl, IsTheReferenceToThePicosecond)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        EXPECT_EQ(outcome(small_slice(), slice_rtl, 3000, seed), outcome(small_slice(), reference_slice, 3000, seed));
}

TEST_F(ClockedSliceRtl, LockstepFindsNothing)
{
    EXPECT_EQ(outcome(small_slice(), slice_lockstep, 3000, 7), outcome(small_slice(), reference_slice, 3000, 7));
}

}  // namespace clocked_slice_test
