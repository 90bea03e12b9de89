// Packets that are read in another division than they were stored in, and packets at the own rank.
#include <gtest/gtest.h>

#include "collectives/schedule/protocol/packet_divisions.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/synthesis/graphs.h"

namespace packet_divisions_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint32_t chunks = 4;

Step moved(ChunkRef from, ChunkRef to)
{
    Step out;
    out.kind = StepKind::move;
    out.sources = {from};
    out.destinations = {to};
    return out;
}

// Each of two ranks stores `chunks` chunks in packets at rank `to(rank)`, `stored` at a time, which reads them `read` at a time.
template <class To>
Schedule exchange(std::uint32_t stored, std::uint32_t read, To to)
{
    Schedule out;
    out.name = "exchange";
    out.op = CollectiveOp::custom;
    out.chunks = chunks;
    out.ranks.resize(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        out.ranks[rank].packet_chunks = chunks;
        out.ranks[rank].threads.resize(1);
        std::vector<Step>& steps = out.ranks[rank].threads.front().steps;
        for (std::uint32_t i = 0; i < chunks; i += stored)
            steps.push_back(moved({rank, Buffer::input, i, stored}, {to(rank), Buffer::packets, i, stored}));
        for (std::uint32_t i = 0; i < chunks; i += read)
            steps.push_back(moved({rank, Buffer::packets, i, read}, {rank, Buffer::output, i, read}));
    }
    return out;
}
std::uint32_t other(std::uint32_t rank) { return 1 - rank; }
std::uint32_t itself(std::uint32_t rank) { return rank; }

FlowTime played(const Schedule& schedule)
{
    EstimateOptions options;
    options.bytes = 64 << 10;
    return play(std::make_shared<const FlowProgram>(program_of(schedule, false)), star_graph(2), options);
}

}  // namespace

TEST(PacketDivisions, AReadWaitsForStoresThatAreCutAlikeOrForAllToItsSlots)
{
    EXPECT_TRUE(packets_cut_otherwise(exchange(2, 2, other)).empty());
    const auto by_two = packets_cut_otherwise(exchange(1, 2, other));
    ASSERT_EQ(by_two.size(), 4U);  // two reads of each rank
    EXPECT_EQ(by_two.at({0, 2, 2, 0, 1}), (std::vector<PacketDivision>{{0, 2, 1, 0, 1}, {0, 3, 1, 0, 1}}));
    EXPECT_EQ(packets_cut_otherwise(exchange(4, 1, other)).at({1, 3, 1, 0, 1}),
        (std::vector<PacketDivision>{{1, 0, 4, 0, 1}}));

    Schedule halves = exchange(1, 1, other);
    halves.ranks[0].threads[0].steps[0].parts = 2;  // rank 1 has half of its first slot from it
    EXPECT_EQ(packets_cut_otherwise(halves).at({1, 0, 1, 0, 1}), (std::vector<PacketDivision>{{1, 0, 1, 0, 2}}));
}

// Flow fidelity called these plans deadlocks.
TEST(PacketDivisions, StoresAndReadsOfAnySizeEnd)
{
    const FlowTime alike = played(exchange(4, 4, other));
    ASSERT_EQ(alike.left, 2U);
    for (const std::uint32_t stored : {1U, 2U, 4U})
        for (const std::uint32_t read : {1U, 2U, 4U}) {
            SCOPED_TRACE(std::to_string(stored) + " stored, " + std::to_string(read) + " read");
            const FlowTime time = played(exchange(stored, read, other));
            EXPECT_EQ(time.left, 2U);
            // The last packet decides, whatever it is stored and read with.
            EXPECT_NEAR(static_cast<double>(time.end_ps), static_cast<double>(alike.end_ps), 1000);
        }
}

// Of a small message some chunks have no bytes: their stores send no packets, and no read waits for them.
TEST(PacketDivisions, ReadsDoNotWaitForEmptyStores)
{
    const auto ended = [](std::uint32_t stored, std::uint32_t read, std::uint32_t with_data, bool own) {
        const Schedule schedule = own ? exchange(stored, read, itself) : exchange(stored, read, other);
        const CostGraph graph = star_graph(2);
        PathBook book = book_of(graph);
        FlowCore core(ranks_of(graph), book);
        FlowJob job;
        job.program = std::make_shared<const FlowProgram>(program_of(schedule, false));
        job.bytes = 64;
        job.members = {0, 1};
        // Chunks of 16 B, those whose bit is set.
        job.step_bytes = [&](std::uint32_t rank, std::uint32_t, std::uint32_t step) {
            const Step& moves = schedule.ranks[rank].threads[0].steps[step];
            FlowJob::StepBytes out;
            for (std::uint32_t i = 0; i < moves.sources[0].count; ++i)
                if ((with_data >> (moves.sources[0].index + i) & 1U) != 0) out.data += 16;
            out.packed = 2 * out.data;
            return out;
        };
        const FlowCore::JobId id = core.open(std::move(job));
        std::uint32_t left = 0;
        std::uint64_t end = 0;
        for (std::uint32_t rank = 0; rank < 2; ++rank)
            core.enter(id, rank, [&] {
                ++left;
                end = core.now();
            });
        core.run();
        EXPECT_EQ(left, 2U);
        return static_cast<double>(end);
    };
    for (const bool own : {false, true})
        for (const std::uint32_t with_data : {0b0001U, 0b0010U, 0b0110U, 0b1000U})
            for (const std::uint32_t stored : {1U, 2U, 4U})
                for (const std::uint32_t read : {1U, 2U, 4U}) {
                    SCOPED_TRACE(std::to_string(with_data) + ": " + std::to_string(stored) + " stored, " +
                        std::to_string(read) + " read");
                    EXPECT_NEAR(ended(stored, read, with_data, own), ended(stored, stored, with_data, own), 1000);
                }
    EXPECT_GT(ended(1, 4, 0b0001, false), 0);
}

TEST(PacketDivisions, PacketsAtTheOwnRankAreThereOnceTheyAreWritten)
{
    const FlowTime own = played(exchange(4, 4, itself));
    EXPECT_EQ(own.left, 2U);
    EXPECT_EQ(own.messages, 0U);
    EXPECT_LT(own.end_ps, played(exchange(4, 4, other)).end_ps);
}

// A read of packets that nobody stores is still reported.
TEST(PacketDivisions, AReadOfWhatNobodyStoresDoesNotEnd)
{
    Schedule missing = exchange(1, 1, other);
    missing.ranks[0].threads[0].steps[0].kind = StepKind::nop;
    missing.ranks[0].threads[0].steps[0].sources.clear();
    missing.ranks[0].threads[0].steps[0].destinations.clear();
    const FlowTime time = played(missing);
    EXPECT_EQ(time.left, 1U);
    ASSERT_EQ(time.blocked.size(), 1U);
    EXPECT_NE(time.blocked.front().find("rank 1"), std::string::npos);
}

}  // namespace packet_divisions_test
