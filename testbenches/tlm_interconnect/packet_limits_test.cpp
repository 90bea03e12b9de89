// How many lines share a packet, by the limits of a link.
#include <gtest/gtest.h>

#include <sstream>

#include "base/diagnostic.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "tlm_interconnect/link/block_size.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/credit_messages.h"

namespace packet_limits_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr unsigned lines = 64;

LinkSpec merging(std::uint64_t max_payload)
{
    LinkSpec link;
    link.merge = MergeKind::adjacent;
    link.max_payload = max_payload;
    return link;
}

struct Sent {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
};

// 64 consecutive lines from e0 to e1.
Sent sent(const LinkSpec& link)
{
    const std::string text = in_child([=] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(link.bandwidth), options);
        for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        const Link::Direction out = system.links[0]->direction(0);
        return std::to_string(out.packets) + " " + std::to_string(out.wire_bytes);
    });
    Sent out;
    std::istringstream(text) >> out.packets >> out.bytes;
    return out;
}

// Where the aligned blocks of `block` bytes begin among the lines, the first line besides.
std::uint64_t blocks(std::uint64_t block)
{
    std::uint64_t count = 1;
    for (unsigned i = 1; i < lines; ++i) count += global_address(1, 64 * i) % block == 0 ? 1 : 0;
    return count;
}

}  // namespace

TEST(PacketLimits, ABlockNeedNotBeAPowerOfTwo)
{
    const Sent row = sent(merging(192));
    EXPECT_EQ(row.packets, 22u);
    EXPECT_EQ(row.bytes, 22u * 16 + lines * 64);
    const BlockSize three(192);
    for (std::uint64_t line = 0; line < 1000; ++line) EXPECT_EQ(three.begins(line * 64), line % 3 == 0) << line;
    const BlockSize four(256);
    for (std::uint64_t line = 0; line < 1000; ++line) EXPECT_EQ(four.begins(line * 64), line % 4 == 0) << line;
}

// A limit that is no number of whole lines holds as many as fit.
TEST(PacketLimits, APacketHasNoMoreThanItsLargestPayload)
{
    for (const std::uint64_t limit : {64, 96, 100, 127, 128, 191, 200, 256, 1000, 1500}) {
        const Sent row = sent(merging(limit));
        EXPECT_EQ(row.packets, blocks(limit / 64 * 64)) << limit;
        EXPECT_EQ(row.bytes, row.packets * 16 + lines * 64) << limit;
        EXPECT_GE(row.packets * (limit / 64), lines) << limit;
    }
    LinkSpec groups = merging(256);
    groups.group_payload = 100;
    EXPECT_EQ(adjacent_block(groups, true), 64U);
    EXPECT_EQ(adjacent_block(groups), 256U);
    EXPECT_EQ(buffer_space(groups).group_packet, 0U);
    groups.group_payload = 1024;  // no more than any packet
    EXPECT_EQ(adjacent_block(groups, true), 256U);
}

// A header cannot be saved twice.
TEST(PacketLimits, AResponseCannotSaveMoreThanAHeader)
{
    LinkSpec link = merging(256);
    link.response_saving = link.header;
    EXPECT_NO_THROW(check_link(link));
    ++link.response_saving;
    EXPECT_THROW(check_link(link), InputError);
}

// A receiver that waits for more credits than it has would wait for ever.
TEST(PacketLimits, AMessageReturnsNoMoreCreditsThanTheSmallestBufferHas)
{
    LinkSpec link = merging(256);
    link.request_credits = 10;
    link.response_credits = 12;
    link.credit_batch = 9;
    EXPECT_EQ(credits_of_message(link), 9U);
    link.credit_batch = 11;
    EXPECT_EQ(credits_of_message(link), 10U);
    link.pool_credits = 3;
    EXPECT_EQ(credits_of_message(link), 11U);
    link.credit_batch = 1000;
    EXPECT_EQ(credits_of_message(link), 13U);
}

}  // namespace packet_limits_test
