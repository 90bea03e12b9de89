// ASTRA-sim 2.0's wafer against conventional systems: 512 accelerators, 1 GiB all-reduce in 64 splits, one in each dimension at
// a time. Under its assumptions flow fidelity has the times of its closed form to the nanosecond, and these are the
// microseconds that it prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/programs/rank_writers.h"
#include "testbenches/flow/astra_assumptions.h"
#include "testbenches/support/thorough.h"

namespace wafer_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint32_t splits = 64;
constexpr double bytes_of_split = 1024.0 * 1024 * 1024 / splits;
constexpr std::uint64_t ns = 1000;  // ps

enum class Shape : std::uint8_t { ring, fully_connected, switched };

struct NetworkDimension {
    Shape shape = Shape::ring;
    std::uint32_t size = 1;
    double rate = 0;  // GB/s of 2^30 bytes, as ASTRA-sim counts them

    // 500 ns a link, two of them through a switch.
    std::uint64_t latency_ps() const { return (shape == Shape::switched ? 2 : 1) * astra_link_ps; }
    double bytes_per_ns() const { return rate * (1 << 30) / 1e9; }
};
using System = std::vector<NetworkDimension>;

const System wafer_350{{Shape::switched, 512, 350}};
const System wafer_500{{Shape::switched, 512, 500}};
const System wafer_600{{Shape::switched, 512, 600}};
const System wafer_2d{{Shape::switched, 32, 250}, {Shape::switched, 16, 250}};
const System conventional_3d{{Shape::ring, 16, 200}, {Shape::fully_connected, 8, 100}, {Shape::switched, 4, 50}};
const System conventional_4d{{Shape::ring, 2, 250}, {Shape::fully_connected, 8, 200}, {Shape::ring, 8, 100},
    {Shape::switched, 4, 50}};

// One chunk in one dimension.
struct Phase {
    std::uint32_t dimension = 0;
    CollectiveOp op = CollectiveOp::all_reduce;
    double bytes = bytes_of_split;  // of the message
};

// `baseline`: an all-reduce of everything in each dimension. Otherwise each dimension works on what the one before leaves.
std::vector<Phase> phases_of(const System& system, bool baseline)
{
    std::vector<Phase> out;
    double bytes = bytes_of_split;
    const auto last = static_cast<std::uint32_t>(system.size() - 1);
    for (std::uint32_t d = 0; d <= last; ++d) {
        const bool whole = baseline || d == last;
        out.push_back({d, whole ? CollectiveOp::all_reduce : CollectiveOp::reduce_scatter, bytes});
        if (!baseline) bytes /= system[d].size;
    }
    for (std::uint32_t d = last; !baseline && d-- > 0;) {
        bytes = bytes_of_split;
        for (std::uint32_t before = 0; before < d; ++before) bytes /= system[before].size;
        out.push_back({d, CollectiveOp::all_gather, bytes});
    }
    return out;
}

// ---- the closed form ----

std::uint64_t hop_ns(const NetworkDimension& dimension, double bytes)
{
    return static_cast<std::uint64_t>(
        static_cast<double>(dimension.latency_ps()) / ns + bytes / dimension.bytes_per_ns());
}

std::uint64_t reduction_ns(double bytes) { return 3 * static_cast<std::uint64_t>(bytes / astra_memory_bytes_per_ns); }

// Steps take a hop and the endpoint's delay; the phase begins with one, too.
std::uint64_t formula_ns(const NetworkDimension& dimension, CollectiveOp op, double bytes)
{
    constexpr std::uint64_t endpoint = astra_endpoint_ps / ns;
    const std::uint64_t ways = op == CollectiveOp::all_reduce ? 2 : 1;
    const bool reduces = op != CollectiveOp::all_gather;
    const std::uint32_t n = dimension.size;
    if (dimension.shape == Shape::ring) {
        const std::uint64_t reduction = reduces ? reduction_ns(bytes / n) : 0;
        return (n - 1) * (ways * (hop_ns(dimension, bytes / n) + endpoint) + reduction) + endpoint;
    }
    if (dimension.shape == Shape::fully_connected)
        return ways * (hop_ns(dimension, bytes / n) + endpoint) + (reduces ? reduction_ns(bytes / n) : 0) + endpoint;
    std::uint64_t time = endpoint;
    for (std::uint32_t part = 2; part <= n; part *= 2) {
        time += ways * (hop_ns(dimension, bytes / part) + endpoint);
        if (reduces && part > 2)
            time += reduction_ns(bytes / part);  // the first halves are not sums yet, the last is free
    }
    return time;
}

