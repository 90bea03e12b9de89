// A TLM-2.0 memory of somebody else as DRAM: exact times in each way to call it, DMI pointers granted and taken back, and
// what is wrong with it named.
#include <sstream>

#include <gtest/gtest.h>

#include <tlm_utils/simple_target_socket.h>

#include "sc_models/memory/base_protocol_memory.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

namespace base_protocol_memory_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Mode = BaseProtocolMemory::Mode;

constexpr Time read_ps = 80'000;
constexpr Time write_ps = 50'000;

// Fixed latencies, all of its bytes by a pointer; waits for the latency or adds it to the delay.
class FixedMemory final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<FixedMemory> socket;

    FixedMemory(sc_core::sc_module_name name, bool waits)
        : sc_module(name), socket("socket"), waits_(waits), bytes_(1 << 20)
    {
        socket.register_b_transport(this, &FixedMemory::access);
        socket.register_get_direct_mem_ptr(this, &FixedMemory::grant);
    }

private:
    void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        payload.set_dmi_allowed(true);
        payload.set_response_status(
            payload.get_address() < bytes_.size() ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += to_sc_time(payload.is_read() ? read_ps : write_ps);
        if (!waits_) return;
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    bool grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& region)
    {
        region.allow_read_write();
        region.set_dmi_ptr(bytes_.data());
        region.set_start_address(0);
        region.set_end_address(bytes_.size() - 1);
        region.set_read_latency(to_sc_time(read_ps));
        region.set_write_latency(to_sc_time(write_ps));
        return true;
    }

    bool waits_;
    std::vector<unsigned char> bytes_;
};

class Dram final : public BaseProtocolMemory {
public:
    Dram(sc_core::sc_module_name name, EventQueue& event_queue, Mode mode, std::uint32_t threads, bool connected = true)
        : BaseProtocolMemory(name, event_queue, "dram", 2, mode, threads), memory("memory", mode == Mode::blocking)
    {
        if (connected) connect(memory.socket);
    }

    FixedMemory memory;
};

struct Access {
    Time at;
    unsigned slice;
    LineOp op;
    std::uint64_t address;
};

// Times of the answers and the statistics, or what the report of an error says.
std::string run(Mode mode, const std::vector<Access>& accesses, std::uint32_t threads = 8)
{
    return in_child([&]() -> std::string {
        sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
        EventQueue event_queue("event_queue");
        LinePool pool;
        Dram dram("dram", event_queue, mode, threads);
        Checkers checkers(event_queue);
        std::vector<std::unique_ptr<LineIssuer>> issuers;
        for (unsigned s = 0; s < 2; ++s) {
            issuers.push_back(std::make_unique<LineIssuer>(("slice" + std::to_string(s)).c_str(), event_queue, pool));
            checkers.bind(issuers[s]->out, dram.target(s));
        }
        std::vector<std::size_t> tag;
        for (const Access& access : accesses) {
            tag.push_back(issuers[access.slice]->done.size());
            issuers[access.slice]->issue(access.at, access.op, access.address);
        }
        try {
            sc_core::sc_start();
        } catch (const sc_core::sc_report& report) {
            return report.get_msg();
        }
        checkers.finish();
        EXPECT_EQ(pool.live(), 0U);
        std::ostringstream out;
        for (std::size_t i = 0; i < accesses.size(); ++i) out << issuers[accesses[i].slice]->done[tag[i]].at << ' ';
        for (const Statistic& statistic : dram.statistics()) out << statistic.name << ' ' << statistic.value << ' ';
        return out.str();
    });
}

const std::vector<Access> accesses{{1'000, 0, LineOp::read, 0}, {1'000, 1, LineOp::write, 64},
    {2'000, 0, LineOp::read, 64}, {200'000, 1, LineOp::read, 4096}};

}  // namespace

// Latency of the memory and nothing else, whoever calls it; the mean of 80, 50, 80 and 80 ns.
TEST(BaseProtocolMemory, TimesAreThoseOfTheMemory)
{
    const std::string expected = "81000 51000 82000 280000 reads 3 writes 1 mean_latency 72500 ";
    EXPECT_EQ(run(Mode::direct, accesses), expected);
    EXPECT_EQ(run(Mode::blocking, accesses), expected);
    EXPECT_EQ(run(Mode::dmi, accesses), expected);
}

