#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/reports.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace event_queue_test {

using namespace weft;
using weft::testing::in_child;

namespace {

// Writes down what runs, and lets a test act from within.
struct Recorder : TimedComponent {
    struct Item : ScheduledItem {
        unsigned id = 0;
    };

    Recorder(EventQueue& event_queue, std::string path, std::vector<std::string>& log)
        : TimedComponent(event_queue, std::move(path)), log(log)
    {
    }

    void at(Time due, unsigned id, unsigned input = 0)
    {
        items.push_back(std::make_unique<Item>());
        items.back()->id = id;
        event_queue().schedule(*items.back(), *this, due, input);
    }
    void run(ScheduledItem& item) override
    {
        const unsigned id = static_cast<Item&>(item).id;
        log.push_back(std::to_string(event_queue().now()) + " " + path() + " " + std::to_string(id));
        if (wants_arbitration) request_arbitration();
        if (action) action(id);
    }
    void arbitrate() override
    {
        log.push_back(std::to_string(event_queue().now()) + " " + path() + " arbitrates");
        if (on_arbitrate) on_arbitrate();
    }

    std::vector<std::string>& log;
    std::vector<std::unique_ptr<Item>> items;
    std::function<void(unsigned)> action;
    std::function<void()> on_arbitrate;
    bool wants_arbitration = false;
};

using Log = std::vector<std::string>;

}  // namespace

TEST(EventQueue, OrderIsDueThenNameThenInputThenScheduling)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder b(event_queue, "b", log);
    Recorder a(event_queue, "a", log);
    Recorder driver(event_queue, "driver", log);
    driver.action = [&](unsigned) {
        b.at(100, 1, 3);
        b.at(100, 2, 1);
        a.at(100, 3, 5);
        b.at(100, 4, 1);
        a.at(99, 5);
        a.at(100, 6, 2);
    };
    driver.at(10, 0);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"10 driver 0", "99 a 5", "100 a 6", "100 a 3", "100 b 2", "100 b 4", "100 b 1"}));
    EXPECT_TRUE(event_queue.idle());
    EXPECT_EQ(event_queue.items_run(), 7u);
}

TEST(EventQueue, ItemsScheduledBeforeElaborationFollowTheSameRule)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder b(event_queue, "b", log);
    Recorder a(event_queue, "a", log);
    for (const Time due : {Time{0}, Time{700}, Time{5'000'000}}) {
        b.at(due, 1, 7);
        b.at(due, 2, 3);
        a.at(due, 3, 4000);
    }
    sc_core::sc_start();
    EXPECT_EQ(log,
        (Log{"0 a 3", "0 b 2", "0 b 1", "700 a 3", "700 b 2", "700 b 1", "5000000 a 3", "5000000 b 2", "5000000 b 1"}));
}

TEST(EventQueue, FarItemsKeepTheOrderOfScheduling)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Log expected;
    for (unsigned i = 0; i < 50; ++i) a.at(3'000'000'000, i);
    for (unsigned i = 0; i < 50; ++i) expected.push_back("3000000000 a " + std::to_string(i));
    sc_core::sc_start();
    EXPECT_EQ(log, expected);
}

TEST(EventQueue, AFarItemComesBeforeOneScheduledLaterForTheSameTime)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    a.action = [&](unsigned id) {
        if (id == 1) a.at(10'000'000, 3);
    };
    a.at(10'000'000, 0);
    a.at(9'999'000, 1);
    a.at(10'000'000, 2);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"9999000 a 1", "10000000 a 0", "10000000 a 2", "10000000 a 3"}));
}

