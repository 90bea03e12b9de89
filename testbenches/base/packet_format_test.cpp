#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/packet_format.h"

namespace packet_format_test {

using namespace weft;

namespace {

constexpr PacketFormat formats[] = {PacketFormat::ll, PacketFormat::ll128};

}  // namespace

TEST(PacketFormat, SizesAreThoseOfTheProtocols)
{
    EXPECT_EQ(packet_bytes(PacketFormat::ll, 1024), 2048u);
    EXPECT_EQ(packet_bytes(PacketFormat::ll, 1), 16u);
    EXPECT_EQ(packet_bytes(PacketFormat::ll128, 960), 1024u);
    EXPECT_EQ(packet_bytes(PacketFormat::ll128, 121), 256u);
    EXPECT_EQ(packet_bytes(PacketFormat::none, 77), 77u);
    // 32 lanes of 16 B.
    EXPECT_EQ(instruction_data(PacketFormat::ll, 512), 256u);
    EXPECT_EQ(instruction_data(PacketFormat::ll128, 512), 480u);
    EXPECT_EQ(instruction_data(PacketFormat::ll, 4), 8u);
    EXPECT_EQ(instruction_data(PacketFormat::ll128, 4), 120u);
}

TEST(PacketFormat, DataComeBackFromAnyPieces)
{
    std::mt19937 random(1);
    for (const PacketFormat format : formats)
        for (const std::uint64_t count : {1u, 4u, 7u, 120u, 500u}) {
            std::vector<std::uint8_t> data(count);
            for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
            const std::uint64_t bytes = packet_bytes(format, count);
            std::vector<std::uint8_t> back(count, 0);
            for (std::uint64_t at = 0; at < bytes;) {
                std::uint8_t piece[64];
                const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - at, 1 + random() % 64));
                to_packets(format, data.data(), count, at, size, piece);
                from_packets(format, piece, at, size, back.data(), count);
                at += size;
            }
            EXPECT_EQ(back, data);
        }
}

TEST(PacketFormat, SharesOfASlotAreApartAndInside)
{
    std::mt19937 random(2);
    for (const PacketFormat format : formats)
        for (unsigned i = 0; i < 500; ++i) {
            const std::uint64_t slot = 64 * (1 + random() % 100);
            const std::uint32_t parts = 1 + random() % 9;
            std::vector<std::uint64_t> cuts{0, slot};
            while (cuts.size() < parts + 1U) cuts.push_back(random() % (slot + 1));
            std::sort(cuts.begin(), cuts.end());
            std::uint64_t end = 0;
            for (std::uint32_t part = 0; part < parts; ++part) {
                const std::uint64_t begin = packet_begin(format, cuts[part], part);
                EXPECT_GE(begin, end);
                EXPECT_EQ(begin % 64, 0u);
                end = begin + packet_bytes(format, cuts[part + 1] - cuts[part]);
            }
            EXPECT_LE(end, packet_slot_bytes(format, slot, parts));
        }
}

}  // namespace packet_format_test
