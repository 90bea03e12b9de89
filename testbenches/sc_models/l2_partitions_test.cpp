// Two mirrored partitions: near hits, far hits, copies, victims that move, and the way between them.
#include <array>
#include <list>
#include <random>
#include <set>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_partitions_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Traffic = std::vector<std::string>;

constexpr Time near_hit = 60'000;
constexpr Time far_hit = 60'000 + 24'000 + 60'000 + 24'000;
constexpr Time miss = near_hit + memory_latency;
constexpr Time us = 1'000'000;

// A slice of 16 sets of 4 ways in each partition.
L2Spec two_partitions()
{
    L2Spec spec = small_l2();
    spec.size *= 2;
    spec.slices = 2;
    spec.bandwidth *= 2;
    spec.partitions = 2;
    spec.far_latency = 24'000;
    spec.far_bandwidth = 64'000'000'000;
    return spec;
}

unsigned home_of(std::uint64_t line, unsigned shift = 0) { return slice_place(line >> shift, Divider(2)).slice; }

// The i-th line with that home of the first set that has such lines.
std::uint64_t line_of_set(unsigned i, unsigned home)
{
    // Number in the slice: 2 x group + home, 16 sets.
    const std::uint64_t group = 8 * i;
    return group * 2 + (home_of(group * 2) == home ? 0 : 1);
}

}  // namespace

TEST(L2Partitions, NearHitFarHitAndMiss)
{
    for (const unsigned home : {0U, 1U}) {
        in_child([home] {
            L2Bench bench(two_partitions());
            const std::uint64_t line = line_of_set(3, home);
            bench.issue_in(0, 0, LineOp::read, line);
            bench.issue_in(0, us, LineOp::read, line);
            bench.issue_in(1, 2 * us, LineOp::read, line);
            bench.issue_in(1, 3 * us, LineOp::read, line);  // it has come near
            bench.issue_in(0, 4 * us, LineOp::read, line);  // and stayed here
            bench.run();
            EXPECT_EQ(bench.at(0), miss);  // whichever memory has it
            EXPECT_EQ(bench.at(1), us + near_hit);
            EXPECT_EQ(bench.at_other(0), 2 * us + far_hit);
            EXPECT_EQ(bench.at_other(1), 3 * us + near_hit);
            EXPECT_EQ(bench.at(2), 4 * us + near_hit);
            const Traffic read{"read " + std::to_string(line) + " @60000"};
            EXPECT_EQ(bench.traffic(), home == 0 ? read : Traffic{});
            EXPECT_EQ(L2Bench::traffic_of(*bench.other_memory), home == 1 ? read : Traffic{});
            EXPECT_EQ(bench.statistic("hits"), 3);
            EXPECT_EQ(bench.statistic("misses"), 1);
            EXPECT_EQ(bench.statistic("far_hits"), 1);
            EXPECT_EQ(bench.statistic("copies"), 1);
            // The far hit, and the fill where it came from the other side's memory.
            EXPECT_EQ(bench.statistic("far_bytes"), home == 1 ? 128 : 64);
            EXPECT_EQ(bench.statistic("busy"), 5 * step);  // a far hit occupies the far slice only
            return std::string();
        });
    }
}

TEST(L2Partitions, AWriteLeavesOneCopy)
{
    L2Bench bench(two_partitions());
    const std::uint64_t line = line_of_set(1, 0);
    bench.issue_in(0, 0, LineOp::read, line);
    bench.issue_in(1, us, LineOp::read, line);
    bench.issue_in(0, 2 * us, LineOp::write, line);
    bench.issue_in(0, 3 * us, LineOp::read, line);
    bench.issue_in(1, 4 * us, LineOp::read, line);      // gone from here
    bench.issue_in(1, 5 * us, LineOp::write, line, 8);  // part of a line that is here
    bench.issue_in(0, 6 * us, LineOp::write, line, 8);  // part of one that is there only: fetched, and gone there
    bench.issue_in(1, 7 * us, LineOp::read, line);
    bench.run();
    EXPECT_EQ(bench.at(1), 2 * us + near_hit);
    EXPECT_EQ(bench.at(2), 3 * us + near_hit);
    EXPECT_EQ(bench.at_other(1), 4 * us + far_hit);
    EXPECT_EQ(bench.at_other(2), 5 * us + near_hit);
    EXPECT_EQ(bench.at(3), 6 * us + far_hit);
    EXPECT_EQ(bench.at_other(3), 7 * us + far_hit);
    EXPECT_EQ(bench.statistic("far_hits"), 4);
    EXPECT_EQ(bench.statistic("copies"), 3);
    EXPECT_EQ(bench.statistic("misses"), 1);
}

