// GPUs with a network of given rates, and lines that are in their L2.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace weft::testing {

constexpr Time warm_by = 1'000'000'000;  // when everything that a test reads is in the L2s
constexpr std::uint64_t far_gpu = std::uint64_t{1} << endpoint_shift;

inline GpuSpec gpu_of(std::uint64_t units)
{
    GpuSpec spec;
    spec.compute_units = units;
    return spec;
}

// All lines in one slice, of the rate of one of 32.
inline L2Spec one_slice_only()
{
    L2Spec spec;
    spec.size = 4 << 20;
    spec.bandwidth /= spec.slices;
    spec.slices = 1;
    return spec;
}

// The first `count` lines that lie in slice `slice`, as local addresses.
inline std::vector<std::uint64_t> lines_of(unsigned slice, std::size_t count, const L2Spec& l2 = {})
{
    const Divider slices(static_cast<std::uint32_t>(l2.slices));
    std::vector<std::uint64_t> out;
    for (std::uint64_t line = 0; out.size() < count; ++line)
        if (slice_place(line, slices).slice == slice) out.push_back(line * line_bytes);
    return out;
}

// A move for each address, none of which waits for another.
inline void add_each(Program& program, const std::vector<std::uint64_t>& addresses, bool write,
    std::uint64_t bytes = 64)
{
    for (const std::uint64_t address : addresses) {
        const std::vector<std::uint64_t> operand{address};
        program.add_move(write ? std::vector<std::uint64_t>{} : operand, write ? operand : std::vector<std::uint64_t>{},
            bytes, ElementType::u8, ReduceOp::sum, 0, true);
    }
}

struct NetworkBench {
    GpuSpec gpu;
    NetworkSpec network;
    L2Spec l2;
    MemorySideSpec memory_side;
    bool check = false;
    std::uint64_t warm = 1 << 18;  // bytes from address 0, in both GPUs

    // Program i runs on unit i of the first GPU, from warm_by on; when each ends after that, in ps.
    std::vector<Time> times(const std::vector<Program>& programs, std::vector<Statistic>* statistics = nullptr) const
    {
        TwoGpus system(true, gpu, l2, {}, {}, memory_side, check, {}, network);
        Program stores;
        stores.add_move({}, {0}, warm, ElementType::u8, ReduceOp::sum);
        Program peer_stores;
        peer_stores.add_move({}, {far_gpu}, warm, ElementType::u8, ReduceOp::sum);
        system.launch(1, peer_stores, 16, 4);
        std::vector<Program> timed;
        for (const Program& program : programs) {
            Program one;
            one.add_compute(warm_by);
            one.most_sources = program.most_sources;
            for (Operation operation : program.operations) {
                operation.first_operand += static_cast<std::uint32_t>(one.operands.size());
                one.operations.push_back(operation);
            }
            one.operands.insert(one.operands.end(), program.operands.begin(), program.operands.end());
            timed.push_back(std::move(one));
        }
        for (const Program& program : timed) system.launch(0, program, 1, 16);
        system.launch(0, stores, 16, 4);
        sc_core::sc_start();
        EXPECT_EQ(system.pool.live(), 0u);
        EXPECT_TRUE(system.event_queue.idle());
        EXPECT_LT(system.done[0], warm_by);
        EXPECT_LT(system.done.back(), warm_by);
        if (check) {
            system.checkers.finish();
            EXPECT_EQ(system.checkers.problems(), 0u);
        }
        if (statistics != nullptr) *statistics = system.gpus[0]->network().statistics();
        std::vector<Time> out;
        for (std::size_t i = 0; i < programs.size(); ++i) out.push_back(system.done[i + 1] - warm_by);
        return out;
    }

    // Of the last to end; in a process of its own.
    Time time(const std::vector<Program>& programs) const
    {
        return std::stoull("0" + in_child([&] {
            const std::vector<Time> all = times(programs);
            return std::to_string(*std::max_element(all.begin(), all.end()));
        }));
    }
};

inline double value_of(const std::vector<Statistic>& all, const std::string& name)
{
    for (const Statistic& one : all)
        if (one.name == name) return one.value;
    ADD_FAILURE() << name;
    return -1;
}

}  // namespace weft::testing
