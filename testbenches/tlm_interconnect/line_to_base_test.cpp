#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/foreign_modules.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/adapters/line_to_base.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

template class weft::LineToBase<64>;
template class weft::LineToBase<512>;

namespace line_to_base_test {

using namespace weft;
using namespace weft::testing;
using Mode = LineToBaseSpec::Mode;
using Style = ForeignMemory::Style;

namespace {

constexpr Time latency = 1700;

struct Bench {
    explicit Bench(const LineToBaseSpec& spec, Style style = Style::four_phase, bool waits = false)
        : issuer("issuer", event_queue, pool, spec.buffer), adapter("adapter", event_queue, "adapter", spec),
          memory("memory", latency, style, waits), checkers(event_queue)
    {
        ProtocolChecker::Rules rules;
        rules.request_credits = spec.buffer;
        rules.response_credits = spec.response_credits;
        checkers.bind(issuer.out, adapter.in, rules);
        adapter.socket.bind(memory.socket);
    }
    void expect_clean()
    {
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
        EXPECT_TRUE(adapter.idle());
        EXPECT_EQ(memory.stale_status, 0u);
        EXPECT_EQ(memory.exclusion_broken, 0u);
    }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    LineIssuer issuer;
    LineToBase<> adapter;
    ForeignMemory memory;
    Checkers checkers;
};

// Writes and reads back two lines and a piece; the times of all answers.
std::string round(const LineToBaseSpec& spec, Style style, bool waits = false, std::uint64_t accept = 0)
{
    return in_child([=] {
        Bench bench(spec, style, waits);
        bench.memory.accept = accept;
        const std::uint64_t base = global_address(5, 0);
        for (unsigned i = 0; i < 2; ++i) {
            Line& line = bench.issuer.issue(1000, LineOp::write, base + 64 * i);
            for (unsigned k = 0; k < 64; ++k) line.data()[k] = static_cast<std::uint8_t>(k + i);
        }
        bench.issuer.issue(50'000, LineOp::read, base + 64);
        bench.issuer.issue(60'000, LineOp::read, base + 70, 9);
        sc_core::sc_start();
        bench.expect_clean();
        std::string times;
        for (const auto& done : bench.issuer.done) {
            EXPECT_EQ(done.status, tlm::TLM_OK_RESPONSE);
            times += std::to_string(done.at) + " ";
        }
        EXPECT_EQ(bench.issuer.done[2].data[10], 11);
        EXPECT_EQ(bench.issuer.done[3].data[0], 7);
        EXPECT_EQ(bench.issuer.done[3].address, base + 70);
        EXPECT_EQ(bench.memory.bytes[64], 1);
        return times;
    });
}

}  // namespace

TEST(LineToBase, EveryLegalStyleOfTargetGivesTheExactTime)
{
    LineToBaseSpec spec;
    const std::string expected = "2700 2700 51700 61700 ";
    EXPECT_EQ(round(spec, Style::four_phase), expected);
    EXPECT_EQ(round(spec, Style::updated), expected);
    // The request channel is busy until the time that TLM_UPDATED or TLM_COMPLETED carries, or until BEGIN_RESP.
    const std::string one_at_a_time = "2700 4400 51700 61700 ";
    EXPECT_EQ(round(spec, Style::no_end_request), one_at_a_time);
    EXPECT_EQ(round(spec, Style::updated_response), one_at_a_time);
    EXPECT_EQ(round(spec, Style::completed), one_at_a_time);
    // END_REQ after 300 ps.
    const std::string accepted_later = "2700 3000 51700 61700 ";
    EXPECT_EQ(round(spec, Style::four_phase, false, 300), accepted_later);
    EXPECT_EQ(round(spec, Style::updated, false, 300), accepted_later);
}

TEST(LineToBase, BlockingTargetsAreCalledFromThreadsOrDirectly)
{
    LineToBaseSpec spec;
    spec.mode = Mode::direct;
    EXPECT_EQ(round(spec, Style::four_phase), "2700 2700 51700 61700 ");
    spec.mode = Mode::blocking;
    spec.threads = 2;
    EXPECT_EQ(round(spec, Style::four_phase, true), "2700 2700 51700 61700 ");
    EXPECT_EQ(round(spec, Style::four_phase, false), "2700 2700 51700 61700 ");
    spec.threads = 1;
    EXPECT_EQ(round(spec, Style::four_phase, true), "2700 4400 51700 61700 ");
}

TEST(LineToBase, ItsBufferLimitsWhatIsUnderWay)
{
    LineToBaseSpec spec;
    spec.mode = Mode::direct;
    spec.buffer = 3;
    Bench bench(spec);
    for (unsigned i = 0; i < 30; ++i) bench.issuer.issue(0, LineOp::read, 64 * i);
    sc_core::sc_start();
    bench.expect_clean();
    for (unsigned i = 0; i < 30; ++i) EXPECT_EQ(bench.issuer.done[i].at, (i / 3 + 1) * latency) << i;
}

namespace {

// Of limits(): how long the condition whose text holds `what` held.
Time held(const LineToBase<>& adapter, const std::string& what, bool own)
{
    for (const AdapterLimit& limit : adapter.limits(to_ps(sc_core::sc_time_stamp())))
        if (limit.what.find(what) != std::string::npos && limit.own == own) return limit.held;
    ADD_FAILURE() << what;
    return 0;
}

Time threads_held(unsigned threads)
{
    return std::stoull(in_child([threads] {
        LineToBaseSpec spec;
        spec.mode = Mode::blocking;
        spec.threads = threads;
        Bench bench(spec, Style::four_phase, true);
        for (unsigned i = 0; i < 6; ++i) bench.issuer.issue(1000, LineOp::read, 64 * i);
        sc_core::sc_start();
        bench.expect_clean();
        EXPECT_EQ(held(bench.adapter, "slots of the buffer", true), 0u);
        return std::to_string(held(bench.adapter, "threads were in blocking calls", true));
    }));
}

}  // namespace

// Six calls of 1700 ps: lines wait for threads until the last round of calls begins.
TEST(LineToBase, SaysForHowLongItsThreadsHeldLinesUp)
{
    EXPECT_EQ(threads_held(1), 5 * latency);
    EXPECT_EQ(threads_held(2), 2 * latency);
    EXPECT_EQ(threads_held(6), 0u);
}

// Four requests, each of which the target ends after 300 ps: three wait for that in turn.
TEST(LineToBase, SaysForHowLongTheForeignModuleHeldLinesUp)
{
    LineToBaseSpec spec;
    Bench bench(spec);
    bench.memory.accept = 300;
    for (unsigned i = 0; i < 4; ++i) bench.issuer.issue(1000, LineOp::read, 64 * i);
    sc_core::sc_start();
    bench.expect_clean();
    EXPECT_EQ(held(bench.adapter, "had not ended its request phase", false), 900u);
    EXPECT_EQ(held(bench.adapter, "slots of the buffer", true), 0u);
}

TEST(LineToBase, ALineIsReleasedWhenEverybodyHasLetGo)
{
    for (const Style style : {Style::four_phase, Style::updated_response, Style::completed}) {
        in_child([style] {
            LineToBaseSpec spec;
            spec.buffer = 4;
            Bench bench(spec, style);
            for (unsigned i = 0; i < 100; ++i) bench.issuer.issue(0, LineOp::write, 64 * i);
            sc_core::sc_start();
            bench.expect_clean();
            EXPECT_LE(bench.pool.capacity(), 256u);
            const unsigned ended = style == Style::updated_response ? 100 : 0;  // END_RESP on the forward path
            EXPECT_EQ(bench.memory.ended, ended);
            return std::string();
        });
    }
}

TEST(LineToBase, AtomicsOnAPlainMemoryAreRefusedLoudly)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    LineIssuer issuer("issuer", event_queue, pool);
    LineToBase<> adapter("adapter", event_queue, "adapter");
    ForeignMemory memory("memory", latency);
    issuer.out.bind(adapter.in);
    adapter.socket.bind(memory.socket);
    issuer.issue(0, LineOp::atomic, 64, 8);
    Reports reports;
    sc_core::sc_start();
    EXPECT_TRUE(reports.contain("/weft/adapter: adapter: a plain memory cannot do atomic")) << reports.all();
    EXPECT_EQ(issuer.done[0].status, tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(pool.live(), 0u);
}

TEST(LineToBase, AnErrorOfTheTargetComesBack)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    LineIssuer issuer("issuer", event_queue, pool);
    LineToBase<> adapter("adapter", event_queue, "adapter");
    ForeignMemory memory("memory", latency);
    issuer.out.bind(adapter.in);
    adapter.socket.bind(memory.socket);
    issuer.issue(0, LineOp::read, 1 << 20);
    issuer.issue(0, LineOp::read, 64);
    sc_core::sc_start();
    EXPECT_EQ(issuer.done[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(issuer.done[1].status, tlm::TLM_OK_RESPONSE);
}

TEST(LineToBase, DebugLooksIntoTheForeignMemory)
{
    LineToBaseSpec spec;
    Bench bench(spec);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Line& line = bench.pool.take();
    line.begin(LineOp::write, global_address(3, 128), 64);
    line.data()[5] = 99;
    EXPECT_EQ(bench.issuer.out.debug(line), 64u);
    EXPECT_EQ(bench.memory.bytes[133], 99);
    EXPECT_EQ(line.address, global_address(3, 128));
}

TEST(LineToBase, BreachesOfTheBaseProtocolAreReported)
{
    LineToBaseSpec spec;
    Bench bench(spec);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Reports reports;
    ForeignPool foreign;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time zero;
    tlm::tlm_generic_payload& stray = foreign.take();
    bench.memory.socket->nb_transport_bw(stray, phase, zero);
    EXPECT_TRUE(reports.contain("a response to no transaction in flight")) << reports.all();
    stray.release();
}

namespace {

// issuer - [LineToBase - foreign router - BaseToLine] - memory, or without the part in brackets.
std::string through_router(bool router, Mode mode, std::uint64_t offset)
{
    return in_child([=] {
        EventQueue event_queue("event_queue");
        LinePool pool;
        LineIssuer issuer("issuer", event_queue, pool, 16);
        LineMemory memory("memory", event_queue, 999, 130);
        LineToBaseSpec to;
        to.mode = mode;
        to.threads = 16;
        to.buffer = 16;
        to.local_addresses = false;
        to.pass_atomics = true;
        LineToBase<> near("near", event_queue, "near", to);
        BaseToLineSpec from;
        from.endpoints = 65536;
        BaseToLine<> far("far", event_queue, "far", pool, from);
        ForeignRouter foreign("foreign", offset);
        std::unique_ptr<LineIssuer> idle_issuer;
        std::unique_ptr<LineMemory> idle_memory;
        Checkers checkers(event_queue);
        if (router) {
            ProtocolChecker::Rules rules;
            rules.request_credits = 16;
            checkers.bind(issuer.out, near.in, rules);
            near.socket.bind(foreign.in);
            foreign.out.bind(far.socket);
            checkers.bind(far.out, memory.in);
        } else {
            checkers.bind(issuer.out, memory.in);
            // The adapters stand aside, with nothing to do.
            idle_issuer = std::make_unique<LineIssuer>("idle_issuer", event_queue, pool);
            idle_memory = std::make_unique<LineMemory>("idle_memory", event_queue, 1);
            idle_issuer->out.bind(near.in);
            near.socket.bind(foreign.in);
            foreign.out.bind(far.socket);
            far.out.bind(idle_memory->in);
        }
        std::vector<Line*> sent;
        for (unsigned i = 0; i < 8; ++i) {
            Line& line = issuer.issue(1000 + 40 * i, LineOp::write, global_address(2, 64 * i));
            for (unsigned k = 0; k < 64; ++k) line.data()[k] = static_cast<std::uint8_t>(3 * k + i);
            sent.push_back(&line);
        }
        Line& atomic = issuer.issue(20'000, LineOp::atomic, global_address(2, 4096), 8);
        atomic.set_operand(41);
        issuer.issue(30'000, LineOp::read, global_address(2, 64));
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
        EXPECT_TRUE(near.idle());
        EXPECT_TRUE(far.idle());
        EXPECT_EQ(foreign.passed, router ? 10u : 0u);
        // The very same lines, with their tags, at the far end; addresses as issued when they are back.
        for (unsigned i = 0; i < 8; ++i) {
            EXPECT_EQ(memory.lines[i], sent[i]);
            EXPECT_EQ(memory.tags[i], i);
            EXPECT_EQ(issuer.done[i].line, sent[i]);
            EXPECT_EQ(issuer.done[i].address, global_address(2, 64 * i));
        }
        EXPECT_EQ(memory.bytes[4096 + (router ? offset : 0)], 41);
        EXPECT_EQ(issuer.done[9].data[10], 31);
        std::string times;
        for (const auto& done : issuer.done) times += std::to_string(done.at) + " ";
        for (const Time at : memory.arrivals) times += std::to_string(at) + " ";
        return times;
    });
}

}  // namespace

TEST(AdapterPair, AForeignRouterInBetweenChangesNoTime)
{
    const std::string direct = through_router(false, Mode::non_blocking, 0);
    EXPECT_FALSE(direct.empty());
    EXPECT_EQ(through_router(true, Mode::non_blocking, 0), direct);
    EXPECT_EQ(through_router(true, Mode::blocking, 0), direct);
}

TEST(AdapterPair, ARouterMayTranslateAddresses)
{
    const std::string direct = through_router(false, Mode::non_blocking, 0);
    EXPECT_EQ(through_router(true, Mode::non_blocking, 8192), direct);
    EXPECT_EQ(through_router(true, Mode::blocking, 8192), direct);
}

}  // namespace line_to_base_test