TEST(EventQueue, AnItemMayComeLongBeforeTheOnlyOneThere)
{
    for (const Time far : {Time{3'000'000'000}, (Time{1} << 32) + 50, (Time{1} << 40) + 3}) {
        const std::string order = in_child([far] {
            EventQueue event_queue("event_queue");
            Log log;
            Recorder a(event_queue, "a", log);
            a.at(far, 0);
            a.at(100, 1);
            a.at(far - 1, 2);
            sc_core::sc_spawn([&] {  // and from a kernel process, with the far items waiting
                sc_core::wait(sc_core::sc_time(200, sc_core::SC_PS));
                event_queue.enter();
                a.at(300, 3);
                a.at(far, 4);
                sc_core::wait(sc_core::sc_time(200, sc_core::SC_PS));
                a.at(far - 2, 5);
                a.at(500, 6);
            });
            sc_core::sc_start();
            std::string out;
            for (const std::string& line : log) out += line + "\n";
            return out;
        });
        const std::string end = std::to_string(far);
        EXPECT_EQ(order,
            "100 a 1\n300 a 3\n500 a 6\n" + std::to_string(far - 2) + " a 5\n" + std::to_string(far - 1) + " a 2\n" +
                end + " a 0\n" + end + " a 4\n");
    }
}

TEST(EventQueue, WorkForTheSameInstantRunsInThatInstant)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Recorder z(event_queue, "z", log);
    unsigned rounds = 0;
    z.action = [&](unsigned) {
        if (++rounds < 4) a.at(event_queue.now(), rounds);
    };
    a.action = [&](unsigned id) { z.at(event_queue.now(), id); };
    z.at(50, 0);
    a.at(51, 9);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"50 z 0", "50 a 1", "50 z 1", "50 a 2", "50 z 2", "50 a 3", "50 z 3", "51 a 9", "51 z 9"}));
}

TEST(EventQueue, ArbitrateRunsOnceAfterTheLastItemOfAnInstant)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Recorder b(event_queue, "b", log);
    a.wants_arbitration = b.wants_arbitration = true;
    for (unsigned i = 0; i < 3; ++i) {
        b.at(20, i, 2 - i);
        a.at(20, i, i);
    }
    a.at(21, 9);
    sc_core::sc_start();
    EXPECT_EQ(log,
        (Log{"20 a 0", "20 a 1", "20 a 2", "20 a arbitrates", "20 b 2", "20 b 1", "20 b 0", "20 b arbitrates", "21 a 9",
            "21 a arbitrates"}));
}

TEST(EventQueue, ALateArrivalOfTheInstantIsArbitratedToo)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Recorder b(event_queue, "b", log);
    a.wants_arbitration = true;
    b.action = [&](unsigned) { a.at(20, 7); };
    a.at(20, 0);
    b.at(20, 1);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"20 a 0", "20 a arbitrates", "20 b 1", "20 a 7", "20 a arbitrates"}));
}

TEST(EventQueue, ItemsAfterTheEndWaitUntilItIsRaised)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    for (const Time due : {100, 200, 300, 5'000'000}) a.at(due, 0);
    event_queue.set_end(200);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"100 a 0", "200 a 0"}));
    EXPECT_FALSE(event_queue.idle());
    event_queue.set_end(300);
    sc_core::sc_start();
    EXPECT_EQ(log.size(), 3u);
    event_queue.set_end(~Time{0});
    sc_core::sc_start();
    EXPECT_EQ(log.back(), "5000000 a 0");
    EXPECT_TRUE(event_queue.idle());
}

TEST(EventQueue, StopEndsTheRunAfterTheItem)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    a.action = [&](unsigned id) {
        if (id == 1) event_queue.stop();
    };
    for (unsigned i = 0; i < 4; ++i) a.at(100 + i, i);
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"100 a 0", "101 a 1"}));
    EXPECT_TRUE(event_queue.stopped());
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

TEST(EventQueue, TheWatchCanStopARun)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    a.action = [&](unsigned) {
        log.clear();
        a.at(event_queue.now() + 10, 0);
    };
    unsigned calls = 0;
    event_queue.set_watch([&](Time) { return ++calls < 5; });
    a.at(0, 0);
    sc_core::sc_start();
    EXPECT_EQ(calls, 5u);
    EXPECT_EQ(event_queue.items_run() % 5, 0u);
    EXPECT_GT(event_queue.items_run(), 1000u);
}

TEST(EventQueue, TwoComponentsOfOneNameAreRefused)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "same", log);
    Recorder b(event_queue, "same", log);
    weft::testing::Reports reports;
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(reports.contain("/weft/event_queue: two components are called same")) << reports.all();
}

