#include "collectives/schedule/layout.h"

#include <numeric>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/schedule/plans.h"

namespace layout_test {

using namespace weft;

TEST(ChunkBounds, DifferByAtMostOneElementAndCoverTheMessage)
{
    for (std::uint32_t element : {1u, 2u, 4u})
        for (std::uint32_t chunks = 1; chunks <= 9; ++chunks)
            for (std::uint64_t elements = 0; elements <= 40; ++elements) {
                const std::uint64_t bytes = elements * element;
                std::uint64_t end = 0;
                for (std::uint32_t i = 0; i < chunks; ++i) {
                    const ByteRange range = chunk_bounds(bytes, element, chunks, i);
                    ASSERT_EQ(range.begin, end);
                    ASSERT_GE(range.size(), bytes / element / chunks * element);
                    ASSERT_LE(range.size(), (elements + chunks - 1) / chunks * element);
                    end = range.end;
                }
                ASSERT_EQ(end, bytes);
                ASSERT_EQ(chunk_bounds(bytes, element, chunks, 0, chunks).size(), bytes);
            }
}

TEST(ShareOf, CoversEveryRangeAndCutsAtLines)
{
    for (std::uint64_t phase : {0ull, 1ull, 36ull, 63ull})
        for (std::uint64_t length : {0ull, 1ull, 27ull, 28ull, 64ull, 65ull, 500ull, 4096ull, 4099ull})
            for (std::uint32_t parts : {1u, 2u, 3u, 16u, 100u}) {
                std::uint64_t end = 0;
                for (std::uint32_t part = 0; part < parts; ++part) {
                    const ByteRange share = share_of(length, phase, part, parts);
                    ASSERT_EQ(share.begin, end);
                    ASSERT_LE(share.begin, share.end);
                    if (share.end < length && share.end > 0) {
                        ASSERT_EQ((phase + share.end) % 64, 0u);
                    }
                    end = share.end;
                }
                ASSERT_EQ(end, length);
            }
}

TEST(Layout, AllGatherInputsAreAsLongAsTheirPlaceInTheOutput)
{
    const Schedule schedule = empty_plan(CollectiveOp::all_gather, 3, 6);
    const Layout layout(schedule, 44, 4);  // 11 elements: chunks of 2 2 2 2 2 1
    EXPECT_EQ(layout.buffer_bytes(0, Buffer::input), 16u);
    EXPECT_EQ(layout.buffer_bytes(2, Buffer::input), 12u);
    EXPECT_EQ(layout.buffer_bytes(2, Buffer::output), 44u);
    EXPECT_EQ(layout.range(2, Buffer::input, 1).begin, 8u);
    EXPECT_EQ(layout.range(2, Buffer::input, 1).size(), 4u);
    EXPECT_EQ(layout.range(1, Buffer::output, 5).begin, 40u);
    EXPECT_EQ(layout.slot_bytes(), 64u);
    EXPECT_EQ(layout.memory_bytes(0, Buffer::scratch), 4 * 64u);
}

TEST(Layout, AllToAllOutputHoldsBlocksAsLongAsItsInputBlock)
{
    const Schedule schedule = empty_plan(CollectiveOp::all_to_all, 3, 3);
    const Layout layout(schedule, 10, 1);  // blocks of 4, 3 and 3
    EXPECT_EQ(layout.buffer_bytes(0, Buffer::input), 10u);
    EXPECT_EQ(layout.buffer_bytes(0, Buffer::output), 12u);
    EXPECT_EQ(layout.buffer_bytes(2, Buffer::output), 9u);
    EXPECT_EQ(layout.range(2, Buffer::output, 1).begin, 3u);
    EXPECT_EQ(layout.range(2, Buffer::output, 1).size(), layout.range(1, Buffer::input, 2).size());
}

TEST(Layout, InPlaceBuffersShareOneMemory)
{
    Schedule gather = empty_plan(CollectiveOp::all_gather, 4, 4);
    gather.in_place = true;
    const Layout gathered(gather, 40, 4);
    EXPECT_EQ(gathered.memory_bytes(2, Buffer::input), 0u);
    EXPECT_EQ(gathered.memory_bytes(2, Buffer::output), 40u);
    EXPECT_EQ(gathered.place_of(2, Buffer::input).memory, Buffer::output);
    EXPECT_EQ(gathered.place_of(2, Buffer::input).offset, 24u);

    Schedule scatter = empty_plan(CollectiveOp::reduce_scatter, 4, 4);
    scatter.in_place = true;
    const Layout scattered(scatter, 40, 4);
    EXPECT_EQ(scattered.memory_bytes(3, Buffer::output), 0u);
    EXPECT_EQ(scattered.place_of(3, Buffer::output).memory, Buffer::input);
    EXPECT_EQ(scattered.place_of(3, Buffer::output).offset, 32u);

    // A plan that names the output only.
    for (RankPlan& plan : gather.ranks) plan.input_chunks = 0;
    EXPECT_EQ(Layout(gather, 40, 4).memory_bytes(2, Buffer::output), 40u);
}

TEST(Layout, PiecesMergeWhatIsContiguousEverywhere)
{
    Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 4);
    const Layout layout(schedule, 400, 4);
    const std::vector<Piece> whole = layout.pieces(move_step({in(0, 1, 2)}, {out(1, 1, 2)}));
    ASSERT_EQ(whole.size(), 1u);
    EXPECT_EQ(whole[0].bytes, 200u);
    EXPECT_EQ(whole[0].sources[0].offset, 100u);
    EXPECT_EQ(whole[0].destinations[0].rank, 1u);
    // Slots lie 128 bytes apart, chunks 100.
    const std::vector<Piece> split = layout.pieces(move_step({in(0, 1, 2)}, {slot(1, 0, 2)}));
    ASSERT_EQ(split.size(), 2u);
    EXPECT_EQ(split[1].bytes, 100u);
    EXPECT_EQ(split[1].destinations[0].offset, 128u);
    // Between slots the whole slot moves.
    EXPECT_EQ(layout.pieces(move_step({slot(0, 0)}, {slot(1, 3)}))[0].bytes, 128u);
}

