// Bytes on the wire: every payload size and packet option, measured over a link, against flit arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "tlm_interconnect/link/credit_messages.h"

namespace packet_test {

using namespace weft;
using namespace weft::testing;

namespace {

Time wire_time(const LinkSpec& spec, std::uint64_t bytes) { return bytes * 1'000'000'000'000 / spec.bandwidth; }

struct Measured {
    std::uint64_t forward = 0;  // bytes on the wire
    std::uint64_t backward = 0;
    std::uint64_t forward_payload = 0;
    std::uint64_t backward_payload = 0;
    std::uint64_t packets = 0;
    std::uint64_t credit_messages = 0;
    Time last = 0;  // arrival of the last request

    double efficiency() const { return static_cast<double>(forward_payload) / static_cast<double>(forward); }
};

// `count` packets of `payload` bytes from e0 to e1 (and back, with `both`), each in as many lines as it takes.
Measured send(const LinkSpec& link, LineOp op, std::uint32_t payload, unsigned count, bool both = false,
    std::uint64_t stride = 0)
{
    const std::string text = in_child([=] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(link.bandwidth), options);
        for (unsigned e = 0; e < (both ? 2U : 1U); ++e)
            for (unsigned i = 0; i < count; ++i)
                for (std::uint32_t done = 0; done < payload; done += 64)
                    system.endpoints[e]->issue(0, op, 1 - e, i * (stride != 0 ? stride : std::max(64U, payload)) + done,
                        std::min(64U, payload - done));
        sc_core::sc_start();
        system.expect_clean();
        const Link::Direction out = system.links[0]->direction(0);
        const Link::Direction back = system.links[0]->direction(1);
        std::string result;
        for (const std::uint64_t value : {out.wire_bytes, back.wire_bytes, out.payload_bytes, back.payload_bytes,
                 out.packets, back.credit_messages, system.endpoints[1]->served.back().at})
            result += std::to_string(value) + " ";
        return result;
    });
    Measured out;
    std::istringstream(text) >> out.forward >> out.backward >> out.forward_payload >> out.backward_payload >>
        out.packets >> out.credit_messages >> out.last;
    return out;
}

// Bytes in each direction that a packet adds when both sides send all the time.
double further(const LinkSpec& link, LineOp op, std::uint32_t payload)
{
    const Measured some = send(link, op, payload, 1000, true);
    const Measured more = send(link, op, payload, 3000, true);
    return static_cast<double>(more.forward - some.forward) / 2000;
}

// 16-byte flits, header of one flit, lines of one stream merged into packets of up to 256 B.
LinkSpec flits()
{
    LinkSpec link;
    link.merge = MergeKind::adjacent;
    link.max_payload = 256;
    return link;
}

// Lines of 72 B with their header, packed by destination.
LinkSpec packed_by_destination()
{
    LinkSpec link;
    link.merge = MergeKind::destination;
    link.header = 8;
    link.flit = 4;
    link.packet_overhead = 34;
    link.max_payload = 1024;
    return link;
}

}  // namespace

TEST(Packets, EfficiencyOfWritesByPayloadIsTheTable)
{
    // Payload / (header flit + payload flits).
    for (const auto& [payload, percent] : {std::pair{16U, 50.0}, std::pair{32U, 66.7}, std::pair{64U, 80.0},
             std::pair{128U, 88.9}, std::pair{256U, 94.1}}) {
        LinkSpec link = flits();
        link.max_payload = std::max(64U, payload);
        link.byte_enable = 0;  // these are whole-flit writes, without enables
        const Measured measured = send(link, LineOp::write, payload, 200);
        EXPECT_EQ(measured.forward, 200u * (16 + payload)) << payload;
        EXPECT_EQ(measured.packets, 200u);
        EXPECT_NEAR(100 * measured.efficiency(), percent, 0.05) << payload;
        const Measured read = send(link, LineOp::read, payload, 200);
        EXPECT_EQ(read.backward, 200u * (16 + payload)) << payload;
        EXPECT_EQ(read.forward, 200u * 16) << payload;
    }
}

