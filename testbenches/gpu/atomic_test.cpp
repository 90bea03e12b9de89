// Atomics: what they leave in memory, what they answer, what they cost.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"

namespace atomic_test {

using namespace weft;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_word = std::uint64_t{1} << endpoint_shift;
const std::uint64_t far_flag = global_address(1, MemoryImage::flag_base);

std::uint64_t word(TwoGpus& system, unsigned gpu, std::uint64_t local)
{
    if (MemoryImage::is_flag(local)) return system.gpus[gpu]->image().flag(local);
    std::uint64_t value = 0;
    system.gpus[gpu]->image().read(local, reinterpret_cast<std::uint8_t*>(&value), 8);
    return value;
}

// Every operation on a word that was 5, by value and, where it matters, comparand.
void expect_all(std::uint64_t address)
{
    TwoGpus system;
    struct Case {
        AtomicOp op;
        std::uint64_t operand;
        std::uint64_t comparand;
        std::uint64_t left;
    };
    const std::vector<Case> cases{{AtomicOp::add, 3, 0, 8}, {AtomicOp::exchange, 9, 0, 9},
        {AtomicOp::compare_swap, 9, 5, 9}, {AtomicOp::compare_swap, 9, 4, 5}, {AtomicOp::min, 3, 0, 3},
        {AtomicOp::min, 7, 0, 5}, {AtomicOp::max, 7, 0, 7}, {AtomicOp::max, 3, 0, 5}};
    Program program;
    std::vector<std::uint64_t> results(2 * cases.size());
    for (std::uint32_t i = 0; i < cases.size(); ++i) {
        for (const std::uint64_t place : {address + 128 * i, address + 128 * i + 64}) {
            program.add_store(place, 5);
            program.add_fence(Scope::system);
        }
        program.add_fetch(cases[i].op, address + 128 * i, cases[i].operand, i, 0, cases[i].comparand);
        program.add_atomic(cases[i].op, address + 128 * i + 64, cases[i].operand, 0, cases[i].comparand);
    }
    system.launch(0, program, 4, 1, results.data());
    sc_core::sc_start();
    for (std::uint32_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(std::string(name_of(cases[i].op)) + " " + std::to_string(cases[i].operand));
        EXPECT_EQ(results[i], 5u);
        EXPECT_EQ(word(system, endpoint_of(address), local_of(address) + 128 * i), cases[i].left);
        EXPECT_EQ(word(system, endpoint_of(address), local_of(address) + 128 * i + 64), cases[i].left);
    }
    EXPECT_EQ(system.pool.live(), 0u);
}

}  // namespace

TEST(Atomics, OnOwnMemory) { expect_all(4096); }
TEST(Atomics, OnMemoryOfAPeer) { expect_all(far_word + 4096); }
TEST(Atomics, OnFlags) { expect_all(far_flag); }

TEST(Atomics, OfAllUnitsOnOneWordAddUp)
{
    TwoGpus system;
    Program program;
    for (unsigned i = 0; i < 10; ++i) program.add_fetch(AtomicOp::add, far_word, 1, i);
    std::vector<std::vector<std::uint64_t>> results(40, std::vector<std::uint64_t>(10));
    for (unsigned i = 0; i < 40; ++i) system.launch(i % 2, program, 1, 1, results[i].data());
    sc_core::sc_start();
    EXPECT_EQ(word(system, 1, 0), 400u);
    std::vector<bool> seen(400, false);  // each value once
    for (const auto& workgroup : results)
        for (const std::uint64_t value : workgroup) {
            ASSERT_LT(value, 400u);
            EXPECT_FALSE(seen[value]);
            seen[value] = true;
        }
}

TEST(Atomics, WithAnAnswerOfDataCostMoreOnTheWire)
{
    const LinkSpec link;
    EXPECT_EQ(wire_bytes(link, LineOp::atomic, 8, LineClass::request),
        wire_bytes(link, LineOp::fetch, 8, LineClass::request));
    EXPECT_EQ(wire_bytes(link, LineOp::atomic, 8, LineClass::response) + link.flit,
        wire_bytes(link, LineOp::fetch, 8, LineClass::response));
}

}  // namespace atomic_test
