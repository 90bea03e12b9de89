// A model with a process of the SystemC kernel: the link of docs/user_switch.md is exact, and one that wakes its process by itself is told.
#include <deque>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"
#include "tlm_interconnect/link/link_shell.h"

namespace kernel_process_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time line_time = 1'500;
constexpr Time latency = 12'345;

// `exact`: as in the page.
template <bool exact>
class ThreadLink final : public LinkShell<ThreadLink<exact>> {
public:
    SC_HAS_PROCESS(ThreadLink);
    ThreadLink(sc_core::sc_module_name name, EventQueue& event_queue, const std::string& path, const LinkSpec& spec)
        : LinkShell<ThreadLink>(spec, name, event_queue, path)
    {
        SC_THREAD(forth);
        SC_THREAD(back);
    }
    LinkModel::Direction direction(unsigned) const override { return {}; }
    void reset_statistics() override {}

private:
    friend LinkShell<ThreadLink>;
    struct Waiting {
        Line* line;
        LineClass cls;
        Time due;
    };

    Time take(unsigned end, Line& line, LineClass cls, Time delay)
    {
        const Time now = this->event_queue().now();
        free_[end] = std::max(free_[end], now + delay) + line_time;
        queue_[end].push_back({&line, cls, free_[end] + latency});
        if (exact)
            this->event_queue().notify_kernel(woken_[end], now);
        else
            woken_[end].notify(sc_core::SC_ZERO_TIME);
        return free_[end] - now;
    }
    Time credit_time(unsigned, const Line&, Time delay) { return delay + latency; }
    void carry(unsigned end)
    {
        for (;;) {
            while (queue_[end].empty()) sc_core::wait(woken_[end]);
            const Waiting next = queue_[end].front();
            queue_[end].pop_front();
            const sc_core::sc_time due = to_sc_time(next.due);
            if (due > sc_core::sc_time_stamp()) sc_core::wait(due - sc_core::sc_time_stamp());
            this->event_queue().enter();
            this->hand_over(1 - end, *next.line, next.cls);
        }
    }
    void forth() { carry(0); }
    void back() { carry(1); }
    void run(ScheduledItem&) override {}

    Time free_[2] = {};
    std::deque<Waiting> queue_[2];
    sc_core::sc_event woken_[2];
};

// When five requests at each of these times arrive at the other end, and the answers; or what is wrong.
template <bool exact>
std::string times(const std::vector<Time>& batches)
{
    return in_child([&batches] {
        FabricSystem::Options options;
        options.make_link = [](const std::string& name, EventQueue& event_queue, const LinkSpec& spec, std::uint64_t) {
            return std::make_unique<ThreadLink<exact>>(name.c_str(), event_queue, name, spec);
        };
        FabricSystem system(two_ends(), options);
        for (const Time first : batches)
            for (unsigned i = 0; i < 5; ++i) system.endpoints[0]->issue(first, LineOp::read, 1, 64 * i);
        system.event_queue.run_kernel(std::numeric_limits<Time>::max());
        std::string out;
        for (const std::string& failure : system.event_queue.failures()) out += failure + "\n";
        if (!out.empty()) return out;
        system.expect_clean();
        for (const Endpoint::Record& record : system.endpoints[1]->served) out += fmt::format("{} ", record.at);
        for (const Endpoint::Record& record : system.endpoints[0]->answered) out += fmt::format("{} ", record.at);
        return out;
    });
}

// A line on the wire after another, there and back.
std::string expected(const std::vector<Time>& batches)
{
    std::string there;
    std::string back;
    for (const Time first : batches)
        for (unsigned i = 1; i <= 5; ++i) {
            there += fmt::format("{} ", first + i * line_time + latency);
            back += fmt::format("{} ", first + (i + 1) * line_time + 2 * latency);
        }
    return there + back;
}

const std::vector<std::vector<Time>> all{{0}, {7}, {0, 1'000'003}, {5, 100'000, 2'000'000'000}};

}  // namespace

TEST(KernelProcess, ThatIsWokenByNotifyKernelIsExact)
{
    for (const std::vector<Time>& batches : all) EXPECT_EQ(times<true>(batches), expected(batches));
}

// Behind the last answer of a batch the event queue goes on to the next one, while the kernel is at the time of that answer.
TEST(KernelProcess, ThatIsWokenByAnEventItselfIsToldWhereTheKernelIsBehind)
{
    const Time behind = 6 * line_time + 2 * latency;
    EXPECT_EQ(times<false>({0, 1'000'003}),
        fmt::format("e0: what it calls has notified an event of the SystemC kernel, or written to a channel of it, "
                    "whose time is {} ps; expected EventQueue::notify_kernel(event, due), at 1000003 ps\n",
            behind));
}

// Where the kernel is not, the process is woken in time.
TEST(KernelProcess, ThatIsWokenByAnEventItselfIsExactWhereTheKernelIsNotBehind)
{
    for (const std::vector<Time>& batches : {all[0], all[1]}) EXPECT_EQ(times<false>(batches), expected(batches));
}

}  // namespace kernel_process_test
