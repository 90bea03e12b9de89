// Turns over processes: two threads stand for two processes that agree with each other.
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <systemc>

#include "platform/parallel/turns.h"
#include "testbenches/tlm_interconnect/child.h"

namespace turns_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Each agreement waits for both.
class Meeting {
public:
    Pulse agree(const Pulse& own)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const std::uint64_t round = round_;
        sum_.add(own);
        if (++here_ == 2) {
            agreed_ = sum_;
            sum_ = Pulse();
            here_ = 0;
            ++round_;
            met_.notify_all();
        } else {
            met_.wait(lock, [&] { return round_ != round; });
        }
        return agreed_;
    }

private:
    std::mutex mutex_;
    std::condition_variable met_;
    std::uint64_t round_ = 0;
    int here_ = 0;
    Pulse sum_;
    Pulse agreed_;
};

class MeetingTransport final : public Transport {
public:
    explicit MeetingTransport(Meeting& meeting) : meeting_(meeting) {}
    Message& outbox(std::uint32_t, std::uint32_t) override { return none_; }
    const Message& inbox(std::uint32_t, std::uint32_t) const override { return none_; }
    bool exchange() override { return false; }
    Pulse agree(const Pulse& own) override { return meeting_.agree(own); }

private:
    Meeting& meeting_;
    Message none_;
};

struct Numbered : ScheduledItem {
    std::uint64_t number = 0;
};

// A process with one part, whose component concerns all parts.
struct Process : TimedComponent {
    Process(EventQueue& queue, Meeting& meeting) : TimedComponent(queue, "~all"), transport(meeting) {}

    void add(std::uint64_t number, Time due)
    {
        items.push_back(std::make_unique<Numbered>());
        items.back()->number = number;
        event_queue().schedule(*items.back(), *this, due);
    }
    void run(ScheduledItem& item) override { note(static_cast<Numbered&>(item).number, "own"); }
    void note(std::uint64_t number, const char* whose)
    {
        said += std::to_string(number) + " " + whose + ", ";
        if (number == fails_at) throw std::runtime_error("a turn that fails");
    }
    // What the turns up to 100 ps were; all of them are of stage 1.
    void take()
    {
        Turns::Rules rules;
        rules.order = [](const ScheduledItem& item) {
            return Turn{0, 1, static_cast<const Numbered&>(item).number, 0, 0};
        };
        rules.follow = [this](const Turn& turn) { note(turn.number, "other"); };
        Turns turns({{&event_queue(), &progress}}, 2, transport, std::move(rules));
        std::exception_ptr failure;
        event_queue().run_window(100);
        turns.take(100, failure);
        said += failure != nullptr ? "failed" : event_queue().stopped() ? "stopped" : "end";
    }

    MeetingTransport transport;
    Progress progress;
    std::vector<std::unique_ptr<Numbered>> items;
    std::uint64_t fails_at = ~std::uint64_t{0};
    std::string said;
};

// What both have done; `fails_at`: the number at which the second fails.
std::string turns_of(std::uint64_t fails_at)
{
    return in_child([fails_at] {
        EventQueue queues[2] = {EventQueue("queue_0"), EventQueue("queue_1")};
        for (EventQueue& queue : queues) {
            queue.make_part([](const std::string&) { return 0U; });
            queue.pause_before("~");
        }
        Meeting meeting;
        Process first(queues[0], meeting);
        Process second(queues[1], meeting);
        second.fails_at = fails_at;
        for (const auto& [number, due] : {std::pair<std::uint64_t, Time>{1, 10}, {4, 20}, {5, 30}})
            first.add(number, due);
        for (const auto& [number, due] : {std::pair<std::uint64_t, Time>{2, 10}, {3, 20}, {9, 100}})
            second.add(number, due);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        std::thread other([&second] { second.take(); });
        first.take();
        other.join();
        return first.said + "; " + second.said;
    });
}

}  // namespace

// By due time, then by number; what is due at the end of the window waits.
TEST(Turns, AreTakenInOneOrderByAllProcesses)
{
    EXPECT_EQ(turns_of(~std::uint64_t{0}),
        "1 own, 2 other, 3 other, 4 own, 5 own, end; 1 other, 2 own, 3 own, 4 other, 5 other, end");
}

// Where one process fails, in a turn of its own or in that of another, the turns of all end.
TEST(Turns, AFailureOfOneEndsThoseOfAll)
{
    // What an item throws is a problem of the run that stops its part, as in a run as a whole.
    EXPECT_EQ(turns_of(3), "1 own, 2 other, 3 other, end; 1 other, 2 own, 3 own, stopped");
    EXPECT_EQ(turns_of(4), "1 own, 2 other, 3 other, 4 own, end; 1 other, 2 own, 3 own, 4 other, failed");
}

// While something is busy, items run one at a time only from when a poll may ask whether that waits in vain.
TEST(Turns, StepFromTheFirstPollThatMayAsk)
{
    struct Alone final : Transport {
        Message& outbox(std::uint32_t, std::uint32_t) override { return none; }
        const Message& inbox(std::uint32_t, std::uint32_t) const override { return none; }
        bool exchange() override { return false; }
        Message none;
    };
    EXPECT_EQ(in_child([] {
        EventQueue queue("queue");
        Alone transport;
        Progress progress;
        Turns::Rules rules;
        rules.period = 100;
        rules.answer = 30;
        Turns turns({{&queue, &progress}}, 1, transport, std::move(rules));
        progress.busy();
        progress.busy();
        progress.enter_spin();
        std::string said;
        const auto ask = [&](Time least) {
            Pulse all = turns.pulse();
            all.least = least;
            const Time limit = turns.limit(all);
            said += (turns.steps(all) ? "steps" : std::to_string(limit)) + " ";
        };
        ask(90);   // a poll issued at 100 is answered at 130
        ask(120);  // one issued now at 150
        progress.poll_leaves(95);
        ask(120);
        progress.poll_leaves(105);
        progress.poll_leaves(110);
        ask(120);
        ask(135);
        progress.watch_from(200);  // that poll is forgotten
        ask(140);
        progress.polls_at_once();
        ask(140);
        return said;
    }),
        "130 150 150 135 steps 170 steps ");
}

}  // namespace turns_test
