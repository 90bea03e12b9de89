// Packets: data that come with their flags. Exact times without load, bytes on the wire, and what never comes.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace packets_test {

using namespace weft;
using weft::testing::in_child;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t slot = std::uint64_t{1} << 20;
const std::uint64_t far_slot = global_address(1, slot);

const GpuSpec g;
const L2Spec l2;
const HbmSpec hbm;
const LinkSpec link_spec;

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}

Program packet_move(PacketFormat format, const std::vector<MoveOperand>& sources,
    const std::vector<MoveOperand>& destinations, std::uint64_t bytes)
{
    Program program;
    program.format = format;
    program.add_packet_move(sources, destinations, bytes, ElementType::u8, ReduceOp::sum);
    return program;
}

// From the issue of a store at one GPU to its turn at the slice of the other.
Time store_time()
{
    return g.unit_to_port + wire(LineOp::write, 64, LineClass::request) + link_spec.latency + g.port_to_l2;
}

// When a unit that looks again and again knows of what has been at its slice since `there`. The first look finds nothing,
// not even in the cache.
Time noticed(Time there, bool cold)
{
    const Time round = g.unit_to_l2 + l2.latency + g.l2_to_unit;
    Time issued = 0;
    Time answered = round + (cold ? idle_read(hbm) : 0);
    while (issued + g.unit_to_l2 < there) {
        issued = answered + g.spin_interval;
        answered = issued + round;
    }
    return answered;
}

std::vector<std::uint8_t> pattern(std::size_t bytes)
{
    std::vector<std::uint8_t> out(bytes);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + 3);
    return out;
}

}  // namespace

TEST(PacketLines, ArriveAfterOneStoreAndTheNextLook)
{
    TwoGpus system;
    const Program put = packet_move(PacketFormat::ll, {}, {{far_slot, true}}, 32);
    const Program take = packet_move(PacketFormat::ll, {{far_slot, true}}, {}, 32);
    system.launch(0, put);
    system.launch(1, take);
    sc_core::sc_start();
    EXPECT_EQ(system.done[1], noticed(store_time(), true));
    // The sender ends with the acknowledge, which nobody else waits for.
    EXPECT_EQ(system.done[0],
        store_time() + l2.latency + g.l2_to_port + wire(LineOp::write, 64, LineClass::response) + link_spec.latency +
            g.port_to_unit);
    EXPECT_EQ(system.gpus[1]->units().statistics()[1].value, system.gpus[1]->l2_statistics().back().value);
    EXPECT_GT(system.gpus[1]->units().statistics()[1].value, 0);
    EXPECT_EQ(system.pool.live(), 0u);
}

// The same bytes by store, fence, signal: a second way over the link and back in between.
TEST(PacketLines, ASignalComesARoundTripLater)
{
    TwoGpus system;
    Program put;
    put.add_move({}, {far_slot}, 32, ElementType::u8, ReduceOp::sum);
    const std::uint64_t flag = global_address(1, MemoryImage::flag_base);
    put.add_signal(flag);
    Program take;
    take.add_wait(flag, 1);
    system.launch(0, put);
    system.launch(1, take);
    sc_core::sc_start();
    const Time acknowledged = g.unit_to_port + wire(LineOp::write, 32, LineClass::request) + link_spec.latency +
        g.port_to_l2 + l2.latency + idle_read(hbm) + g.l2_to_port + wire(LineOp::write, 32, LineClass::response) +
        link_spec.latency + g.port_to_unit;
    const Time signalled =
        acknowledged + g.unit_to_port + wire(LineOp::atomic, 8, LineClass::request) + link_spec.latency + g.port_to_l2;
    EXPECT_EQ(system.done[1], noticed(signalled, false));
}

TEST(PacketLines, TakeTheirShareOfTheWire)
{
    constexpr std::uint64_t bytes = 65536;
    struct {
        PacketFormat format;
        std::uint64_t lines;
    } const cases[] = {{PacketFormat::ll, 2 * bytes / 64}, {PacketFormat::ll128, (bytes + 119) / 120 * 2}};
    for (const auto& one : cases)
        in_child([&] {
            TwoGpus system;
            const Program put = packet_move(one.format, {{0, false}}, {{far_slot, true}}, bytes);
            const Program take = packet_move(one.format, {{far_slot, true}}, {{global_address(1, 0), false}}, bytes);
            system.launch(0, put, 4, 2);
            system.launch(1, take, 4, 2);
            sc_core::sc_start();
            EXPECT_EQ(system.link.direction(0).payload_bytes, one.lines * 64);
            EXPECT_EQ(system.link.direction(0).wire_bytes, one.lines * 80);
            EXPECT_EQ(system.link.direction(1).wire_bytes, one.lines * 16);  // acknowledges
            // Instructions end between packets, so that lines of the other operand may be cut in two. Looks that found
            // nothing come on top of one load a line.
            const std::uint64_t data = instruction_data(one.format, 512);
            std::uint64_t plain = 0;
            for (std::uint64_t at = 0; at < bytes; at += data)
                plain += (std::min(bytes, at + data) + 63) / 64 - at / 64;
            const double looks = system.gpus[1]->units().statistics()[1].value;
            EXPECT_EQ(static_cast<double>(system.gpus[1]->units().lines()),
                static_cast<double>(one.lines + plain) + looks);
            EXPECT_EQ(system.pool.live(), 0u);
            return std::string();
        });
}

