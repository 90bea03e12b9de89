// A line as others see it: as a generic payload, with a long way behind it.
#include <gtest/gtest.h>

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
    for (const Case& one : {Case{LineOp::read, 64, tlm::TLM_READ_COMMAND}, Case{LineOp::write, 32, tlm::TLM_WRITE_COMMAND},
             Case{LineOp::atomic, 8, tlm::TLM_IGNORE_COMMAND}}) {
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
    EXPECT_EQ(line.flags, 0);
}

TEST(LineTest, ItsWayBackHas32Entries)
{
    LinePool pool;
    Line& line = pool.take();
    line.begin(LineOp::read, 0, 64);
    for (std::uint16_t i = 0; i < Line::max_depth; ++i) line.push_port(static_cast<std::uint16_t>(1000 + i));
    EXPECT_EQ(line.depth, 32);
    for (std::uint16_t i = Line::max_depth; i-- > 0;) EXPECT_EQ(line.pop_port(), 1000 + i);
    line.set_note(7);
    EXPECT_EQ(line.note(), 7);
    EXPECT_EQ(line.depth, 0);
}

}  // namespace line_test