TEST(L2Partitions, AVictimMovesToTheOtherPartitionAndLeavesTheCacheFromThere)
{
    L2Bench bench(two_partitions());
    // Five lines of a set of four ways: the first, which is written, has to go.
    bench.issue_in(0, 0, LineOp::write, line_of_set(0, 0));
    for (unsigned i = 1; i < 5; ++i) bench.issue_in(0, i * us, LineOp::read, line_of_set(i, 0));
    bench.issue_in(1, 5 * us, LineOp::read, line_of_set(0, 0));  // moved there: near for that side
    bench.issue_in(0, 6 * us, LineOp::read, line_of_set(0, 0));  // far for this one; displaces line 1
    bench.issue_in(0, 7 * us, LineOp::read, line_of_set(1, 0));
    bench.run();
    EXPECT_EQ(bench.at_other(0), 5 * us + near_hit);
    EXPECT_EQ(bench.at(5), 6 * us + far_hit);
    EXPECT_EQ(bench.at(6), 7 * us + far_hit);
    EXPECT_EQ(bench.statistic("write_backs"), 0);
    EXPECT_EQ(bench.statistic("moved_victims"), 3);
    EXPECT_EQ(bench.statistic("copies"), 2);
    EXPECT_EQ(bench.statistic("far_bytes"), (3 + 2) * 64);
}

