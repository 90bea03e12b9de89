// A line as others see it: as a generic payload, with a long way behind it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tlm_interconnect/protocol/line_pool.h"

namespace line_test {

using namespace weft;

TEST(LineTest, ItsGenericPayloadSaysWhatItSays)
{
    LinePool pool;
    Line& line = pool.take();
    struct Case {
        LineOp op;
        std::uint32_t bytes;
        tlm::tlm_command command;
    };
    for (const Case& one : {Case{LineOp::read, 64, tlm::TLM_READ_COMMAND},
             Case{LineOp::write, 32, tlm::TLM_WRITE_COMMAND}, Case{LineOp::atomic, 8, tlm::TLM_IGNORE_COMMAND}}) {
        line.begin(one.op, global_address(3, 0x1040), one.bytes);
        tlm::tlm_generic_payload& payload = line.make_payload();
        EXPECT_EQ(payload.get_address(), line.address);
        EXPECT_EQ(payload.get_command(), one.command);
        EXPECT_EQ(payload.get_data_ptr(), line.data());
        EXPECT_EQ(payload.get_data_length(), one.bytes);
        EXPECT_EQ(payload.get_streaming_width(), one.bytes);
        EXPECT_EQ(payload.get_byte_enable_ptr(), nullptr);
        EXPECT_FALSE(payload.is_dmi_allowed());
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        LineExtension* extension = nullptr;
        payload.get_extension(extension);
        ASSERT_NE(extension, nullptr);
        EXPECT_EQ(extension->line, &line);
        // What others leave in it does not survive the next use.
        unsigned char enables = 0xff;
        payload.set_address(1);
        payload.set_byte_enable_ptr(&enables);
        payload.set_dmi_allowed(true);
        EXPECT_EQ(line.payload().get_address(), 1U);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(line.make_payload().get_address(), line.address);
        EXPECT_EQ(line.make_payload().get_byte_enable_ptr(), nullptr);
        EXPECT_EQ(line.make_payload().get_response_status(), tlm::TLM_OK_RESPONSE);
    }
    pool.give(line);
}

// What a module would have to compile to change another one's request.
template <class Field, class Value>
constexpr bool writable = std::is_assignable_v<Field&, Value> || std::is_assignable_v<Field&, const Field&>;

TEST(LineTest, WhatItAsksForIsAConstantToAllButItsIssuer)
{
    static_assert(!writable<decltype(Line::address), std::uint64_t>);
    static_assert(!writable<decltype(Line::tag), std::uint32_t>);
    static_assert(!writable<decltype(Line::source), std::uint16_t>);
    static_assert(!writable<decltype(Line::destination), std::uint16_t>);
    static_assert(!writable<decltype(Line::op), LineOp>);
    static_assert(!writable<decltype(Line::function), AtomicOp>);
    static_assert(!writable<decltype(Line::size), std::uint8_t>);
    static_assert(!writable<decltype(Line::flags), std::uint8_t>);
    static_assert(!writable<decltype(Line::transfer), std::uint32_t>);
    // The check itself: fields of the way are open.
    static_assert(writable<decltype(Line::path_hash), std::uint32_t>);
    static_assert(writable<decltype(Line::vc), std::uint8_t>);
    // Nobody but Line::begin() makes an issue.
    static_assert(!std::is_constructible_v<LineIssue, Line&>);

    LinePool pool;
    Line& line = pool.take();
    line.begin(LineOp::read, global_address(3, 0x1040), 8)
        .source(5)
        .tag(9)
        .transfer(11)
        .function(AtomicOp::min)
        .flag(LineHeader::poll_flag)
        .flag(LineHeader::control_flag)
        .become(LineOp::fetch);
    EXPECT_EQ(line.op, LineOp::fetch);
    EXPECT_EQ(line.address, global_address(3, 0x1040));
    EXPECT_EQ(line.destination, 3);
    EXPECT_EQ(line.source, 5);
    EXPECT_EQ(line.tag, 9U);
    EXPECT_EQ(line.transfer, 11U);
    EXPECT_EQ(line.function, AtomicOp::min);
    EXPECT_EQ(line.flags, LineHeader::poll_flag | LineHeader::control_flag);
    // The next issue starts afresh, marks of the way included; the requester's numbers stay.
    line.mark(LineHeader::missing_mark);
    line.begin(LineOp::write, 0, 64);
    EXPECT_EQ(line.flags, 0);
    EXPECT_EQ(line.marks, 0);
    EXPECT_EQ(line.function, AtomicOp::add);
    EXPECT_EQ(line.transfer, 0U);
    EXPECT_EQ(line.tag, 9U);
    pool.give(line);
}

TEST(LineTest, AModulesNoteLiesInTheHeadersCacheLine)
{
    LinePool pool;
    Line& line = pool.take();
    const auto cache_line = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) / 64; };
    EXPECT_EQ(cache_line(&line.scratch), cache_line(&line));
    EXPECT_EQ(cache_line(reinterpret_cast<const char*>(&line.scratch + 1) - 1), cache_line(&line));
    EXPECT_EQ(cache_line(&line.message_part), cache_line(&line));
    // The event queue writes none of it.
    EventQueue event_queue("event_queue");
    struct : TimedComponent {
        using TimedComponent::TimedComponent;
        void run(ScheduledItem& item) override { seen = Line::of(item).scratch.memory.arrived; }
        using TimedComponent::event_queue;
        Time seen = 0;
    } component(event_queue, "component");
    line.scratch.memory = {0x123456789abcdef, 0xdeadbeef, 0x4321, 0x77};
    event_queue.schedule(line, component, 1'000, 7);
    sc_core::sc_start();
    EXPECT_EQ(component.seen, 0x123456789abcdefU);
    EXPECT_EQ(line.scratch.memory.row, 0xdeadbeefU);
    EXPECT_EQ(line.scratch.memory.turn, 0x4321);
    EXPECT_EQ(line.scratch.memory.bank, 0x77);
    EXPECT_EQ(line.input, 7);
    pool.give(line);
}

