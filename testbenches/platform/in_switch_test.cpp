// Steps that switches carry out, from the schedule to the wires: results in memory, times, bytes, who is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/platform/switch_board.h"
#include "testbenches/support/thorough.h"

namespace in_switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup star(unsigned n, std::vector<std::string> sets = {})
{
    RunSetup setup;
    setup.document = star_document(n);
    setup.sets = {"l2.size=1 MiB", "engine.channels=2", "link.merge=none", "link.header=16", "link.flit=16",
        "link.byte_enable=16", "link.packet_overhead=0"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}

RunSetup dgx()
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n";
    return setup;
}

// Runs `schedule` in a child: its time in ps, or the refusal.
std::string outcome(const RunSetup& setup, const Schedule& schedule, std::uint64_t bytes,
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

Time time_of(const RunSetup& setup, const Schedule& schedule, std::uint64_t bytes, bool data_on = false)
{
    const std::string text = outcome(setup, schedule, bytes, ElementType::fp32, data_on);
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << text;
    return std::stoull("0" + text);
}

std::vector<Schedule> all_of_them(unsigned n)
{
    return {reduce_multicast_all_reduce(n, 2, true), reduce_multicast_all_reduce(n, 3, false),
        load_reduce_all_reduce(n, 2), push_all_reduce(n, 2), load_reduce_scatter(n, 2), multicast_all_gather(n, 2),
        multicast_broadcast(n, 2)};
}

// One workgroup with these operations on endpoint 0; when it ends, in ps.
Time alone(const RunSetup& setup, const std::function<Program(std::uint16_t group)>& write)
{
    return std::stoull("0" +
        in_timed_child(
            [&] {
                SwitchBoard board(setup);
                std::vector<std::uint32_t> members;
                for (std::uint32_t e = 0; e < board.plan.members.size(); ++e) members.push_back(e);
                const Program program = write(board.groups.group(members, {}, ElementType::fp32, ReduceOp::sum));
                ComputeUnits::Launch launch;
                launch.program = &program;
                board.system.gpus()[0]->units().launch(launch);
                board.run();
                return std::to_string(board.system.event_queue().last());
            },
            100));
}

// Makes groups other than those that it is asked for.
class Liar : public GroupRegistry {
public:
    Liar(GroupRegistry& honest, bool leaves_one_out) : honest_(honest), leaves_one_out_(leaves_one_out) {}
    std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>&, ElementType type,
        ReduceOp op) override
    {
        if (!leaves_one_out_) return honest_.group(members, {}, type, ReduceOp::max);
        std::vector<std::uint32_t> others = members;
        others.pop_back();
        return honest_.group(others, {members.back()}, type, op);
    }

private:
    GroupRegistry& honest_;
    bool leaves_one_out_;
};

std::string mismatch_with_liar(bool leaves_one_out)
{
    return in_timed_child(
        [&] {
            SwitchBoard board(star(4));
            Liar liar(board.groups, leaves_one_out);
            board.executor.set_groups(liar);
            const Executor::JobId job = board.open(reduce_multicast_all_reduce(4, 2), 4096, ElementType::int32);
            board.enter_all(job);
            board.run();
            return board.record(job).mismatch;
        },
        100);
}

}  // namespace

TEST(InSwitch, ResultsAreRightInMemoryForAllTypesAndSizes)
{
    // By default each pair of a schedule and a type for some number of members, and each size with all of them.
    unsigned number = 0;
    for (const unsigned n : {2U, 3U, 4U, 8U})
        for (const Schedule& schedule : all_of_them(n))
            for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::int32})
                for (const std::uint64_t elements : {n * 1U, n * 257U + 1, 5000U}) {
                    if (n == 8 && elements == 5000 && type != ElementType::bf16) continue;
                    if (number++ % weft::test::by_default(4, 1) != 0) continue;
                    const std::string text = outcome(star(n), schedule, elements * size_of(type), type);
                    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos)
                        << schedule.name << " " << n << " " << name_of(type) << " " << elements << ": " << text;
                }
}

TEST(InSwitch, MinimumAndMaximumAreReducedToo)
{
    for (const ReduceOp reduction : {ReduceOp::min, ReduceOp::max})
        for (const Schedule& schedule : {reduce_multicast_all_reduce(4, 2, true, reduction),
                 push_all_reduce(4, 2, reduction), load_reduce_scatter(4, 2, reduction)})
            EXPECT_GT(time_of(star(4), schedule, 8000, true), 0u) << name_of(reduction);
}

