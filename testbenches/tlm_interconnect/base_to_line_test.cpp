#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/foreign_modules.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

template class weft::BaseToLine<64>;
template class weft::BaseToLine<512>;

namespace base_to_line_test {

using namespace weft;
using namespace weft::testing;
using Completion = ForeignAtInitiator::Completion;

namespace {

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed)
{
    std::vector<unsigned char> out(bytes);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(i * 31 + seed * 7 + 1);
    return out;
}

constexpr Time latency = 1234;

// A foreign initiator, the adapter, a checker, and a memory of ours.
struct Bench {
    explicit Bench(BaseToLineSpec spec = {}, Time interval = 0)
        : memory("memory", event_queue, latency, interval), adapter("adapter", event_queue, "adapter", pool, spec),
          checkers(event_queue)
    {
        ProtocolChecker::Rules rules;
        rules.request_credits = spec.request_credits;
        checkers.bind(adapter.out, memory.in, rules);
    }
    void expect_clean()
    {
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
        EXPECT_TRUE(adapter.idle());
    }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    LineMemory memory;
    BaseToLine<> adapter;
    Checkers checkers;
};

// Calls b_transport from an SC_THREAD.
struct LtInitiator : sc_core::sc_module {
    SC_HAS_PROCESS(LtInitiator);
    explicit LtInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") { SC_THREAD(body); }

    struct Access {
        std::uint64_t start;
        tlm::tlm_command command;
        std::uint64_t address;
        std::vector<unsigned char> data;
        std::uint64_t delay;
        std::uint64_t end = 0;
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    };
    void body()
    {
        tlm::tlm_generic_payload payload;  // used again with whatever status it has
        for (Access& access : accesses) {
            if (access.start > stamp()) wait(ps(access.start - stamp()));
            payload.set_command(access.command);
            payload.set_address(access.address);
            payload.set_data_ptr(access.data.data());
            payload.set_data_length(static_cast<unsigned>(access.data.size()));
            payload.set_streaming_width(static_cast<unsigned>(access.data.size()));
            sc_core::sc_time delay = ps(access.delay);
            socket->b_transport(payload, delay);
            access.end = stamp() + delay.value();
            access.status = payload.get_response_status();
        }
    }

    tlm_utils::simple_initiator_socket<LtInitiator> socket;
    std::vector<Access> accesses;
};

}  // namespace

