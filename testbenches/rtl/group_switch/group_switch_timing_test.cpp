// Clocks and rates that follow from the timing rules of the two parts, in block and reference model alike.
//
// With LATENCY L and m members, nothing else to do, and members that answer d clocks after their copy is on their
// output; in clocks after the request, or after all contributions, are on the pins of the inputs:
//
//   an ordinary line is on its output                       L
//   copies of a multicast, reads of a load_reduce           L + 4
//   answer to a multicast                                  2 L +   m + 6 + d
//   answer to a load_reduce                                2 L + 2 m + 6 + d
//   sum of a reduce, contributions in one clock             L + 2 m + 3
//   answer to contribution k of it                         2 L + 3 m + 5 + d + k
//
// A line to the unit is matched L clocks after it came, one a clock, and on the unit's pins a clock later; what the
// unit makes is on the outputs in the clock after.
#include <functional>

#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "testbenches/rtl/group_switch/group_switch_driver.h"
#include "testbenches/rtl/group_switch/parameter_sets.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::group_switch_timing_test {
namespace {

using Check = std::function<void(const GroupSwitchParameters&, GroupSwitchBlock&)>;
using Seen = GroupSwitchDriver::Seen;

void on_reference(const GroupSwitchParameters& parameters, const Check& check)
{
    ReferenceGroupSwitch reference(parameters);
    check(parameters, reference);
}
void on_block(const GroupSwitchParameters& parameters, const Check& check)
{
    GroupSwitchRtl block(parameters, "dut");
    check(parameters, block);
    EXPECT_EQ(block.failure(), "");
}

GroupSwitchParameters of_latency(unsigned latency, unsigned ports = 4)
{
    GroupSwitchParameters parameters = group_switch_of(ports, 4, 16, 16, latency, 1);
    parameters.contexts = 16;
    parameters.slots = 16;
    return parameters;
}

std::uint32_t first_word(const LineBits& line)
{
    std::uint32_t word;
    std::memcpy(&word, line.data(), sizeof word);
    return word;
}

// All copies are on the outputs of the members in the given clock; members respond d clocks later, all at once.
// Returns that clock.
std::uint64_t respond_to_copies(GroupSwitchDriver& dut, unsigned m, std::uint64_t expected, unsigned d,
    const std::function<std::uint32_t(unsigned)>& data)
{
    while (dut.clock <= expected) dut.step();
    EXPECT_EQ(dut.lines.size(), m);
    for (unsigned k = 0; k < dut.lines.size(); ++k) {
        EXPECT_EQ(dut.lines[k].clock, expected);
        EXPECT_EQ(dut.lines[k].output, k);
        EXPECT_EQ(dut.lines[k].line.destination(), GroupSwitchDriver::endpoint(k));
    }
    dut.steps(d - 1);
    const std::vector<Seen> copies = dut.lines;
    dut.lines.clear();
    for (const Seen& copy : copies) dut.respond(copy, data(copy.output));
    return dut.step();
}

void zero_load(const GroupSwitchParameters& parameters, GroupSwitchBlock& block)
{
    const unsigned latency = parameters.outside.latency;
    const unsigned last = parameters.outside.ports - 1;
    const auto nothing = [](unsigned) { return 0U; };
    for (unsigned m = 1; m <= parameters.outside.ports; ++m)
        for (const unsigned d : {1U, 7U}) {
            SCOPED_TRACE("L " + std::to_string(latency) + ", m " + std::to_string(m) + ", d " + std::to_string(d));
            GroupSwitchDriver dut(parameters, block);
            dut.set_group(0, m);

            dut.ordinary(0, parameters.vc_write, last, 1);
            std::uint64_t c = dut.step();
            dut.steps(latency);
            ASSERT_EQ(dut.lines.size(), 1U);
            EXPECT_EQ(dut.lines[0].clock, c + latency);
            dut.steps(2);
            EXPECT_TRUE(dut.out().idle);

            dut.lines.clear();
            dut.request(last, op_multicast, 0, 0x1000, 2, 42);
            c = dut.step();
            EXPECT_EQ(respond_to_copies(dut, m, c + latency + 4, d, nothing), c + latency + 4 + d);
            dut.steps(latency + m + 2);
            ASSERT_EQ(dut.lines.size(), 1U);
            EXPECT_EQ(dut.lines[0].clock, c + 2 * latency + m + 6 + d);
            EXPECT_EQ(dut.lines[0].output, last);

            dut.lines.clear();
            dut.request(last, op_load_reduce, 0, 0x2000, 3);
            c = dut.step();
            respond_to_copies(dut, m, c + latency + 4, d, [](unsigned k) { return 1U << k; });
            dut.steps(latency + 2 * m + 2);
            ASSERT_EQ(dut.lines.size(), 1U);
            EXPECT_EQ(dut.lines[0].clock, c + 2 * latency + 2 * m + 6 + d);
            EXPECT_EQ(dut.lines[0].output, last);
            EXPECT_EQ(first_word(dut.lines[0].line), (1U << m) - 1);

            dut.lines.clear();
            for (unsigned k = 0; k < m; ++k) dut.request(k, op_reduce, 0, 0x3000, 10 + k, 1U << k);
            c = dut.step();
            EXPECT_EQ(respond_to_copies(dut, m, c + latency + 2 * m + 3, d, nothing), c + latency + 2 * m + 3 + d);
            dut.steps(latency + 2 * m + 2);
            ASSERT_EQ(dut.lines.size(), m);
            for (unsigned k = 0; k < m; ++k) {
                EXPECT_EQ(dut.lines[k].clock, c + 2 * latency + 3 * m + 5 + d + k);
                EXPECT_EQ(dut.lines[k].output, k);
                EXPECT_EQ(dut.lines[k].line.tag(), 10 + k);
            }
            dut.steps(2);
            EXPECT_TRUE(dut.out().idle);
        }
}
TEST(GroupSwitchTiming, ZeroLoad)
{
    for (const unsigned latency : {1U, 2U, 5U, 40U})
        for (const unsigned ports : {1U, 4U, 9U, 18U}) on_reference(of_latency(latency, ports), zero_load);
}
class GroupSwitchTimingRtl : public RtlTest {};
TEST_F(GroupSwitchTimingRtl, ZeroLoad)
{
    on_block(four_ports(), zero_load);
    on_block(one_context(), zero_load);
}

// Operations a clock, with requests always at hand at every input, and members that answer a clock after their copy.
double rate(const GroupSwitchParameters& parameters, GroupSwitchBlock& block, unsigned op, bool posted, unsigned m,
    unsigned clocks)
{
    GroupSwitchDriver dut(parameters, block);
    dut.set_group(0, m);
    std::vector<std::vector<Seen>> due(m);
    std::vector<unsigned> sent(parameters.outside.ports);
    unsigned done = 0;
    constexpr unsigned warm_up = 2'000;
    unsigned before = 0;
    for (unsigned i = 0; i < warm_up + clocks; ++i) {
        if (i == warm_up) before = done;
        for (const Seen& seen : dut.lines) {
            if (seen.line.response() || posted)
                ++done;
            else
                due[seen.output].push_back(seen);
        }
        dut.lines.clear();
        for (unsigned input = 0; input < m; ++input) {
            if (!due[input].empty() && dut.can_send(input, parameters.vc_response)) {
                dut.respond(due[input].front());
                due[input].erase(due[input].begin());
            } else if (dut.can_send(input, parameters.vc_group)) {
                // All members contribute to the same addresses in the same order; few rounds are open at a time.
                if (op == op_reduce && sent[input] >= done / m + parameters.contexts / 2) continue;
                const std::uint64_t address = 64ULL * (op == op_reduce ? sent[input] : sent[input] * m + input);
                dut.request(input, op, 0, address, sent[input] * m + input, 0, posted ? posted_flag : 0);
                ++sent[input];
            }
        }
        dut.step();
    }
    return static_cast<double>(done - before) / clocks / (op == op_reduce || posted ? m : 1);
}

// The unit takes a line a clock: 1 of a posted multicast, 2 m of a reduce, 1 + m of a multicast or a load_reduce. Of the
// last two all C contexts open in a row while no response comes, and up to three clocks are lost in each such round: a
// slot that the first request of it leaves is filled again only then.
void one_operand_a_clock(const GroupSwitchParameters& parameters, GroupSwitchBlock& block, bool few)
{
    constexpr unsigned clocks = 10'000;
    constexpr double edges = 16.0 / clocks;  // operations that begin or end outside
    const unsigned contexts = parameters.contexts;
    for (unsigned m = 2; m <= parameters.outside.ports; m += few ? parameters.outside.ports - 2 : 1) {
        EXPECT_NEAR(rate(parameters, block, op_multicast, true, m, clocks), 1.0, 4 * edges) << m;
        if (contexts >= 16) {
            EXPECT_NEAR(rate(parameters, block, op_reduce, false, m, clocks), 0.5 / m, edges) << m;
        }
        for (const unsigned op : {op_multicast, op_load_reduce}) {
            const double measured = rate(parameters, block, op, false, m, clocks);
            EXPECT_LE(measured, 1.0 / (m + 1) + edges) << m;
            EXPECT_GE(measured, static_cast<double>(contexts) / ((m + 1) * contexts + 3) - edges) << m;
        }
    }
}
TEST(GroupSwitchTiming, OneOperandAClock)
{
    for (const unsigned ports : {4U, 8U})
        on_reference(of_latency(1, ports),
            [](const auto& parameters, auto& block) { one_operand_a_clock(parameters, block, false); });
}
TEST_F(GroupSwitchTimingRtl, OneOperandAClock)
{
    on_block(four_ports(),
        [](const auto& parameters, auto& block) { one_operand_a_clock(parameters, block, !thorough()); });
}

// A slot of the unit comes back four clocks after the match that took it: S slots carry at most S / 4 requests a clock.
void slots(const GroupSwitchParameters& parameters, GroupSwitchBlock& block)
{
    const unsigned ports = parameters.outside.ports;
    EXPECT_NEAR(rate(parameters, block, op_multicast, true, ports, 10'000), parameters.slots / 4.0, 0.001)
        << parameters.slots;
}
TEST(GroupSwitchTiming, SlotsLimitTheRequests)
{
    for (const unsigned count : {1U, 2U, 3U, 4U}) {
        GroupSwitchParameters parameters = of_latency(1);
        parameters.slots = count;
        on_reference(parameters, slots);
    }
}
TEST_F(GroupSwitchTimingRtl, SlotsLimitTheRequests)
{
    on_block(four_ports(), slots);
    on_block(one_context(), slots);
}

}  // namespace
}  // namespace weft::test::group_switch_timing_test