TEST(LineTest, AForeignReferenceKeepsItOutOfThePool)
{
    LinePool pool;
    Line& line = pool.take();
    line.begin(LineOp::read, 0, 64);
    LinePool::share(line);
    line.payload().acquire();  // the foreign model's
    pool.give(line);
    EXPECT_EQ(pool.live(), 1U);
    line.payload().release();
    EXPECT_EQ(pool.live(), 0U);
    EXPECT_EQ(&pool.take(), &line);
    EXPECT_EQ(line.marks, 0);
}

// Neighbours in a block without room for data lie next to each other: nothing of one may reach the next.
TEST(LineTest, WithoutRoomItHasAWordAndFindsDataElsewhere)
{
    LinePool pool;
    pool.hold_no_data();
    EXPECT_FALSE(pool.roomy());
    Line& first = pool.take();
    Line& second = pool.take();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&second) - reinterpret_cast<std::uintptr_t>(&first), sizeof(Line));
    for (Line* line : {&first, &second}) line->begin(LineOp::fetch, 0x40, 8);
    first.set_operand(0x1122334455667788);
    second.set_operand(5);
    EXPECT_EQ(first.operand(), 0x1122334455667788U);
    EXPECT_EQ(first.data_if_any(), nullptr);
    EXPECT_EQ(first.comparand(), 0U);
    EXPECT_EQ(first.data_if_any(), nullptr);
    // What is there when somebody asks where: the word, and zeros.
    for (unsigned i = 8; i < line_bytes; ++i) EXPECT_EQ(first.data()[i], 0) << i;
    EXPECT_EQ(first.data_if_any(), first.data());
    EXPECT_EQ(first.comparand(), 0U);
    EXPECT_EQ(first.operand(), 0x1122334455667788U);
    first.set_comparand(9);
    EXPECT_EQ(first.comparand(), 9U);
    // From then on it is one with the data, and with the payload's.
    std::memset(first.data(), 0xff, line_bytes);
    EXPECT_EQ(first.operand(), ~std::uint64_t{0});
    first.set_operand(7);
    EXPECT_EQ(first.data()[0], 7);
    EXPECT_EQ(first.make_payload().get_data_ptr(), first.data());
    // As much as a wide transaction has; what was there stays.
    first.begin(LineOp::write, 0, most_transaction_bytes);
    std::memset(first.data() + line_bytes, 0xee, most_transaction_bytes - line_bytes);
    EXPECT_EQ(first.operand(), 7U);
    EXPECT_EQ(second.op, LineOp::fetch);
    EXPECT_EQ(second.operand(), 5U);
    EXPECT_EQ(second.data_if_any(), nullptr);
    pool.give(first);
    pool.give(second);
    // It keeps the place, and the next use has it.
    EXPECT_EQ(&pool.take(), &second);
    EXPECT_EQ(&pool.take(), &first);
    EXPECT_NE(first.data_if_any(), nullptr);
}

TEST(LineTest, RoomComesBackForWhoAsksInTime)
{
    LinePool pool;
    pool.hold_no_data();
    pool.hold_data();
    EXPECT_TRUE(pool.roomy());
    Line& line = pool.take();
    EXPECT_EQ(line.data(), reinterpret_cast<std::uint8_t*>(&line) + sizeof(Line));
    EXPECT_EQ(line.data_if_any(), line.data());
    for (unsigned i = 0; i < line_bytes; ++i) EXPECT_EQ(line.data()[i], 0) << i;

    LinePool wide;
    wide.hold_wide(512);
    wide.hold_data();  // changes nothing
    Line& one = wide.take();
    EXPECT_EQ(reinterpret_cast<char*>(&wide.take()) - reinterpret_cast<char*>(&one),
        static_cast<std::ptrdiff_t>(sizeof(Line) + 512));

    LinePool late;
    late.hold_no_data();
    Line& without = late.take();
    late.hold_data();
    EXPECT_FALSE(late.roomy());
    EXPECT_EQ(without.data_if_any(), nullptr);
    late.take().set_operand(3);
}

TEST(LineTest, ItsWayBackHas32Entries)
{
    LinePool pool;
    Line& line = pool.take();
    line.begin(LineOp::read, 0, 64);
    for (std::uint16_t i = 0; i < Line::max_depth; ++i) line.push_port(static_cast<std::uint16_t>(1000 + i));
    EXPECT_EQ(line.depth, 32);
    for (std::uint16_t i = Line::max_depth; i-- > 0;) EXPECT_EQ(line.pop_port(), 1000 + i);
    EXPECT_EQ(line.depth, 0);
}

}  // namespace line_test