TEST(EventQueue, TheOrderOfConstructionDecidesNothing)
{
    const auto run = [](bool reversed) {
        EventQueue event_queue("event_queue");
        Log log;
        std::vector<std::unique_ptr<Recorder>> components(20);
        std::vector<std::mt19937> random(20);
        for (unsigned i = 0; i < 20; ++i) {
            const unsigned k = reversed ? 19 - i : i;
            components[k] = std::make_unique<Recorder>(event_queue, "s" + std::to_string(k), log);
            random[k].seed(k);
            components[k]->wants_arbitration = k % 3 == 0;
            // Each item sends one on to another timed component, often in the same instant as others do.
            components[k]->action = [&, k](unsigned id) {
                if (id < 60) components[random[k]() % 20]->at(event_queue.now() + random[k]() % 4 * 100, id + 1, k);
            };
        }
        for (unsigned i = 0; i < 20; ++i) components[reversed ? 19 - i : i]->at(100, 0);
        sc_core::sc_start();
        std::string out;
        for (const std::string& line : log) out += line + "\n";
        return out;
    };
    const std::string forward = in_child([&run] { return run(false); });
    EXPECT_EQ(forward, in_child([&run] { return run(true); }));
    EXPECT_GT(std::count(forward.begin(), forward.end(), '\n'), 1000);
}

namespace {

// Runs against a std::multimap that holds (due, timed component, input, scheduling) in the order demanded.
struct Mirror : TimedComponent {
    struct Item : ScheduledItem {
        std::uint64_t sequence = 0;
        Time expected = 0;
    };
    using Key = std::tuple<Time, unsigned, unsigned>;

    Mirror(EventQueue& event_queue, std::string path, unsigned number, std::multimap<Key, Item*>& reference,
        std::vector<std::unique_ptr<Mirror>>& all, std::mt19937_64& random)
        : TimedComponent(event_queue, std::move(path)), number(number), reference(reference), all(all), random(random)
    {
    }

    void add(Item& item, Time due, unsigned input)
    {
        item.expected = due;
        reference.emplace(Key{due, number, input}, &item);  // equal keys stay in order of insertion
        event_queue().schedule(item, *this, due, input);
    }
    void run(ScheduledItem& base) override
    {
        Item& item = static_cast<Item&>(base);
        ++ran;
        if (reference.begin()->second != &item || event_queue().now() != item.expected) ++wrong;
        reference.erase(reference.begin());
        if (ran_total++ >= limit) return;
        Mirror& next = *all[random() % all.size()];
        next.add(item, event_queue().now() + step(), static_cast<unsigned>(random() % 8));
    }
    // Most steps are short, some land in the same instant, some lie beyond the wheel.
    Time step()
    {
        const std::uint64_t draw = random();
        switch (draw % 16) {
        case 0: return 0;
        case 1: return draw / 16 % 10'000'000;
        case 2: return 2'097'152 + draw / 16 % 1024;
        case 3: return draw / 16 % 40'000'000'000;
        default: return draw / 16 % 2000;
        }
    }

    unsigned number;
    std::multimap<Key, Item*>& reference;
    std::vector<std::unique_ptr<Mirror>>& all;
    std::mt19937_64& random;
    std::uint64_t ran = 0;
    static inline std::uint64_t wrong = 0;
    static inline std::uint64_t ran_total = 0;
    static inline std::uint64_t limit = 0;
};

}  // namespace

TEST(EventQueue, MillionsOfRandomItemsRunInTheReferenceOrder)
{
    EventQueue event_queue("event_queue");
    std::multimap<Mirror::Key, Mirror::Item*> reference;
    std::vector<std::unique_ptr<Mirror>> all;
    std::mt19937_64 random(20260101);
    Mirror::limit = 2'000'000;
    constexpr unsigned components = 64;
    for (unsigned i = 0; i < components; ++i) {
        const std::string digits = std::to_string(100 + i);
        all.push_back(std::make_unique<Mirror>(event_queue, "m" + digits, i, reference, all, random));
    }
    std::vector<Mirror::Item> items(3000);
    for (Mirror::Item& item : items)
        all[random() % components]->add(item, random() % 5'000'000, static_cast<unsigned>(random() % 8));
    sc_core::sc_start();
    EXPECT_EQ(Mirror::wrong, 0u);
    EXPECT_TRUE(reference.empty());
    EXPECT_EQ(Mirror::ran_total, Mirror::limit + items.size());
}

