// AXI4: requests become bursts, answers come back by ID, at every width of the data bus.
#include <deque>
#include <map>
#include <random>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "rtl/dut/channels/axi4_burst.h"
#include "rtl/dut/dut_block.h"
#include "rtl/dut/port_map_reader.h"
#include "rtl/modules/line_pins.h"
#include "testbenches/rtl/dut/dut_bench.h"
#include "testbenches/rtl/rtl_test.h"

namespace axi4_test {

using namespace weft;

namespace {

using Axi4 = ShortRtlTest;

struct Transaction {
    LineBits request;
    LineBits answer;
    bool posted = false;
    bool asked = false;  // came out of the block
};

// A master and a slave at the two ends of the wire.
class Axi4Bench {
public:
    Axi4Bench(unsigned width, unsigned fault, std::uint64_t seed)
        : map_(read_port_map_text("map.yaml",
              fmt::format(R"(name: wire
role: switch
top: axi4_wire
ports: 1
parameters: {{W: {}}}
clocks: [{{pin: clk}}]
reset: {{pin: rst, active: high}}
ties: {{fault: {}}}
in: {{protocol: axi4, prefix: s_}}
out: {{protocol: axi4, prefix: m_}}
)",
                  width, fault))),
          block_(map_, dut_library(map_, {dut_test::block_file("axi4_wire.sv")}, shape_), shape_, "bench"),
          random_(seed)
    {
    }

    void run(unsigned clocks, bool more)
    {
        auto& ask = block_.sources()[0];
        auto& reply = block_.sources()[1];
        for (unsigned clock = 0; clock < clocks && problem_.empty(); ++clock) {
            if (more && ask.channel->takes(0)) begin(*ask.channel);
            if (!reply.channel->busy() && !waiting_.empty() && random_() % 2 == 0) answer(*reply.channel);
            ask.channel->drive();
            reply.channel->drive();
            const unsigned room = random_() % 4 != 0 ? 1 : 0;
            for (auto& sink : block_.sinks()) sink.channel->drive(room);
            block_.settle(1, clock);
            for (auto* source : {&ask, &reply}) {
                source->channel->sample();
                if (!source->channel->problem().empty()) problem_ = source->channel->problem();
            }
            for (auto& sink : block_.sinks()) {
                LineOnPins line;
                line.bits.clear();
                const bool whole = sink.channel->sample(line).done;
                if (!sink.channel->problem().empty()) problem_ = sink.channel->problem();
                if (whole && problem_.empty()) check(*sink.channel, line.bits);
            }
            block_.rise(1, clock);
        }
    }

    std::uint64_t begun = 0;
    std::uint64_t posted = 0;
    std::uint64_t answered = 0;
    std::size_t open() const { return open_.size(); }
    const std::string& problem() const { return problem_; }

private:
    void begin(LineSource& ask)
    {
        static constexpr LineOp ops[] = {LineOp::read, LineOp::write, LineOp::atomic, LineOp::fetch, LineOp::await,
            LineOp::monitor};
        const LineOp op = ops[random_() % 6];
        const bool plain = op == LineOp::read || op == LineOp::write;
        const auto size = static_cast<unsigned>(plain ? 1 + random_() % 64 : 8);
        const std::uint64_t address =
            (random_() % (1ULL << 36)) * 64 + (plain ? random_() % (65 - size) : 8 * (random_() % 8));
        const auto tag = static_cast<std::uint32_t>(begun % (1U << 24U));
        Transaction& made = open_[tag];
        made.posted = op == LineOp::write && random_() % 4 == 0;
        made.request.clear();
        made.request.set_place(static_cast<std::uint16_t>(random_()), address);
        made.request.set_rest(static_cast<std::uint16_t>(random_()), static_cast<unsigned>(op), false, size, 0,
            made.posted ? LineHeader::posted_flag : 0, tag, false);
        const unsigned bytes = op == LineOp::write ? size : op == LineOp::read ? 0 : 16;
        for (unsigned i = 0; i < bytes; ++i) made.request.data()[i] = static_cast<std::uint8_t>(random_());
        LineOnPins line;
        line.bits = made.request;
        line.line = &made;
        ask.begin(line);
        ++begun;
        if (made.posted) ++posted;
    }
    void answer(LineSource& reply)
    {
        // Not in the order in which they were asked.
        const std::size_t place = random_() % waiting_.size();
        Transaction& made = open_.at(waiting_[place]);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
        made.answer = made.request;
        const auto op = static_cast<LineOp>(made.request.op());
        made.answer.set_rest(made.request.source(), made.request.op(), true, made.request.size(), 0, 0,
            made.request.tag(), random_() % 8 == 0);
        const unsigned bytes = op == LineOp::read ? made.request.size() : axi4_writes(made.request) ? 0 : 8;
        for (unsigned i = 0; i < line_bytes; ++i)
            made.answer.data()[i] = i < bytes ? static_cast<std::uint8_t>(random_()) : std::uint8_t{0};
        LineOnPins line;
        line.bits = made.answer;
        line.line = &made;
        reply.begin(line);
    }
    void check(LineSink& sink, const LineBits& bits)
    {
        const auto found = open_.find(bits.tag());
        if (found == open_.end()) {
            problem_ = "a tag from nowhere";
            return;
        }
        Transaction& made = found->second;
        problem_ = difference(bits.response() ? made.answer : made.request, bits);
        if (made.asked != bits.response()) problem_ = "twice";
        if (bits.response()) {
            ++answered;
            open_.erase(found);
            return;
        }
        made.asked = true;
        sink.accepted(&made);
        if (made.posted)
            open_.erase(found);
        else
            waiting_.push_back(bits.tag());
    }