// The same bytes belong to the same part wherever a chunk lies, and meet on lines of the message.
TEST(Layout, PartsOfAChunkAreTheSameBytesInEveryBuffer)
{
    const Schedule schedule = empty_plan(CollectiveOp::reduce_scatter, 3, 3);
    const Layout layout(schedule, 3004, 4);  // chunks at 0, 1004 and 2004
    for (std::uint32_t part = 0; part < 3; ++part) {
        Step first = move_step({in(0, 1)}, {slot(1, 0)});
        Step last = move_step({slot(1, 0), in(1, 1)}, {out(1, 0)});
        first.part = last.part = part;
        first.parts = last.parts = 3;
        const std::vector<Piece> to_slot = layout.pieces(first);
        const std::vector<Piece> to_output = layout.pieces(last);
        ASSERT_EQ(to_slot.size(), 1u);
        EXPECT_EQ(to_slot[0].bytes, to_output[0].bytes);
        EXPECT_EQ(to_slot[0].destinations[0].offset, to_output[0].sources[0].offset);
        if (part > 0) {
            EXPECT_EQ(to_slot[0].sources[0].offset % 64, 0u);
        }
    }
}

TEST(Layout, NamesOperandsOfDifferentLength)
{
    const Schedule schedule = empty_plan(CollectiveOp::all_reduce, 2, 4);
    const Step step = move_step({in(0, 0)}, {out(1, 3)});
    EXPECT_EQ(Layout(schedule, 8, 1).mismatch(step), "");
    EXPECT_EQ(Layout(schedule, 7, 1).mismatch(step),
        "input chunk 0 of rank 0 is 2 bytes, output chunk 3 of rank 1 is 1 bytes");
}

TEST(Layout, RefusesSizesThatCannotBe)
{
    Schedule schedule = empty_plan(CollectiveOp::all_to_all, 4, 4);
    EXPECT_THROW(Layout(schedule, 10, 4), InputError);
    EXPECT_THROW(Layout(schedule, 10, 0), InputError);
    EXPECT_THROW(Layout(schedule, std::uint64_t{1} << 49, 4), InputError);
    EXPECT_NO_THROW(Layout(schedule, 20, 4));
    schedule.in_place = true;
    EXPECT_THROW(Layout(schedule, 20, 4), InputError);
    schedule.chunks = 6;
    EXPECT_THROW(Layout(schedule, 48, 4), InputError);
}

}  // namespace layout_test
