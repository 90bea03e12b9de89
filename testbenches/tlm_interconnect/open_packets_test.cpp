// Packets by destination: what one stream packs does not depend on how many others there are.
#include <gtest/gtest.h>

#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/protocol/line_pool.h"

namespace open_packets_test {

using namespace weft;

namespace {

// Packets that `streams` sources make of `lines` each, in turns, a line every `gap` ps.
std::uint64_t packets(unsigned streams, unsigned lines, Time gap)
{
    LinkSpec link;
    link.bandwidth = 100'000'000'000;
    link.merge = MergeKind::destination;
    link.header = 1;
    link.flit = 1;
    link.packet_overhead = 82;
    link.max_payload = 64 * 65;
    Packetiser packetiser(link);
    LinePool pool;
    Line& line = pool.take();
    Time now = 0;
    for (unsigned i = 0; i < lines; ++i)
        for (unsigned stream = 0; stream < streams; ++stream, now += gap)
            packetiser.add(line.begin(LineOp::write, 64 * i, 64).source(stream).line(), LineClass::request, false, now);
    pool.give(line);
    return packetiser.packets();
}

}  // namespace

TEST(OpenPackets, EachStreamFillsItsOwn)
{
    for (const unsigned streams : {1U, 2U, 3U, 5U, 10U, 30U, 60U}) EXPECT_EQ(packets(streams, 640, 650), 10 * streams);
}

// A packet of 4,160 B and 82 B around it takes 42.42 ns.
TEST(OpenPackets, OneIsOverWhenNoLineHasComeForItsTime)
{
    EXPECT_EQ(packets(1, 64, 42'420), 1u);
    EXPECT_EQ(packets(1, 64, 42'421), 64u);
    EXPECT_EQ(packets(1'000, 64, 42), 1'000u);
    EXPECT_EQ(packets(1'000, 64, 43), 64'000u);
}

TEST(OpenPackets, ThoseThatAreOverAreForgotten)
{
    OpenPackets open;
    open.build(100);
    for (std::uint64_t key = 0; key < 100'000; ++key) {
        OpenPackets::Packet& packet = open.of(key, key * 10);
        EXPECT_TRUE(open.over(packet, key * 10));
        packet.begun = true;
        packet.filled = 64;
        packet.last = key * 10;
        // The last ten are open: 100 is not beyond the lifetime.
        for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(key, 10); ++back)
            EXPECT_FALSE(open.over(open.of(key - back, key * 10), key * 10)) << key << " " << back;
    }
}

}  // namespace open_packets_test
