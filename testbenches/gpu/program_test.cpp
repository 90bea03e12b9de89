// Programs in little memory: runs of signals and waits are one operation, and do what they did one by one.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace program_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t far = std::uint64_t{1} << 48;  // from an endpoint's memory to that of the next one

std::uint64_t flag(unsigned endpoint, unsigned number)
{
    return global_address(endpoint, MemoryImage::flag_base + 64 * number);
}

// Every operation by itself, as it was before compact().
std::vector<Operation> one_by_one(const Program& program)
{
    std::vector<Operation> out;
    for (const Operation& operation : program.operations)
        for (std::uint32_t repeat = 0; repeat <= operation.more(); ++repeat) {
            out.push_back(operation);
            out.back().address = operation.address_of(repeat);
            out.back().label = operation.label_of(repeat);
            if (operation.more() > 0) out.back().repeats = 0;
            if (operation.more() > 0) out.back().stride = 0;
        }
    return out;
}

void expect_same(const std::vector<Operation>& got, const std::vector<Operation>& expected)
{
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].kind, expected[i].kind) << i;
        EXPECT_EQ(got[i].scope, expected[i].scope) << i;
        EXPECT_EQ(got[i].address, expected[i].address) << i;
        EXPECT_EQ(got[i].value, expected[i].value) << i;
        EXPECT_EQ(got[i].label, expected[i].label) << i;
        EXPECT_EQ(got[i].first_operand, expected[i].first_operand) << i;
        EXPECT_EQ(got[i].bytes, expected[i].bytes) << i;
    }
}

// Rank `rank` of `ranks` tells all others and hears of them, as in algorithms/exchange.h.
Program meeting(unsigned ranks, unsigned rank)
{
    Program program;
    std::uint32_t label = 0;
    for (unsigned i = 1; i < ranks; ++i) {
        const unsigned peer = (rank + i) % ranks;
        program.add_signal(flag(peer, rank < peer ? rank : rank - 1), label++);
    }
    for (unsigned i = 1; i < ranks; ++i) {
        const unsigned peer = (rank + ranks - i) % ranks;
        program.add_wait(flag(rank, peer < rank ? peer : peer - 1), 1, label++);
    }
    return program;
}

}  // namespace

TEST(Program, AMeetingOfAnyNumberOfRanksIsFourOperations)
{
    for (const unsigned ranks : {8U, 72U, 576U})
        for (const unsigned rank : {1U, ranks / 2, ranks - 2}) {
            Program program = meeting(ranks, rank);
            const std::vector<Operation> before = program.operations;
            program.compact();
            // Signals to those behind and to those before, waits for those before and those behind.
            EXPECT_EQ(program.operations.size(), 4U) << ranks;
            EXPECT_EQ(program.memory_bytes(), 4 * sizeof(Operation));
            expect_same(one_by_one(program), before);
        }
    EXPECT_EQ(sizeof(Operation), 40U);
}

TEST(Program, ARunEndsWhereAnythingElseChanges)
{
    Program program;
    program.add_signal(flag(0, 0), 0);
    program.add_signal(flag(0, 2), 1);
    program.add_signal(flag(0, 4), 2);  // a run of three
    program.add_signal(flag(0, 5), 3);  // another difference of the addresses
    program.add_signal(flag(0, 6), 4);  // goes on with it
    program.add_signal(flag(0, 7), 6);  // a step between them
    program.add_signal(flag(0, 8), 7, Scope::device);
    program.add_wait(flag(0, 9), 1, 8);
    program.add_wait(flag(0, 10), 2, 9);  // another value
    program.add_barrier(10);
    program.add_wait(flag(0, 11), 2, 11);
    program.add_store(flag(0, 12), 1, Scope::system, 12);
    program.add_store(flag(0, 13), 1, Scope::system, 13);  // no words of synchronisation
    const std::vector<Operation> before = program.operations;
    program.compact();
    std::vector<unsigned> runs;
    for (const Operation& operation : program.operations) runs.push_back(1 + operation.more());
    EXPECT_EQ(runs, (std::vector<unsigned>{3, 2, 1, 1, 1, 1, 1, 1, 1, 1}));
    expect_same(one_by_one(program), before);
}

