// Parts that poll: when their conductor gives up, and when not; and threads that take turns.
#include <atomic>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>
#include <systemc>

#include "platform/parallel/conductor.h"
#include "testbenches/tlm_interconnect/child.h"

namespace conductor_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time poll_every = 70;

// Polls until `flag` is set.
struct Poller : TimedComponent {
    Poller(EventQueue& event_queue, Progress& progress, const bool& flag)
        : TimedComponent(event_queue, "poller"), progress(progress), flag(flag)
    {
        progress.enter_spin();
        event_queue.schedule(item, *this, poll_every);
    }
    void run(ScheduledItem&) override
    {
        const Time now = event_queue().now();
        polls.push_back(now);
        if (flag) {
            progress.busy();
            progress.leave_spin();
            progress.quiet(now);
            return;
        }
        if (progress.polled_in_vain(now, epoch)) event_queue().stop();
        event_queue().schedule(item, *this, now + poll_every);
    }
    Progress& progress;
    const bool& flag;
    ScheduledItem item;
    std::uint64_t epoch = 0;
    std::vector<Time> polls;
};

// Is busy for so long; then sets the flag, or not.
struct Worker : TimedComponent {
    Worker(EventQueue& event_queue, Progress& progress, Time until, bool sets, bool& flag)
        : TimedComponent(event_queue, "worker"), progress(progress), sets(sets), flag(flag)
    {
        progress.busy();
        event_queue.schedule(item, *this, until);
    }
    void run(ScheduledItem&) override
    {
        flag = sets;
        progress.quiet(event_queue().now());
    }
    Progress& progress;
    bool sets;
    bool& flag;
    ScheduledItem item;
};

// "stopped after the poll at 1050"
std::string outcome(bool sets, bool backwards)
{
    return in_child([sets, backwards] {
        bool flag = false;
        EventQueue queues[2] = {EventQueue("queue_0"), EventQueue("queue_1")};
        Progress progress[2];
        for (EventQueue& queue : queues) queue.make_part([](const std::string&) { return 0U; });
        Poller poller(queues[0], progress[0], flag);
        Worker worker(queues[1], progress[1], 1'000, sets, flag);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        LocalTransport transport(2);
        Conductor conductor({{&queues[0], &progress[0]}, {&queues[1], &progress[1]}}, {}, transport, 5);
        if (backwards) conductor.run_backwards();
        const Conductor::End end = conductor.run(1'000'000);
        const std::string how = end == Conductor::End::idle ? "idle"
            : end == Conductor::End::stopped                ? "stopped"
                                                            : "other";
        return how + " after the poll at " + std::to_string(poller.polls.back());
    });
}

}  // namespace

// 1000 ps are between the polls at 980 and 1050: the first of those since nothing is busy is told, as in a run as a whole.
TEST(Conductor, StopsAtTheLastPollInVain)
{
    EXPECT_EQ(outcome(false, false), "stopped after the poll at 1050");
    EXPECT_EQ(outcome(false, true), "stopped after the poll at 1050");
}

TEST(Conductor, DoesNotGiveUpBeforeAFlagIsSeen)
{
    EXPECT_EQ(outcome(true, false), "idle after the poll at 1050");
    EXPECT_EQ(outcome(true, true), "idle after the poll at 1050");
}

TEST(WorkerPool, EveryPartIsDoneOnceByItsThread)
{
    for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
        WorkerPool pool(7, threads);
        std::vector<std::vector<std::size_t>> order(threads);
        std::vector<std::atomic<int>> times(7);
        for (int round = 0; round < 50; ++round)
            pool.each(
                [&](std::size_t part) {
                    ++times[part];
                    order[part % threads].push_back(part);
                },
                round % 2 == 1);
        for (const std::atomic<int>& count : times) EXPECT_EQ(count, 50);
        std::vector<std::size_t> first;  // of thread 0: a round up, a round down
        for (std::size_t part = 0; part < 7; part += threads) first.push_back(part);
        std::vector<std::size_t> both = first;
        both.insert(both.end(), first.rbegin(), first.rend());
        EXPECT_EQ(
            std::vector<std::size_t>(order[0].begin(), order[0].begin() + static_cast<std::ptrdiff_t>(both.size())),
            both);
    }
}

TEST(WorkerPool, TheFirstPartsErrorIsHandedOnAndThePoolGoesOn)
{
    WorkerPool pool(5, 3);
    const auto fails = [](std::size_t part) {
        if (part == 4 || part == 2) throw std::runtime_error("part " + std::to_string(part));
    };
    for (int round = 0; round < 3; ++round) {
        try {
            pool.each(fails);
            ADD_FAILURE() << "no error";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "part 2");
        }
    }
    std::atomic<int> done{0};
    pool.each([&done](std::size_t) { ++done; });
    EXPECT_EQ(done, 5);
}

}  // namespace conductor_test