TEST(Packets, EfficiencyWithAnAddressExtensionOnEveryPacket)
{
    for (const auto& [payload, percent] : {std::pair{16U, 33.3}, std::pair{32U, 50.0}, std::pair{64U, 66.7},
             std::pair{128U, 80.0}, std::pair{256U, 88.9}}) {
        LinkSpec link = flits();
        link.max_payload = std::max(64U, payload);
        link.byte_enable = 0;
        link.address_extension = 16;
        link.extension_region = 4096;
        // Every packet in another region.
        const Measured measured = send(link, LineOp::write, payload, 200, false, 4096);
        EXPECT_EQ(measured.forward, 200u * (32 + payload)) << payload;
        EXPECT_NEAR(100 * measured.efficiency(), percent, 0.05) << payload;
        // Sticky: all in one region, it is sent once.
        link.extension_region = 1 << 20;
        EXPECT_EQ(send(link, LineOp::write, payload, 200).forward, 16 + 200u * (16 + payload)) << payload;
    }
}

TEST(Packets, EfficiencyWithByteEnables)
{
    // A part of a line needs them: 16 and 32 B as in the table; whole lines do not.
    for (const auto& [payload, percent] : {std::pair{16U, 33.3}, std::pair{32U, 50.0}}) {
        const Measured measured = send(LinkSpec(), LineOp::write, payload, 200);
        EXPECT_EQ(measured.forward, 200u * (32 + payload));
        EXPECT_NEAR(100 * measured.efficiency(), percent, 0.05);
    }
    EXPECT_EQ(send(LinkSpec(), LineOp::write, 64, 200).forward, 200u * 80);
}

TEST(Packets, EfficiencyOfSymmetricTwoWayLoadIsTheTable)
{
    // Both sides write and acknowledge (or read): a header-only packet per transaction shares each direction.
    for (const auto& [payload, percent] : {std::pair{16U, 33.3}, std::pair{32U, 50.0}, std::pair{64U, 66.7},
             std::pair{128U, 80.0}, std::pair{256U, 88.9}}) {
        LinkSpec link = flits();
        link.max_payload = std::max(64U, payload);
        link.byte_enable = 0;
        for (const LineOp op : {LineOp::write, LineOp::read}) {
            // The last acknowledges come singly, whatever the length of the run: what further packets add is exact.
            const double wire = further(link, op, payload);
            EXPECT_EQ(wire, 32 + payload) << payload << name_of(op);
            EXPECT_NEAR(100.0 * payload / wire, percent, 0.05) << payload << name_of(op);
        }
    }
}

TEST(Packets, EveryPayloadSizeIsFlitArithmetic)
{
    for (std::uint32_t size = 1; size <= 64; ++size) {
        const std::uint64_t padded = (size + 15) / 16 * 16;
        EXPECT_EQ(send(LinkSpec(), LineOp::write, size, 3).forward, 3 * (16 + padded + (size < 64 ? 16 : 0))) << size;
        EXPECT_EQ(send(LinkSpec(), LineOp::read, size, 3).backward, 3 * (16 + padded)) << size;
    }
}

