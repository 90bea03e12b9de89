// When nothing can change anything any more: what is under way counts, whatever its sender waits for meanwhile.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace progress_test {

using namespace weft;
using weft::testing::in_child;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t slot = std::uint64_t{1} << 20;
const std::uint64_t far_slot = global_address(1, slot);
const std::uint64_t near_flag = global_address(0, MemoryImage::flag_base);
const std::uint64_t far_flag = global_address(1, MemoryImage::flag_base);
constexpr Time link_latency = 3'000'000;
constexpr WaitPolicy policies[] = {WaitPolicy::spin, WaitPolicy::backoff, WaitPolicy::monitor,
    WaitPolicy::waiting_atomic};

const GpuSpec gpu;
const L2Spec l2;

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    const LinkSpec link;
    return wire_bytes(link, op, size, cls) * 1'000'000'000'000 / link.bandwidth + link_latency;
}
// From the issue of a request to its turn at a slice of the other GPU, and from there to the unit that issued it.
Time there(LineOp op, std::uint32_t size)
{
    return gpu.unit_to_port + wire(op, size, LineClass::request) + gpu.port_to_l2;
}
Time back(LineOp op, std::uint32_t size)
{
    return l2.latency + gpu.l2_to_port + wire(op, size, LineClass::response) + gpu.port_to_unit;
}
// A read of the own GPU that is in the cache.
const Time round_trip = gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit;

// Polls of the own GPU, each `spin_interval` after the response to the one before, the first of which takes `first`: when one has
// its response that comes after `at` to its slice.
Time polled(Time at, Time first)
{
    Time issued = 0;
    Time answered = first;
    while (issued + gpu.unit_to_l2 < at) {
        issued = answered + gpu.spin_interval;
        answered = issued + round_trip;
    }
    return answered;
}

TwoGpus* new_system(WaitPolicy policy, const L2Spec& cache = {})
{
    GpuSpec spec;
    spec.wait_policy = policy;
    LinkSpec link;
    link.latency = link_latency;
    return new TwoGpus(true, spec, cache, {}, link);
}

Program move_of(const std::vector<MoveOperand>& sources, const std::vector<MoveOperand>& destinations)
{
    Program program;
    program.format = PacketFormat::ll;
    program.add_packet_move(sources, destinations, 32, ElementType::u8, ReduceOp::sum);
    return program;
}

bool stopped(const TwoGpus& system) { return system.gpus[0]->cannot_progress() || system.gpus[1]->cannot_progress(); }

}  // namespace

// The receiver has polled in vain before they come.
TEST(Progress, PacketsOfAWorkgroupThatWaitsForAFlagCount)
{
    for (const WaitPolicy policy : policies)
        in_child([policy] {
            const std::unique_ptr<TwoGpus> system(new_system(policy));
            Program put = move_of({}, {{far_slot, true}});
            put.add_wait(near_flag, 1);
            Program take = move_of({{far_slot, true}}, {});
            take.add_signal(near_flag);
            system->launch(0, put);
            system->launch(1, take);
            sc_core::sc_start();
            EXPECT_FALSE(stopped(*system));
            EXPECT_EQ(system->done.size(), 2U);
            EXPECT_EQ(system->done[1],
                polled(there(LineOp::write, 64), round_trip + idle_read(HbmSpec())) + there(LineOp::atomic, 8) +
                    back(LineOp::atomic, 8));
            EXPECT_EQ(system->pool.live(), 0U);
            return std::string();
        });
}

// A word that is stored or added to may be a flag as well.
TEST(Progress, WordsOfAWorkgroupThatWaitsForAFlagCount)
{
    for (const WaitPolicy policy : policies)
        for (const bool returns : {false, true})
            in_child([policy, returns] {
                const std::unique_ptr<TwoGpus> system(new_system(policy));
                std::uint64_t result = 1;
                Program add;
                if (returns) {
                    add.add_fetch(AtomicOp::add, far_flag, 1, 0);
                } else {
                    add.add_atomic(AtomicOp::add, far_flag, 1);
                }
                add.add_wait(near_flag, 1);
                Program answer;
                answer.add_wait(far_flag, 1);
                answer.add_signal(near_flag);
                system->launch(0, add, 1, 1, &result);
                system->launch(1, answer);
                sc_core::sc_start();
                EXPECT_FALSE(stopped(*system));
                EXPECT_EQ(system->done.size(), 2U);
                EXPECT_EQ(result, returns ? 0U : 1U);
                EXPECT_EQ(system->pool.live(), 0U);
                return std::string();
            });
}

// A wavefront stores in order: with packets that are there for its oldest instruction it goes on, whatever the next one lacks. Polls of
// both take turns, because the line of one is in the cache when they begin.
TEST(Progress, TheOldestInstructionDecides)
{
    const std::uint64_t asked = far_slot;
    const std::uint64_t answered = far_slot + 4096;
    for (Time late = 0; late < gpu.spin_interval + round_trip; late += 10'000)
        in_child([=] {
            const std::unique_ptr<TwoGpus> system(new_system(WaitPolicy::spin));
            std::uint64_t words[2];
            // Each packet is sent behind the answer to the one before.
            Program ask;
            ask.format = PacketFormat::ll;
            ask.add_load(answered, 0);
            ask.add_compute(5'000'000 + late);
            for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{64}}) {
                ask.add_packet_move({}, {{asked + at, true}}, 32, ElementType::u8, ReduceOp::sum);
                ask.add_packet_move({{answered + at, true}}, {}, 32, ElementType::u8, ReduceOp::sum);
            }
            Program answer;
            answer.format = PacketFormat::ll;
            answer.add_load(asked, 0);
            answer.add_compute(2'000'000);
            for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{64}})
                answer.add_packet_move({{asked + at, true}}, {{answered + at, true}}, 32, ElementType::u8,
                    ReduceOp::sum, 0, at > 0);
            system->launch(1, ask, 1, 1, &words[0]);
            system->launch(1, answer, 1, 2, &words[1]);
            sc_core::sc_start();
            EXPECT_FALSE(stopped(*system)) << late;
            EXPECT_EQ(system->done.size(), 2U) << late;
            return std::string();
        });
}

// With the last acknowledge nothing is under way any more.
TEST(Progress, PacketsThatNobodyWaitsForKeepNobodyBusy)
{
    for (const WaitPolicy policy : policies)
        in_child([policy] {
            const std::unique_ptr<TwoGpus> system(new_system(policy));
            Program put = move_of({}, {{far_slot, true}});
            put.add_wait(near_flag, 1, 42);
            const Program take = move_of({{far_slot + 64, true}}, {});
            system->launch(0, put);
            system->launch(1, take);
            sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
            EXPECT_TRUE(stopped(*system));
            // The first polls that are issued behind the acknowledge; a monitor polls again once its time is over.
            const Time acknowledged = there(LineOp::write, 64) + back(LineOp::write, 64);
            const Time longest = policy == WaitPolicy::monitor ? l2.monitor_timeout
                : policy == WaitPolicy::backoff                ? gpu.backoff_limit
                                                               : gpu.spin_interval;
            EXPECT_GT(system->event_queue.last_effect(), acknowledged);
            EXPECT_LT(system->event_queue.last_effect(), acknowledged + longest + 2 * round_trip);
            EXPECT_EQ(system->gpus[0]->units().blocked().at(0).label, 42U);
            EXPECT_EQ(system->gpus[0]->units().blocked().at(0).in_flight, 0U);
            return std::string();
        });
}

}  // namespace progress_test
