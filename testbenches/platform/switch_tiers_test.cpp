// Steps that two tiers of switches carry out, from schedules to wires: results in memory, times, bytes, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"
#include "testbenches/platform/switch_board.h"
#include "testbenches/support/thorough.h"

namespace switch_tiers_test {

using namespace weft;
using namespace weft::testing;

namespace {

// A box with accelerators, switches and the edges between them; 25 GB/s, 70 ns.
std::string box_document(unsigned accelerators, unsigned switches, const std::vector<std::string>& edges)
{
    std::string out = "name: bench\ndevices:\n- name: box\n  components:\n"
                      "  - {name: xpu, choice: xpu, count: " +
        std::to_string(accelerators) +
        ", description: accelerator}\n  - {name: sw, choice: switch, count: " + std::to_string(switches) +
        ", description: switch}\n"
        "  links:\n  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: "
        "{ns: 70}}}\n  edges:\n";
    for (const std::string& edge : edges) out += "  - " + edge + "\n";
    return out + "instances:\n- {name: b, device: box, count: 1}\n";
}

std::string part(const std::string& name, unsigned from, unsigned to)
{
    return "\"" + name + "[" + std::to_string(from) + ":" + std::to_string(to) + "]\"";
}

std::string edge(const std::string& a, const std::string& b)
{
    return "{ep1: {component: " + a + "}, ep2: {component: " + b + "}, scheme: many2many, link: wire}";
}

// Leaves first, spines behind. In each of `planes` all members have a leaf of their own board, and the plane has `spines`.
std::string tiers_document(const std::vector<unsigned>& leaves, unsigned spines, unsigned planes = 1)
{
    const auto count = static_cast<unsigned>(leaves.size());
    const unsigned members = std::accumulate(leaves.begin(), leaves.end(), 0U);
    std::vector<std::string> edges;
    for (unsigned p = 0; p < planes; ++p) {
        unsigned first = 0;
        for (unsigned l = 0; l < count; ++l) {
            edges.push_back(edge(part("xpu", first, first + leaves[l]), part("sw", p * count + l, p * count + l + 1)));
            first += leaves[l];
        }
        const unsigned top = planes * count + p * spines;
        edges.push_back(edge(part("sw", p * count, (p + 1) * count), part("sw", top, top + spines)));
    }
    return box_document(members, planes * (count + spines), edges);
}

RunSetup tiers(const std::string& document, std::vector<std::string> sets = {})
{
    RunSetup setup;
    setup.document = document;
    setup.sets = {"l2.size=1 MiB", "engine.channels=2", "link.merge=none", "link.header=16", "link.flit=16",
        "link.byte_enable=16", "link.packet_overhead=0"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}

// Time in ps, or the refusal.
std::string outcome_of(const RunSetup& setup, const Schedule& schedule, std::uint64_t bytes,
    ElementType type = ElementType::fp32, bool data_on = true)
{
    return in_timed_child(
        [&] {
            try {
                SwitchBoard board(setup, data_on, schedule.size());
                const Executor::JobId job = board.open(schedule, bytes, type);
                board.enter_all(job);
                board.run();
                EXPECT_EQ(board.system.pool().live(), 0u);
                return std::to_string(board.time_of(job));
            } catch (const InputError& error) {
                return std::string(error.what());
            }
        },
        100);
}

bool is_time(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<Schedule> every_kind(unsigned n)
{
    return {reduce_multicast_all_reduce(n, 2, true), reduce_multicast_all_reduce(n, 3, false),
        load_reduce_all_reduce(n, 2), push_all_reduce(n, 2), load_reduce_scatter(n, 2), multicast_all_gather(n, 2),
        multicast_broadcast(n, 2)};
}

// Time of one operation on endpoint 0, alone.
Time alone_in_tiers(const RunSetup& setup, const std::function<Program(std::uint16_t group)>& write)
{
    return std::stoull("0" +
        in_timed_child(
            [&] {
                SwitchBoard board(setup);
                std::vector<std::uint32_t> members(board.plan.members.size());
                std::iota(members.begin(), members.end(), 0U);
                const Program program = write(board.groups.group(members, {}, ElementType::fp32, ReduceOp::sum));
                ComputeUnits::Launch launch;
                launch.program = &program;
                board.system.gpus()[0]->units().launch(launch);
                board.run();
                return std::to_string(board.system.event_queue().last());
            },
            100));
}

// Asked for a group, makes one of all members but the last.
class Forgetful : public GroupRegistry {
public:
    explicit Forgetful(GroupRegistry& honest) : honest_(honest) {}
    std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>&, ElementType type,
        ReduceOp op) override
    {
        return honest_.group({members.begin(), members.end() - 1}, {members.back()}, type, op);
    }

private:
    GroupRegistry& honest_;
};

}  // namespace

TEST(SwitchTiers, ResultsAreRightInMemoryForAllShapesAndTypes)
{
    const std::vector<std::pair<std::string, unsigned>> systems = {{tiers_document({2, 2}, 1), 4},
        {tiers_document({4, 4}, 2), 8}, {tiers_document({3, 1, 2}, 3), 6},
        // Two leaves for each member: with spines of their own, and under one spine for each plane in turn.
        {tiers_document({2, 2}, 1, 2), 4},
        {box_document(4, 6,
             {edge(part("xpu", 0, 2), part("sw", 0, 2)), edge(part("xpu", 2, 4), part("sw", 2, 4)),
                 edge(part("sw", 0, 4), part("sw", 4, 6))}),
            4}};
    unsigned number = 0;
    for (const auto& [document, n] : systems)
        for (const Schedule& schedule : every_kind(n))
            for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::int32}) {
                if (number++ % weft::test::by_default(2, 1) != 0) continue;
                const std::string text = outcome_of(tiers(document), schedule, (n * 129ULL + 1) * size_of(type), type);
                EXPECT_TRUE(is_time(text)) << schedule.name << " " << n << " " << name_of(type) << ": " << text;
            }
}

