// The event queue of one part of a run: what is scheduled late takes the place that it would have had, and lines go on as data.
#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "platform/parallel/carried_data.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/kernel/event_queue.h"
#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/protocol/line_record.h"

namespace event_queue_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Numbered : ScheduledItem {
    explicit Numbered(int number) : number(number) {}
    int number;
};

struct Writer : TimedComponent {
    Writer(EventQueue& event_queue, const std::string& path, std::string& log)
        : TimedComponent(event_queue, path), log(log)
    {
    }
    void run(ScheduledItem& item) override
    {
        log += path() + std::to_string(static_cast<Numbered&>(item).number) + "@" +
            std::to_string(event_queue().now()) + " ";
    }
    std::string& log;
};

std::uint32_t device_of(const std::string& path) { return path[0] == 'a' ? 0 : path[0] == 'b' ? 1 : 2; }

}  // namespace

TEST(EventQueueParts, StampsDecideBetweenEqualKeys)
{
    std::mt19937_64 random(7);
    std::vector<ScheduledItem> items(2'000);
    for (const std::size_t count : {3U, 24U, 25U, 64U, 2'000U}) {
        StampedWheel wheel;
        std::vector<std::tuple<Time, std::uint32_t, Time, std::uint32_t, std::size_t>> expected;
        for (std::size_t i = 0; i < count; ++i) {
            // Near ones, and far ones beyond the wheel.
            const Time due = random() % 3 + (i % 5 == 0 ? Time{1} << 24U : 1'000);
            const auto order = static_cast<std::uint32_t>(random() % 3);
            const Scheduling stamp{random() % 4, static_cast<std::uint32_t>(random() % 3)};
            wheel.push(due, order, &items[i], stamp);
            expected.emplace_back(due, order, stamp.at, stamp.device, i);
        }
        std::sort(expected.begin(), expected.end());
        for (const auto& entry : expected) {
            const StampedWheel::Entry* const front = wheel.front(~Time{0});
            ASSERT_NE(front, nullptr);
            ASSERT_EQ(front->item, &items[std::get<4>(entry)]) << count;
            wheel.pop();
        }
        EXPECT_EQ(wheel.front(~Time{0}), nullptr);
    }
}

// 1 to 3 for one component, one input and one time: scheduled by `a` at 10 ps and at 30 ps; from outside, late, as by `b` at 20 ps
// and by `a` at 30 ps.
TEST(EventQueueParts, WhatComesLateTakesItsPlace)
{
    const std::string log = in_child([] {
        std::string text;
        EventQueue event_queue("event_queue");
        event_queue.make_part(device_of);
        Writer a(event_queue, "a.x", text);
        Writer b(event_queue, "b.x", text);
        Numbered first(1);
        Numbered third(3);
        Numbered late(2);
        Numbered last(4);
        Numbered early(5);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        event_queue.set_scheduling(0, {10, 0});
        event_queue.schedule(first, b, 100, 7);
        event_queue.set_scheduling(0, {30, 0});
        event_queue.schedule(third, b, 100, 7);
        event_queue.schedule(early, a, 40, 0);
        event_queue.run_window(50);
        event_queue.set_scheduling(50, {20, 1});
        event_queue.schedule(late, b, 100, 7);
        event_queue.set_scheduling(50, {30, 1});
        event_queue.schedule(last, b, 100, 7);
        text += event_queue.now() == 50 && event_queue.next_time() == 100 ? "| " : "? ";
        event_queue.run_window(100);
        text += "| ";
        event_queue.run_window(101);
        return text + (event_queue.idle() && event_queue.last() == 100 ? "idle" : "busy");
    });
    EXPECT_EQ(log, "a.x5@40 | | b.x1@100 b.x2@100 b.x3@100 b.x4@100 idle");
}

// Without a turn of its own next to each other, a device would act between two components of another one.
TEST(EventQueueParts, ComponentsOfADeviceAreNeighbours)
{
    const std::string all = in_child([] {
        Reports reports;
        std::string text;
        EventQueue event_queue("event_queue");
        event_queue.make_part([](const std::string& path) { return path == "a.y" ? 1U : 0U; });
        Writer x(event_queue, "a.x", text);
        Writer y(event_queue, "a.y", text);
        Writer z(event_queue, "a.z", text);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        return reports.all();
    });
    EXPECT_EQ(all, "/weft/event_queue: the components of a device are not next to each other by name: a.z\n");
}

TEST(EventQueueParts, ALineGoesOnAsData)
{
    LinePool from;
    LinePool to;
    for (const unsigned depth : {0U, 3U, 4U, 5U, 20U, 21U, Line::max_depth}) {
        Line& line = from.take();
        line.begin(LineOp::read, global_address(5, 0x123456), 24)
            .become(LineOp::fetch)
            .function(AtomicOp::compare_swap)
            .source(9)
            .tag(0xabcdef01)
            .transfer(77)
            .flag(LineHeader::poll_flag | LineHeader::control_flag);
        for (unsigned i = 0; i < depth; ++i) line.push_port(static_cast<std::uint16_t>(1'000 + i));
        line.vc = 6;
        line.mark(LineHeader::packed_mark);
        line.message_part = 3;
        line.path_hash = 0x5555;
        line.issued = 123'456'789'012;
        line.tail = 98'765;
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        for (unsigned i = 0; i < line_bytes; ++i) line.data()[i] = static_cast<std::uint8_t>(i * 3);
        std::vector<std::byte> record(LineRecord::bytes(depth, line_bytes));
        const std::size_t bytes = line.save(record.data(), line_bytes);
        EXPECT_EQ(record.size(), bytes);
        EXPECT_EQ(bytes, sizeof(LineRecord) + depth * sizeof(std::uint16_t) + line_bytes);
        from.give(line);
        Line& copy = to.take();
        EXPECT_EQ(copy.restore(record.data()), bytes);
        EXPECT_EQ(copy.op, LineOp::fetch);
        EXPECT_EQ(copy.function, AtomicOp::compare_swap);
        EXPECT_EQ(copy.address, global_address(5, 0x123456));
        EXPECT_EQ(copy.size, 24);
        EXPECT_EQ(copy.source, 9);
        EXPECT_EQ(copy.destination, 5);
        EXPECT_EQ(copy.tag, 0xabcdef01U);
        EXPECT_EQ(copy.transfer, 77U);
        EXPECT_EQ(copy.flags, LineHeader::poll_flag | LineHeader::control_flag);
        EXPECT_EQ(copy.vc, 6);
        EXPECT_TRUE(copy.marked(LineHeader::packed_mark));
        EXPECT_EQ(copy.message_part, 3);
        EXPECT_EQ(copy.path_hash, 0x5555U);
        EXPECT_EQ(copy.issued, 123'456'789'012U);
        EXPECT_EQ(copy.tail, 98'765U);
        EXPECT_EQ(copy.get_response_status(), tlm::TLM_OK_RESPONSE);
        ASSERT_EQ(copy.depth, depth);
        for (unsigned i = depth; i-- > 0;) ASSERT_EQ(copy.pop_port(), 1'000 + i);
        for (unsigned i = 0; i < line_bytes; ++i) ASSERT_EQ(copy.data()[i], static_cast<std::uint8_t>(i * 3));
        to.give(copy);
    }
    EXPECT_EQ(from.live() + to.live(), 0U);
}

// Between pools with and without room for data: a word needs none, more does.
TEST(EventQueueParts, ALineGoesOnWithTheDataThatItHas)
{
    LinePool roomy;
    LinePool bare;
    bare.hold_no_data();
    std::vector<std::byte> record(LineRecord::bytes(0, line_bytes));
    for (LinePool* const from : {&roomy, &bare})
        for (LinePool* const to : {&roomy, &bare})
            for (const unsigned carried : {0U, 4U, 8U, 16U, line_bytes})
                for (const bool more : {false, true}) {
                    SCOPED_TRACE(carried + (more ? 0.5 : 0));
                    Line& line = from->take();
                    line.begin(LineOp::write, 0x40, line_bytes);
                    line.set_operand(0x0807060504030201);
                    if (more || from == &roomy)
                        for (unsigned i = 8; i < line_bytes; ++i)
                            line.data()[i] = static_cast<std::uint8_t>(more ? i + 1 : 0);
                    std::fill(record.begin(), record.end(), std::byte{0xcc});
                    line.save(record.data(), carried);
                    Line& copy = to->take();
                    copy.restore(record.data());
                    if (carried >= 8) {
                        EXPECT_EQ(copy.operand(), 0x0807060504030201U);
                    }
                    if (carried == 4) {
                        EXPECT_EQ(copy.operand() & 0xffffffffU, 0x04030201U);
                    }
                    if (to == &bare && (!more || carried <= 8)) {
                        EXPECT_EQ(copy.data_if_any(), nullptr);
                    }
                    for (unsigned i = 0; i < carried; ++i) ASSERT_EQ(copy.data()[i], i < 8 || more ? i + 1 : 0) << i;
                }
}

// Data go the way that the operation moves them; without contents, whole lines leave theirs behind, and flags do not.
TEST(EventQueueParts, ALineTakesAlongWhatItBrings)
{
    LinePool pool;
    Line& line = pool.take();
    const auto carried = [&line](LineOp op, std::uint64_t local, std::uint32_t size, LineClass cls, bool data_on) {
        line.begin(LineOp::read, global_address(1, local), size).become(op);
        return carried_bytes(line, cls, data_on);
    };
    constexpr LineClass request = LineClass::request;
    constexpr LineClass response = LineClass::response;
    for (const LineOp op : {LineOp::read, LineOp::load_reduce}) {
        EXPECT_EQ(carried(op, 0, 64, request, true), 0U);
        EXPECT_EQ(carried(op, 0, 64, response, true), 64U);
        EXPECT_EQ(carried(op, 0, 64, response, false), 0U);
        EXPECT_EQ(carried(op, 0, 8, response, false), 8U);
        EXPECT_EQ(carried(op, MemoryImage::flag_base, 64, response, false), 64U);
    }
    for (const LineOp op : {LineOp::write, LineOp::multicast, LineOp::reduce}) {
        EXPECT_EQ(carried(op, 0, 64, request, true), 64U);
        EXPECT_EQ(carried(op, 0, 64, request, false), 0U);
        EXPECT_EQ(carried(op, 0, 64, response, true), 0U);
    }
    for (const LineOp op : {LineOp::atomic, LineOp::fetch, LineOp::await, LineOp::monitor})
        for (const LineClass cls : {request, response})
            for (const bool data_on : {true, false}) EXPECT_EQ(carried(op, 0, 8, cls, data_on), 16U);
    pool.give(line);
}

}  // namespace event_queue_parts_test
