// One table: every block of RTL in a bare loop, behind its interface, its reference model, and the block in a system,
// in the same run and on the same inputs. Prints; says nothing about what is fast enough.
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "rtl/cache/llc_rtl.h"
#include "rtl/cache/reference_slice.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "rtl/modules/clocked_link.h"
#include "rtl/modules/clocked_switch.h"
#include "rtl/reduction/reduction_rtl.h"
#include "rtl/reduction/reference_reduction.h"
#include "testbenches/platform/runs.h"
#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rates/timed_block.h"
#include "testbenches/rtl/reduction/reduction_traffic.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace weft::test::block_rates_test {
namespace {

namespace bench = weft::testing;

constexpr std::size_t recorded_clocks = 15'000;

// A row; rates in clocks a second, 0 where there is none.
struct Row {
    std::string name;
    std::uint64_t clocks = 0;  // recorded
    double bare = 0, bare_of_three = 0, alone = 0, reference = 0;
    std::uint64_t system_clocks = 0, system_lines = 0;
    double in_system = 0, whole_run = 0;

    std::string text() const
    {
        return fmt::format("{} {} {} {} {} {} {} {} {} {}\n", name, clocks, bare, bare_of_three, alone, reference,
            system_clocks, system_lines, in_system, whole_run);
    }
    static Row of(const std::string& text)
    {
        Row row;
        std::istringstream(text) >> row.name >> row.clocks >> row.bare >> row.bare_of_three >> row.alone >>
            row.reference >> row.system_clocks >> row.system_lines >> row.in_system >> row.whole_run;
        return row;
    }
};

// All but the system: on `recorded`.
template <class Rtl, class Reference, class In, class Out, class Count>
void measure(Row& row, Rtl& rtl, Reference& reference, const Recorded<In>& recorded, const Out& out,
    const std::string& valid, const Count& count)
{
    row.clocks = recorded.inputs.size();
    const Rate of_reference = interface_rate(reference, recorded, out, count);
    const Rate alone = interface_rate(rtl, recorded, out, count);
    BareLoop<Rtl, In, Out> bare(rtl, recorded, out, valid);
    const Rate three = bare.rate(3);
    const Rate two = bare.rate(2);
    EXPECT_GT(two.lines, 0U) << row.name;
    EXPECT_EQ(two.lines, of_reference.lines) << row.name;
    EXPECT_EQ(three.lines, of_reference.lines) << row.name;
    EXPECT_EQ(alone.lines, of_reference.lines) << row.name;
    EXPECT_EQ(rtl.failure(), "");
    row.bare = two.clocks_per_second;
    row.bare_of_three = three.clocks_per_second;
    row.alone = alone.clocks_per_second;
    row.reference = of_reference.clocks_per_second;
}

template <class In>
void account_for(Row& row, const Account<In>& account, double run_seconds)
{
    row.system_clocks = account.clocks;
    row.system_lines = account.lines;
    const double timing = cost_of_timing() * static_cast<double>(account.clocks);
    row.in_system = static_cast<double>(account.clocks) / std::max(account.seconds - timing, 1e-9);
    row.whole_run = static_cast<double>(account.clocks) / std::max(run_seconds - 2 * timing, 1e-9);
}

// In a child with the reference model: the row but for the system. In one with the block: the system, counts as those
// of the reference model.
template <class Run>
Row in_two_children(const Run& run)
{
    const Row reference = Row::of(bench::in_timed_child([&] { return run(false).text(); }, 300));
    Row block = Row::of(bench::in_timed_child([&] { return run(true).text(); }, 300));
    EXPECT_EQ(block.system_clocks, reference.system_clocks) << reference.name;
    EXPECT_EQ(block.system_lines, reference.system_lines) << reference.name;
    Row out = reference;
    out.in_system = block.in_system;
    out.whole_run = block.whole_run;
    return out;
}

// An all-reduce of four GPUs around one switch. `grouped`: by the unit of the switch, else by a ring.
Row switch_row(bool grouped, bool rtl)
{
    Account<SwitchIn> account;
    account.record = rtl ? 0 : recorded_clocks;
    SwitchBlockParameters plain;
    GroupSwitchParameters with_groups;
    const ClockedSwitch::Factory make{
        [&](const SwitchBlockParameters& parameters, const std::string& path) -> std::unique_ptr<ClockedSwitch::Block> {
            plain = parameters;
            std::unique_ptr<ClockedSwitch::Block> inner = std::make_unique<ReferenceSwitch>(parameters);
            if (rtl) inner = std::make_unique<SwitchRtl>(parameters, path);
            return std::make_unique<Timed<ClockedSwitch::Block>>(std::move(inner), account);
        },
        [&](const GroupSwitchParameters& parameters, const std::string& path) -> std::unique_ptr<GroupSwitchBlock> {
            with_groups = parameters;
            std::unique_ptr<GroupSwitchBlock> inner = std::make_unique<ReferenceGroupSwitch>(parameters);
            if (rtl) inner = std::make_unique<GroupSwitchRtl>(parameters, path);
            return std::make_unique<TimedGroupSwitch>(std::move(inner), account);
        }};
    ModelRegistry registry;
    registry.add_switch("timed", "a clocked switch under the clock",
        [&](const RunContext& context, const SwitchRequest& request) {
            return std::make_unique<ClockedSwitch>(request.module_name.c_str(), context.event_queue, request.path,
                request.parameters.get<SwitchSpec>(), request.ports, request.routes, make);
        });
    bench::RunSetup setup;
    setup.document = bench::star_document(4);
    setup.lines = "bind: [{nodes: \"*.sw.*\", model: timed}]\n" +
        bench::collective_lines("all_reduce", grouped ? "nvls" : "ring", grouped ? "64 KiB" : "128 KiB");
    setup.sets = {"l2.size=1 MiB", "engine.channels=2", "switch.clock=2 ns", "switch.latency=2 ns",
        "switch.traversal=2 ns", "link.request_credits=8", "link.response_credits=8", "switch.group_contexts=8"};
    if (!grouped) setup.sets.emplace_back("switch.multicast_groups=0");
    RunOptions options;
    options.progress = false;
    const double start = processor_seconds();
    const RunResult result = run_system(bench::resolve_setup(setup), registry, options);
    const double seconds = processor_seconds() - start;
    EXPECT_EQ(result.verified, "passed");
    Row row;
    row.name = grouped ? "weft_group_switch" : "weft_switch";
    account_for(row, account, seconds);
    if (rtl) return row;
    if (grouped) {
        GroupSwitchRtl block(with_groups, "alone");
        ReferenceGroupSwitch reference(with_groups);
        measure(row, block, reference, account.recorded, SwitchOut(with_groups.outside), "out_valid",
            [](const SwitchOut& out) { return lines_of(out); });
    } else {
        SwitchRtl block(plain, "alone");
        ReferenceSwitch reference(plain);
        measure(row, block, reference, account.recorded, SwitchOut(plain), "out_valid",
            [](const SwitchOut& out) { return lines_of(out); });
    }
    return row;
}

// Reads and writes among four endpoints around a switch, every link clocked.
Row link_row(bool rtl)
{
    Account<LinkIn> account;
    account.record = rtl ? 0 : recorded_clocks;
    LinkParams params;
    bench::FabricSystem::Options options;
    options.link.latency = 20'000;
    options.link.request_credits = options.link.response_credits = 32;
    options.link.replay_timeout = 400'000;
    options.link.replay_buffer = 64;
    options.make_link = [&](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                            std::uint64_t seed) {
        return std::make_unique<ClockedLink>(name.c_str(), event_queue, name, spec, seed,
            [&](const LinkParams& of_end, const std::string& path) {
                params = of_end;
                std::unique_ptr<LinkEndpoint> inner = std::make_unique<ReferenceLinkEndpoint>(of_end);
                if (rtl) inner = std::make_unique<LinkEndpointRtl>(of_end, path);
                return std::make_unique<Timed<LinkEndpoint>>(std::move(inner), account);
            });
    };
    const double start = processor_seconds();
    bench::FabricSystem system(bench::star(4, 32'000'000'000), options);
    system.issue_random(600, 11);
    bench::run_all(system);
    system.expect_clean();
    const double seconds = processor_seconds() - start;
    Row row;
    row.name = "weft_link_endpoint";
    account_for(row, account, seconds);
    if (rtl) return row;
    LinkEndpointRtl block(params, "alone");
    ReferenceLinkEndpoint reference(params);
    measure(row, block, reference, account.recorded, LinkOut(), "rx_valid",
        [](const LinkOut& out) { return lines_of(out); });
    return row;
}

// Random traffic at full load; in systems the unit is inside weft_group_switch.
Row reduction_row()
{
    const ReductionParameters parameters{4, 4, 8, 8, 4};
    TrafficShape shape;
    shape.ready = 1;
    shape.stall = shape.settings = 0;
    ReferenceReduction reference(parameters);
    ReductionTraffic traffic(parameters, 1, shape);
    Recorded<ReductionIn> recorded;
    recorded.inputs.resize(recorded_clocks);
    ReductionOut out;
    for (ReductionIn& in : recorded.inputs) {
        traffic.drive(1.0, in);
        reference.cycle(in, out);
        traffic.observe(out);
    }
    ReductionRtl block(parameters, "alone");
    Row row;
    row.name = "weft_group_unit";
    measure(row, block, reference, recorded, ReductionOut(), "out_valid",
        [](const ReductionOut& o) { return std::uint64_t{o.valid}; });
    return row;
}

// What a bench puts on the pins of a cache slice.
class Recorder final : public LlcBlock {
public:
    Recorder(LlcBlock& inner, Recorded<LlcIn>& recorded) : inner_(inner), recorded_(recorded) {}
    void reset() override { inner_.reset(); }
    void cycle(const LlcIn& in, LlcOut& out) override
    {
        recorded_.inputs.push_back(in);
        inner_.cycle(in, out);
    }
    bool idle() const override { return inner_.idle(); }

private:
    LlcBlock& inner_;
    Recorded<LlcIn>& recorded_;
};

// Reads, writes and atomics over twice as many lines as fit, memory that answers ten clocks later.
Row cache_row()
{
    const LlcParameters parameters;
    ReferenceSlice reference(parameters);
    Recorded<LlcIn> recorded;
    {
        Recorder recorder(reference, recorded);
        LlcScript script(recorder);
        const std::uint32_t lines = parameters.sets * parameters.ways * 2;
        for (std::uint32_t i = 0; recorded.inputs.size() < recorded_clocks; ++i) {
            const std::uint64_t place = std::uint64_t{i * 37 % lines} * 64;
            script.ask(i % 3 == 0 ? llc_write(place) : i % 17 == 0 ? llc_add(place, 1) : llc_read(place));
            script.run(1);
        }
    }
    LlcRtl block(parameters, "alone");
    Row row;
    row.name = "weft_llc_slice";
    measure(row, block, reference, recorded, LlcOut(), "resp_valid",
        [](const LlcOut& out) { return std::uint64_t{out.resp_valid}; });
    return row;
}

std::string ratio(double rate, double to) { return rate == 0 ? "-" : fmt::format("{:.2f}", rate / to); }
std::string thousands(double rate) { return rate == 0 ? "-" : fmt::format("{:.0f}", rate / 1000); }

class BlockRates : public LongRtlTest {};

TEST_F(BlockRates, OneTable)
{
    std::vector<Row> rows;
    for (const bool grouped : {false, true})
        rows.push_back(in_two_children([grouped](bool rtl) { return switch_row(grouped, rtl); }));
    rows.push_back(in_two_children(link_row));
    rows.push_back(reduction_row());
    rows.push_back(cache_row());
    std::printf("thousand clocks a second of processor time; in brackets: to the bare loop\n"
                "| block | bare loop | of three evaluations | block alone | reference model alone | in a system | the "
                "whole run "
                "|\n|---|---|---|---|---|---|---|\n");
    for (const Row& row : rows) {
        std::printf("| %s | %s | %s (%s) | %s (%s) | %s (%s) | %s (%s) | %s (%s) |\n", row.name.c_str(),
            thousands(row.bare).c_str(), thousands(row.bare_of_three).c_str(),
            ratio(row.bare_of_three, row.bare).c_str(), thousands(row.alone).c_str(),
            ratio(row.alone, row.bare).c_str(), thousands(row.reference).c_str(),
            ratio(row.reference, row.bare).c_str(), thousands(row.in_system).c_str(),
            ratio(row.in_system, row.bare).c_str(), thousands(row.whole_run).c_str(),
            ratio(row.whole_run, row.bare).c_str());
        EXPECT_GT(row.clocks, 1'000U) << row.name;
        for (const double rate : {row.bare, row.bare_of_three, row.alone, row.reference})
            EXPECT_GT(rate, 0) << row.name;
    }
    ASSERT_EQ(rows.size(), 5U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GT(rows[i].system_clocks, 1'000U) << rows[i].name;
        EXPECT_GT(rows[i].in_system, 0) << rows[i].name;
        EXPECT_GT(rows[i].whole_run, 0) << rows[i].name;
    }
}

}  // namespace
}  // namespace weft::test::block_rates_test
