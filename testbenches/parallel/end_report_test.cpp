// What processes say of the end of a run, put together by process 0; and errors that all must know.
#include <map>
#include <new>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/parallel/process_group.h"
#include "platform/parallel/process_transport.h"
#include "platform/simulation/end_report.h"

namespace end_report_test {

using namespace weft;

namespace {

// A process among others whose messages are known beforehand.
class Scripted final : public Processes {
public:
    explicit Scripted(std::uint32_t rank) : rank_(rank) {}

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return 2; }
    std::uint32_t on_this_machine() const override { return 2; }
    std::uint32_t most_tag() const override { return 100; }
    void exchange(const std::vector<Message>& out, const std::vector<Message>& in) override
    {
        sent.clear();
        for (const Message& message : out) sent.emplace_back(message.tag, *message.bytes);
        for (const Message& message : in) *message.bytes = Bytes(received.at(message.tag));
    }
    Pulse agree(const Pulse& own) override
    {
        Pulse all = own;
        all.add(other);
        return all;
    }
    std::vector<Bytes> share(const Bytes& own) override
    {
        return rank_ == 0 ? std::vector<Bytes>{own, others} : std::vector<Bytes>{others, own};
    }
    std::vector<Bytes> collect(const Bytes& own) override { return share(own); }
    [[noreturn]] void abort(int code) override { throw code; }

    std::vector<std::pair<std::uint32_t, Bytes>> sent;
    std::map<std::uint32_t, std::size_t> received;  // bytes by tag
    Pulse other;
    Bytes others = no_errors();

private:
    static Bytes no_errors()
    {
        ByteWriter out;
        out.put(std::size_t{0});
        return out.bytes();
    }

    std::uint32_t rank_;
};

// Of a process that has rank and link `here` of two.
EndReport part(std::size_t here)
{
    EndReport out;
    out.last = 100 + here;
    out.lines = 10 + here;
    out.line_hops = 20;
    out.stalls.resize(2);
    out.stalls[here] = {here + 1, 5};
    out.links.resize(2);
    out.links[here].name = "link " + std::to_string(here);
    out.links[here].busy_ps = 30 + here;
    if (here == 1) out.links[here].credit_stall_ps = 4;
    if (here == 1) out.links[here].packets = 6;
    if (here == 1) out.links[here].credit_messages = 2;
    out.links[here].channels.push_back({"request", {}});
    out.links[here].channels.back().count.queue_area = 50 + here;
    out.replayed = {0, 0};
    out.replayed[here] = 60 + here;
    out.cut = {7, 8 + here, 0.5, 0.25};
    out.modules.resize(2);
    ModuleResult module{"gpu " + std::to_string(here), "l2", "l2",
        {{"hits", 0.1 + static_cast<double>(here), "lines", "text"}}, {}};
    module.by_slice = {{"flag_reads", {1, 2, here}}};
    out.modules[here].push_back(module);
    out.buffer_waits = {{1 - here, {"held", "at " + std::to_string(here), "wanted", 3}}};
    out.waiting_ranks = {{here, "rank " + std::to_string(here)}};
    out.waiting_modules = {{5 - here, "module " + std::to_string(here)}};
    out.mismatches = {{7 - here, "rank " + std::to_string(here) + " is wrong"}, {0, ""}};
    out.problems = {"problem " + std::to_string(here)};
    out.cpu_s = 0.25;
    out.rss = 1000 * (here + 1);
    return out;
}

}  // namespace

TEST(EndReport, GoesAsBytesAndComesBackTheSame)
{
    const Bytes bytes = part(1).bytes();
    const EndReport back = EndReport::of(bytes);
    EXPECT_EQ(back.bytes(), bytes);
    EXPECT_EQ(back.modules[1][0].statistics[0].value, 1.1);
    EXPECT_EQ(back.links[1].credit_stall_ps, 4U);
    EXPECT_FALSE(back.links[0].credit_stall_ps);
    EXPECT_EQ(back.links[1].packets, 6U);
    EXPECT_EQ(back.links[1].credit_messages, 2U);
    EXPECT_FALSE(back.links[0].packets);
    const Bytes cut(bytes.data(), bytes.size() - 1);
    EXPECT_THROW(EndReport::of(cut), std::logic_error);
}