TEST(Split, PiecesEndAtLinesAndAtDisabledBytes)
{
    std::vector<AccessPiece> pieces;
    std::vector<unsigned char> data(200);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_ptr(data.data());
    payload.set_data_length(200);
    payload.set_streaming_width(200);
    EXPECT_EQ(split(payload, 100, pieces), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(pieces.size(), 4u);
    const std::uint64_t expected[4][3] = {{100, 0, 28}, {128, 28, 64}, {192, 92, 64}, {256, 156, 44}};
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(pieces[i].address, expected[i][0]);
        EXPECT_EQ(pieces[i].offset, expected[i][1]);
        EXPECT_EQ(pieces[i].bytes, expected[i][2]);
    }
    unsigned char enables[4] = {0xff, 0xff, 0, 0xff};  // repeats
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(4);
    payload.set_data_length(10);
    EXPECT_EQ(split(payload, 60, pieces), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(pieces.size(), 4u);  // 60..61, 63, 64..65, 67..69
    EXPECT_EQ(pieces[1].address, 63u);
    EXPECT_EQ(pieces[1].bytes, 1u);
    EXPECT_EQ(pieces[2].address, 64u);
    EXPECT_EQ(pieces[3].bytes, 3u);
    payload.set_byte_enable_length(0);
    EXPECT_EQ(split(payload, 60, pieces), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_streaming_width(4);
    EXPECT_EQ(split(payload, 60, pieces), tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_streaming_width(10);
    EXPECT_EQ(split(payload, ~std::uint64_t{0} - 3, pieces), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload.set_data_length(5000);
    payload.set_streaming_width(5000);
    EXPECT_EQ(split(payload, 0, pieces), tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_data_length(0);
    EXPECT_EQ(split(payload, 0, pieces), tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(split(payload, 0, pieces), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST(BaseToLine, BlockingAccessTakesExactlyTheTimeOfTheMemory)
{
    Bench bench;
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    initiator.accesses.push_back({1000, tlm::TLM_WRITE_COMMAND, 40, pattern(4000, 1), 0});
    initiator.accesses.push_back({1000, tlm::TLM_READ_COMMAND, 40, pattern(4000, 9), 777});
    initiator.accesses.push_back({90'000, tlm::TLM_READ_COMMAND, 41, pattern(3, 9), 0});
    sc_core::sc_start();
    bench.expect_clean();
    EXPECT_EQ(initiator.accesses[0].end, 1000 + latency);
    EXPECT_EQ(initiator.accesses[1].end, 1000 + latency + 777 + latency);
    EXPECT_EQ(initiator.accesses[1].data, pattern(4000, 1));
    EXPECT_EQ(initiator.accesses[2].end, 90'000 + latency);
    EXPECT_EQ(initiator.accesses[2].data[0], pattern(4000, 1)[1]);
    EXPECT_EQ(bench.memory.arrivals[0], 1000u);
    for (const auto& access : initiator.accesses) EXPECT_EQ(access.status, tlm::TLM_OK_RESPONSE);
}

TEST(BaseToLine, CreditsHoldPiecesBackExactly)
{
    BaseToLineSpec spec;
    spec.request_credits = 2;
    Bench bench(spec, 500);
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    initiator.accesses.push_back({1000, tlm::TLM_WRITE_COMMAND, 0, pattern(640, 1), 0});
    sc_core::sc_start();
    bench.expect_clean();
    // One line per 500 ps at the memory; ten lines, the last begins its service 4500 ps after the first.
    EXPECT_EQ(initiator.accesses[0].end, 1000 + 9 * 500 + latency);
    // A slot is free when its service begins, so line k leaves with the service of line k - 2.
    EXPECT_EQ(bench.memory.arrivals[2], 1000u);
    EXPECT_EQ(bench.memory.arrivals[9], 1000 + 7 * 500u);
    EXPECT_TRUE(std::equal(bench.memory.bytes.begin(), bench.memory.bytes.begin() + 640, pattern(640, 1).begin()));
}

TEST(BaseToLine, OutstandingLinesAreBounded)
{
    BaseToLineSpec spec;
    spec.outstanding = 4;
    Bench bench(spec);
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, 0, pattern(64 * 12, 1), 0});
    sc_core::sc_start();
    bench.expect_clean();
    EXPECT_EQ(initiator.accesses[0].end, 3 * latency);
}

TEST(BaseToLine, BadAccessesAreAnsweredWithTheRightErrorAndWithoutLines)
{
    BaseToLineSpec spec;
    spec.local_bytes = 4096;
    Bench bench(spec);
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, 4090, pattern(8, 1), 0});
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, std::uint64_t{1} << 48, pattern(8, 1), 0});
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, 0, pattern(4097, 1), 0});
    initiator.accesses.push_back({0, tlm::TLM_IGNORE_COMMAND, 0, pattern(8, 1), 0});
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, 4088, pattern(8, 1), 0});
    sc_core::sc_start();
    bench.expect_clean();
    EXPECT_EQ(initiator.accesses[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[2].status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[3].status, tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[4].status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.memory.arrivals.size(), 1u);
}

TEST(BaseToLine, AnErrorOfOnePieceIsTheErrorOfTheAccess)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    LineMemory memory("memory", event_queue, latency);
    BaseToLine<> adapter("adapter", event_queue, "adapter", pool);
    adapter.out.bind(memory.in);  // no checker: it would object to the status
    LtInitiator initiator("initiator");
    initiator.socket.bind(adapter.socket);
    memory.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    initiator.accesses.push_back({0, tlm::TLM_READ_COMMAND, 0, pattern(128, 1), 0});
    sc_core::sc_start();
    EXPECT_EQ(initiator.accesses[0].status, tlm::TLM_GENERIC_ERROR_RESPONSE);
}

namespace {

std::string non_blocking(Completion completion, std::uint64_t hold)
{
    return in_child([completion, hold] {
        BaseToLineSpec spec;
        spec.request_credits = 4;
        Bench bench(spec, 100);
        ForeignAtInitiator initiator("initiator", completion);
        initiator.hold = hold;
        initiator.socket.bind(bench.adapter.socket);
        initiator.add(tlm::TLM_WRITE_COMMAND, 10, pattern(300, 1), 50);
        initiator.add(tlm::TLM_READ_COMMAND, 10, pattern(300, 2));
        initiator.add(tlm::TLM_READ_COMMAND, 12, pattern(4, 3));
        initiator.accesses[2].enables = {0xff, 0, 0, 0xff};
        sc_core::sc_spawn([&initiator] {
            sc_core::wait(ps(1000));
            initiator.start();
        });
        sc_core::sc_start();
        bench.expect_clean();
        EXPECT_EQ(initiator.pool.live, 0);
        EXPECT_EQ(initiator.accesses[1].data, pattern(300, 1));
        EXPECT_EQ(initiator.accesses[2].data[0], pattern(300, 1)[2]);
        EXPECT_EQ(initiator.accesses[2].data[1], pattern(4, 3)[1]);
        EXPECT_EQ(initiator.accesses[2].data[3], pattern(300, 1)[5]);
        std::string times;
        for (const auto& access : initiator.accesses) {
            EXPECT_EQ(access.status, tlm::TLM_OK_RESPONSE);
            times += std::to_string(access.requested) + "/" + std::to_string(access.accepted) + "/" +
                std::to_string(access.answered) + " ";
        }
        return times;
    });
}

}  // namespace

TEST(BaseToLine, NonBlockingTimesAreExactHoweverTheResponseIsEnded)
{
    // The memory begins one service per 100 ps from 1050 on: five pieces of the write, five of the read, two
    // of the last. With four credits piece k leaves when the service of piece k - 4 begins; END_REQ
    // follows the last piece of an access, its answer the service of that piece after `latency`.
    const std::string expected = "1050/1050/2684 1050/1550/3184 1550/1750/3384 ";
    EXPECT_EQ(non_blocking(Completion::later, 0), expected);
    EXPECT_EQ(non_blocking(Completion::completed, 0), expected);
    EXPECT_EQ(non_blocking(Completion::updated, 0), expected);
    // A response channel that stays busy for 700 ps delays the next response, not the requests.
    const std::string slow = "1050/1050/2684 1050/1550/3384 1550/1750/4084 ";
    EXPECT_EQ(non_blocking(Completion::later, 700), slow);
    EXPECT_EQ(non_blocking(Completion::completed, 700), slow);
    EXPECT_EQ(non_blocking(Completion::updated, 700), slow);
}

TEST(BaseToLine, RefusedAccessIsCompletedEarly)
{
    BaseToLineSpec spec;
    spec.local_bytes = 4096;
    Bench bench(spec);
    ForeignAtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    initiator.add(tlm::TLM_READ_COMMAND, 5000, pattern(8, 1));
    initiator.add(tlm::TLM_READ_COMMAND, 0, pattern(8, 1));
    sc_core::sc_spawn([&initiator] { initiator.start(); });
    sc_core::sc_start();
    bench.expect_clean();
    EXPECT_EQ(initiator.pool.live, 0);
    EXPECT_EQ(initiator.accesses[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(initiator.accesses[0].answered, 0u);
    EXPECT_EQ(initiator.accesses[1].answered, latency);
}

TEST(BaseToLine, DebugReadsAndWritesWithoutTime)
{
    BaseToLineSpec spec;
    spec.base = 256;
    Bench bench(spec);
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> data = pattern(500, 4);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(30);
    payload.set_data_ptr(data.data());
    payload.set_data_length(500);
    payload.set_streaming_width(500);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 500u);
    EXPECT_EQ(bench.memory.bytes[286], data[0]);
    std::vector<unsigned char> back(500);
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_data_ptr(back.data());
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 500u);
    EXPECT_EQ(back, data);
    EXPECT_EQ(stamp(), 0u);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(payload, dmi));
    bench.expect_clean();
}

