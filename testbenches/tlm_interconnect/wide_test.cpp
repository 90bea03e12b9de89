// Wide transactions on links and at ports: several lines in a row as one item, with the bytes and credits of its lines.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/protocol/credit_account.h"

namespace wide_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bandwidth = 80'000'000'000;  // a line with its header, 80 B, takes 1 ns
constexpr Time one = 1000;

FabricSystem::Options wide_options()
{
    FabricSystem::Options options;
    options.transaction = 8;
    return options;
}

struct Sent {
    Time first = 0;  // of the last transaction, at the other end
    Time tail = 0;
    Time answered = 0;
    std::uint64_t packets = 0;
    std::uint64_t forward = 0;
    std::uint64_t backward = 0;
    std::uint64_t payload = 0;
    std::uint64_t lines = 0;
};

// `count` transactions of `size` bytes in a row, over one link.
Sent send(const FabricSystem::Options& options, LineOp op, std::uint32_t size, unsigned count)
{
    const std::string text = in_child([&] {
        FabricSystem system(two_ends(bandwidth), options);
        for (unsigned i = 0; i < count; ++i) system.endpoints[0]->issue(0, op, 1, std::uint64_t{size} * i, size);
        sc_core::sc_start();
        system.expect_clean();
        const Endpoint::Record& last = system.endpoints[1]->served.back();
        const Link::Direction out = system.links[0]->direction(0);
        const Link::Direction back = system.links[0]->direction(1);
        std::string all;
        for (const std::uint64_t value :
            {last.at, std::uint64_t{last.tail}, system.endpoints[0]->answered.back().at, out.packets + back.packets,
                out.wire_bytes, back.wire_bytes, out.payload_bytes + back.payload_bytes, out.lines + back.lines})
            all += std::to_string(value) + " ";
        return all;
    });
    std::istringstream in(text);
    Sent sent;
    in >> sent.first >> sent.tail >> sent.answered >> sent.packets >> sent.forward >> sent.backward >> sent.payload >>
        sent.lines;
    return sent;
}

}  // namespace