// The busiest dimension works all the time, once a split has come to it and until it has left the others.
std::uint64_t formula_ns(const System& system, bool baseline)
{
    const std::vector<Phase> phases = phases_of(system, baseline);
    std::vector<std::uint64_t> of_dimension(system.size(), 0);
    for (const Phase& phase : phases)
        of_dimension[phase.dimension] += formula_ns(system[phase.dimension], phase.op, phase.bytes);
    const std::uint64_t busiest = *std::max_element(of_dimension.begin(), of_dimension.end());
    // The first phase begins at once, and where its dimension also has the last one nothing is outside.
    if (!baseline) return splits * busiest;
    return splits * busiest + std::accumulate(of_dimension.begin(), of_dimension.end(), std::uint64_t{0}) - busiest;
}

// ---- the same by the core ----

// The reduction of what is left to a rank is free in ASTRA-sim's halving.
void free_last_reduction(FlowProgram& program)
{
    for (FlowTemplate& one : program.templates)
        for (FlowOp& op : one.ops)
            if (op.kind == FlowKind::move && op.own_destinations > 0) op.own_sources = 1;
}

std::shared_ptr<const FlowProgram> program_of_phase(const NetworkDimension& dimension, CollectiveOp op)
{
    if (dimension.shape == Shape::ring)
        return std::make_shared<FlowProgram>(program_for_all("ring", op, dimension.size, {}));
    if (dimension.shape == Shape::fully_connected)
        return std::make_shared<FlowProgram>(program_for_all("direct", op, dimension.size, {}));
    const char* name = op == CollectiveOp::all_reduce ? "halving_doubling"
        : op == CollectiveOp::all_gather              ? "recursive_doubling"
                                                      : "recursive_halving";
    FlowProgram program = program_for_all(name, op, dimension.size, {});
    free_last_reduction(program);
    return std::make_shared<FlowProgram>(std::move(program));
}

// Links of each rank: one for each peer of a fully connected dimension, one for each other dimension.
class Fabric {
public:
    explicit Fabric(const System& system) : system_(system)
    {
        for (const NetworkDimension& dimension : system) {
            strides_.push_back(ranks_);
            ranks_ *= dimension.size;
            first_.push_back(links_each_);
            links_each_ += dimension.shape == Shape::fully_connected ? dimension.size : 1;
        }
        for (std::uint32_t rank = 0; rank < ranks_; ++rank)
            for (const NetworkDimension& dimension : system)
                for (std::uint32_t i = 0; i < (dimension.shape == Shape::fully_connected ? dimension.size : 1); ++i)
                    links_.push_back({"link", 1000 / dimension.bytes_per_ns(), 0, -1});
    }

    std::uint32_t ranks() const { return ranks_; }
    const std::vector<CostLink>& links() const { return links_; }
    CostPath path(std::uint32_t from, std::uint32_t to) const
    {
        std::uint32_t d = 0;
        while (from / strides_[d] % system_[d].size == to / strides_[d] % system_[d].size) ++d;
        const std::uint32_t there = system_[d].shape == Shape::fully_connected ? to / strides_[d] % system_[d].size : 0;
        return {{{0, {{from * links_each_ + first_[d] + there, 1}}}}, system_[d].latency_ps(), 0, true};
    }
    // The ranks that differ along dimension `d` only, for each of its lines.
    std::vector<std::vector<std::uint32_t>> lines(std::uint32_t d) const
    {
        std::vector<std::vector<std::uint32_t>> out;
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            if (rank / strides_[d] % system_[d].size != 0) continue;
            out.emplace_back();
            for (std::uint32_t i = 0; i < system_[d].size; ++i) out.back().push_back(rank + i * strides_[d]);
        }
        return out;
    }

private:
    const System& system_;
    std::uint32_t ranks_ = 1;
    std::uint32_t links_each_ = 0;
    std::vector<std::uint32_t> strides_;
    std::vector<std::uint32_t> first_;
    std::vector<CostLink> links_;
};

