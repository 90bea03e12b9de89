// Lines of two sectors, the limit on merging, and the bandwidth of a slice against lines in flight.
#include <list>
#include <random>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_sectors_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Traffic = std::vector<std::string>;

L2Spec sectored()
{
    L2Spec spec = small_l2();  // 8 sets of 4 ways of 128 B
    spec.line = 128;
    return spec;
}

}  // namespace

TEST(L2Sectors, APairOfSectorsSharesATagAndEachIsFetchedByItself)
{
    L2Bench bench(sectored());
    bench.issue(0, LineOp::read, 6);
    bench.issue(1'000'000, LineOp::read, 7);  // same tag, other sector
    bench.issue(2'000'000, LineOp::read, 7);
    bench.issue(3'000'000, LineOp::read, 8);  // next tag
    bench.run();
    EXPECT_EQ(bench.at(0), 60'000 + memory_latency);
    EXPECT_EQ(bench.at(1), 1'060'000 + memory_latency);
    EXPECT_EQ(bench.at(2), 2'060'000u);
    EXPECT_EQ(bench.traffic(), (Traffic{"read 6 @60000", "read 7 @1060000", "read 8 @3060000"}));
    EXPECT_EQ(bench.statistic("misses"), 3);
    EXPECT_EQ(bench.statistic("sector_misses"), 1);
}

TEST(L2Sectors, ASectorOnItsWayDoesNotHoldUpTheOther)
{
    L2Bench bench(sectored());
    bench.issue(0, LineOp::read, 6);
    bench.issue(10'000, LineOp::write, 7);
    bench.issue(20'000, LineOp::read, 7);
    bench.issue(30'000, LineOp::read, 6);
    bench.run();
    EXPECT_EQ(bench.at(1), 70'000u);
    EXPECT_EQ(bench.at(2), 80'000u);
    EXPECT_EQ(bench.at(3), 60'000 + memory_latency);
    EXPECT_EQ(bench.statistic("merged"), 1);
}

TEST(L2Sectors, ADisplacedTagTakesBothSectorsAlongAndWritesBackTheDirtyOnes)
{
    L2Bench bench(sectored());  // tags 0, 8, 16, 24, 32 share a set: lines 0, 16, 32, ...
    bench.issue(0, LineOp::write, 0);
    bench.issue(1'000'000, LineOp::write, 1);
    bench.issue(2'000'000, LineOp::read, 16);
    bench.issue(3'000'000, LineOp::write, 17);
    for (unsigned i = 2; i < 6; ++i) bench.issue(2'000'000 * i, LineOp::read, 16 * i);
    bench.issue(20'000'000, LineOp::read, 1);
    bench.run();
    EXPECT_EQ(bench.traffic(),
        (Traffic{"read 16 @2060000", "read 32 @4060000", "read 48 @6060000", "write 0 @8060000", "write 1 @8060000",
            "read 64 @8060000", "write 17 @10060000", "read 80 @10060000", "read 1 @20060000"}));
}

TEST(L2Sectors, AStreamOfStride128HasHalfTheFootprint)
{
    // Reads of a second round that miss, over `lines` lines of a stride.
    const auto second_round = [](std::uint64_t line, unsigned lines, unsigned stride) {
        return std::stod(in_child([&] {
            L2Spec spec = small_l2();  // 4 KiB
            spec.line = line;
            L2Bench bench(spec);
            for (unsigned i = 0; i < 2 * lines; ++i) bench.issue(i * 1'000'000ULL, LineOp::read, i % lines * stride);
            bench.run();
            return std::to_string(bench.statistic("misses") - lines);
        }));
    };
    // Everything of 4 KiB in a row fits either way.
    EXPECT_EQ(second_round(64, 64, 1), 0);
    EXPECT_EQ(second_round(128, 64, 1), 0);
    // Every other line: 64 tags of 64 B hold 64 of them in half the sets they could use, 32 tags of 128 B hold 32.
    EXPECT_EQ(second_round(64, 32, 2), 0);
    EXPECT_EQ(second_round(128, 32, 2), 0);
    EXPECT_EQ(second_round(128, 64, 2), 64);
    // By tags: 64 scattered lines of 64 B fit, of 128 B half as many.
    EXPECT_EQ(second_round(64, 64, 3), 0);
    EXPECT_EQ(second_round(128, 64, 3), 64);
}

TEST(L2Sectors, AgreesWithAReferenceOverRandomAccessesOneAtATime)
{
    L2Bench bench(sectored());
    struct Entry {
        std::uint64_t tag;
        bool here[2];
        bool dirty[2];
    };
    std::vector<std::list<Entry>> sets(8);
    std::mt19937 random(12);
    std::vector<Time> expected;
    unsigned fetches = 0;
    unsigned sector_misses = 0;
    unsigned write_backs = 0;
    for (unsigned i = 0; i < 5000; ++i) {
        const std::uint64_t line = random() % 3 == 0 ? random() % 512 : random() % 80;
        const bool write = random() % 2 == 0;
        const std::uint32_t size = random() % 2 == 0 ? 64 : 1 + random() % 63;
        bench.issue(i * 1'000'000ULL, write ? LineOp::write : LineOp::read, line, size);
        std::list<Entry>& set = sets[line / 2 % 8];
        auto found = std::find_if(set.begin(), set.end(), [line](const Entry& entry) { return entry.tag == line / 2; });
        Time answer = i * 1'000'000ULL + 60'000;
        const bool tag_there = found != set.end();
        if (tag_there) {
            set.splice(set.begin(), set, found);
        } else {
            if (set.size() == 4) {
                for (const bool dirty : set.back().dirty) write_backs += dirty ? 1 : 0;
                set.pop_back();
            }
            set.push_front({line / 2, {false, false}, {false, false}});
        }
        Entry& entry = set.front();
        if (!entry.here[line % 2] && (!write || size < 64)) {
            ++fetches;
            sector_misses += tag_there ? 1 : 0;
            answer += memory_latency;
        }
        entry.here[line % 2] = true;
        entry.dirty[line % 2] |= write;
        expected.push_back(answer);
    }
    bench.run();
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(bench.at(i), expected[i]) << i;
    EXPECT_EQ(bench.statistic("misses"), fetches);
    EXPECT_EQ(bench.statistic("sector_misses"), sector_misses);
    EXPECT_EQ(bench.statistic("write_backs"), write_backs);
    EXPECT_GT(sector_misses, 200u);
}

TEST(L2Sectors, AFillIsForTheAddressThatMissedInEverySlice)
{
    for (const unsigned index : {0U, 2U, 5U}) {
        in_child([index] {
            L2Spec spec = sectored();
            spec.slices = 6;
            spec.size = 6 * 128 * 4;
            L2Bench bench(spec, true, index);
            std::vector<std::uint64_t> lines;
            for (std::uint64_t line = 0; lines.size() < 60; line += 1 + line % 7)
                if (slice_place(line, Divider(6), 1).slice == index) lines.push_back(line);
            for (std::size_t i = 0; i < lines.size(); ++i) bench.issue(1'000'000 * i, LineOp::read, lines[i]);
            bench.run();
            EXPECT_EQ(bench.memory.addresses.size(), 60u);
            for (std::size_t i = 0; i < bench.memory.addresses.size(); ++i)
                EXPECT_EQ(bench.memory.addresses[i], global_address(3, lines[i] * 64));
            return std::string();
        });
    }
}

TEST(L2Merges, AtMostSoManyAccessesJoinAFill)
{
    const auto answers = [](std::uint64_t merges) {
        return in_child([merges] {
            L2Spec spec = small_l2();
            spec.merges = merges;
            L2Bench bench(spec);
            for (unsigned i = 0; i < 5; ++i) bench.issue(0, LineOp::read, 5);
            bench.run();
            std::string out;
            for (unsigned i = 0; i < 5; ++i) out += std::to_string(bench.at(i)) + " ";
            return out + std::to_string(static_cast<int>(bench.statistic("merged"))) + " " +
                std::to_string(static_cast<int>(bench.statistic("hits")));
        });
    };
    EXPECT_EQ(answers(0), "260000 260000 260000 260000 260000 4 0");
    EXPECT_EQ(answers(4), "260000 260000 260000 260000 260000 4 0");
    EXPECT_EQ(answers(2), "260000 260000 260000 320000 320000 2 2");  // the rest are hits when the fill has come
    EXPECT_EQ(answers(1), "260000 260000 320000 320000 320000 1 3");
}

namespace {

// Keeps `depth` reads of `lines` lines in flight.
class ClosedLoop : public sc_core::sc_module, public TimedComponent, public LineInitiator {
public:
    ClosedLoop(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, unsigned depth, unsigned total)
        : sc_module(name), TimedComponent(event_queue, "loop"), out("out", *this), pool_(pool), left_(total)
    {
        for (unsigned i = 0; i < depth; ++i) {
            Line& line = pool_.take();
            line.kind = 0;
            this->event_queue().schedule(line, *this, 0);
        }
    }
    LineInitiatorSocket out;
    static constexpr unsigned warm_up = 1000;
    Time begin = 0;
    Time end = 0;

private:
    Time on_response(unsigned, Line& line, Time delay) override
    {
        event_queue().schedule(line, *this, event_queue().now() + delay);
        return 0;
    }
    void run(ScheduledItem& item) override
    {
        Line& line = Line::of(item);
        end = event_queue().now();
        if (++answered_ == warm_up) begin = end;
        if (left_ == 0) {
            pool_.give(line);
            return;
        }
        line.begin(LineOp::read, global_address(3, left_-- % 16 * 64), 64);
        out.send_request(line, 0);
    }
    LinePool& pool_;
    unsigned left_;
    unsigned answered_ = 0;
};

}  // namespace

TEST(L2Bandwidth, FollowsLittlesLawUpToTheRateOfTheSlice)
{
    for (const unsigned depth : {1U, 4U, 15U, 30U, 45U, 55U, 80U, 200U}) {
        const double measured = std::stod(in_child([depth] {
            constexpr unsigned total = 20'000;
            EventQueue event_queue("event_queue");
            LinePool pool;
            MemoryImage image(false);
            L2Slice slice("slice", event_queue, "slice", small_l2(), 0, image, pool, 3);
            LineMemory memory("memory", event_queue, memory_latency);
            ClosedLoop loop("loop", event_queue, pool, depth, total);
            loop.out.bind(slice.target);
            slice.memory.bind(memory.in);
            sc_core::sc_start();
            const auto time = static_cast<double>(loop.end - loop.begin);
            return std::to_string((total + depth - ClosedLoop::warm_up) * 64e3 / time);
        }));
        const double theory = std::min(64.0, depth * 64.0 / 60.0);  // GB/s
        EXPECT_NEAR(measured, theory, theory * 0.005) << depth;
    }
}

}  // namespace l2_sectors_test