TEST(Packets, LinesMergeOnlyWithinAnAlignedBlockAndWithoutAGap)
{
    const LinkSpec link = flits();
    // 64 lines in a row: 16 packets of four.
    const Measured row = send(link, LineOp::write, 4096, 1);
    EXPECT_EQ(row.packets, 16u);
    EXPECT_EQ(row.forward, 16u * (16 + 256));
    // The same lines far apart in address: none merges.
    EXPECT_EQ(send(link, LineOp::write, 64, 64, false, 128).packets, 64u);
    // The same lines with pauses between them: none merges.
    const std::string slow = in_child([link] {
        FabricSystem::Options options;
        options.link = link;
        FabricSystem system(two_ends(), options);
        for (unsigned i = 0; i < 64; ++i) system.endpoints[0]->issue(i * 10'000, LineOp::write, 1, 64 * i);
        sc_core::sc_start();
        system.expect_clean();
        return std::to_string(system.links[0]->direction(0).packets);
    });
    EXPECT_EQ(slow, "64");
}

TEST(Packets, APacketIsNotInterruptedByOtherChannels)
{
    // Reads of its own and answers to others wait too, yet packets of writes keep together.
    const std::string text = in_child([] {
        FabricSystem::Options options;
        options.link = flits();
        FabricSystem system(two_ends(), options);
        for (unsigned i = 0; i < 256; ++i) {
            system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
            system.endpoints[0]->issue(0, LineOp::read, 1, 1'000'000 * 64 + 6'400 * i);
        }
        sc_core::sc_start();
        system.expect_clean();
        const Link::Direction out = system.links[0]->direction(0);
        return std::to_string(out.packets) + " " + std::to_string(out.wire_bytes);
    });
    EXPECT_EQ(text, std::to_string(64 + 256) + " " + std::to_string(64 * (16 + 256) + 256 * 16));
}

// First lines of 4,000 packets of two streams wait when their second lines come: each finds its own, however long the queue.
TEST(Packets, LinesOfOnePacketMeetInALongQueue)
{
    const std::string text = in_child([] {
        FabricSystem::Options options;
        options.link = flits();
        options.link.max_payload = 128;
        options.link.request_credits = options.link.response_credits = 10'000;
        FabricSystem system(two_ends(), options);
        for (const unsigned second : {0U, 64U})
            for (const unsigned stream : {0U, 123'456'768U})
                for (unsigned i = 0; i < 2'000; ++i)
                    system.endpoints[0]->issue(0, LineOp::write, 1, stream + 128 * i + second);
        sc_core::sc_start();
        system.expect_clean();
        const Link::Direction out = system.links[0]->direction(0);
        return std::to_string(out.packets) + " " + std::to_string(out.wire_bytes);
    });
    EXPECT_EQ(text, std::to_string(4'000) + " " + std::to_string(4'000 * (16 + 128)));
}

TEST(Packets, PackedByDestinationLinesShareThePacketsOverhead)
{
    LinkSpec link = packed_by_destination();
    for (const auto& [limit, lines] : {std::pair{1024U, 14U}, std::pair{4096U, 56U}}) {
        link.max_payload = limit;
        // Any addresses: 72 B a line, as many as fit in a packet.
        const Measured measured = send(link, LineOp::write, 64, 10 * lines, false, 640);
        EXPECT_EQ(measured.packets, 10u);
        EXPECT_EQ(measured.forward, 10u * (34 + lines * 72));
    }
    link.merge = MergeKind::none;
    EXPECT_EQ(send(link, LineOp::write, 64, 100).forward, 100u * (34 + 72));
}

// An acknowledge of which nothing is left costs nothing in a packet that is there: no more than one of a byte.
TEST(Packets, LinesWithoutBytesShareAPacket)
{
    LinkSpec link = packed_by_destination();
    link.response_saving = 7;
    const Measured byte = send(link, LineOp::write, 64, 140, false, 640);
    link.response_saving = 8;
    const Measured none = send(link, LineOp::write, 64, 140, false, 640);
    EXPECT_EQ(byte.forward, none.forward);
    EXPECT_EQ(byte.backward - none.backward, 140u);
}

TEST(Packets, UaLinkEfficiency)
{
    // Symmetric 256-byte writes: of 268.8 B on the wire 256 are data, 8 a compressed request, 4 a compressed response,
    // 0.8 a fifth of a flow-control word: 20/21. With authentication a half-flit of 32 B holds all of these: 8/9.
    LinkSpec link;
    link.bandwidth = 100'000'000'000;
    link.merge = MergeKind::adjacent;
    link.max_payload = 256;
    link.flit = 64;
    link.header = 8;
    link.response_saving = 4;
    const double packets = further(link, LineOp::write, 256);
    EXPECT_EQ(packets, 256 + 8 + 4);
    // A word returns the credits of five packets: of their lines as requests and as responses.
    LinkSpec credits = link;
    credits.credit_bytes = 4;
    credits.credit_batch = 40;
    const Measured words = send(credits, LineOp::write, 256, 1000, true);
    EXPECT_EQ(words.credit_messages, 1000u / 5);
    EXPECT_DOUBLE_EQ(256 / (packets + 4.0 * 200 / 1000), 20.0 / 21);
    // Words shift acknowledges apart now and then, so that a few of them no longer share a packet: never better
    // than the arithmetic, and within a third of a percent of it.
    const double both = 256 / further(credits, LineOp::write, 256);
    EXPECT_LE(both, 20.0 / 21);
    EXPECT_GE(both, 20.0 / 21 - 0.0034);

    // The data link layer: 628 of 640 B, exactly, whatever is carried.
    LinkSpec frames = link;
    frames.merge = MergeKind::none;
    const double plain = further(frames, LineOp::write, 64);
    frames.frame = 640;
    frames.frame_payload = 628;
    EXPECT_NEAR(further(frames, LineOp::write, 64) * 628 / 640, plain, 1e-2);
    EXPECT_NEAR(100 * 20.0 / 21 * plain / further(frames, LineOp::write, 64), 93.46, 0.01);

    LinkSpec secured = link;
    secured.header = 28;
    secured.response_saving = 24;
    EXPECT_DOUBLE_EQ(256 / further(secured, LineOp::write, 256), 8.0 / 9);
}

// By hand, and for every operation the sum is what a link charges.
TEST(Packets, ThePartsOfALoneLineAddUp)
{
    LinkSpec link;
    link.flit = 32;
    link.header = 24;
    link.response_saving = 8;
    link.byte_enable = 12;
    link.address_extension = 6;
    link.atomic_extra = 10;
    link.packet_overhead = 20;
    link.frame = 256;
    link.frame_payload = 236;
    const LoneParts parts = lone_parts(link, LineOp::write, 40, LineClass::request);
    EXPECT_EQ(parts.payload, 40u);
    EXPECT_EQ(parts.padding, 24u);
    EXPECT_EQ(parts.header, 24u);
    EXPECT_EQ(parts.byte_enables, 12u);
    EXPECT_EQ(parts.extension, 6u);
    EXPECT_EQ(parts.packet, 20u);
    EXPECT_EQ(parts.atomic, 0u);
    EXPECT_EQ(parts.frames, 11u);  // 126 * 20 / 236, rounded up
    for (const LineOp op : {LineOp::write, LineOp::read, LineOp::atomic})
        for (const LineClass cls : {LineClass::request, LineClass::response})
            for (const std::uint32_t size : {1U, 8U, 33U, 64U}) {
                const LoneParts all = lone_parts(link, op, size, cls);
                EXPECT_EQ(all.sum(), lone_bytes(link, op, size, cls));
                EXPECT_LT(all.frames, 40u);  // nothing else hides there
            }
}

TEST(Packets, UaLinkAtomicsCarryOperandsAndByteEnables)
{
    LinkSpec link;
    link.flit = 64;
    link.header = 8;
    link.atomic_extra = 40;  // byte-enable half-flit, uncompressed request
    EXPECT_EQ(send(link, LineOp::atomic, 8, 10).forward, 10u * (8 + 64 + 40));
}

TEST(Frames, ALineIsDeliveredAtTheEndOfItsFrame)
{
    // Frames of 640 B at 100 GB/s end every 6400 ps; 80-byte lines and their share of overhead fill them in turn.
    LinkSpec link;
    link.bandwidth = 100'000'000'000;
    link.frame = 640;
    link.frame_payload = 600;
    FabricSystem::Options options;
    options.link = link;
    FabricSystem system(two_ends(link.bandwidth), options);
    constexpr unsigned lines = 60;
    for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    std::uint64_t bytes = 0;
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < lines; ++i) {
        carry += 80 * 40;
        bytes += 80 + carry / 600;
        carry %= 600;
        const Time sent = bytes * 10;
        ASSERT_EQ(system.endpoints[1]->served[i].at, (sent + 6399) / 6400 * 6400 + link.latency) << i;
    }
    EXPECT_EQ(system.links[0]->direction(0).wire_bytes, lines * 80u * 640 / 600);
}

TEST(Frames, ContradictingSizesAreRefused)
{
    LinkSpec link;
    link.frame = 640;
    EXPECT_THROW(Link("link", *std::make_unique<EventQueue>("event_queue"), link), InputError);
}

TEST(Credits, TheirMessagesTakeTheirShareOfTheOppositeWire)
{
    for (const unsigned batch : {1U, 4U, 16U}) {
        LinkSpec link;
        link.credit_bytes = 8;
        link.credit_batch = batch;
        const Measured measured = send(link, LineOp::write, 64, 320);
        EXPECT_EQ(measured.credit_messages, 320 / batch);
        // Acknowledges and credits of the requests share the way back.
        EXPECT_EQ(measured.backward, 320u * 16 + 320 / batch * 8);
        // Credits of the responses go out with the requests.
        EXPECT_EQ(measured.forward, 320u * 80 + 320 / batch * 8);
    }
}

TEST(Credits, ALinkShortOfThemRunsAtCreditsTimesSizeOverTheRoundTrip)
{
    LinkSpec link;
    constexpr unsigned lines = 512;
    for (const unsigned credits : {1U, 2U, 4U, 8U, 16U, 32U, 43U, 44U, 64U, 128U}) {
        link.request_credits = credits;
        const Measured measured = send(link, LineOp::write, 64, lines);
        const Time wire = wire_time(link, 80);
        const Time trip = wire + 2 * link.latency;
        const unsigned last = lines - 1;
        const Time limited = last / credits * trip + (last % credits + 1) * wire + link.latency;
        const Time saturated = lines * wire + link.latency;
        // 140 ns and 3.2 ns of wire: from 45 credits on the wire is never idle.
        EXPECT_EQ(measured.last, credits * wire >= trip ? saturated : limited) << credits;
    }
}

TEST(Bundle, FourStrandsCarryTheSameInTheSameTimeAndALineTakesLonger)
{
    LinkSpec link;
    link.bundle = 4;
    const Measured many = send(link, LineOp::write, 64, 400);
    EXPECT_EQ(many.last, 100 * 4 * wire_time(link, 80) + link.latency);
    EXPECT_EQ(send(link, LineOp::write, 64, 1).last, 4 * wire_time(link, 80) + link.latency);
    // All lines on one strand by address; in turn they use all.
    EXPECT_EQ(send(link, LineOp::write, 64, 400, false, 256).last, 400 * 4 * wire_time(link, 80) + link.latency);
    link.bundle_selection = BundleSelection::round_robin;
    EXPECT_EQ(send(link, LineOp::write, 64, 400, false, 256).last, 100 * 4 * wire_time(link, 80) + link.latency);
}

TEST(CreditMessages, OneForLaterLetsLinesGoFirstAndStillCostsItsBytes)
{
    LinkSpec spec;
    spec.credit_bytes = 8;
    RateServer server(1'000'000'000'000);  // a byte per ps
    Framer framer(spec);
    CreditMessages credits(spec);
    EXPECT_EQ(credits.leave(server, framer, 100, 1'000), 1'008u);  // at 1,108
    credits.settle(server, 200);
    EXPECT_EQ(server.book(200, 80).end, 280u);  // not after the credit
    credits.settle(server, 1'104);
    EXPECT_EQ(server.book(1'104, 80).end, 1'188u);            // behind it
    EXPECT_EQ(credits.leave(server, framer, 1'150, 0), 46u);  // in its turn
    EXPECT_EQ(credits.wire_bytes, 16u);
}

TEST(Packets, LinesThatComeApartStandTogetherAgain)
{
    // Two lines each of 64 packets, all first ones before all second ones, which come together or later.
    const auto packets = [](Time later, std::uint64_t payload) {
        return in_child([=] {
            FabricSystem::Options options;
            options.link = flits();
            options.link.max_payload = payload;
            FabricSystem system(two_ends(options.link.bandwidth), options);
            for (unsigned line = 0; line < 2; ++line)
                for (unsigned p = 0; p < 64; ++p)
                    system.endpoints[0]->issue(line * later, LineOp::write, 1, 4096 * p + 64 * line);
            sc_core::sc_start();
            system.expect_clean();
            return std::to_string(system.links[0]->direction(0).packets);
        });
    };
    EXPECT_EQ(packets(0, 128), "64");
    EXPECT_EQ(packets(0, 64), "128");
    // A line takes 3.2 ns: after 100 ns 32 of them have left by themselves.
    EXPECT_EQ(packets(100'000, 128), "96");
    EXPECT_EQ(packets(1'000'000, 128), "128");
}

TEST(Packets, LinesToOneAddressKeepTheirOrder)
{
    const std::string out_of_order = in_child([] {
        FabricSystem::Options options;
        options.link = flits();
        FabricSystem system(two_ends(options.link.bandwidth), options);
        std::vector<std::uint64_t> address;
        std::uint64_t random = 1;
        for (unsigned i = 0; i < 3000; ++i) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            address.push_back((random >> 40U) % 6 * 64);
            system.endpoints[0]->issue(i / 8 * 1'000, LineOp::write, 1, address.back());
        }
        sc_core::sc_start();
        system.expect_clean();
        std::map<std::uint64_t, std::uint32_t> last;
        unsigned wrong = 0;
        for (const Endpoint::Record& record : system.endpoints[1]->served) {
            std::uint32_t& before = last[address[record.tag]];
            wrong += record.tag < before ? 1 : 0;
            before = record.tag;
        }
        return std::to_string(system.endpoints[1]->served.size()) + " " + std::to_string(wrong);
    });
    EXPECT_EQ(out_of_order, "3000 0");
}

}  // namespace packet_test