// What this test compares is told apart: a run that is one too long is seen.
TEST(Program, ARunThatIsTooLongIsNotTheSame)
{
    Program program = meeting(8, 3);
    const std::vector<Operation> before = program.operations;
    program.compact();
    ++program.operations[0].repeats;
    EXPECT_EQ(one_by_one(program).size(), before.size() + 1);
    --program.operations[0].repeats;
    program.operations[0].stride += 64;
    const std::vector<Operation> other = one_by_one(program);
    EXPECT_FALSE(std::equal(other.begin(), other.end(), before.begin(),
        [](const Operation& a, const Operation& b) { return a.address == b.address; }));
}

TEST(Program, SpareRoomOfMovesIsGivenBack)
{
    Program program;
    for (unsigned i = 0; i < 33; ++i)
        program.add_move({far + 4096 * i}, {4096 * i}, 4096, ElementType::u8, ReduceOp::sum, i);
    program.compact();
    EXPECT_EQ(program.operations.size(), 33U);
    EXPECT_EQ(program.memory_bytes(), 33 * (sizeof(Operation) + 2 * sizeof(std::uint64_t)));
}

// Two GPUs tell each other of 40 flags, move data and tell each other again: the same times, lines and records with runs.
TEST(Program, RunsTakeTheTimeOfWhatTheyStandFor)
{
    const auto run = [](bool compact, std::uint32_t lanes, bool log) {
        return in_child([=] {
            TwoGpus system;
            OperationLog records;
            if (log)
                for (const auto& gpu : system.gpus) gpu->units().set_log(records);
            std::vector<Program> programs(2);
            for (unsigned g = 0; g < 2; ++g) {
                std::uint32_t label = 0;
                for (std::uint64_t round = 1; round <= 2; ++round) {
                    for (unsigned i = 0; i < 40; ++i) programs[g].add_signal(flag(1 - g, i), label++);
                    for (unsigned i = 40; i-- > 0;) programs[g].add_wait(flag(g, i), round, label++);
                    programs[g].add_barrier(label);
                    programs[g].add_move({global_address(g, 0)}, {global_address(1 - g, 65536)}, 8192, ElementType::u8,
                        ReduceOp::sum, label++);
                    programs[g].add_barrier(label);
                }
                if (compact) programs[g].compact();
            }
            for (unsigned g = 0; g < 2; ++g) {
                ComputeUnits::Launch launch;
                launch.program = &programs[g];
                launch.wavefronts = 4;
                launch.unroll = 2;
                launch.poll_lanes = lanes;
                launch.listener = &system;
                launch.token = system.tokens++;
                if (log) launch.log = records.open();
                system.gpus[g]->units().launch(launch);
            }
            sc_core::sc_start();
            EXPECT_EQ(system.pool.live(), 0u);
            EXPECT_EQ(programs[0].operations.size(), compact ? 10U : 166U);
            std::string out = std::to_string(system.done.at(0)) + " " + std::to_string(system.done.at(1)) + " " +
                std::to_string(system.gpus[0]->units().lines());
            for (const OperationRecord& record : records.records())
                out += "\n" + std::to_string(record.work) + " " + std::to_string(record.label) + " " +
                    std::to_string(static_cast<unsigned>(record.kind)) + " " + std::to_string(record.begin) + " " +
                    std::to_string(record.end) + " " + std::to_string(record.lanes);
            for (const WaitLane& lane : records.lanes())
                out += "\n" + std::to_string(lane.address) + " " + std::to_string(lane.value) + " " +
                    std::to_string(lane.label);
            return out;
        });
    };
    for (const std::uint32_t lanes : {1U, 7U, 32U})
        for (const bool log : {false, true}) EXPECT_EQ(run(true, lanes, log), run(false, lanes, log)) << lanes;
    EXPECT_NE(run(true, 1, false), run(true, 32, false));
}

}  // namespace program_test