TEST(SwitchTiers, MinimumAndMaximumAreReducedToo)
{
    for (const ReduceOp reduction : {ReduceOp::min, ReduceOp::max})
        for (const Schedule& schedule :
            {reduce_multicast_all_reduce(6, 2, true, reduction), push_all_reduce(6, 2, reduction)})
            EXPECT_TRUE(is_time(outcome_of(tiers(tiers_document({2, 4}, 2)), schedule, 8000))) << name_of(reduction);
}

TEST(SwitchTiers, AddressesSpreadOverPlanesAndSpines)
{
    const std::string text = in_timed_child(
        [] {
            // Four leaves in two planes, then two spines for each plane.
            SwitchBoard board(tiers(tiers_document({2, 2}, 2, 2)));
            const Executor::JobId job = board.open(push_all_reduce(4, 2), 64 * 1024, ElementType::fp32);
            board.enter_all(job);
            board.run();
            EXPECT_GT(board.time_of(job), 0u);
            std::string operations;
            for (std::size_t s = 0; s < 8; ++s)
                operations += std::to_string(static_cast<int>(board.switch_statistic("group_operations", s))) + " ";
            return operations;
        },
        100);
    EXPECT_EQ(text, "512 512 512 512 256 256 256 256 ");
}

TEST(SwitchTiers, AtZeroLoadItIsALoadFromBehindTheOtherLeafAndTheAdders)
{
    const RunSetup setup = tiers(tiers_document({4, 4}, 1));
    const auto load = [&](bool reduced) {
        return alone_in_tiers(setup, [&](std::uint16_t group) {
            Program program;
            program.add_move({global_address(reduced ? group : 7, 4096)}, {}, 64, ElementType::fp32, ReduceOp::sum);
            return program;
        });
    };
    // Four operands pass the adder of a leaf, two that of the spine, at 1.6 TB/s.
    EXPECT_EQ(load(true), load(false) + 4 * 40 + 2 * 40);
    const auto store = [&](bool multicast) {
        return alone_in_tiers(setup, [&](std::uint16_t group) {
            Program program;
            program.add_move({}, {global_address(multicast ? group : 7, 4096)}, 64, ElementType::fp32, ReduceOp::sum);
            program.add_fence(Scope::system);
            return program;
        });
    };
    EXPECT_EQ(store(true), store(false));
    const ResolvedSystem system = resolve_setup(setup);
    const GpuSpec& gpu = system.gpu(system.endpoints()[0]);
    const auto way = [](std::uint64_t bytes) { return 4 * (bytes * 40 + 70'000) + 3 * SwitchSpec{}.latency; };
    EXPECT_EQ(store(true),
        gpu.unit_to_port + way(80) + gpu.port_to_l2 + system.l2(system.endpoints()[0]).latency + gpu.l2_to_port +
            way(16) + gpu.port_to_unit);
}

// A message of S over n members, k of them at a leaf, and s spines: S (1 + 1/n) on a member's link, S (1 + k/n) / s
// between a leaf and each spine, each way, and signals.
TEST(SwitchTiers, TheWiresCarryWhatTheTreeNeeds)
{
    for (const unsigned spines : {1U, 2U}) {
        const std::uint64_t lines = 8 * 64;
        in_timed_child(
            [&] {
                SwitchBoard board(tiers(tiers_document({3, 5}, spines)));
                const Executor::JobId job =
                    board.open(reduce_multicast_all_reduce(8, 2), lines * 64, ElementType::fp32);
                board.enter_all(job);
                board.run();
                EXPECT_GT(board.time_of(job), 0u);
                const std::uint64_t signals = 2 * 2 * 7;
                for (std::uint32_t e = 0; e < 8; ++e)
                    for (const LinkResult& link : {board.up(e), board.down(e)}) {
                        EXPECT_EQ(link.payload_bytes, (lines + lines / 8) * 64 + signals * 8);
                        EXPECT_EQ(link.wire_bytes, (lines + lines / 8) * (80 + 16) + signals * (32 + 16));
                    }
                // Between tiers: signals of every member of one leaf to every one of the other, in two channels, twice.
                const std::uint64_t crossing = 2 * 2 * 3 * 5;
                std::map<std::string, std::uint64_t> wire;
                std::map<std::string, std::uint64_t> payload;
                for (const LinkResult& link : link_results(board.system.fabric(), board.resolved.graph(), 1)) {
                    if (link.from.find("xpu") != std::string::npos || link.to.find("xpu") != std::string::npos)
                        continue;
                    const bool up = link.from < link.to;  // leaves have the lower numbers
                    const std::string leaf = up ? link.from + " up" : link.to + " down";
                    wire[leaf] += link.wire_bytes;
                    payload[leaf] += link.payload_bytes;
                }
                EXPECT_EQ(payload.size(), 4u);
                for (const auto& [leaf, bytes] : payload) {
                    const std::uint64_t own = leaf.find("sw.0") != std::string::npos ? 3 : 5;
                    EXPECT_EQ(bytes, (lines + lines * own / 8) * 64 + crossing * 8) << leaf;
                    EXPECT_EQ(wire[leaf], (lines + lines * own / 8) * (80 + 16) + crossing * (32 + 16)) << leaf;
                }
                return std::string();
            },
            100);
    }
}

TEST(SwitchTiers, LittleRoomSlowsARunAndChangesNothingElse)
{
    const std::string document = tiers_document({2, 3}, 2);
    for (const Schedule& schedule : {reduce_multicast_all_reduce(5, 2), push_all_reduce(5, 1)}) {
        const std::string plenty = outcome_of(tiers(document), schedule, 40'000);
        const std::string little = outcome_of(tiers(document,
                                                  {"link.request_credits=1", "link.response_credits=1",
                                                      "switch.group_contexts=16", "switch.waiting_contributions=64"}),
            schedule, 40'000);
        ASSERT_TRUE(is_time(plenty) && is_time(little)) << plenty << " " << little;
        EXPECT_GT(std::stoull(little), 2 * std::stoull(plenty)) << schedule.name;
    }
}

TEST(SwitchTiers, DataOnAndOffTakeTheSameTime)
{
    for (const Schedule& schedule : every_kind(4)) {
        const RunSetup setup = tiers(tiers_document({1, 3}, 2));
        EXPECT_EQ(outcome_of(setup, schedule, 10'000, ElementType::fp32, true),
            outcome_of(setup, schedule, 10'000, ElementType::fp32, false))
            << schedule.name;
    }
}

TEST(SwitchTiers, TheProtocolIsKeptAndTheSameRunGivesTheSameResult)
{
    for (const char* algorithm : {"nvls", "push_reduce", "nvls_one_shot"}) {
        RunSetup setup = tiers(tiers_document({4, 4}, 2));
        setup.lines = collective_lines("all_reduce", algorithm, "20000");
        setup.options.check_protocol = true;
        const Json first = run(setup);
        EXPECT_EQ(first["verified"], "passed") << first.dump().substr(0, 300);
        EXPECT_EQ(first, run(setup)) << algorithm;
    }
}

TEST(SwitchTiers, AGroupThatLacksAMemberIsSeenInTheData)
{
    const std::string text = in_timed_child(
        [] {
            SwitchBoard board(tiers(tiers_document({2, 2}, 2)));
            Forgetful forgetful(board.groups);
            board.executor.set_groups(forgetful);
            const Executor::JobId job = board.open(reduce_multicast_all_reduce(4, 2), 4096, ElementType::int32);
            board.enter_all(job);
            board.run();
            return board.record(job).mismatch;
        },
        100);
    EXPECT_NE(text.find("expected int32"), std::string::npos) << text;
}

TEST(SwitchTiers, AMemberThatDoesNotPushIsNamedByItsLeafAndTheSpine)
{
    const std::string text = in_timed_child(
        [] {
            SwitchBoard board(tiers(tiers_document({2, 2}, 1), {"switch.reduce_timeout=3 ms"}));
            Schedule schedule = push_all_reduce(4, 1);
            std::vector<Step>& steps = schedule.ranks[3].threads[0].steps;
            steps.erase(std::find_if(steps.begin(), steps.end(), [](const Step& step) { return is_data(step.kind); }));
            Job job;
            job.members = {0, 1, 2, 3};
            job.name = "all_reduce";
            job.bytes = 64;
            job.schedule = std::make_shared<Schedule>(schedule);
            const Executor::JobId id = board.executor.open(job);
            board.enter_all(id);
            board.run();
            EXPECT_FALSE(board.record(id).finished);
            EXPECT_TRUE(board.system.cannot_progress());
            std::string out;
            for (const std::string& line : board.system.blocked()) out += line + "\n";
            return out;
        },
        100);
    EXPECT_NE(text.find("b.0.sw.1: reduce at 0x"), std::string::npos) << text;
    EXPECT_NE(text.find("waits for endpoint 3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("waits for the switch of endpoint 2\n"), std::string::npos) << text;
}

TEST(SwitchTiers, UnsupportedSystemsAreRefused)
{
    const std::string expected =
        "; expected members that share a switch, or whose switches share one, or an algorithm without multicast and "
        "reduction in switches";
    const std::string both = "no switch is attached to both b.0.xpu.0 and b.0.xpu.1, so none can multicast and reduce "
                             "for them: ";
    const auto refusal = [](const RunSetup& setup, unsigned ranks) {
        return outcome_of(setup, push_all_reduce(ranks, 1), 4096);
    };
    // Three tiers: leaves 0 and 1 with one member each, 2 and 3 above them, 4 on top.
    EXPECT_EQ(refusal(tiers(box_document(2, 5,
                          {edge(part("xpu", 0, 1), part("sw", 0, 1)), edge(part("xpu", 1, 2), part("sw", 1, 2)),
                              edge(part("sw", 0, 1), part("sw", 2, 3)), edge(part("sw", 1, 2), part("sw", 3, 4)),
                              edge(part("sw", 2, 4), part("sw", 4, 5))})),
                  2),
        both +
            "b.0.sw.0 and b.0.sw.1 are not attached to one switch above them; trees of more than two tiers are not "
            "supported" +
            expected);
    // One member has two leaves, the other one.
    EXPECT_EQ(refusal(tiers(box_document(2, 4,
                          {edge(part("xpu", 0, 1), part("sw", 0, 2)), edge(part("xpu", 1, 2), part("sw", 2, 3)),
                              edge(part("sw", 0, 3), part("sw", 3, 4))})),
                  2),
        both + "b.0.xpu.1 is attached to 1 of these switches, others to 2" + expected);
    // A model that knows one tier only.
    RunSetup other = tiers(tiers_document({1, 1}, 1), {"link.vcs=split"});
    other.lines = "bind: [{nodes: b.0.sw.0, model: reference_switch}]\n";
    EXPECT_EQ(refusal(other, 2),
        "b.0.sw.0: this switch model has no operations on groups over two tiers of switches; expected model switch, or "
        "members "
        "that share a switch");
}

}  // namespace switch_tiers_test