// One thread: one access at a time.
TEST(BaseProtocolMemory, ThreadsBoundTheCallsAtOnce)
{
    EXPECT_EQ(run(Mode::blocking, {{1'000, 0, LineOp::read, 0}, {1'000, 0, LineOp::read, 64}}, 1),
        "81000 161000 reads 2 writes 0 mean_latency 120000 ");
}

TEST(BaseProtocolMemory, RefusedAccessesAreNamed)
{
    EXPECT_EQ(run(Mode::direct, {{1'000, 0, LineOp::read, 1 << 20}}),
        "dram: the memory answered a read of address 1048576 with TLM_ADDRESS_ERROR_RESPONSE");
}

TEST(BaseProtocolMemory, AMemoryWithoutASocketIsNamed)
{
    EXPECT_EQ(in_child([]() -> std::string {
        sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
        sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
        EventQueue event_queue("event_queue");
        try {
            Dram dram("dram", event_queue, Mode::direct, 1, false);
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
        } catch (const sc_core::sc_report& report) {
            return report.get_msg();
        }
        return "";
    }),
        "dram has no socket of the memory; expected a call of connect()");
}

namespace {

// Grants the lower half of its bytes, counts the calls, and takes the pointer back at the third one.
class Grudging final : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<Grudging> socket;
    unsigned calls = 0;

    explicit Grudging(sc_core::sc_module_name name) : sc_module(name), socket("socket"), bytes_(8192)
    {
        socket.register_b_transport(this, &Grudging::access);
        socket.register_get_direct_mem_ptr(this, &Grudging::grant);
    }

    std::uint8_t byte(std::size_t at) const { return bytes_[at]; }

private:
    void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        delay += sc_core::sc_time(30, sc_core::SC_NS);
        payload.set_dmi_allowed(payload.get_address() < 4096);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (++calls == 3) socket->invalidate_direct_mem_ptr(0, 100);
    }
    bool grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& region)
    {
        region.allow_read_write();
        region.set_dmi_ptr(bytes_.data());
        region.set_start_address(0);
        region.set_end_address(4095);
        region.set_read_latency(sc_core::sc_time(10, sc_core::SC_NS));
        region.set_write_latency(sc_core::sc_time(20, sc_core::SC_NS));
        return true;
    }

    std::vector<unsigned char> bytes_;
};

}  // namespace

TEST(BaseProtocolMemory, APointerHoldsForItsRegionUntilItIsTakenBack)
{
    EXPECT_EQ(in_child([]() -> std::string {
        EventQueue event_queue("event_queue");
        LinePool pool;
        LineToBaseSpec spec;
        spec.mode = LineToBaseSpec::Mode::dmi;
        LineToBase<32> adapter("adapter", event_queue, "adapter", spec);
        Grudging memory("memory");
        adapter.socket.bind(memory.socket);
        LineIssuer issuer("issuer", event_queue, pool);
        issuer.out.bind(adapter.in);
        const std::vector<std::pair<LineOp, std::uint64_t>> order{{LineOp::read, 0},  // by call, then granted
            {LineOp::read, 64}, {LineOp::write, 128},                                 // by pointer
            {LineOp::read, 4096},                                                     // beyond the region: by call
            {LineOp::read, 192},                                                      // by pointer
            {LineOp::read, 8000},                                                     // by call; takes the pointer back
            {LineOp::read, 64}};                                                      // by call, granted again
        Time at = 0;
        for (const auto& [op, address] : order) issuer.issue(at += 100'000, op, address);
        sc_core::sc_start();
        std::ostringstream out;
        at = 0;
        for (const auto& done : issuer.done) out << done.at - (at += 100'000) << ' ';
        out << memory.calls << ' ' << adapter.by_pointer();
        return out.str();
    }),
        "30000 10000 20000 30000 10000 30000 30000 4 3");
}

}  // namespace base_protocol_memory_test