// Command, address, data and length are all that a debug access sets.
TEST(BaseToLine, DebugNeedsNeitherWidthNorEnablesAndHasAnyLength)
{
    Bench bench;
    LtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::vector<unsigned char> data = pattern(10'000, 4);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(30);
    payload.set_data_ptr(data.data());
    payload.set_data_length(10'000);
    unsigned char none = TLM_BYTE_DISABLED;
    payload.set_byte_enable_ptr(&none);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 10'000u);
    EXPECT_EQ(bench.memory.bytes[30 + 9'999], data[9'999]);
    std::vector<unsigned char> back(10'000);
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_data_ptr(back.data());
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 10'000u);
    EXPECT_EQ(back, data);
    payload.set_data_length(0);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 0u);
    payload.set_data_length(64);
    payload.set_address(~std::uint64_t{0} - 3);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 0u);
    bench.expect_clean();
}

TEST(BaseToLine, BreachesOfTheBaseProtocolAreReported)
{
    Bench bench;
    ForeignAtInitiator initiator("initiator");
    initiator.socket.bind(bench.adapter.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Reports reports;
    initiator.add(tlm::TLM_READ_COMMAND, 0, pattern(8, 1));
    initiator.add(tlm::TLM_READ_COMMAND, 64, pattern(8, 1));
    initiator.send_next();
    EXPECT_EQ(reports.all(), "");
    initiator.send_next();  // before END_REQ
    EXPECT_TRUE(reports.contain("adapter: BEGIN_REQ before the END_REQ")) << reports.all();
    reports.clear();
    tlm::tlm_generic_payload& stray = initiator.pool.take();
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time zero;
    initiator.socket->nb_transport_fw(stray, phase, zero);
    EXPECT_TRUE(reports.contain("END_RESP without a BEGIN_RESP"));
    reports.clear();
    phase = tlm::BEGIN_RESP;
    initiator.socket->nb_transport_fw(stray, phase, zero);
    EXPECT_TRUE(reports.contain("neither BEGIN_REQ nor END_RESP")) << reports.all();
    stray.release();
    sc_core::sc_start();  // what was accepted is answered all the same
    EXPECT_EQ(initiator.pool.live, 0);
}

}  // namespace base_to_line_test