TEST(InSwitch, LinesSpreadOverTheSwitchesOfABoardAndMeetAtOne)
{
    for (const char* selection : {"lines", "pairs", "none", "round_robin"})
        for (const Schedule& schedule : {reduce_multicast_all_reduce(8, 2), push_all_reduce(8, 2)}) {
            RunSetup setup = dgx();
            setup.sets = {std::string("routing.path_selection=") + selection, "routing.stripe=128 B"};
            const std::string text = in_timed_child(
                [&] {
                    SwitchBoard board(setup);
                    const Executor::JobId job = board.open(schedule, 64 * 1024, ElementType::fp32);
                    board.enter_all(job);
                    board.run();
                    EXPECT_GT(board.time_of(job), 0u);
                    std::string operations;
                    for (std::size_t s = 0; s < 4; ++s)
                        operations +=
                            std::to_string(static_cast<int>(board.switch_statistic("group_operations", s))) + " ";
                    return operations;
                },
                100);
            const bool push = schedule.name.find("push") == 0;
            const bool even = selection == std::string("lines") || selection == std::string("round_robin");
            if (even) {
                EXPECT_EQ(text, push ? "256 256 256 256 " : "512 512 512 512 ") << selection;
            }
            EXPECT_EQ(text.find("-1"), std::string::npos) << text;
        }
}

TEST(InSwitch, JobsOverlapAndRunInTheMemoryOfOne)
{
    const std::string text = in_timed_child(
        [] {
            RunSetup setup = star(4);
            setup.sets.push_back("hbm.capacity=1 MiB");
            SwitchBoard board(setup);
            std::size_t left = 6;
            std::vector<Executor::JobId> jobs;
            const std::function<void()> next = [&] {
                if (left-- == 0) return;
                // Two at a time, on different pairs, then all together.
                if (left % 2 == 1) {
                    for (const std::uint32_t first : {0U, 2U}) {
                        const std::vector<std::uint32_t> pair{first + 1, first};
                        jobs.push_back(board.open(reduce_multicast_all_reduce(2, 2), 200'000, ElementType::fp32, pair));
                        board.enter_all(jobs.back());
                    }
                } else {
                    jobs.push_back(board.open(push_all_reduce(4, 2), 200'000, ElementType::bf16));
                    board.enter_all(jobs.back());
                }
                board.executor.wait(0, 1'000'000'000, next);
            };
            next();
            board.run();
            std::string mismatches;
            for (const Executor::JobId job : jobs)
                mismatches += board.record(job).finished ? board.record(job).mismatch : "open";
            return std::to_string(jobs.size()) + mismatches;
        },
        100);
    EXPECT_EQ(text, "9");
}

TEST(InSwitch, AGroupThatIsWrongIsSeenInTheData)
{
    EXPECT_NE(mismatch_with_liar(true).find("expected int32"), std::string::npos);
    EXPECT_NE(mismatch_with_liar(false).find("expected int32"), std::string::npos);
}

TEST(InSwitch, AMemberThatDoesNotPushIsNamed)
{
    const std::string text = in_timed_child(
        [] {
            SwitchBoard board(star(3, {"switch.reduce_timeout=3 ms"}));
            Schedule schedule = push_all_reduce(3, 1);
            std::vector<Step>& steps = schedule.ranks[1].threads[0].steps;
            steps.erase(std::find_if(steps.begin(), steps.end(), [](const Step& step) { return is_data(step.kind); }));
            Job job;
            job.members = {0, 1, 2};
            job.name = "all_reduce";
            job.bytes = 64;
            job.schedule = std::make_shared<Schedule>(schedule);
            const Executor::JobId id = board.executor.open(job);
            board.enter_all(id);
            board.run();
            EXPECT_FALSE(board.record(id).finished);
            EXPECT_TRUE(board.system.cannot_progress());
            EXPECT_LT(board.system.event_queue().last(), 5'000'000'000u);
            const std::vector<std::string> blocked = board.system.switches()[0].module->blocked();
            return blocked.empty() ? std::string() : blocked.front();
        },
        100);
    EXPECT_NE(text.find("reduce at 0x"), std::string::npos) << text;
    EXPECT_NE(text.find("waits for endpoint 1"), std::string::npos) << text;
}

TEST(InSwitch, SystemsWithoutACommonSwitchAreRefused)
{
    RunSetup mesh;
    mesh.document = mesh_document(4);
    EXPECT_EQ(outcome(mesh, reduce_multicast_all_reduce(4, 2), 4096),
        "no switch is attached to b.0.xpu.0, so none can multicast and reduce for it; expected members that share a "
        "switch, or whose switches share one, or an algorithm without multicast and reduction in switches");
    const std::string two_boxes = R"(
name: pair
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: accelerator}
  - {name: sw, choice: switch, count: 1, description: switch}
  - {name: nic, choice: nic, count: 1, description: nic}
  links:
  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: 70}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}
  - {ep1: {component: sw}, ep2: {component: nic}, scheme: many2many, link: wire}
instances:
- {name: b, device: box, count: 2}
edges:
- {ep1: {instance: "b[0]", component: nic}, ep2: {instance: "b[1]", component: nic}, scheme: one2one, link: cable}
links:
- {name: cable, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: 70}}}
)";
    RunSetup pair;
    pair.document = two_boxes;
    EXPECT_EQ(outcome(pair, reduce_multicast_all_reduce(4, 2), 4096),
        "no switch is attached to both b.0.xpu.0 and b.1.xpu.0, so none can multicast and reduce for them: b.0.sw.0 "
        "and b.1.sw.0 are not attached to one switch above them; trees of more than two tiers are not supported; "
        "expected "
        "members that share a switch, or whose switches share one, or an algorithm without multicast and reduction in "
        "switches");
    // Inside a box they do.
    EXPECT_GT(time_of(pair, reduce_multicast_all_reduce(2, 2), 4096, true), 0u);
}