    DutShape shape_{1, 1, 1000};
    PortMap map_;
    DutBlock block_;
    std::mt19937_64 random_;
    std::map<std::uint32_t, Transaction> open_;
    std::deque<std::uint32_t> waiting_;
    std::string problem_;
};

}  // namespace

TEST_F(Axi4, AllOperationsThereAndBackAtEveryWidth)
{
    for (const unsigned width : {64U, 128U, 256U, 512U}) {
        Axi4Bench bench(width, 0, width);
        bench.run(20000, true);
        bench.run(2000, false);
        EXPECT_EQ(bench.problem(), "");
        EXPECT_EQ(bench.open(), 0U);
        EXPECT_EQ(bench.begun, bench.answered + bench.posted);
        EXPECT_GT(bench.begun, 1000U);
        EXPECT_GT(bench.posted, 30U);
    }
}

TEST_F(Axi4, WhatTheBlockAltersIsNamed)
{
    const std::pair<unsigned, const char*> faults[] = {{1, "len: expected "}, {2, "wstrb of beat "},
        {3, " with wlast = "}, {4, "for which no request waits"}, {5, "resp is "}, {6, "address: expected "},
        {7, " with rlast = "}, {8, "size: expected "}, {9, "burst: expected "}};
    for (const auto& [fault, text] : faults) {
        Axi4Bench bench(64, fault, 1);
        bench.run(3000, true);
        EXPECT_NE(bench.problem().find(text), std::string::npos) << fault << ": " << bench.problem();
    }
}

TEST(Axi4Burst, NamesTheBeatsAndBytesOfAnOperation)
{
    const auto burst = [](LineOp op, std::uint64_t address, unsigned size, unsigned width) {
        LineBits bits;
        bits.clear();
        bits.set_place(0, address);
        bits.set_rest(0, static_cast<unsigned>(op), false, size, 0, 0, 0, false);
        return Axi4Burst(bits, width);
    };
    EXPECT_EQ(burst(LineOp::write, 0x1000, 64, 64).beats(), 8U);
    EXPECT_EQ(burst(LineOp::write, 0x1000, 64, 512).beats(), 1U);
    EXPECT_EQ(burst(LineOp::write, 0x1000, 64, 512).strobe(0), ~std::uint64_t{0});
    // 10 bytes from byte 12 on: the second word from its middle on, the third but for its last two.
    const Axi4Burst part = burst(LineOp::write, 0x100c, 10, 64);
    EXPECT_EQ(part.address(), 0x100cU);
    EXPECT_EQ(part.beats(), 2U);
    EXPECT_EQ(part.strobe(0), 0xf0U);
    EXPECT_EQ(part.strobe(1), 0x3fU);
    // What is no plain write has its operand in a line of its own.
    EXPECT_EQ(burst(LineOp::atomic, 0x1008, 8, 128).address(), 0x1000U);
    EXPECT_EQ(burst(LineOp::atomic, 0x1008, 8, 128).beats(), 4U);
}

}  // namespace axi4_test
