#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "testbenches/tlm_interconnect/foreign_modules.h"
#include "testbenches/tlm_interconnect/foreign_world.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/adapters/line_to_base.h"
#include "tlm_interconnect/link/delay_line.h"
#include "tlm_interconnect/link/event_delay_line.h"

namespace event_queue_beside_kernel_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Maker = std::unique_ptr<Clockwork> (*)(unsigned);

std::string world(Maker make, unsigned components, unsigned methods, unsigned cycles)
{
    return in_child([=] {
        const std::unique_ptr<Clockwork> clockwork = make(components);
        return foreign_world(*clockwork, components, methods, cycles);
    });
}

// First line in which two traces differ, for a readable failure.
std::string difference(const std::string& a, const std::string& b)
{
    const auto [x, y] =
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
    if (x == a.end() && y == b.end()) return "";
    const auto line = [](const std::string& text, std::size_t at) {
        const std::size_t start = text.rfind('\n', at) + 1;
        return text.substr(start, text.find('\n', at) - start);
    };
    const std::size_t at = static_cast<std::size_t>(x - a.begin());
    return line(a, std::min(at, a.size() - 1)) + " | " + line(b, std::min(at, b.size() - 1));
}

}  // namespace

TEST(QueueBesideKernel, TheTraceIsThatOfOneEventForEachComponent)
{
    const std::string event_queue = world(queue_clockwork, 50, 8, 3000);
    const std::string events = world(event_clockwork, 50, 8, 3000);
    EXPECT_GT(std::count(event_queue.begin(), event_queue.end(), '\n'), 100'000);
    EXPECT_EQ(difference(event_queue, events), "");
    EXPECT_TRUE(event_queue == events);
}

TEST(QueueBesideKernel, ManyComponentsAndASingleOne)
{
    for (const auto& [components, methods, cycles] : {std::tuple{500U, 3U, 800U}, {1U, 2U, 800U}, {20U, 0U, 800U}}) {
        const std::string event_queue = world(queue_clockwork, components, methods, cycles);
        EXPECT_GT(event_queue.size(), 10'000u);
        EXPECT_TRUE(event_queue == world(event_clockwork, components, methods, cycles)) << components;
    }
}

TEST(QueueBesideKernel, AnEventQueueThatIgnoresForeignEventsIsFoundOut)
{
    const std::string events = world(event_clockwork, 50, 8, 300);
    const std::string deaf = world(deaf_clockwork, 50, 8, 300);
    EXPECT_NE(difference(deaf, events), "");
    // Not by accident of the test: without foreign tokens coming back it would be right.
    EXPECT_GT(std::count(deaf.begin(), deaf.end(), '\n'), 1000);
}

namespace {

// Foreign SC_THREADs and a foreign memory, with links, a switch and delay lines of ours in between, and
// traffic of our own beside them. `tick` > 0: a foreign process that does nothing wakes that often.
std::string joined_system(std::uint64_t tick)
{
    return in_child([tick] {
        EventQueue event_queue("event_queue");
        LinePool pool;
        ForeignPool unused;
        BaseToLineSpec from;
        from.request_credits = 6;
        BaseToLine<> entry("entry", event_queue, "entry", pool, from);
        DelayLine first("first", event_queue, "first", 333);
        LineMemory near("near", event_queue, 777, 150);
        LineIssuer issuer("issuer", event_queue, pool, 4);
        DelayLine second("second", event_queue, "second", 51);
        LineToBaseSpec to;
        to.buffer = 4;
        LineToBase<> exit("exit", event_queue, "exit", to);
        ForeignMemory memory("memory", 4321);
        memory.accept = 17;
        ForeignAtInitiator initiator("initiator");
        initiator.hold = 90;
        Checkers checkers(event_queue);
        ProtocolChecker::Rules six, four;
        six.request_credits = 6;
        four.request_credits = 4;
        initiator.socket.bind(entry.socket);
        checkers.bind(entry.out, first.in, six);
        checkers.bind(first.out, near.in, six);
        checkers.bind(issuer.out, second.in, four);
        checkers.bind(second.out, exit.in, four);
        exit.socket.bind(memory.socket);
        for (unsigned i = 0; i < 60; ++i) {
            initiator.add(i % 2 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, 100 * i,
                std::vector<unsigned char>(40 + 11 * i, static_cast<unsigned char>(i)), i % 3 * 40);
            issuer.issue(137 * i, i % 2 == 0 ? LineOp::write : LineOp::read, 64 * i);
        }
        sc_core::sc_spawn([&initiator] {
            sc_core::wait(ps(1000));
            initiator.start();
        });
        bool over = false;
        if (tick > 0)
            sc_core::sc_spawn([&] {
                for (unsigned i = 0; i < 400'000 && !over; ++i) {
                    sc_core::wait(ps(tick));
                    over = initiator.accesses.back().answered != 0 && issuer.order.size() == 60;
                }
            });
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
        EXPECT_EQ(initiator.pool.live, 0);
        std::string out;
        for (const auto& access : initiator.accesses)
            out += std::to_string(access.accepted) + "/" + std::to_string(access.answered) + " ";
        for (const auto& done : issuer.done) out += std::to_string(done.sent) + "/" + std::to_string(done.at) + " ";
        for (const std::uint64_t start : memory.starts) out += std::to_string(start) + " ";
        for (const Time at : near.arrivals) out += std::to_string(at) + " ";
        return out;
    });
}

}  // namespace

TEST(QueueBesideKernel, ForeignWakeUpsChangeNoTime)
{
    const std::string alone = joined_system(0);
    EXPECT_GT(alone.size(), 1000u);
    for (const std::uint64_t tick : {7, 100, 1013}) EXPECT_EQ(joined_system(tick), alone) << tick;
}

namespace {

// Lines sent around a ring of delay lines of different latency; the times at which they come back.
template <class Line0, class Make>
std::string chain(Make make)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    std::vector<std::unique_ptr<Line0>> stages;
    for (unsigned i = 0; i < 12; ++i) stages.push_back(make(event_queue, i));
    struct Ends : sc_core::sc_module, LineInitiator, LineTarget {
        explicit Ends(sc_core::sc_module_name name) : sc_module(name), out("out", *this), in("in", *this) {}
        Time on_request(unsigned, Line& line, Time delay) override
        {
            trace += "r" + std::to_string(line.tag) + "@" + std::to_string(now() + delay) + " ";
            in.return_request_credit(line, delay);
            in.send_response(line, delay + 5);
            return 0;
        }
        Time on_response(unsigned, Line& line, Time delay) override
        {
            trace += "a" + std::to_string(line.tag) + "@" + std::to_string(now() + delay) + " ";
            pool->give(line);
            return 0;
        }
        void on_request_credit(unsigned, Line& line, Time delay) override
        {
            trace += "c" + std::to_string(line.tag) + "@" + std::to_string(now() + delay) + " ";
        }
        LineInitiatorSocket out;
        LineTargetSocket in;
        std::function<Time()> now;
        LinePool* pool = nullptr;
        std::string trace;
    } ends("ends");
    ends.pool = &pool;
    ends.now = [&event_queue] { return event_queue.now(); };
    ends.out.bind(stages.front()->in);
    for (unsigned i = 0; i + 1 < stages.size(); ++i) stages[i]->out.bind(stages[i + 1]->in);
    stages.back()->out.bind(ends.in);
    sc_core::sc_spawn([&] {
        for (unsigned i = 0; i < 40; ++i) {
            event_queue.enter();
            Line& line = pool.take();
            line.begin(LineOp::read, 64 * i, 64).tag(i);
            ends.out.send_request(line, i % 4);
            if (i % 4 == 3) sc_core::wait(ps(400));
        }
    });
    sc_core::sc_start();
    EXPECT_EQ(pool.live(), 0u);
    return ends.trace;
}

}  // namespace

TEST(DelayLine, UnderTheEventQueueAndWithEventsTheTimesAreTheSame)
{
    const std::string event_queue = in_child([] {
        return chain<DelayLine>([](EventQueue& event_queue, unsigned i) {
            const std::string name = "stage" + std::to_string(10 + i);
            return std::make_unique<DelayLine>(name.c_str(), event_queue, name, 100 + i * 37);
        });
    });
    const std::string events = in_child([] {
        return chain<EventDelayLine>([](EventQueue&, unsigned i) {
            return std::make_unique<EventDelayLine>(("stage" + std::to_string(10 + i)).c_str(), 100 + i * 37);
        });
    });
    EXPECT_GT(event_queue.size(), 500u);
    EXPECT_EQ(event_queue, events);
}

}  // namespace event_queue_beside_kernel_test