namespace {

// A kernel process that puts items on the event queue and is woken by it.
struct Foreign : sc_core::sc_module {
    SC_HAS_PROCESS(Foreign);
    Foreign(sc_core::sc_module_name name, EventQueue& event_queue, Recorder& component, Log& log)
        : sc_module(name), event_queue(event_queue), component(component), log(log)
    {
        SC_THREAD(body);
        SC_METHOD(woken);
        sensitive << event;
        dont_initialize();
    }
    void body()
    {
        wait(sc_core::sc_time(1000, sc_core::SC_PS));
        event_queue.enter();
        log.push_back("thread at " + std::to_string(event_queue.now()));
        component.at(event_queue.now(), 1);
        component.at(event_queue.now() + 5, 2);
        wait(sc_core::sc_time(3, sc_core::SC_PS));
        log.push_back("thread at " + std::to_string(event_queue.now()));
    }
    void woken() { log.push_back("woken at " + sc_core::sc_time_stamp().to_string()); }

    EventQueue& event_queue;
    Recorder& component;
    Log& log;
    sc_core::sc_event event;
};

}  // namespace

// Buckets of any size, of one instant or several, come out by key and, among equal ones, as they were filed.
TEST(EventQueue, BucketsOfAnySizeAreInOrder)
{
    std::mt19937_64 random(5);
    constexpr Time width = Time{1} << TimingWheel::bucket_bits;
    std::vector<ScheduledItem> items(3'000);
    for (const std::size_t count : {2U, 24U, 25U, 63U, 64U, 110U, 3'000U})
        for (const std::uint32_t orders : {1U, 40U, 1U << 20U, ~0U})
            for (const Time dues : {Time{1}, width}) {
                TimingWheel wheel;
                std::vector<std::tuple<Time, std::uint32_t, std::size_t>> expected;
                const Time base = (Time{7} << 32U) - width;  // where the low half of the time turns over next
                for (std::size_t i = 0; i < count; ++i) {
                    const Time due = base + random() % dues;
                    const auto order = static_cast<std::uint32_t>(random() % orders);
                    wheel.push(due, order, &items[i]);
                    expected.emplace_back(due, order, i);
                }
                std::sort(expected.begin(), expected.end());
                for (const auto& [due, order, i] : expected) {
                    const TimingWheel::Entry* const entry = wheel.front(~Time{0});
                    ASSERT_NE(entry, nullptr);
                    ASSERT_EQ(wheel.due_of(*entry), due);
                    ASSERT_EQ(entry->order(), order);
                    ASSERT_EQ(entry->item, &items[i]) << count << ' ' << orders << ' ' << dues;
                    wheel.pop();
                }
                EXPECT_EQ(wheel.front(~Time{0}), nullptr);
            }
}

TEST(EventQueue, NeverRunsPastAForeignEvent)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Foreign foreign("foreign", event_queue, a, log);
    for (const Time due : {900, 999, 1001, 1004}) a.at(due, 0);
    sc_core::sc_start();
    EXPECT_EQ(log,
        (Log{"900 a 0", "999 a 0", "thread at 1000", "1000 a 1", "1001 a 0", "thread at 1003", "1004 a 0",
            "1005 a 2"}));
}

TEST(EventQueue, NotifyKernelWakesAProcessAtTheExactTimeAndHoldsTheEventQueueBack)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    Foreign foreign("foreign", event_queue, a, log);
    a.action = [&](unsigned id) {
        if (id == 7) event_queue.notify_kernel(foreign.event, event_queue.now() + 20);
        if (id == 8) event_queue.notify_kernel(foreign.event, event_queue.now());
    };
    a.at(2000, 7);
    a.at(2019, 0);
    a.at(2021, 0);
    a.at(2500, 8);
    a.at(2501, 0);
    sc_core::sc_start();
    log.erase(log.begin(), std::find(log.begin(), log.end(), "2000 a 7"));
    EXPECT_EQ(log,
        (Log{"2000 a 7", "2019 a 0", "woken at 2020 ps", "2021 a 0", "2500 a 8", "woken at 2500 ps", "2501 a 0"}));
}

TEST(EventQueue, StopFromAKernelProcessEndsTheRun)
{
    EventQueue event_queue("event_queue");
    Log log;
    Recorder a(event_queue, "a", log);
    a.at(100, 0);
    a.at(5000, 0);
    sc_core::sc_spawn([&] {
        sc_core::wait(sc_core::sc_time(200, sc_core::SC_PS));
        event_queue.stop();
    });
    sc_core::sc_start();
    EXPECT_EQ(log, (Log{"100 a 0"}));
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
}

}  // namespace event_queue_test