TEST(Wide, ASizeIsOneByte)
{
    for (std::uint32_t size = 1; size <= 64; ++size) EXPECT_EQ(SizeField::bytes_of(SizeField::code_of(size)), size);
    for (std::uint32_t size = 128; size <= 512; size += 64)
        EXPECT_EQ(SizeField::bytes_of(SizeField::code_of(size)), size);
    EXPECT_EQ(SizeField::code_of(512) + 2, SizeField::codes);
    for (const std::uint32_t size : {65U, 100U, 513U, 576U, 100'000U})
        EXPECT_EQ(SizeField::bytes_of(SizeField::code_of(size)), 576U) << size;
    LinePool pool;
    pool.hold_wide(512);
    Line& line = pool.take();
    line.begin(LineOp::write, 0, 384);
    EXPECT_EQ(line.size, 384u);
    EXPECT_EQ(line.lines(), 6u);
    EXPECT_TRUE(line.wide() && line.full_line());
    line.begin(LineOp::write, 0, 64);
    EXPECT_EQ(line.lines(), 1u);
    EXPECT_TRUE(!line.wide() && line.full_line());
    line.begin(LineOp::write, 0, 63);
    EXPECT_FALSE(line.full_line());
    for (std::uint32_t i = 0; i < 512; ++i) line.data()[i] = static_cast<std::uint8_t>(i);
    Line& next = pool.take();
    EXPECT_GE(static_cast<std::size_t>(std::abs(next.data() - line.data())), 512u);
    pool.give(next);
    pool.give(line);
}

TEST(Wide, ALinkDeliversTheFirstLineAndTellsWhenTheLastIsThere)
{
    const LinkSpec spec;
    const Sent narrow = send(wide_options(), LineOp::write, 64, 1);
    EXPECT_EQ(narrow.first, one + spec.latency);
    EXPECT_EQ(narrow.tail, 0u);
    const Sent wide = send(wide_options(), LineOp::write, 512, 1);
    EXPECT_EQ(wide.first, one + spec.latency);
    EXPECT_EQ(wide.tail, 7 * one);
    EXPECT_EQ(wide.forward, 8u * 80);
    EXPECT_EQ(wide.backward, 8u * 16);
    EXPECT_EQ(wide.payload, 512u);
    EXPECT_EQ(wide.lines, 16u);
    // The answer, acknowledges of 8 lines, is delivered with its first one.
    EXPECT_EQ(wide.answered, wide.first + one / 5 + spec.latency);
}

TEST(Wide, TheWireIsBusyForAllLines)
{
    const LinkSpec spec;
    for (const std::uint32_t size : {64U, 128U, 256U, 512U}) {
        const Sent sent = send(wide_options(), LineOp::write, size, 40);
        const std::uint64_t lines = size / 64;
        EXPECT_EQ(sent.first + sent.tail, 40 * lines * one + spec.latency) << size;
        EXPECT_EQ(sent.forward, 40 * lines * 80) << size;
    }
}

TEST(Wide, BytesAndPacketsAreThoseOfTheLines)
{
    for (const std::uint64_t most : {64U, 128U, 256U, 512U}) {
        FabricSystem::Options options = wide_options();
        options.link.merge = most > 64 ? MergeKind::adjacent : MergeKind::none;
        options.link.max_payload = most;
        for (const LineOp op : {LineOp::write, LineOp::read}) {
            const Sent lines = send(options, op, 64, 64);
            for (const std::uint32_t size : {128U, 256U, 512U}) {
                const Sent wide = send(options, op, size, 4096 / size);
                EXPECT_EQ(wide.payload, lines.payload) << most << " " << size;
                EXPECT_EQ(wide.forward, lines.forward) << most << " " << size;
                EXPECT_EQ(wide.packets, lines.packets) << most << " " << size;
                EXPECT_EQ(wide.backward, lines.backward) << most << " " << size;
            }
        }
    }
}

TEST(Wide, PacketsToADestinationAreThoseOfTheLines)
{
    FabricSystem::Options options = wide_options();
    options.link.merge = MergeKind::destination;
    options.link.max_payload = 1500;
    options.link.packet_overhead = 40;
    const Sent lines = send(options, LineOp::write, 64, 64);
    const Sent wide = send(options, LineOp::write, 512, 8);
    EXPECT_EQ(lines.forward, 64u * 80 + 4u * 40);  // 18 lines of 80 B in a packet
    EXPECT_EQ(wide.forward, lines.forward);
}

TEST(Wide, AnAddressExtensionCostsOnceForEachRegion)
{
    FabricSystem::Options options = wide_options();
    options.link.address_extension = 16;
    options.link.extension_region = 256;
    const Sent lines = send(options, LineOp::write, 64, 64);
    const Sent wide = send(options, LineOp::write, 512, 8);
    EXPECT_EQ(lines.forward, 64u * 80 + 16u * 16);
    EXPECT_EQ(wide.forward, lines.forward);
}

TEST(Wide, ItTakesACreditForEachLine)
{
    const LinkSpec spec;
    FabricSystem::Options options = wide_options();
    // Room for one and a half: the second waits until the first has given all of its credits back.
    options.link.request_credits = 12;
    const Sent two = send(options, LineOp::write, 512, 2);
    EXPECT_EQ(two.first, one + spec.latency + spec.latency + one + spec.latency);
    options.link.request_credits = 16;
    EXPECT_EQ(send(options, LineOp::write, 512, 2).first, 9 * one + spec.latency);
}

TEST(Wide, CreditsOfAnAccountComeAndGoTogether)
{
    CreditAccount account;
    account.grant(BufferSpace::of(10, 4));
    const std::uint8_t vc = vc_of(VcClass::request, 0);
    EXPECT_TRUE(account.available(vc, 0, 10));
    EXPECT_FALSE(account.available(vc, 0, 11));
    account.take_wide(vc, 8);
    EXPECT_FALSE(account.available(vc, 0, 8));
    EXPECT_EQ(account.next_own(vc, 8), CreditAccount::no_time);
    EXPECT_TRUE(account.give_wide(vc, 500, 4));
    EXPECT_EQ(account.next_own(vc, 6), 500u);
    EXPECT_EQ(account.next_own(vc, 7), CreditAccount::no_time);
    EXPECT_TRUE(account.give_wide(vc, 700, 4));
    EXPECT_FALSE(account.available(vc, 699, 8));
    EXPECT_TRUE(account.available(vc, 700, 8));
    EXPECT_FALSE(account.give_wide(vc, 800, 1));  // more than was given
    account.take_wide(vc, 8);
    EXPECT_EQ(account.used(vc, 1000), 8u);
}

TEST(Wide, TheCheckerCatchesCreditsThatAreNotThere)
{
    const std::string text = in_child([] {
        FabricSystem::Options options = wide_options();
        options.link.request_credits = 4;  // fewer than a transaction has lines, which an assembly refuses
        options.transaction = 2;
        const Reports reports;
        FabricSystem system(two_ends(bandwidth), options);
        system.endpoints[0]->issue(0, LineOp::write, 1, 0, 512);
        sc_core::sc_start(200, sc_core::SC_NS);
        return reports.all();
    });
    EXPECT_NE(text.find("credit: write of 512 B"), std::string::npos) << text;
}

TEST(Wide, TheCheckerCatchesOneThatIsNotOfWholeLines)
{
    const std::string text = in_child([] {
        const Reports reports;
        FabricSystem system(two_ends(bandwidth), wide_options());
        system.endpoints[0]->issue(0, LineOp::write, 1, 32, 128);
        sc_core::sc_start(200, sc_core::SC_NS);
        return reports.all();
    });
    EXPECT_NE(text.find("does not read or write whole lines"), std::string::npos) << text;
}

}  // namespace wide_test
