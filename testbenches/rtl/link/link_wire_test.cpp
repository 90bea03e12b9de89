// The wire, the CRC and the layout of packets, each against something that does not come from the link's own code.
#include <cmath>

#include "base/diagnostic.h"
#include "rtl/link/link_crc.h"
#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_wire_test {
namespace {

using namespace link_bench;

// A bit at a time, straight from the definition.
std::uint32_t crc_by_bits(const std::uint8_t* bytes, unsigned count, std::uint32_t poly)
{
    std::uint32_t state = ~0U;
    for (unsigned i = 0; i < 8 * count; ++i) {
        const bool one = ((bytes[i / 8] >> i % 8 ^ state) & 1) != 0;
        state = one ? state >> 1 ^ poly : state >> 1;
    }
    return ~state;
}

TEST(LinkCrc, HasThePublishedCheckValues)
{
    const auto* const digits = reinterpret_cast<const std::uint8_t*>("123456789");
    EXPECT_EQ(LinkCrc(0xedb88320).of(digits, 9), 0xcbf43926U);  // IEEE 802.3
    EXPECT_EQ(LinkCrc(0x82f63b78).of(digits, 9), 0xe3069283U);  // Castagnoli
    for (unsigned count = 0; count < 80; ++count) {
        const LineBits line = some_write(64, count);
        EXPECT_EQ(LinkCrc(0x82f63b78).of(line.bytes, count), crc_by_bits(line.bytes, count, 0x82f63b78));
    }
}

TEST(LinkWire, ArrivesAfterItsLatency)
{
    LinkWire wire(16, 5);
    WireFlit flit = {};
    flit.bytes[3] = 9;
    for (unsigned clock = 0; clock < 20; ++clock) {
        const WireFlit* const came = wire.arriving();
        EXPECT_EQ(came != nullptr, clock == 5 || clock == 7 || clock == 8) << clock;
        if (came != nullptr) {
            EXPECT_EQ(came->bytes[3], 9);
        }
        EXPECT_EQ(wire.empty(), clock == 0 || clock > 8) << clock;
        wire.clock(clock == 0 || clock == 2 || clock == 3 ? &flit : nullptr);
    }
    EXPECT_THROW(LinkWire(16, 0), InputError);
    EXPECT_THROW(LinkWire(16, 1, 1.0), InputError);
    EXPECT_THROW(LinkWire(16, 1, -0.1), InputError);
}

// Clocks may be left out up to the next arrival, and no further.
TEST(LinkWire, SkipsToTheNextArrival)
{
    LinkWire wire(16, 5);
    const WireFlit flit = {};
    EXPECT_EQ(wire.next(), LinkWire::never);
    wire.skip(1000);
    EXPECT_FALSE(wire.clock(&flit));
    wire.clock(nullptr);
    wire.clock(&flit);
    EXPECT_EQ(wire.next(), 2U);
    wire.skip(1);
    EXPECT_EQ(wire.arriving(), nullptr);
    wire.skip(1000);
    EXPECT_NE(wire.arriving(), nullptr);
    wire.clock(nullptr);
    EXPECT_EQ(wire.next(), 1U);
    wire.skip(1);
    EXPECT_NE(wire.arriving(), nullptr);
    wire.hit(0, 3);
    EXPECT_TRUE(wire.clock(&flit));
    EXPECT_EQ(wire.next(), 4U);
}

// Wrong bits are as many as the rate says, everywhere.
TEST(LinkWire, BitErrorsHaveTheirRate)
{
    LinkWire wire(16, 1, 0.01, 3);
    const WireFlit sent = {};
    const unsigned clocks = 100'000;
    double wrong = 0, tags = 0;
    for (unsigned clock = 0; clock < clocks; ++clock) {
        if (const WireFlit* const came = wire.arriving()) {
            for (unsigned byte = 0; byte < 16; ++byte) wrong += __builtin_popcount(came->bytes[byte]);
            tags += came->head + came->tail;
        }
        wire.clock(&sent);
    }
    const double bits = 128.0 * clocks, tag_bits = 2.0 * clocks;
    EXPECT_NEAR(wrong, 0.01 * bits, 4 * std::sqrt(0.01 * 0.99 * bits));
    EXPECT_NEAR(tags, 0.01 * tag_bits, 4 * std::sqrt(0.01 * 0.99 * tag_bits));
    const double survives = std::pow(0.99, 130);
    EXPECT_NEAR(static_cast<double>(wire.flits_hit()), (1 - survives) * clocks,
        4 * std::sqrt(survives * (1 - survives) * clocks));
}

// Bits from one wrong one to the next, of one seed and of others: nothing in common, moved or not.
TEST(LinkWire, SeedsAreStreamsOfTheirOwn)
{
    const auto gaps = [](std::uint64_t seed) {
        LinkWire wire(16, 1, 0.001, seed);
        const WireFlit sent = {};
        std::vector<std::uint64_t> out;
        std::uint64_t bits = 0;
        for (unsigned clock = 0; clock < 30'000; ++clock) {
            if (const WireFlit* const came = wire.arriving()) {
                for (unsigned bit = 0; bit < 128; ++bit, ++bits)
                    if ((came->bytes[bit / 8] >> bit % 8 & 1) != 0) {
                        out.push_back(bits);
                        bits = 0;
                    }
            }
            wire.clock(&sent);
        }
        return out;
    };
    const std::vector<std::uint64_t> one = gaps(7);
    for (const std::uint64_t seed : {6U, 8U, 14U, 15U}) {
        const std::vector<std::uint64_t> other = gaps(seed);
        for (std::size_t by = 0; by < 8; ++by) {
            unsigned same = 0;
            for (std::size_t i = 0; i < 2000; ++i) same += one[i] == other[i + by] ? 1 : 0;
            // One in two thousand is by chance.
            EXPECT_LT(same, 10U) << seed << " " << by;
        }
    }
}

class LinkPacket : public LinkKindTest {};

// A packet as bytes on the wire, field by field.
TEST_P(LinkPacket, IsWhatThePackageSays)
{
    LinkParams params = link_params(16, 4, 32, 8, 500, 1, 32);
    params.crc_poly = 0x82f63b78;
    const auto end = make_end(GetParam(), params);
    LinkIn in;
    LinkOut out;
    const LineBits line = some_write(50);
    std::vector<std::uint8_t> bytes;
    std::vector<std::pair<bool, bool>> tags;
    for (unsigned clock = 0; clock < 30; ++clock) {
        in.tx_valid = clock < 2;
        in.tx_vc = static_cast<std::uint8_t>(3 - clock % 2);
        in.tx_line = line;
        end->cycle(in, out);
        if (!out.wire_valid) continue;
        bytes.insert(bytes.end(), out.wire.bytes, out.wire.bytes + 16);
        tags.emplace_back(out.wire.head, out.wire.tail);
    }
    ASSERT_EQ(bytes.size(), 2 * 5 * 16U);
    for (unsigned packet = 0; packet < 2; ++packet) {
        const std::uint8_t* const at = bytes.data() + packet * 80;
        EXPECT_EQ(at[0] & 1, 0) << "a line";
        EXPECT_EQ(at[0] >> 1 & 7, packet == 0 ? 3 : 2) << "channel";
        EXPECT_EQ(at[0] >> 4 | at[1] << 4, static_cast<int>(packet)) << "number";
        EXPECT_EQ(at[2] & 1, 0) << "nothing is repeated";
        EXPECT_EQ(at[2] >> 1 & 7, 0) << "channel of the credit";
        EXPECT_EQ(at[2] >> 4 | at[3] << 4, 0) << "acknowledge or credit";
        EXPECT_EQ(std::memcmp(at + 4, line.bytes, 16 + 50), 0);
        for (unsigned byte = 70; byte < 76; ++byte) EXPECT_EQ(at[byte], 0);
        std::uint32_t crc;
        std::memcpy(&crc, at + 76, 4);
        EXPECT_EQ(crc, crc_by_bits(at, 76, params.crc_poly));
        for (unsigned flit = 0; flit < 5; ++flit)
            EXPECT_EQ(tags[packet * 5 + flit], std::make_pair(flit == 0, flit == 4));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LinkPacket, ::testing::Values(Kind::reference, Kind::block), kind_name);

}  // namespace
}  // namespace weft::link_wire_test
