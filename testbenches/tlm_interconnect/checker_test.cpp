#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/reports.h"

namespace weft {

// A module that breaks the compiler's rule, as one written in another language could.
struct LineTamper {
    static void tag(Line& line, std::uint32_t tag) { line.tag.value_ = tag; }
    static void destination(Line& line, std::uint16_t endpoint) { line.destination.value_ = endpoint; }
};

}  // namespace weft

namespace checker_test {

using namespace weft;
using weft::testing::Reports;

namespace {

// Modules that do nothing by themselves, so that a test can break every rule by hand.
struct RogueModule : sc_core::sc_module, LineInitiator, LineTarget {
    explicit RogueModule(sc_core::sc_module_name name) : sc_module(name), out("out", *this), in("in", *this) {}

    Time on_request(unsigned, Line&, Time) override { return occupied; }
    Time on_response(unsigned, Line&, Time) override { return occupied; }

    LineInitiatorSocket out;
    LineTargetSocket in;
    Time occupied = 0;
};

struct Rogues {
    explicit Rogues(const ProtocolChecker::Rules& rules = {}) : checkers(event_queue)
    {
        checkers.bind(out, in, rules);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        line = &pool.take();
        line->begin(LineOp::read, 0x1040, 32).tag(7);
    }

    void request(Line& which, Time delay = 0) { out.send_request(which, delay); }
    void request(Time delay = 0) { request(*line, delay); }
    void response(Line& which, Time delay = 0)
    {
        which.set_response_status(tlm::TLM_OK_RESPONSE);
        in.send_response(which, delay);
    }
    void response(Time delay = 0) { response(*line, delay); }
    Line& another(std::uint64_t address)
    {
        Line& fresh = pool.take();
        fresh.begin(LineOp::read, address, 64);
        return fresh;
    }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    RogueModule module{"rogues"};
    LineInitiatorSocket& out = module.out;
    LineTargetSocket& in = module.in;
    Checkers checkers;
    Line* line = nullptr;
    Reports reports;
};

// Exactly one report, and it names connection, rule, line and time.
void expect_one(const Rogues& rogues, const std::string& rule, const std::string& what)
{
    EXPECT_EQ(rogues.reports.count(), 1u) << rogues.reports.all();
    EXPECT_EQ(rogues.checkers.problems(), rogues.reports.count());
    EXPECT_TRUE(rogues.reports.contain("/weft/protocol: rogues.out -> rogues.in: " + rule + ": "))
        << rogues.reports.all();
    EXPECT_TRUE(rogues.reports.contain(what)) << rogues.reports.all();
    EXPECT_TRUE(rogues.reports.contain(" ps")) << rogues.reports.all();
}

ProtocolChecker::Rules counted(std::uint32_t requests, std::uint32_t responses)
{
    ProtocolChecker::Rules rules;
    rules.request_credits = requests;
    rules.response_credits = responses;
    rules.in_order = true;
    return rules;
}

}  // namespace

TEST(Checker, GoodTrafficIsHandedOnUnchangedAndSilently)
{
    Rogues rogues(counted(1, 1));
    rogues.module.occupied = 123;
    for (unsigned round = 0; round < 3; ++round) {
        rogues.line->begin(LineOp::write, 0x40, 64);
        EXPECT_EQ(rogues.out.send_request(*rogues.line, 10), 123u);
        rogues.in.return_request_credit(*rogues.line, 10);
        rogues.line->set_response_status(tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(rogues.in.send_response(*rogues.line, 20), 123u);
        rogues.out.return_response_credit(*rogues.line, 20);
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    }
    rogues.checkers.finish();
    EXPECT_EQ(rogues.reports.all(), "");
}

TEST(Checker, PhaseOnTheWrongPath)
{
    Rogues rogues;
    LinePhase phase = LinePhase::response;
    sc_core::sc_time zero;
    rogues.out->nb_transport_fw(*rogues.line, phase, zero);
    expect_one(rogues, "phase", "a response on the forward path");
    rogues.reports.clear();
    phase = LinePhase::request;
    rogues.in->nb_transport_bw(*rogues.line, phase, zero);
    EXPECT_TRUE(rogues.reports.contain("phase: read of 32 B at 0x1040 (tag 7): a request on the backward path"));
}

TEST(Checker, RequestSentTwice)
{
    Rogues rogues;
    rogues.request();
    rogues.request();
    expect_one(rogues, "request", "sent again before its response");
}

TEST(Checker, RequestWhileItsResponseCreditIsOut)
{
    Rogues rogues(counted(0, 2));
    rogues.request();
    rogues.response();
    rogues.line->begin(LineOp::read, 0x1040, 32);
    rogues.request();
    expect_one(rogues, "request", "response credit is still out");
}

TEST(Checker, AnswerWithoutRequest)
{
    Rogues rogues;
    rogues.response();
    expect_one(rogues, "response", "is a response to no live request");
}

TEST(Checker, SecondAnswer)
{
    Rogues rogues(counted(0, 2));
    rogues.request();
    rogues.response();
    rogues.response();
    expect_one(rogues, "response", "a second response");
}

TEST(Checker, AnswerOfAnotherLine)
{
    Rogues rogues;
    rogues.request();
    LineTamper::tag(*rogues.line, 8);
    rogues.response();
    expect_one(rogues, "response", "is a response to read of 32 B at 0x1040 with tag 7");
}

TEST(Checker, ReturnPathNotTakenBack)
{
    Rogues rogues;
    rogues.request();
    rogues.line->push_port(3);
    rogues.response();
    expect_one(rogues, "response", "its return path has 1 entries, but that of the request had 0");
}

TEST(Checker, PieceAcrossTwoLines)
{
    Rogues rogues;
    rogues.line->begin(LineOp::write, 0x1030, 32);
    rogues.request();
    expect_one(rogues, "payload", "crosses the end of its 64-byte line");
}

TEST(Checker, SizeOutOfRange)
{
    Rogues rogues;
    rogues.line->begin(LineOp::write, 0x1000, 0);
    rogues.request();
    expect_one(rogues, "payload", "0 bytes; expected 1 to 64");
}

TEST(Checker, SizeAboveALine)
{
    Rogues rogues;
    rogues.line->begin(LineOp::write, 0x1000, 65);
    rogues.request();
    expect_one(rogues, "payload", "576 bytes; expected 1 to 64, or lines up to 512");
}

TEST(Checker, WideTransactionAcrossABlock)
{
    Rogues rogues;
    rogues.line->begin(LineOp::read, 0x1180, 256);
    rogues.request();
    expect_one(rogues, "payload", "across a multiple of 512 bytes");
}

TEST(Checker, AtomicOfTheWrongShape)
{
    Rogues rogues;
    rogues.line->begin(LineOp::atomic, 0x1004, 8);
    rogues.request();
    expect_one(rogues, "payload", "not one aligned 8-byte word");
}

TEST(Checker, DestinationThatDoesNotOwnTheAddress)
{
    Rogues rogues;
    LineTamper::destination(*rogues.line, 3);
    rogues.request();
    expect_one(rogues, "payload", "destination 3 does not own the address");
}

TEST(Checker, StaleStatusInARequest)
{
    Rogues rogues;
    rogues.line->set_response_status(tlm::TLM_OK_RESPONSE);
    rogues.request();
    expect_one(rogues, "status", "already has a response status");
}

TEST(Checker, AnswerWithoutStatus)
{
    Rogues rogues;
    rogues.request();
    rogues.in.send_response(*rogues.line, 0);
    expect_one(rogues, "status", "a response with TLM_INCOMPLETE_RESPONSE");
}

TEST(Checker, MoreRequestsThanCredits)
{
    Rogues rogues(counted(2, 0));
    rogues.request(rogues.another(0));
    rogues.request(rogues.another(64));
    EXPECT_EQ(rogues.reports.count(), 0u);
    rogues.request(rogues.another(128));
    expect_one(rogues, "credit", "request number 3 into a buffer for 2 transactions");
}

TEST(Checker, RequestBeforeTheCreditHasArrived)
{
    Rogues rogues(counted(1, 0));
    rogues.request(0);
    rogues.in.return_request_credit(*rogues.line, 500);
    rogues.request(rogues.another(0), 499);
    expect_one(rogues, "credit", "request number 2 into a buffer for 1 transactions");
}

TEST(Checker, RequestInTheInstantInWhichTheCreditArrives)
{
    Rogues rogues(counted(1, 0));
    rogues.request(0);
    rogues.in.return_request_credit(*rogues.line, 500);
    rogues.request(rogues.another(0), 500);
    EXPECT_EQ(rogues.reports.all(), "");
}

TEST(Checker, MoreAnswersThanCredits)
{
    Rogues rogues(counted(0, 1));
    Line& other = rogues.another(64);
    rogues.request();
    rogues.request(other);
    rogues.response();
    rogues.response(other);
    expect_one(rogues, "credit", "response number 2 into a buffer for 1 transactions");
}

TEST(Checker, AnswerBeforeTheRequestCredit)
{
    Rogues rogues(counted(1, 0));
    rogues.request();
    rogues.response();
    expect_one(rogues, "credit", "gets a response before its request credit came back");
}

TEST(Checker, RequestCreditReturnedTwice)
{
    Rogues rogues(counted(4, 0));
    rogues.request();
    rogues.in.return_request_credit(*rogues.line, 0);
    rogues.in.return_request_credit(*rogues.line, 0);
    expect_one(rogues, "return", "a request credit of a transaction that holds none");
}

TEST(Checker, ResponseCreditReturnedTwice)
{
    Rogues rogues(counted(0, 4));
    rogues.request();
    rogues.response();
    rogues.out.return_response_credit(*rogues.line, 0);
    rogues.out.return_response_credit(*rogues.line, 0);
    expect_one(rogues, "return", "a response credit of a transaction that holds none");
}

TEST(Checker, ResponseCreditOfARequest)
{
    Rogues rogues(counted(0, 4));
    rogues.request();
    rogues.out.return_response_credit(*rogues.line, 0);
    expect_one(rogues, "return", "a response credit of a transaction that holds none");
}

TEST(Checker, CallIntoThePast)
{
    Rogues rogues;
    rogues.request(Time{0} - 5);
    expect_one(rogues, "past", "a delay that ends 5 ps before the current time");
}

TEST(Checker, AnswerBeforeTheRequestArrives)
{
    Rogues rogues;
    rogues.request(1000);
    rogues.response(400);
    expect_one(rogues, "past", "gets a response 600 ps before it arrives");
}

TEST(Checker, CreditBeforeTheRequestArrives)
{
    Rogues rogues(counted(4, 0));
    rogues.request(1000);
    rogues.in.return_request_credit(*rogues.line, 999);
    expect_one(rogues, "past", "its request credit comes back 1 ps before it arrives");
}

TEST(Checker, RequestsOutOfOrder)
{
    Rogues rogues(counted(4, 4));
    rogues.request(100);
    rogues.request(rogues.another(0), 99);
    expect_one(rogues, "order", "arrives 1 ps before the request sent ahead of it");
}

TEST(Checker, AnswersOutOfOrder)
{
    Rogues rogues(counted(0, 4));
    Line& other = rogues.another(0);
    rogues.request();
    rogues.request(other);
    rogues.response(100);
    rogues.response(other, 60);
    expect_one(rogues, "order", "arrives 40 ps before the response sent ahead of it");
}

TEST(Checker, BlockingCall)
{
    Rogues rogues;
    sc_core::sc_time zero;
    rogues.out->b_transport(*rogues.line, zero);
    EXPECT_TRUE(rogues.reports.contain("phase: read of 32 B at 0x1040 (tag 7): a blocking call"));
}

TEST(Checker, NothingMayBeOutstandingAtTheEnd)
{
    Rogues rogues(counted(0, 4));
    Line& other = rogues.another(0x80);
    rogues.request();
    rogues.request(other);
    rogues.response(other);
    rogues.checkers.finish();
    EXPECT_EQ(rogues.reports.count(), 2u);
    EXPECT_TRUE(rogues.reports.contain("finish: read of 32 B at 0x1040 (tag 7) never had a response"));
    EXPECT_TRUE(rogues.reports.contain("finish: read of 64 B at 0x80 (tag 0) never gave its response credit back"));
}

namespace {

// A target that answers calls as no module of ours does.
struct OddTarget : sc_core::sc_module, tlm::tlm_fw_transport_if<line_protocol> {
    explicit OddTarget(sc_core::sc_module_name name) : sc_module(name), in("in")
    {
        in.bind(static_cast<tlm::tlm_fw_transport_if<line_protocol>&>(*this));
    }
    tlm::tlm_sync_enum nb_transport_fw(Line&, LinePhase& phase, sc_core::sc_time&) override
    {
        if (change_phase) phase = LinePhase::response;
        return answer;
    }
    void b_transport(Line&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(Line&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(Line&) override { return 17; }

    ProtocolChecker::TargetSocket in;
    tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
    bool change_phase = false;
};

struct QuietInitiator : sc_core::sc_module, LineInitiator {
    explicit QuietInitiator(sc_core::sc_module_name name) : sc_module(name), out("out", *this) {}
    Time on_response(unsigned, Line&, Time) override { return 0; }
    LineInitiatorSocket out;
};

}  // namespace

TEST(Checker, AnswersOfCallsThatOursDoNotHave)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    QuietInitiator initiator("initiator");
    OddTarget target("target");
    Checkers checkers(event_queue);
    ProtocolChecker::Rules rules;
    rules.response_credits = 1;
    checkers.bind(initiator.out, target.in, rules);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Reports reports;
    Line& line = pool.take();
    line.begin(LineOp::read, 0, 64);
    EXPECT_EQ(initiator.out.debug(line), 17u);
    target.answer = tlm::TLM_COMPLETED;
    initiator.out.send_request(line, 0);
    EXPECT_TRUE(reports.contain("initiator.out -> target.in: answer: ")) << reports.all();
    EXPECT_TRUE(reports.contain("the call for a request returned TLM_COMPLETED"));
    reports.clear();
    target.answer = tlm::TLM_ACCEPTED;
    target.change_phase = true;
    Line& other = pool.take();
    other.begin(LineOp::read, 64, 64);
    initiator.out.send_request(other, 0);
    EXPECT_TRUE(reports.contain("a request came back as a response"));
    reports.clear();
    target.change_phase = false;
    target.answer = tlm::TLM_UPDATED;
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    target.in->nb_transport_bw(line, *std::make_unique<LinePhase>(LinePhase::response),
        *std::make_unique<sc_core::sc_time>());
    initiator.out.return_response_credit(line, 0);
    EXPECT_TRUE(reports.contain("the call for a response credit returned TLM_UPDATED")) << reports.all();
}

TEST(Checker, SwitchedOffItIsNotThere)
{
    EventQueue event_queue("event_queue");
    QuietInitiator initiator("initiator");
    OddTarget target("target");
    Checkers checkers(event_queue, false);
    checkers.bind(initiator.out, target.in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(checkers.size(), 0u);
    EXPECT_EQ(initiator.out->transport_dbg(*std::make_unique<Line>(nullptr, false)), 17u);
}

TEST(Checker, TimesAreTheSameWithAndWithoutIt)
{
    const Fabric fabric = weft::testing::star(4);
    const auto run = [&fabric](bool checkers) {
        weft::testing::FabricSystem::Options options;
        options.checkers = checkers;
        options.link.request_credits = 3;
        options.link.response_credits = 2;
        weft::testing::FabricSystem system(fabric, options);
        for (unsigned i = 0; i < 200; ++i)
            system.endpoints[i % 4]->issue(i * 1000, i % 3 == 0 ? LineOp::read : LineOp::write, (i + 1 + i / 7 % 3) % 4,
                64 * i);
        sc_core::sc_start();
        system.expect_clean();
        return system.trace();
    };
    const std::string with = weft::testing::in_child([&run] { return run(true); });
    const std::string without = weft::testing::in_child([&run] { return run(false); });
    EXPECT_EQ(with, without);
    EXPECT_GT(with.size(), 1000u);
}

}  // namespace checker_test
