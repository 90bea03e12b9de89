// Real bytes through every algorithm, at sizes that do not divide: layout, parts and reductions together.
#include "collectives/schedule/execute.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace execute_test {

using namespace weft;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes& memory(std::vector<RankMemory>& memories, std::uint32_t rank, Buffer buffer)
{
    return memories[rank].memory[static_cast<std::size_t>(buffer)];
}

// What each rank must hold, straight from the meaning of the collective and the inputs of all ranks
// (u8, so that sums do not depend on order).
Bytes expected_output(const Schedule& schedule, const std::vector<Bytes>& inputs, std::uint32_t rank)
{
    const CollectiveOp op = schedule.op;
    const std::uint32_t root = schedule.root;
    const auto block = [&](const Bytes& whole, std::uint32_t i) {
        const std::uint32_t k = schedule.chunks_per_rank();
        const ByteRange range = chunk_bounds(whole.size(), 1, schedule.chunks, i * k, k);
        return Bytes(whole.begin() + static_cast<std::ptrdiff_t>(range.begin),
            whole.begin() + static_cast<std::ptrdiff_t>(range.end));
    };
    const bool to_root = op == CollectiveOp::reduce || op == CollectiveOp::gather;
    if (to_root && rank != root) return {};
    const auto sum = [&inputs] {
        Bytes total(inputs[0].size());
        for (const Bytes& one : inputs)
            for (std::size_t i = 0; i < total.size(); ++i) total[i] = static_cast<std::uint8_t>(total[i] + one[i]);
        return total;
    };
    Bytes joined;
    switch (op) {
    case CollectiveOp::all_reduce:
    case CollectiveOp::reduce: return sum();
    case CollectiveOp::reduce_scatter: return block(sum(), rank);
    case CollectiveOp::scatter: return block(inputs[root], rank);
    case CollectiveOp::all_gather:
    case CollectiveOp::gather:
        for (const Bytes& one : inputs) joined.insert(joined.end(), one.begin(), one.end());
        return joined;
    case CollectiveOp::all_to_all:
        for (const Bytes& one : inputs) {
            const Bytes mine = block(one, rank);
            joined.insert(joined.end(), mine.begin(), mine.end());
        }
        return joined;
    default: return inputs[root];
    }
}

}  // namespace

TEST(Execute, EveryAlgorithmGivesTheRightBytes)
{
    std::mt19937 random(11);
    for (CollectiveOp op :
        {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
            CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather, CollectiveOp::scatter})
        for (const std::string& name : algorithm_names(op))
            for (std::uint32_t ranks : {1u, 2u, 3u, 5u, 8u, 17u})
                for (std::uint32_t channels : {1u, 2u, 5u}) {
                    if (ranks == 17 && channels == 2 && !weft::test::thorough()) continue;
                    for (std::uint64_t bytes : {0ull, 1ull, 13ull, 1024ull, 2003ull}) {
                        AlgorithmOptions options;
                        options.channels = channels;
                        options.root = has_root(op) ? ranks - 1 : 0;
                        const Schedule schedule = make_schedule(name, op, ranks, options);
                        const Layout layout(schedule, bytes, 1);
                        std::vector<RankMemory> memories = allocate_memories(layout, ranks);
                        std::vector<Bytes> inputs;
                        for (std::uint32_t r = 0; r < ranks; ++r) {
                            for (std::uint8_t& byte : memory(memories, r, Buffer::input))
                                byte = static_cast<std::uint8_t>(random());
                            inputs.push_back(memory(memories, r, Buffer::input));
                        }
                        execute(schedule, layout, ElementType::u8, memories);
                        for (std::uint32_t r = 0; r < ranks; ++r)
                            ASSERT_EQ(memory(memories, r, Buffer::output), expected_output(schedule, inputs, r))
                                << name_of(op) << " " << name << ", " << ranks << " ranks, " << channels
                                << " channels, " << bytes << " bytes, rank " << r;
                    }
                }
}

// The order of a floating-point sum is fixed by the schedule: rank order for direct, whatever the channels.
TEST(Execute, DirectSumsInRankOrder)
{
    const std::uint32_t ranks = 4;
    const std::uint64_t bytes = 4 * 100;
    for (std::uint32_t channels : {1u, 3u}) {
        AlgorithmOptions options;
        options.channels = channels;
        const Schedule schedule = make_schedule("direct", CollectiveOp::all_reduce, ranks, options);
        const Layout layout(schedule, bytes, 4);
        std::vector<RankMemory> memories = allocate_memories(layout, ranks);
        const float values[] = {1e8f, 3.0f, -1e8f, 1.25f};
        for (std::uint32_t r = 0; r < ranks; ++r)
            for (std::size_t i = 0; i < 100; ++i)
                std::memcpy(&memory(memories, r, Buffer::input)[4 * i], &values[r], 4);
        execute(schedule, layout, ElementType::fp32, memories);
        const float expected = ((values[0] + values[1]) + values[2]) + values[3];
        for (std::uint32_t r = 0; r < ranks; ++r)
            for (std::size_t i = 0; i < 100; ++i) {
                float found;
                std::memcpy(&found, &memory(memories, r, Buffer::output)[4 * i], 4);
                ASSERT_EQ(found, expected);
            }
    }
}

}  // namespace execute_test