// Splits wait before each dimension, which has one of them at a time.
class Pipeline {
public:
    Pipeline(const System& system, bool baseline)
        : fabric_(system), phases_(phases_of(system, baseline)),
          book_(fabric_.links(), [this](std::uint32_t from, std::uint32_t to) { return fabric_.path(from, to); }),
          core_(astra_ranks(fabric_.ranks()), book_, astra_assumptions()), waiting_(system.size()),
          busy_(system.size(), false)
    {
        for (const Phase& phase : phases_) programs_.push_back(program_of_phase(system[phase.dimension], phase.op));
        for (std::uint32_t d = 0; d < system.size(); ++d) lines_.push_back(fabric_.lines(d));
    }

    std::uint64_t run_ns()
    {
        for (std::uint32_t split = 0; split < splits; ++split) waiting_[0].push_back(0);
        begin(0);
        core_.run();
        EXPECT_EQ(ended_, splits);
        return core_.now() / ns;
    }

private:
    // The next of those that wait before dimension `d`, named by their phase.
    void begin(std::uint32_t d)
    {
        if (busy_[d] || waiting_[d].empty()) return;
        busy_[d] = true;
        const std::uint32_t number = waiting_[d].front();
        waiting_[d].pop_front();
        const auto left = std::make_shared<std::uint32_t>(fabric_.ranks());
        for (const std::vector<std::uint32_t>& line : lines_[d]) {
            FlowJob job;
            job.program = programs_[number];
            job.bytes = static_cast<std::uint64_t>(phases_[number].bytes);
            job.members = line;
            job.name = "phase";
            const FlowCore::JobId id = core_.open(std::move(job));
            for (std::uint32_t position = 0; position < line.size(); ++position)
                core_.enter(id, position, [this, number, left] {
                    if (--*left == 0) end(number);
                });
        }
    }
    void end(std::uint32_t number)
    {
        const std::uint32_t d = phases_[number].dimension;
        busy_[d] = false;
        if (number + 1 == phases_.size()) {
            ++ended_;
        } else {
            waiting_[phases_[number + 1].dimension].push_back(number + 1);
            begin(phases_[number + 1].dimension);
        }
        begin(d);
    }

    Fabric fabric_;
    std::vector<Phase> phases_;
    PathBook book_;
    FlowCore core_;
    std::vector<std::shared_ptr<const FlowProgram>> programs_;
    std::vector<std::vector<std::vector<std::uint32_t>>> lines_;
    std::vector<std::deque<std::uint32_t>> waiting_;
    std::vector<bool> busy_;
    std::uint32_t ended_ = 0;
};

void expect_figure(const System& system, bool baseline, std::uint64_t printed_us)
{
    const std::uint64_t formula = formula_ns(system, baseline);
    EXPECT_EQ((formula + 500) / 1000, printed_us);
    EXPECT_EQ(Pipeline(system, baseline).run_ns(), formula);
}

}  // namespace

TEST(AstraWafer, OneDimensionIsItsFigure)
{
    if (test::thorough()) expect_figure(wafer_350, true, 7868);
    if (test::thorough()) expect_figure(wafer_500, true, 6158);
    expect_figure(wafer_600, true, 5492);
}

TEST(AstraWafer, TwoDimensionsAreTheirFigures)
{
    expect_figure(wafer_2d, true, 9479);
    expect_figure(wafer_2d, false, 9341);
}

TEST(AstraWafer, ThreeConventionalDimensionsAreTheirFigures)
{
    if (test::thorough()) expect_figure(conventional_3d, true, 30998);
    expect_figure(conventional_3d, false, 12240);
}

TEST(AstraWafer, FourConventionalDimensionsAreTheirFigures)
{
    expect_figure(conventional_4d, true, 31174);
    if (test::thorough()) expect_figure(conventional_4d, false, 5073);
}

TEST(AstraWafer, AnotherRateOrSizeIsAnotherTime)
{
    System slower = conventional_4d;
    slower[0].rate *= 0.99;  // the busiest
    EXPECT_EQ(Pipeline(slower, false).run_ns(), formula_ns(slower, false));
    EXPECT_GT(formula_ns(slower, false), formula_ns(conventional_4d, false));
    System longer = conventional_4d;
    std::swap(longer[0], longer[2]);  // a ring of eight is first, at 100 GB/s
    EXPECT_EQ(Pipeline(longer, false).run_ns(), formula_ns(longer, false));
    EXPECT_GT(formula_ns(longer, false), formula_ns(conventional_4d, false));
}

}  // namespace wafer_test