TEST(L2Partitions, ADirtyLineIsWrittenBackToTheMemoryOfItsHomeWhenItLeaves)
{
    for (const unsigned home : {0U, 1U}) {
        in_child([home] {
            L2Bench bench(two_partitions());
            bench.issue_in(0, 0, LineOp::write, line_of_set(0, home));
            for (unsigned i = 1; i < 9; ++i) bench.issue_in(0, i * us, LineOp::read, line_of_set(i, home));
            bench.run();
            Traffic expected;
            for (unsigned i = 1; i < 8; ++i)
                expected.push_back(
                    "read " + std::to_string(line_of_set(i, home)) + " @" + std::to_string(i * us + 60'000));
            expected.push_back("write " + std::to_string(line_of_set(0, home)) + " @8060000");
            expected.push_back("read " + std::to_string(line_of_set(8, home)) + " @8060000");
            EXPECT_EQ(home == 0 ? bench.traffic() : L2Bench::traffic_of(*bench.other_memory), expected);
            EXPECT_EQ(bench.statistic("write_backs"), 1);
            EXPECT_EQ(bench.statistic("moved_victims"), 5);
            return std::string();
        });
    }
}

TEST(L2Partitions, AReadOfWhatTheOtherSideIsFetchingWaitsForThatFill)
{
    L2Bench bench(two_partitions());
    const std::uint64_t line = line_of_set(2, 0);
    bench.issue_in(0, 0, LineOp::read, line);
    bench.issue_in(1, 10'000, LineOp::read, line);
    bench.run();
    EXPECT_EQ(bench.at(0), miss);
    EXPECT_EQ(bench.at_other(0), miss + 24'000);
    EXPECT_EQ(bench.statistic("misses"), 1);
    EXPECT_EQ(bench.statistic("far_hits"), 1);
}

TEST(L2Partitions, FarHitsTakeTurnsOnTheWayBetweenThePartitions)
{
    const auto times = [](std::uint64_t rate, Time latency) {
        return in_child([rate, latency] {
            L2Spec spec = two_partitions();
            spec.far_bandwidth = rate;
            spec.far_latency = latency;
            spec.outstanding_misses = 16;
            L2Bench bench(spec);
            for (unsigned i = 0; i < 16; ++i) bench.issue_in(1, i * us, LineOp::read, i);
            for (unsigned i = 0; i < 16; ++i) bench.issue_in(0, 100 * us, LineOp::read, i);
            bench.run();
            std::string out;
            for (unsigned i : {0U, 1U, 15U}) out += std::to_string(bench.at(i) - 100 * us) + " ";
            return out;
        });
    };
    EXPECT_EQ(times(64'000'000'000, 24'000), "168000 169000 183000 ");  // as fast as a slice
    EXPECT_EQ(times(16'000'000'000, 24'000), "168000 172000 228000 ");  // 4 ns a line
    EXPECT_EQ(times(64'000'000'000, 30'000), "180000 181000 195000 ");
}

TEST(L2Partitions, FlagsAndAtomicsAreOneStepWhereverTheyAreAskedFor)
{
    L2Bench bench(two_partitions());
    const std::uint64_t flag = MemoryImage::flag_base / 64;
    bench.issue_in(0, 0, LineOp::atomic, flag, 8).set_operand(5);
    bench.issue_in(1, 0, LineOp::atomic, flag, 8).set_operand(6);
    bench.issue_in(1, 500'000, LineOp::read, flag, 8);
    bench.issue_in(1, us, LineOp::await, flag, 8).set_operand(12);
    bench.issue_in(0, 2 * us, LineOp::atomic, flag, 8).set_operand(1);
    bench.run();
    EXPECT_EQ(bench.other->done[1].data[0], 11);
    EXPECT_EQ(bench.at_other(2), 2 * us + near_hit);
}

TEST(L2Partitions, AChaseOfOneSideFindsHalfTheCacheNearAndTheRestFar)
{
    // Mean latency of the second round of a chase over `lines` lines; each partition has 64.
    const auto plateau = [](unsigned lines) {
        return std::stod(in_child([lines] {
            L2Bench bench(two_partitions());
            for (unsigned i = 0; i < 3 * lines; ++i) bench.issue_in(0, i * us, LineOp::read, i % lines);
            bench.run();
            Time sum = 0;
            for (unsigned i = 2 * lines; i < 3 * lines; ++i) sum += bench.at(i) - i * us;
            return std::to_string(static_cast<double>(sum) / lines);
        }));
    };
    EXPECT_EQ(plateau(32), near_hit);
    EXPECT_EQ(plateau(64), near_hit);
    EXPECT_EQ(plateau(80), far_hit);
    EXPECT_EQ(plateau(128), far_hit);
    EXPECT_EQ(plateau(160), miss);
    EXPECT_EQ(plateau(200), miss);
}

namespace {

// Both partitions, accesses one at a time, written with lists.
class Reference {
public:
    explicit Reference(unsigned sectors) : sectors_(sectors), sets_{Sets(16 / sectors), Sets(16 / sectors)} {}

    Time access(unsigned p, std::uint64_t line, bool write, bool whole)
    {
        const std::uint64_t pair = line / sectors_;
        const auto sector = static_cast<unsigned>(line % sectors_);
        const std::uint64_t tag = pair / 2 * 2 + home_of(pair);
        Set& set = set_of(p, tag);
        auto found = find(set, tag);
        if (found != set.end()) set.splice(set.begin(), set, found);
        const bool tag_there = found != set.end();
        if (tag_there && set.front().state[sector] != absent) {
            if (write) {
                set.front().state[sector] = dirty;
                drop(1 - p, tag, sector);
            }
            return near_hit;
        }
        const bool far = holds(1 - p, tag, sector);
        const bool fetched = !write || !whole;
        if (!fetched) drop(1 - p, tag, sector);
        Entry victim{0, {absent, absent}};
        if (!tag_there) {
            if (set.size() == 4) {
                victim = set.back();
                set.pop_back();
            }
            set.push_front({tag, {absent, absent}});
        }
        set.front().state[sector] = write ? dirty : clean;
        if (victim.state[0] != absent || victim.state[1] != absent) move(1 - p, victim);
        if (!fetched) return near_hit;
        if (write) drop(1 - p, tag, sector);
        ++(far ? far_hits : misses);
        return far ? far_hit : miss;
    }
    bool dirty_once() const
    {
        std::set<std::pair<std::uint64_t, unsigned>> seen;
        for (const Sets& sets : sets_)
            for (const Set& set : sets)
                for (const Entry& entry : set)
                    for (unsigned k = 0; k < 2; ++k)
                        if (entry.state[k] == dirty && !seen.insert({entry.tag, k}).second) return false;
        return true;
    }

    unsigned misses = 0;
    unsigned far_hits = 0;
    unsigned write_backs = 0;
    unsigned moved = 0;

private:
    enum State { absent, clean, dirty };
    struct Entry {
        std::uint64_t tag;
        std::array<State, 2> state;
    };
    using Set = std::list<Entry>;
    using Sets = std::vector<Set>;

    Set& set_of(unsigned p, std::uint64_t tag) { return sets_[p][tag % sets_[p].size()]; }
    static Set::iterator find(Set& set, std::uint64_t tag)
    {
        return std::find_if(set.begin(), set.end(), [tag](const Entry& entry) { return entry.tag == tag; });
    }
    bool holds(unsigned p, std::uint64_t tag, unsigned sector)
    {
        Set& set = set_of(p, tag);
        const auto entry = find(set, tag);
        return entry != set.end() && entry->state[sector] != absent;
    }
    void drop(unsigned p, std::uint64_t tag, unsigned sector)
    {
        Set& set = set_of(p, tag);
        const auto entry = find(set, tag);
        if (entry == set.end()) return;
        entry->state[sector] = absent;
        if (entry->state[0] == absent && entry->state[1] == absent) set.erase(entry);
    }
    void move(unsigned p, const Entry& victim)
    {
        Set& set = set_of(p, victim.tag);
        const auto entry = find(set, victim.tag);
        if (entry == set.end()) {
            ++moved;
            if (set.size() == 4) {
                for (const State state : set.back().state) write_backs += state == dirty ? 1 : 0;
                set.pop_back();
            }
            set.push_front(victim);
            return;
        }
        set.splice(set.begin(), set, entry);
        bool any = false;
        for (unsigned k = 0; k < 2; ++k) {
            any |= victim.state[k] != absent && entry->state[k] == absent;
            entry->state[k] = std::max(entry->state[k], victim.state[k]);
        }
        moved += any ? 1 : 0;
    }

    unsigned sectors_;
    std::array<Sets, 2> sets_;
};

class L2PartitionsReference : public ::testing::TestWithParam<unsigned> {};

}  // namespace

TEST_P(L2PartitionsReference, AgreesOverRandomAccessesOneAtATime)
{
    L2Spec spec = two_partitions();
    spec.line = 64 * GetParam();
    L2Bench bench(spec);
    Reference reference(GetParam());
    std::mt19937 random(GetParam());
    std::array<std::vector<Time>, 2> expected;
    std::vector<std::uint8_t> flat(400 * 64, 0);
    std::array<std::vector<std::vector<std::uint8_t>>, 2> data;
    for (unsigned i = 0; i < 20'000; ++i) {
        const std::uint64_t line = random() % 3 == 0 ? random() % 400 : random() % 120;
        const unsigned p = random() % 2;
        const bool write = random() % 3 == 0;
        const std::uint32_t size = random() % 2 == 0 ? 64 : 1 + random() % 63;
        Line& access = bench.issue_in(p, i * us, write ? LineOp::write : LineOp::read, line, size);
        for (unsigned k = 0; write && k < size; ++k)
            flat[line * 64 + k] = access.data()[k] = static_cast<std::uint8_t>(random());
        data[p].emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(line * 64),
            flat.begin() + static_cast<std::ptrdiff_t>(line * 64 + size));
        expected[p].push_back(i * us + reference.access(p, line, write, size == 64));
        if (i % 500 == 0) {
            ASSERT_TRUE(reference.dirty_once());
        }
    }
    bench.run();
    for (const unsigned p : {0U, 1U}) {
        const LineIssuer& issuer = p == 0 ? bench.issuer : *bench.other;
        for (std::size_t i = 0; i < expected[p].size(); ++i) {
            ASSERT_EQ(issuer.done[i].at, expected[p][i]) << p << " " << i;
            ASSERT_EQ(issuer.done[i].data, data[p][i]) << p << " " << i;
        }
    }
    EXPECT_EQ(bench.statistic("misses"), reference.misses);
    EXPECT_EQ(bench.statistic("far_hits"), reference.far_hits);
    EXPECT_EQ(bench.statistic("write_backs"), reference.write_backs);
    EXPECT_EQ(bench.statistic("moved_victims"), reference.moved);
    EXPECT_GT(reference.far_hits, 1000u);
    EXPECT_GT(reference.write_backs, 500u);
}

INSTANTIATE_TEST_SUITE_P(Sectors, L2PartitionsReference, ::testing::Values(1U, 2U));

TEST(L2Partitions, UnderPressureNothingIsLostAndTheSameRunGivesTheSameTimes)
{
    const auto run = [](std::uint64_t line_size) {
        return in_child([line_size] {
            L2Spec spec = two_partitions();
            spec.size = 2048;
            spec.line = line_size;
            spec.outstanding_misses = 3;
            spec.merges = 2;
            spec.outstanding_write_backs = 1;
            spec.write_back_run = 4;
            L2Bench bench(spec);
            std::mt19937 random(5);
            Time at = 0;
            for (unsigned i = 0; i < 20'000; ++i) {
                at += 1 + random() % 40'000;
                const std::uint64_t line = random() % 4 == 0 ? random() % 200 : random() % 30;
                const std::uint32_t size = random() % 2 == 0 ? 64 : 1 + random() % 63;
                const bool write = random() % 3 == 0;
                const unsigned p = random() % 2;
                Line& access = bench.issue_in(p, at, write ? LineOp::write : LineOp::read, line, size);
                for (unsigned k = 0; write && k < size; ++k) access.data()[k] = static_cast<std::uint8_t>(line);
            }
            bench.run();
            std::string times;
            for (const LineIssuer* issuer : {&bench.issuer, bench.other.get()}) {
                for (const LineIssuer::Done& done : issuer->done) {
                    EXPECT_GE(done.at, done.sent + near_hit);
                    times += std::to_string(done.at) + " ";
                    // Every line holds its number or, where nothing has been written, nothing.
                    const auto number = static_cast<std::uint8_t>(local_of(done.address) / 64);
                    for (const std::uint8_t byte : done.data) EXPECT_TRUE(byte == number || byte == 0);
                }
            }
            EXPECT_EQ(bench.statistic("hits") + bench.statistic("misses") + bench.statistic("merged") +
                    bench.statistic("far_hits"),
                20'000);
            double fetched = 0;
            for (const LineMemory* memory : {&bench.memory, bench.other_memory.get()})
                for (const LineOp op : memory->operations) fetched += op == LineOp::read ? 1 : 0;
            EXPECT_EQ(fetched, bench.statistic("misses"));
            EXPECT_GT(bench.statistic("merged"), 100);
            EXPECT_GT(bench.statistic("far_hits"), 100);
            EXPECT_GT(bench.statistic("write_back_waits"), 50);
            return times;
        });
    };
    EXPECT_EQ(run(64), run(64));
    EXPECT_EQ(run(128), run(128));
}

}  // namespace l2_partitions_test
