// Where the general model of a slice (sc_models/l2/l2_slice.h) is coarser than the reference model: the same requests at
// the same clocks into both, at equal parameters. Counts, mean latency, time of the last answer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace weft::llc_model_test {
namespace {

constexpr Time period = 1000;  // ps, of both

struct Request {
    std::uint64_t clock;
    LineOp op;
    std::uint64_t line;
    unsigned size;
};
using Trace = std::vector<Request>;

struct Result {
    double hits = 0, misses = 0, merged = 0, write_backs = 0;
    std::vector<std::uint64_t> latencies = {};  // clocks, by request
    std::uint64_t last = 0;                     // clock of the last answer

    double mean() const
    {
        double sum = 0;
        for (const std::uint64_t latency : latencies) sum += static_cast<double>(latency);
        return sum / static_cast<double>(latencies.size());
    }
};

// `load` thousandths of all clocks have a request; `lines` of them are meant.
Trace random_trace(std::uint32_t load, std::uint32_t lines, const std::vector<LineOp>& operations, std::uint64_t seed)
{
    test::LlcRandom random(seed);
    Trace trace;
    std::uint64_t clock = 10;
    while (trace.size() < 4000) {
        ++clock;
        if (!random.happens(load)) continue;
        const LineOp op = operations[random.below(static_cast<std::uint32_t>(operations.size()))];
        const bool word = op == LineOp::atomic || op == LineOp::fetch;
        trace.push_back({clock, op, random.below(lines),
            word                                              ? 8U
                : op == LineOp::write && random.below(2) == 0 ? 32U
                                                              : 64U});
    }
    return trace;
}

// As many lines as the slice holds, written whole, a clock each; then what follows.
Trace warmed(const LlcParameters& p, const Trace& trace)
{
    Trace out;
    for (std::uint64_t i = 0; i < p.sets * p.ways; ++i) out.push_back({10 + 2 * i, LineOp::write, i, 64});
    for (Request request : trace) {
        request.clock += 2ULL * p.sets * p.ways + 100;
        out.push_back(request);
    }
    return out;
}

Result of_reference(const LlcParameters& p, const Trace& trace)
{
    ReferenceSlice reference(p);
    test::LlcScript script(reference, weft::testing::memory_latency / period - 1);
    for (const Request& request : trace) {
        while (script.clock() < request.clock) script.run(1);
        script.ask(test::llc_request(static_cast<unsigned>(request.op), request.line * 64, request.size, 1));
    }
    EXPECT_TRUE(script.finish(10'000'000));
    Result result{static_cast<double>(script.hits), static_cast<double>(script.misses),
        static_cast<double>(script.merged), static_cast<double>(script.write_backs)};
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        result.latencies.push_back(script.answer(i).answered - trace[i].clock);
        result.last = std::max(result.last, script.answer(i).answered);
    }
    return result;
}

Result of_model(const LlcParameters& p, const Trace& trace)
{
    const std::string text = weft::testing::in_child([&] {
        L2Spec spec;
        spec.size = std::uint64_t{p.sets} * p.ways * 64;
        spec.ways = p.ways;
        spec.slices = 1;
        spec.bandwidth = 64'000'000'000'000 / period;
        spec.latency = p.hit_latency() * period;
        spec.outstanding_misses = p.mshrs;
        spec.merges = p.merges;
        spec.write_back_run = 1;  // as the block does
        weft::testing::L2Bench bench(spec, false);
        for (const Request& request : trace)
            bench.issue(request.clock * period, request.op, request.line, request.size);
        bench.run();
        std::ostringstream out;
        for (const char* const name : {"hits", "misses", "merged", "write_backs"}) out << bench.statistic(name) << ' ';
        for (std::size_t i = 0; i < trace.size(); ++i) out << bench.at(i) / period << ' ';
        return out.str();
    });
    std::istringstream in(text);
    Result result;
    in >> result.hits >> result.misses >> result.merged >> result.write_backs;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < trace.size() && in >> at; ++i) {
        result.latencies.push_back(at - trace[i].clock);
        result.last = std::max(result.last, at);
    }
    EXPECT_EQ(result.latencies.size(), trace.size());
    return result;
}

struct Difference {
    Result reference, model;
    bool same_counts() const
    {
        return reference.hits == model.hits && reference.misses == model.misses && reference.merged == model.merged &&
            reference.write_backs == model.write_backs;
    }
    double of_mean() const { return model.mean() / reference.mean() - 1; }
    double of_last() const { return static_cast<double>(model.last) / static_cast<double>(reference.last) - 1; }
    double of_misses() const { return model.misses / reference.misses - 1; }
};