TEST(InSwitch, ATableThatIsFullIsRefused)
{
    const std::string text = in_timed_child(
        [] {
            SwitchBoard board(star(4, {"switch.multicast_groups=2"}));
            board.groups.group({0, 1}, {}, ElementType::fp32, ReduceOp::sum);
            const std::uint16_t again = board.groups.group({0, 1}, {}, ElementType::fp32, ReduceOp::sum);
            EXPECT_EQ(again, first_group);
            board.groups.group({2, 3}, {}, ElementType::fp32, ReduceOp::sum);
            try {
                board.groups.group({2, 3}, {}, ElementType::fp32, ReduceOp::max);
            } catch (const InputError& error) {
                return std::string(error.what());
            }
            return std::string("accepted");
        },
        100);
    EXPECT_NE(text.find("the table of 2 groups is full"), std::string::npos) << text;
}

TEST(InSwitch, AtZeroLoadAReductionIsALoadAndTheAdder)
{
    const RunSetup setup = star(4);
    const auto load = [&](bool reduced) {
        return alone(setup, [&](std::uint16_t group) {
            Program program;
            program.add_move({global_address(reduced ? group : 1, 4096)}, {}, 64, ElementType::fp32, ReduceOp::sum);
            return program;
        });
    };
    // All members are as far as any peer; their four operands pass the adder at 1.6 TB/s.
    EXPECT_EQ(load(true), load(false) + 4 * 40);
    const auto store = [&](bool multicast) {
        return alone(setup, [&](std::uint16_t group) {
            Program program;
            program.add_move({}, {global_address(multicast ? group : 1, 4096)}, 64, ElementType::fp32, ReduceOp::sum);
            program.add_fence(Scope::system);
            return program;
        });
    };
    EXPECT_EQ(store(true), store(false));
    // Across and back; of the parts only the slice's time is not the links' or the networks'.
    const ResolvedSystem system = resolve_setup(setup);
    const GpuSpec& gpu = system.gpu(system.endpoints()[0]);
    const Time hub = SwitchSpec{}.latency;
    const Time wire = 70'000;
    const auto on_wire = [](std::uint64_t bytes) { return bytes * 40; };  // 25 GB/s
    const Time out = gpu.unit_to_port + on_wire(80) + wire + hub + on_wire(80) + wire + gpu.port_to_l2;
    const Time back = gpu.l2_to_port + on_wire(16) + wire + hub + on_wire(16) + wire + gpu.port_to_unit;
    EXPECT_EQ(store(true), out + system.l2(system.endpoints()[0]).latency + back);
}

TEST(InSwitch, TheWiresCarryOneAndOneNthOfTheMessageEachWayAndItsHeaders)
{
    for (const unsigned n : {2U, 4U, 8U}) {
        const std::uint64_t lines = n * 64;
        const std::string text = in_timed_child(
            [&] {
                SwitchBoard board(star(n));
                const Executor::JobId job =
                    board.open(reduce_multicast_all_reduce(n, 2), lines * 64, ElementType::fp32);
                board.enter_all(job);
                board.run();
                EXPECT_GT(board.time_of(job), 0u);
                // Up: every line once to be added up, its share multicast; a request for each of its share; an acknowledge
                // for every line that comes. Down likewise. Beside them two rounds of signals to all in two channels.
                const std::uint64_t signals = 2 * 2 * (n - 1);
                for (std::uint32_t e = 0; e < n; ++e)
                    for (const LinkResult& link : {board.up(e), board.down(e)}) {
                        EXPECT_EQ(link.payload_bytes, (lines + lines / n) * 64 + signals * 8);
                        EXPECT_EQ(link.wire_bytes, (lines + lines / n) * (80 + 16) + signals * (32 + 16));
                    }
                return std::string();
            },
            100);
        EXPECT_EQ(text, "");
    }
}

