#include <list>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_slice_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Traffic = std::vector<std::string>;

}  // namespace

TEST(L2Slice, MissThenHit)
{
    L2Bench bench;
    bench.issue(100, LineOp::read, 5);
    bench.issue(1'000'000, LineOp::read, 5);
    bench.run();
    EXPECT_EQ(bench.at(0), 100 + 60'000 + memory_latency);
    EXPECT_EQ(bench.at(1), 1'060'000u);
    EXPECT_EQ(bench.traffic(), (Traffic{"read 5 @60100"}));
    EXPECT_EQ(bench.statistic("hits"), 1);
    EXPECT_EQ(bench.statistic("misses"), 1);
    EXPECT_EQ(bench.statistic("busy"), 2000);
}

TEST(L2Slice, LinesQueueForTheSliceExactly)
{
    L2Bench bench;
    for (unsigned i = 0; i < 20; ++i) bench.issue(0, LineOp::write, i);
    bench.run();
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(bench.at(i), i * step + 60'000);
    EXPECT_EQ(bench.traffic(), Traffic{});  // whole lines need no fill
}

TEST(L2Slice, AccessesToALineOnItsWayWaitForTheSameFill)
{
    L2Bench bench;
    bench.issue(0, LineOp::read, 5);
    bench.issue(0, LineOp::read, 5, 8);
    bench.issue(100'000, LineOp::write, 5, 4);
    bench.run();
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(bench.at(i), 60'000 + memory_latency);
    EXPECT_EQ(bench.traffic(), (Traffic{"read 5 @60000"}));
    EXPECT_EQ(bench.statistic("merged"), 2);
}

TEST(L2Slice, AMergedAccessIsNeverFasterThanAHit)
{
    L2Bench bench;
    bench.issue(0, LineOp::read, 5);
    bench.issue(259'000, LineOp::read, 5);  // the fill arrives 1 ns later
    bench.run();
    EXPECT_EQ(bench.at(0), 260'000u);
    EXPECT_EQ(bench.at(1), 259'000 + 60'000u);
}

TEST(L2Slice, PartialWriteFetchesAndAVictimIsWrittenBack)
{
    L2Bench bench;  // 16 sets of 4 ways: lines 0, 16, 32, 48, 64 share a set
    bench.issue(0, LineOp::write, 0, 8);
    for (unsigned i = 1; i < 4; ++i) bench.issue(1'000'000 * i, LineOp::read, 16 * i);
    bench.issue(5'000'000, LineOp::write, 64);
    bench.issue(6'000'000, LineOp::read, 0);
    bench.run();
    EXPECT_EQ(bench.at(4), 5'060'000u);
    EXPECT_EQ(bench.traffic(),
        (Traffic{"read 0 @60000", "read 16 @1060000", "read 32 @2060000", "read 48 @3060000", "write 0 @5060000",
            "read 0 @6060000"}));
    EXPECT_EQ(bench.statistic("write_backs"), 1);
}

TEST(L2Slice, TheLeastRecentlyUsedLineGoes)
{
    L2Bench bench;
    for (unsigned i = 0; i < 4; ++i) bench.issue(1'000'000 * i, LineOp::read, 16 * i);
    bench.issue(5'000'000, LineOp::read, 0);  // now 16 is the oldest
    bench.issue(6'000'000, LineOp::read, 64);
    bench.issue(7'000'000, LineOp::read, 0);   // still there
    bench.issue(8'000'000, LineOp::read, 16);  // gone
    bench.run();
    EXPECT_EQ(bench.at(6), 7'060'000u);
    EXPECT_EQ(bench.at(7), 8'060'000 + memory_latency);
}

TEST(L2Slice, MissesBeyondTheLimitWaitInOrder)
{
    L2Spec spec = small_l2();
    spec.outstanding_misses = 2;
    L2Bench bench(spec);
    for (unsigned i = 0; i < 6; ++i) bench.issue(0, LineOp::read, i);
    bench.issue(10'000, LineOp::write, 9);  // needs no miss
    bench.run();
    for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(bench.at(i), i * step + 60'000 + memory_latency);
    for (unsigned i = 2; i < 6; ++i) EXPECT_EQ(bench.at(i), bench.at(i - 2) + memory_latency);
    EXPECT_EQ(bench.at(6), 70'000u);
}

TEST(L2Slice, AWholeLineWriteThatHadToWaitStillFetchesNothing)
{
    L2Spec spec = small_l2();
    spec.size = 64;
    spec.ways = 1;
    L2Bench bench(spec);  // one line in all
    bench.issue(0, LineOp::read, 1);
    bench.issue(5000, LineOp::write, 2);
    bench.issue(1'000'000, LineOp::read, 3);
    bench.run();
    EXPECT_EQ(bench.at(1), 60'000 + memory_latency);  // when the fill has freed the only way
    EXPECT_EQ(bench.traffic(), (Traffic{"read 1 @60000", "write 2 @1060000", "read 3 @1060000"}));
}

TEST(L2Slice, AStalledWriteLeavesItsLineDirty)
{
    L2Spec spec = small_l2();
    spec.outstanding_misses = 1;
    L2Bench bench(spec);
    bench.issue(0, LineOp::read, 1);
    bench.issue(0, LineOp::read, 0);      // stalls
    bench.issue(0, LineOp::write, 0, 8);  // stalls behind it, then merges with it
    for (unsigned i = 1; i < 5; ++i) bench.issue(1'000'000 * i, LineOp::read, 16 * i);
    bench.run();
    EXPECT_EQ(bench.statistic("write_backs"), 1);
}

TEST(L2Slice, FlagsAreResidentAndAtomic)
{
    L2Bench bench(small_l2(), false);
    const std::uint64_t flag = MemoryImage::flag_base / 64;
    bench.issue(0, LineOp::atomic, flag, 8).set_operand(5);
    bench.issue(0, LineOp::atomic, flag, 8).set_operand(6);
    bench.issue(500'000, LineOp::read, flag, 8);
    bench.issue(600'000, LineOp::write, flag, 8).set_operand(2);
    bench.issue(700'000, LineOp::read, flag, 8);
    bench.run();
    EXPECT_EQ(bench.at(0), 60'000u);
    EXPECT_EQ(bench.at(1), 61'000u);
    EXPECT_EQ(bench.issuer.done[2].data[0], 11);
    EXPECT_EQ(bench.issuer.done[4].data[0], 2);
    EXPECT_EQ(bench.traffic(), Traffic{});
    EXPECT_EQ(bench.statistic("flag_operations"), 5);
}

TEST(L2Slice, AnAwaitIsAnsweredOnceTheValueIsThere)
{
    L2Bench bench(small_l2(), false);
    const std::uint64_t flag = MemoryImage::flag_base / 64;
    bench.issue(0, LineOp::await, flag, 8).set_operand(3);
    bench.issue(0, LineOp::await, flag + 1, 8).set_operand(1);
    for (unsigned i = 1; i <= 3; ++i) bench.issue(1'000'000 * i, LineOp::atomic, flag, 8).set_operand(1);
    bench.issue(4'000'000, LineOp::await, flag, 8).set_operand(3);  // at once
    bench.issue(5'000'000, LineOp::write, flag + 1, 8).set_operand(9);
    bench.run();
    EXPECT_EQ(bench.at(0), 3'060'000u);
    EXPECT_EQ(bench.at(1), 5'060'000u);
    EXPECT_EQ(bench.at(5), 4'060'000u);
    EXPECT_TRUE(bench.slice.waiting().empty());
}

TEST(L2Slice, WhoWaitsForAFlagCanBeSeen)
{
    L2Bench bench(small_l2(), false);
    bench.issue(0, LineOp::await, MemoryImage::flag_base / 64, 8).set_operand(3);
    sc_core::sc_start();
    const auto waiting = bench.slice.waiting();
    ASSERT_EQ(waiting.size(), 1u);
    EXPECT_EQ(waiting[0].flag, MemoryImage::flag_base);
    EXPECT_EQ(waiting[0].value, 0u);
    EXPECT_EQ(waiting[0].wanted, 3u);
}

TEST(L2Slice, PlacementIsABijectionAndEveryGroupUsesEverySlice)
{
    for (const std::uint32_t slices : {1U, 2U, 3U, 32U, 48U, 80U}) {
        std::set<std::pair<std::uint32_t, std::uint64_t>> places;
        for (std::uint64_t line = 0; line < slices * 300ULL; ++line) {
            const SlicePlace place = slice_place(line, Divider(slices));
            ASSERT_LT(place.slice, slices);
            places.insert({place.slice, place.number});
        }
        EXPECT_EQ(places.size(), slices * 300ULL);
    }
}

TEST(L2Slice, PlacementIsExactInALargeMemoryToo)
{
    std::mt19937_64 random(1);
    for (const std::uint32_t slices : {1U, 3U, 32U, 80U, 1000U, 1024U}) {
        const Divider divider(slices);
        for (unsigned i = 0; i < 100'000; ++i) {
            const std::uint64_t line = i % 2 == 0 ? random() >> 24 : random() % 5 + (random() >> 24) / slices * slices;
            ASSERT_EQ(divider.quotient(line), line / slices) << line << " / " << slices;
            ASSERT_EQ(slice_place(line, divider).number, line / slices);
        }
    }
}

TEST(L2Slice, AFillIsForTheAddressThatMissed)
{
    // A slice among several turns its own numbering back into addresses.
    L2Spec spec = small_l2();
    spec.slices = 6;
    spec.size = 6 * 64 * 4;
    L2Bench bench(spec, true, 2);
    std::vector<std::uint64_t> lines;
    for (std::uint64_t line = 0; lines.size() < 40; ++line)
        if (slice_place(line * 7919, Divider(6)).slice == 2) lines.push_back(line * 7919);
    for (std::size_t i = 0; i < lines.size(); ++i) bench.issue(1'000'000 * i, LineOp::write, lines[i], 16);
    bench.run();
    std::size_t fetched = 0;
    std::size_t written = 0;
    for (std::size_t i = 0; i < bench.memory.addresses.size(); ++i) {
        const bool fetch = bench.memory.operations[i] == LineOp::read;
        const std::size_t index = fetch ? fetched++ : written++;
        EXPECT_EQ(bench.memory.addresses[i], global_address(3, lines[index] * 64));
    }
    EXPECT_EQ(fetched, 40u);
    EXPECT_EQ(written, 36u);
}

namespace {

Time last_answer(const L2Spec& spec, double* misses = nullptr)
{
    const std::string text = in_child([&] {
        L2Bench bench(spec);
        // Two rounds over lines that fit exactly, then a burst.
        for (unsigned round = 0; round < 2; ++round)
            for (unsigned i = 0; i < 64; ++i) bench.issue((round * 64 + i) * 1'000'000, LineOp::read, i * spec.slices);
        for (unsigned i = 0; i < 12; ++i) bench.issue(200'000'000, LineOp::read, (1000 + i) * spec.slices);
        bench.run();
        Time last = 0;
        for (const auto& done : bench.issuer.done) last = std::max(last, done.at);
        return std::to_string(last) + " " + std::to_string(bench.statistic("misses"));
    });
    if (misses != nullptr) *misses = std::stod(text.substr(text.find(' ')));
    return std::stoull(text);
}

}  // namespace

TEST(L2Slice, EveryParameterMovesTheRightNumberInTheRightDirection)
{
    double misses = 0;
    const Time base = last_answer(small_l2(), &misses);
    EXPECT_EQ(misses, 64 + 12);
    // Twelve misses, eight at once: the last starts when the fourth of them has ended.
    EXPECT_EQ(base, 200'000'000 + 3 * step + 60'000 + 2 * memory_latency);
    L2Spec spec = small_l2();
    spec.outstanding_misses = 12;
    EXPECT_EQ(last_answer(spec), 200'000'000 + 11 * step + 60'000 + memory_latency);
    spec = small_l2();
    spec.latency += 11;
    EXPECT_EQ(last_answer(spec), base + 11);
    spec = small_l2();
    spec.bandwidth *= 2;
    EXPECT_EQ(last_answer(spec), base - 3 * step / 2);
    spec = small_l2();
    spec.size /= 2;  // the second round misses again
    EXPECT_EQ(last_answer(spec, &misses), base);
    EXPECT_EQ(misses, 128 + 12);
    spec = small_l2();
    spec.ways = 64;  // one set of all lines: the burst replaces, nothing else changes
    EXPECT_EQ(last_answer(spec, &misses), base);
    EXPECT_EQ(misses, 64 + 12);
    // Four ways of one set against four sets of one: lines of one set push each other out.
    spec = small_l2();
    spec.size = 256;
    const auto pressed = [](std::uint64_t ways) {
        return std::stod(in_child([ways] {
            L2Spec spec = small_l2();
            spec.size = 256;
            spec.ways = ways;
            L2Bench bench(spec);
            for (unsigned i = 0; i < 40; ++i) bench.issue(1'000'000 * i, LineOp::read, i % 2 * 4);
            bench.run();
            return std::to_string(bench.statistic("misses"));
        }));
    };
    EXPECT_EQ(pressed(4), 2);
    EXPECT_EQ(pressed(1), 40);
    spec = small_l2();
    spec.slices = 2;  // this slice has half of everything
    EXPECT_EQ(last_answer(spec, &misses), 200'000'000 + 3 * 2 * step + 60'000 + 2 * memory_latency);
    EXPECT_EQ(misses, 128 + 12);
}

TEST(L2Slice, AgreesWithAReferenceOverRandomAccessesOneAtATime)
{
    L2Bench bench;
    struct Entry {
        std::uint64_t line;
        bool dirty;
    };
    std::vector<std::list<Entry>> sets(16);
    std::vector<std::uint8_t> flat(256 * 64, 0);
    std::mt19937 random(11);
    std::vector<Time> expected;
    std::vector<std::vector<std::uint8_t>> data;
    unsigned fetches = 0;
    unsigned write_backs = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        const std::uint64_t line = random() % 3 == 0 ? random() % 256 : random() % 40;
        const bool write = random() % 2 == 0;
        const std::uint32_t size = random() % 2 == 0 ? 64 : 1 + random() % 63;
        Line& access = bench.issue(i * 1'000'000ULL, write ? LineOp::write : LineOp::read, line, size);
        for (unsigned k = 0; write && k < size; ++k)
            flat[line * 64 + k] = access.data()[k] = static_cast<std::uint8_t>(random());
        data.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(line * 64),
            flat.begin() + static_cast<std::ptrdiff_t>(line * 64 + size));
        std::list<Entry>& set = sets[line % 16];
        auto found = std::find_if(set.begin(), set.end(), [line](const Entry& entry) { return entry.line == line; });
        Time answer = i * 1'000'000ULL + 60'000;
        if (found != set.end()) {
            set.splice(set.begin(), set, found);
        } else {
            if (!write || size < 64) {
                ++fetches;
                answer += memory_latency;
            }
            if (set.size() == 4) {
                write_backs += set.back().dirty ? 1 : 0;
                set.pop_back();
            }
            set.push_front({line, false});
        }
        set.front().dirty |= write;
        expected.push_back(answer);
    }
    bench.run();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(bench.at(i), expected[i]) << i;
        ASSERT_EQ(bench.issuer.done[i].data, data[i]) << i;
    }
    EXPECT_EQ(bench.statistic("misses"), fetches);
    EXPECT_EQ(bench.statistic("write_backs"), write_backs);
}

TEST(L2Slice, UnderPressureNothingIsLostAndMemoryIsInOrderOfArrival)
{
    L2Spec spec = small_l2();
    spec.size = 1024;  // 4 sets of 4
    spec.outstanding_misses = 3;
    spec.outstanding_write_backs = 2;
    spec.write_back_run = 2;
    L2Bench bench(spec);
    std::mt19937 random(5);
    std::vector<std::uint8_t> flat(128 * 64, 0);
    std::vector<std::vector<std::uint8_t>> data;
    Time at = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        at += random() % 40'000;
        const std::uint64_t line = random() % 128;
        const std::uint32_t size = random() % 2 == 0 ? 64 : 1 + random() % 63;
        const bool write = random() % 2 == 0;
        Line& access = bench.issue(at, write ? LineOp::write : LineOp::read, line, size);
        for (unsigned k = 0; write && k < size; ++k)
            flat[line * 64 + k] = access.data()[k] = static_cast<std::uint8_t>(random());
        data.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(line * 64),
            flat.begin() + static_cast<std::ptrdiff_t>(line * 64 + size));
    }
    bench.run();
    for (std::size_t i = 0; i < data.size(); ++i) {
        ASSERT_EQ(bench.issuer.done[i].data, data[i]) << i;
        ASSERT_GE(bench.at(i), bench.issuer.done[i].sent + 60'000) << i;
    }
    EXPECT_EQ(bench.statistic("hits") + bench.statistic("misses") + bench.statistic("merged"), 20'000);
    EXPECT_GT(bench.statistic("merged"), 100);
    EXPECT_GT(bench.statistic("write_backs"), 100);
    EXPECT_GT(bench.statistic("write_back_waits"), 100);
    double fetched = 0;
    for (const LineOp op : bench.memory.operations) fetched += op == LineOp::read ? 1 : 0;
    EXPECT_EQ(fetched, bench.statistic("misses"));
}

}  // namespace l2_slice_test