// Whoever is first, each thing is in its place.
TEST(EndReport, EveryThingIsInItsPlace)
{
    for (const std::size_t first : {0U, 1U}) {
        EndReport all = part(first);
        all.add(EndReport::of(part(1 - first).bytes()));
        EXPECT_EQ(all.last, 101U);
        EXPECT_EQ(all.lines, 21U);
        EXPECT_EQ(all.line_hops, 40U);
        EXPECT_EQ(all.stalls, (std::vector<std::vector<Time>>{{1, 5}, {2, 5}}));
        EXPECT_EQ(all.links[0].name, "link 0");
        EXPECT_EQ(all.links[1].busy_ps, 31U);
        EXPECT_EQ(all.links[1].channels.at(0).name, "request");
        EXPECT_EQ(all.links[1].channels.at(0).count.queue_area, 51U);
        EXPECT_EQ(all.replayed, (std::vector<Time>{60, 61}));
        EXPECT_EQ(all.cut.windows, 7U) << "all processes run the same windows";
        EXPECT_EQ(all.cut.records, 17U);
        EXPECT_EQ(all.cut.exchange_s, 1.0);
        EXPECT_EQ(all.cut.deliver_s, 0.5);
        EXPECT_EQ(all.modules[0][0].name, "gpu 0");
        EXPECT_EQ(all.modules[1][0].by_slice[0].second, (std::vector<std::uint64_t>{1, 2, 1}));
        EXPECT_EQ(all.buffer_waits[0].second.at, "at 1");
        EXPECT_EQ(all.waiting_ranks[0].second, "rank 0");
        EXPECT_EQ(all.waiting_modules[0].second, "module 1");
        EXPECT_EQ(all.mismatches[0].text, "rank 1 is wrong") << "its chunk comes first";
        EXPECT_EQ(all.mismatches[1].text, "");
        EXPECT_EQ(all.problems.size(), 2U);
        EXPECT_EQ(all.cpu_s, 0.5);
        EXPECT_EQ(all.rss, 2000U);
    }
}

// Parts 0 and 1 are here, 2 and 3 there; 0 and 3 share no link.
TEST(ProcessTransport, SendsOneMessageToEachNeighbour)
{
    Scripted processes(0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cuts;
    for (const auto& [a, b] : {std::pair(0U, 1U), {0U, 2U}, {1U, 2U}, {1U, 3U}, {2U, 3U}}) {
        cuts.emplace_back(a, b);
        cuts.emplace_back(b, a);
    }
    ProcessTransport transport(processes, {0, 0, 1, 1}, cuts);
    processes.received = {{2 * 4 + 0, 0}, {2 * 4 + 1, 3}, {3 * 4 + 1, 0}};
    transport.outbox(0, 1).add(2);
    transport.outbox(1, 3).add(5);
    EXPECT_TRUE(transport.exchange());
    EXPECT_EQ(transport.inbox(1, 0).size(), 2U);
    EXPECT_EQ(transport.inbox(1, 2).size(), 3U);
    EXPECT_EQ(transport.inbox(0, 2).size(), 0U);
    ASSERT_EQ(processes.sent.size(), 3U);
    std::map<std::uint32_t, std::size_t> sent;
    for (const auto& [tag, bytes] : processes.sent) sent[tag] = bytes.size();
    EXPECT_EQ(sent, (std::map<std::uint32_t, std::size_t>{{0 * 4 + 2, 0}, {1 * 4 + 2, 0}, {1 * 4 + 3, 5}}));
    processes.received[2 * 4 + 1] = 0;
    EXPECT_FALSE(transport.exchange()) << "what was sent is not sent again";
    EXPECT_EQ(processes.sent.back().second.size() + processes.sent.front().second.size(), 0U);
}

TEST(ProcessGroup, AnErrorOfOneIsAnErrorOfAll)
{
    auto scripted = std::make_unique<Scripted>(0);
    ByteWriter theirs;  // a list of one
    theirs.put(std::size_t{1});
    theirs.put(std::string("system.yaml"));
    theirs.put(3);
    theirs.put(std::string("is wrong"));
    theirs.put(std::string("right"));
    scripted->others = theirs.bytes();
    ProcessGroup group(std::move(scripted));
    try {
        group.agree();
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "system.yaml:3: is wrong; expected right");
    }
}

TEST(ProcessGroup, WhoFailsAloneEndsAll)
{
    ProcessGroup group(std::make_unique<Scripted>(1));
    std::string said;
    const auto print = [&said](const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& what) {
            said = what.what();
        }
    };
    const auto fails = [&]() -> int {
        group.agree();
        group.enter(ProcessGroup::Phase::simulating);
        throw std::bad_alloc();
    };
    EXPECT_THROW(group.carry_out(fails, print), int);
    EXPECT_EQ(said,
        "weft: process 1: not enough memory; expected a smaller system or message, more processes, or --no-data");
}

TEST(ProcessGroup, PartsAreSharedOutEvenly)
{
    std::vector<std::uint32_t> firsts;
    for (std::uint32_t rank = 0; rank <= 3; ++rank) firsts.push_back(ProcessGroup::first_part(rank, 3, 8));
    EXPECT_EQ(firsts, (std::vector<std::uint32_t>{0, 2, 5, 8}));
}

}  // namespace end_report_test