TEST(PacketLines, HoldDataAndFlagsInTurn)
{
    for (const PacketFormat format : {PacketFormat::ll, PacketFormat::ll128})
        in_child([&] {
            TwoGpus system;
            const std::vector<std::uint8_t> sent = pattern(130);
            system.gpus[0]->image().write(0, sent.data(), sent.size());
            const Program put = packet_move(format, {{0, false}}, {{far_slot, true}}, sent.size());
            system.launch(0, put);
            sc_core::sc_start();
            std::uint8_t got[512];
            system.gpus[1]->image().read(slot, got, sizeof got);
            if (format == PacketFormat::ll) {
                for (unsigned i = 0; i < 130; ++i) EXPECT_EQ(got[i / 4 * 8 + i % 4], sent[i]);
                for (unsigned word = 0; word < 34; ++word) EXPECT_EQ(got[word * 8 + 4], 0xff);
            } else {
                for (unsigned i = 0; i < 130; ++i) EXPECT_EQ(got[i / 120 * 128 + i % 120], sent[i]);
                EXPECT_EQ(got[120], 0xff);
                EXPECT_EQ(got[255], 0xff);
            }
            const std::uint64_t length = packet_bytes(format, 130);
            EXPECT_TRUE(system.gpus[1]->image().packets_there(slot, length));
            EXPECT_FALSE(system.gpus[1]->image().packets_there(slot, length + 16));
            return std::string();
        });
}

TEST(PacketLines, CarryAnySizeToAnyPlace)
{
    for (const PacketFormat format : {PacketFormat::ll, PacketFormat::ll128})
        for (const std::size_t bytes : {1u, 7u, 120u, 121u, 1000u, 5003u})
            for (const std::uint64_t from : {0u, 13u})
                in_child([&] {
                    TwoGpus system;
                    const std::vector<std::uint8_t> sent = pattern(bytes);
                    system.gpus[0]->image().write(from, sent.data(), bytes);
                    const Program put = packet_move(format, {{from, false}}, {{far_slot, true}}, bytes);
                    const Program take =
                        packet_move(format, {{far_slot, true}}, {{global_address(1, 4096 + 40), false}}, bytes);
                    system.launch(0, put, 3, 2);
                    system.launch(1, take, 2, 1);
                    sc_core::sc_start();
                    std::vector<std::uint8_t> got(bytes + 1);
                    system.gpus[1]->image().read(4096 + 40, got.data(), bytes + 1);
                    EXPECT_EQ(got.back(), 0);
                    got.pop_back();
                    EXPECT_EQ(got, sent);
                    EXPECT_EQ(system.pool.live(), 0u);
                    return std::string();
                });
}

TEST(PacketLines, AreTermsOfASum)
{
    TwoGpus system;
    std::vector<std::uint8_t> terms(300, 5);
    system.gpus[0]->image().write(0, terms.data(), terms.size());
    system.gpus[1]->image().write(0, terms.data(), terms.size());
    const Program put = packet_move(PacketFormat::ll, {{0, false}}, {{far_slot, true}}, terms.size());
    const Program add = packet_move(PacketFormat::ll, {{global_address(1, 0), false}, {far_slot, true}},
        {{global_address(1, 8192), false}}, terms.size());
    system.launch(0, put);
    system.launch(1, add, 2, 2);
    sc_core::sc_start();
    std::vector<std::uint8_t> got(terms.size());
    system.gpus[1]->image().read(8192, got.data(), got.size());
    EXPECT_EQ(got, std::vector<std::uint8_t>(terms.size(), 10));
}

TEST(PacketLines, TimesAreTheSameWithoutData)
{
    const auto times = [](bool data_on) {
        return in_child([&] {
            TwoGpus system(data_on);
            const Program put = packet_move(PacketFormat::ll128, {{0, false}}, {{far_slot, true}}, 20000);
            const Program take =
                packet_move(PacketFormat::ll128, {{far_slot, true}}, {{global_address(1, 0), false}}, 20000);
            system.launch(0, put, 4, 2);
            system.launch(1, take, 4, 2);
            sc_core::sc_start();
            return std::to_string(system.done[0]) + " " + std::to_string(system.done[1]) + " " +
                std::to_string(system.gpus[1]->units().lines());
        });
    };
    EXPECT_EQ(times(true), times(false));
    EXPECT_NE(times(true), "");
}

