// A clocked slice between an issuer of lines and a memory of fixed latency.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rtl/cache/llc_rtl.h"
#include "rtl/cache/reference_slice.h"
#include "rtl/common/lockstep.h"
#include "rtl/modules/clocked_slice.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

namespace weft::testing {

constexpr Time slice_memory = 200'000;  // from the read to the line, ps
constexpr Time slice_clock = 500;

using SliceBlock = std::unique_ptr<ClockedSlice::Block>;

inline SliceBlock reference_slice(const LlcParameters& parameters, const std::string&, Time)
{
    return std::make_unique<ReferenceSlice>(parameters);
}
inline SliceBlock slice_rtl(const LlcParameters& parameters, const std::string& path, Time)
{
    return std::make_unique<LlcRtl>(parameters, path);
}
inline SliceBlock slice_lockstep(const LlcParameters& parameters, const std::string& path, Time clock)
{
    return std::make_unique<Lockstep<ClockedSlice::Block>>(slice_rtl(parameters, path, clock),
        reference_slice(parameters, path, clock), LlcOut());
}

// One slice of 16 sets of 4 ways, a line in 500 ps.
inline L2Spec small_slice()
{
    L2Spec spec;
    spec.size = 4096;
    spec.ways = 4;
    spec.slices = 1;
    spec.bandwidth = 128'000'000'000;
    spec.latency = 60'000;
    spec.outstanding_misses = 8;
    spec.merges = 4;
    return spec;
}

struct SliceBench {
    explicit SliceBench(const L2Spec& spec = small_slice(), const ClockedSlice::Factory& make = reference_slice,
        bool data_on = true, unsigned index = 0, std::uint32_t credits = 0)
        : image(data_on), slice("slice", event_queue, {"slice", "slice", spec, index, image, pool, 3}, make),
          issuer("issuer", event_queue, pool, credits), memory("memory", event_queue, slice_memory),
          checkers(event_queue)
    {
        checkers.bind(issuer.out, slice.target);
        checkers.bind(slice.memory, memory.in);
    }

    LineIssue issue(Time at, LineOp op, std::uint64_t address, std::uint32_t size = 64, std::uint64_t value = 0)
    {
        const LineIssue issued = issuer.issue(at, op, global_address(3, address), size);
        Line& line = issued;
        std::memset(line.data(), static_cast<int>(value & 0xff), line_bytes);
        line.set_operand(value);
        line.set_comparand(0);
        return issued;
    }
    Line& read(Time at, std::uint64_t line) { return issue(at, LineOp::read, line * 64); }
    Line& write(Time at, std::uint64_t line, std::uint64_t value = 1)
    {
        return issue(at, LineOp::write, line * 64, 64, value);
    }
    Line& fetch_add(Time at, std::uint64_t line, std::uint64_t value)
    {
        return issue(at, LineOp::fetch, line * 64, 8, value);
    }

    // Until nothing is left to do or something is wrong.
    void run_on()
    {
        while (!event_queue.idle() && !event_queue.stopped()) sc_core::sc_start();
    }
    void run()
    {
        run_on();
        slice.check_contents();
        EXPECT_EQ(slice.problems(), std::vector<std::string>());
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0U);
        EXPECT_EQ(pool.live(), 0U);
    }
    Time at(std::size_t access) const { return issuer.done[access].at; }
    // The first word that a read or a fetch brought.
    std::uint64_t word(std::size_t access) const
    {
        std::uint64_t out = 0;
        std::memcpy(&out, issuer.done[access].data.data(), 8);
        return out;
    }
    double statistic(const std::string& name) const
    {
        for (const Statistic& statistic : slice.statistics())
            if (statistic.name == name) return statistic.value;
        ADD_FAILURE() << name;
        return -1;
    }
    // What is wrong, and who waits; a line each.
    std::string account()
    {
        std::string out;
        for (const std::string& line : slice.problems()) out += line + "\n";
        for (const std::string& line : slice.blocked()) out += "blocked: " + line + "\n";
        return out;
    }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    MemoryImage image;
    ClockedSlice slice;
    LineIssuer issuer;
    LineMemory memory;
    Checkers checkers;
};

// Requests of all kinds to a few lines more than the slice has places.
inline void issue_random(SliceBench& bench, unsigned count, std::uint64_t seed, Time step = 700)
{
    std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
    const auto random = [&state](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % below;
    };
    static constexpr LineOp operations[] = {LineOp::read, LineOp::read, LineOp::write, LineOp::atomic, LineOp::fetch};
    Time at = 1000;
    for (unsigned i = 0; i < count; ++i) {
        at += random(2 * step);
        const LineOp op = operations[random(5)];
        const bool word = op == LineOp::atomic || op == LineOp::fetch;
        const std::uint32_t size = word ? 8 : random(2) == 0 ? 64 : static_cast<std::uint32_t>(1 + random(63));
        const std::uint64_t offset = word ? random(8) * 8 : random(65 - size);
        const LineIssue line = bench.issue(at, op, random(128) * 64 + offset, size, random(1U << 30));
        if (word) line.function(static_cast<AtomicOp>(random(atomic_ops)));
    }
}

}  // namespace weft::testing