TEST(InSwitch, ContextsAndTheAdderLimitWhatTheyShould)
{
    const std::uint64_t bytes = 1 << 20;
    const Schedule schedule = reduce_multicast_all_reduce(4, 4);
    const Time plenty = time_of(star(4), schedule, bytes);
    Time last = plenty;
    for (const char* contexts : {"16", "4", "1"}) {
        const Time time = time_of(star(4, {std::string("switch.group_contexts=") + contexts}), schedule, bytes);
        EXPECT_GT(time, 2 * last) << contexts;
        last = time;
    }
    // All operands pass the adder: 4 MiB at 20 GB/s, and a little more.
    const Time adder = 4 * bytes * 50;
    const Time slow = time_of(star(4, {"switch.reduce_rate=20 GB/s"}), schedule, bytes);
    EXPECT_GT(slow, adder);
    EXPECT_LT(slow, adder + plenty);
    EXPECT_LT(plenty, adder / 2);
    // With a fast one the links limit: 96 bytes for every line and for every line of the own share.
    const Time links = bytes / 64 * 5 / 4 * 96 * 40;
    EXPECT_GT(plenty, links);
    const Time twice = time_of(star(4), schedule, 2 * bytes);
    EXPECT_NEAR(static_cast<double>(twice - plenty), static_cast<double>(links), static_cast<double>(links) / 100);
}

TEST(InSwitch, DataOnAndOffTakeTheSameTime)
{
    for (const Schedule& schedule : all_of_them(4))
        EXPECT_EQ(time_of(star(4), schedule, 10'000, true), time_of(star(4), schedule, 10'000, false)) << schedule.name;
}

TEST(InSwitch, SomebodyElseMayReadAGroup)
{
    // Rank 2 has the sum of what the others hold, once both have entered.
    Schedule schedule;
    schedule.op = CollectiveOp::custom;
    schedule.chunks = 1;
    schedule.ranks.resize(3);
    for (RankPlan& plan : schedule.ranks) {
        plan.input_chunks = plan.output_chunks = 1;
        plan.threads.resize(1);
    }
    Step step = move_step({{1, Buffer::input, 0, 1}, {0, Buffer::input, 0, 1}}, {{2, Buffer::output, 0, 1}});
    step.kind = StepKind::load_reduce;
    schedule.ranks[2].semaphores = 1;
    for (const std::uint32_t rank : {0U, 1U}) schedule.ranks[rank].threads[0].steps = {signal_step(2, 0)};
    schedule.ranks[2].threads[0].steps = {wait_step(0, 0), wait_step(1, 0), step};
    EXPECT_GT(time_of(star(3), schedule, 4096, true), 0u);
}

namespace {

// How many GB/s of bus bandwidth the second half of a message of `mib` MiB adds, on a board of H100: what large messages
// come to, without what every collective begins and ends with.
double further_bandwidth(const std::string& algorithm, unsigned n, std::uint64_t mib)
{
    Time times[2];
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t bytes = (mib << 20U) / (2 - i);
        AlgorithmOptions options;
        options.channels = 32;
        const Schedule schedule = algorithm == "ring" ? make_schedule("ring", CollectiveOp::all_reduce, n, options)
                                                      : reduce_multicast_all_reduce(n, 32);
        times[i] = time_of(dgx(), schedule, bytes);
    }
    return static_cast<double>(mib << 19U) * 1e3 / static_cast<double>(times[1] - times[0]) * 2 * (n - 1) / n;
}

}  // namespace

TEST(InSwitch, BusBandwidthOfH100IsThatOfItsWires)
{
    const char* size = std::getenv("WEFT_BUSBW_MIB");  // the table of docs/models/switch.md: 64
    const std::uint64_t mib = size != nullptr ? std::stoull(size) : 4;
    const unsigned last = size != nullptr ? 8 : 4;
    for (unsigned n = size != nullptr ? 2 : 4; n <= last; ++n) {
        const double bus = further_bandwidth("in switch", n, mib);
        // Every line costs 96 bytes, and so does every line of the own share, at 450 GB/s.
        const double theory = 450 * 64.0 / 96 * 2 * (n - 1) / (n + 1);
        std::cout << n << " in switch " << bus << " of " << theory << " GB/s" << std::endl;
        EXPECT_LT(bus, 1.005 * theory);
        EXPECT_GT(bus, (size != nullptr ? 0.97 : 0.9) * theory);
    }
}

TEST(InSwitch, ARingOnH100PacksTwoLinesAtATime)
{
    const char* size = std::getenv("WEFT_BUSBW_MIB");
    for (unsigned n = 2; n <= (size != nullptr ? 8U : 2U); n += 2) {
        const double bus = further_bandwidth("ring", n, size != nullptr ? std::stoull(size) / 2 : 4);
        std::cout << n << " ring " << bus << " GB/s" << std::endl;
        EXPECT_LT(bus, 362);
        EXPECT_GT(bus, 330);
    }
}

}  // namespace in_switch_test