Difference compared(const char* name, const LlcParameters& p, const Trace& trace)
{
    const Difference d{of_reference(p, trace), of_model(p, trace)};
    std::printf("%-28s reference %5.0f/%5.0f/%5.0f/%5.0f %8.2f clocks   model %5.0f/%5.0f/%5.0f/%5.0f %8.2f clocks   "
                "mean %+6.2f %%  end %+6.2f %%\n",
        name, d.reference.hits, d.reference.misses, d.reference.merged, d.reference.write_backs, d.reference.mean(),
        d.model.hits, d.model.misses, d.model.merged, d.model.write_backs, d.model.mean(), 100 * d.of_mean(),
        100 * d.of_last());
    return d;
}

const std::vector<LineOp> all_operations = {LineOp::read, LineOp::read, LineOp::write, LineOp::atomic, LineOp::fetch};

LlcParameters compared_slice()
{
    LlcParameters p;
    p.sets = 16;
    p.ways = 4;
    return p;
}

// Nothing in the way of a request: to the clock.
TEST(LlcModel, OneRequestAtATime)
{
    const LlcParameters p = compared_slice();
    Trace trace = random_trace(1000, 100, all_operations, 1);
    for (std::size_t i = 0; i < trace.size(); ++i) trace[i].clock = 10 + 300 * i;
    const Difference d = compared("one at a time", p, trace);
    EXPECT_TRUE(d.same_counts());
    EXPECT_EQ(d.reference.latencies, d.model.latencies);
}

TEST(LlcModel, Hits)
{
    const LlcParameters p = compared_slice();
    for (const std::uint32_t load : {300U, 1000U}) {
        const Difference d = compared("reads that hit", p, warmed(p, random_trace(load, 64, {LineOp::read}, 2)));
        EXPECT_TRUE(d.same_counts());
        EXPECT_EQ(d.reference.latencies, d.model.latencies);
    }
    // The model knows nothing of a line that is being written.
    LlcParameters quick = p;
    quick.modify_clocks = 0;
    const Trace mixed = warmed(p, random_trace(1000, 64, all_operations, 3));
    const Difference all = compared("all hits, modify 0", quick, mixed);
    EXPECT_TRUE(all.same_counts());
    EXPECT_EQ(all.reference.latencies, all.model.latencies);
    const Difference slow = compared("all hits, modify 1", p, mixed);
    EXPECT_TRUE(slow.same_counts());
    EXPECT_LT(slow.of_mean(), 0);
    const Trace word = warmed(p, random_trace(1000, 1, {LineOp::fetch}, 4));
    const Difference atomics = compared("atomics on a word, modify 1", p, word);
    EXPECT_TRUE(atomics.same_counts());
    EXPECT_NEAR(atomics.of_last(), -0.5, 0.03);
}

TEST(LlcModel, Misses)
{
    const LlcParameters p = compared_slice();
    for (const std::uint32_t load : {5U, 20U, 60U}) {
        char name[40];
        std::snprintf(name, sizeof name, "half miss, load %.3f", load / 1000.0);
        const Difference d = compared(name, p, random_trace(load, 128, all_operations, load));
        // Which of two came first decides now and then who is the least recently used.
        EXPECT_NEAR(d.of_misses(), 0, 0.002);
        EXPECT_NEAR(d.of_mean(), 0, 0.005);
        EXPECT_NEAR(d.of_last(), 0, 0.001);
    }
    // As many at once as there are entries: 16 every 201 clocks here, every 200 there.
    Trace stream;
    for (std::uint64_t i = 0; i < 4000; ++i) stream.push_back({10 + i, LineOp::read, i, 64});
    const Difference limited = compared("every one a miss, load 1", p, stream);
    EXPECT_TRUE(limited.same_counts());
    EXPECT_NEAR(limited.of_last(), 200.0 / 201 - 1, 0.001);
    // More than the entries carry: the model puts any number aside and goes on, the slice waits.
    const Difference over = compared("half miss, load 0.200", p, random_trace(200, 128, all_operations, 200));
    EXPECT_LT(over.of_misses(), -0.05);
    EXPECT_LT(over.of_last(), -0.05);
}

}  // namespace
}  // namespace weft::llc_model_test
