// An L2 slice, or the two of mirrored partitions, between issuers of lines and memories of fixed latency.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sc_models/l2/l2_slice.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

namespace weft::testing {

constexpr Time memory_latency = 200'000;
constexpr Time step = 1000;  // of a slice, per line

// One slice of 16 sets of 4 ways.
inline L2Spec small_l2()
{
    L2Spec spec;
    spec.size = 4096;
    spec.ways = 4;
    spec.slices = 1;
    spec.bandwidth = 64'000'000'000;
    spec.latency = 60'000;
    spec.outstanding_misses = 8;
    spec.write_back_run = 1;
    return spec;
}

struct L2Bench {
    // `interval`: from line to line at a memory, which has taken a line when its turn comes.
    explicit L2Bench(const L2Spec& spec = small_l2(), bool data_on = true, unsigned index = 0, Time interval = 0)
        : image(data_on), slice("slice", event_queue, "slice", spec, index, image, pool, 3),
          issuer("issuer", event_queue, pool), memory("memory", event_queue, memory_latency, interval),
          checkers(event_queue)
    {
        checkers.bind(issuer.out, slice.target);
        checkers.bind(slice.memory, memory.in);
        if (slice.partitions() == 1) return;
        other = std::make_unique<LineIssuer>("other", event_queue, pool);
        other_memory = std::make_unique<LineMemory>("other_memory", event_queue, memory_latency, interval);
        checkers.bind(other->out, slice.target_of(1));
        checkers.bind(slice.memory_of(1), other_memory->in);
    }
    Line& issue(Time at, LineOp op, std::uint64_t line, std::uint32_t size = 64)
    {
        return issuer.issue(at, op, global_address(3, line * 64), size);
    }
    // From partition 0 or 1.
    Line& issue_in(unsigned partition, Time at, LineOp op, std::uint64_t line, std::uint32_t size = 64)
    {
        return (partition == 0 ? issuer : *other).issue(at, op, global_address(3, line * 64), size);
    }
    void run()
    {
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
    }
    Time at(std::size_t access) const { return issuer.done[access].at; }
    Time at_other(std::size_t access) const { return other->done[access].at; }
    double statistic(const std::string& name) const
    {
        for (const Statistic& statistic : slice.statistics())
            if (statistic.name == name) return statistic.value;
        ADD_FAILURE() << name;
        return -1;
    }
    static std::vector<std::string> traffic_of(const LineMemory& memory)
    {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < memory.addresses.size(); ++i)
            out.push_back(std::string(name_of(memory.operations[i])) + " " +
                std::to_string(local_of(memory.addresses[i]) / 64) + " @" + std::to_string(memory.arrivals[i]));
        return out;
    }
    std::vector<std::string> traffic() const { return traffic_of(memory); }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    MemoryImage image;
    L2Slice slice;
    LineIssuer issuer;
    LineMemory memory;
    std::unique_ptr<LineIssuer> other;  // of the second partition
    std::unique_ptr<LineMemory> other_memory;
    Checkers checkers;
};

}  // namespace weft::testing