TEST(PacketLines, ThatNeverComeAreFoundOut)
{
    TwoGpus system;
    // The middle of three lines is missing.
    const Program put = packet_move(PacketFormat::ll, {}, {{far_slot, true}}, 32);
    const Program too = packet_move(PacketFormat::ll, {}, {{far_slot + 128, true}}, 32);
    Program take;
    take.format = PacketFormat::ll;
    take.add_packet_move({{far_slot, true}}, {{global_address(1, 0), false}}, 96, ElementType::u8, ReduceOp::sum, 42);
    system.launch(0, put);
    system.launch(0, too);
    system.launch(1, take, 2, 2);
    sc_core::sc_start();
    EXPECT_TRUE(system.gpus[1]->units().cannot_progress());
    ASSERT_EQ(system.gpus[1]->units().blocked().size(), 1u);
    const ComputeUnits::Blocked blocked = system.gpus[1]->units().blocked()[0];
    EXPECT_EQ(blocked.label, 42u);
    EXPECT_EQ(blocked.packets, far_slot + 64);
    EXPECT_EQ(blocked.in_flight, 0u);
}

TEST(PacketLines, ThatComeLateAreNoDeadlock)
{
    TwoGpus system;
    Program put;
    put.format = PacketFormat::ll;
    put.add_compute(50'000'000);
    put.add_packet_move({}, {{far_slot, true}}, 32, ElementType::u8, ReduceOp::sum);
    // The receiver goes on by them, and answers in packets.
    Program take;
    take.format = PacketFormat::ll;
    take.add_packet_move({{far_slot, true}}, {{slot, true}}, 32, ElementType::u8, ReduceOp::sum);
    const Program end = packet_move(PacketFormat::ll, {{slot, true}}, {}, 32);
    system.launch(0, put);
    system.launch(1, take, 2);
    system.launch(0, end, 2);
    sc_core::sc_start();
    ASSERT_EQ(system.done.size(), 3u);
    EXPECT_GT(system.done[2], 50'000'000u);
    EXPECT_FALSE(system.gpus[0]->units().cannot_progress());
    EXPECT_FALSE(system.gpus[1]->units().cannot_progress());
    EXPECT_EQ(system.pool.live(), 0u);
}

// Two workgroups that wait for each other's packets, each behind its own: nobody is busy, and nobody can go on.
TEST(PacketLines, ACircleOfWaitsIsFoundOut)
{
    TwoGpus system;
    const Program there = packet_move(PacketFormat::ll, {{slot, true}}, {{far_slot, true}}, 5000);
    const Program back = packet_move(PacketFormat::ll, {{far_slot, true}}, {{slot, true}}, 5000);
    system.launch(0, there, 4, 2);
    system.launch(1, back, 4, 2);
    sc_core::sc_start();
    EXPECT_TRUE(system.gpus[0]->units().cannot_progress() || system.gpus[1]->units().cannot_progress());
}

TEST(PacketLines, MoreLoadsThanAUnitMayHaveInFlightTakeTurns)
{
    in_child([] {
        GpuSpec spec;
        spec.compute_units = 1;
        spec.outstanding = 4;
        TwoGpus system(true, spec);
        const std::vector<std::uint8_t> sent = pattern(3000);
        system.gpus[0]->image().write(0, sent.data(), sent.size());
        const Program take = packet_move(PacketFormat::ll, {{far_slot, true}}, {{global_address(1, 0), false}}, 3000);
        // The answer that the sender needs comes from the same unit as the loads that wait.
        Program answer = packet_move(PacketFormat::ll, {}, {{slot, true}}, 32);
        Program put;
        put.format = PacketFormat::ll;
        put.add_packet_move({{slot, true}}, {}, 32, ElementType::u8, ReduceOp::sum);
        put.add_packet_move({{0, false}}, {{far_slot, true}}, 3000, ElementType::u8, ReduceOp::sum);
        Program late;
        late.format = PacketFormat::ll;
        late.add_compute(3'000'000);
        late.operations.insert(late.operations.end(), answer.operations.begin(), answer.operations.end());
        late.operands = answer.operands;
        late.in_packets = answer.in_packets;
        system.launch(1, take, 4, 4);
        system.launch(1, late);
        system.launch(0, put);
        sc_core::sc_start();
        EXPECT_EQ(system.done.size(), 3u);
        std::vector<std::uint8_t> got(3000);
        system.gpus[1]->image().read(0, got.data(), got.size());
        EXPECT_EQ(got, sent);
        return std::string();
    });
}

}  // namespace packets_test
