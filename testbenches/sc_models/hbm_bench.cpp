#include "testbenches/sc_models/hbm_bench.h"

#include <sstream>

#include <gtest/gtest.h>

#include "sc_models/l2/l2_slice.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/line_modules.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

namespace weft::testing {

namespace {

void print(std::ostream& out, const Hbm& hbm)
{
    for (const Statistic& statistic : hbm.statistics()) out << statistic.name << ' ' << statistic.value << ' ';
}

std::map<std::string, double> read_statistics(std::istream& in)
{
    std::map<std::string, double> statistics;
    std::string name;
    double value = 0;
    while (in >> name >> value) statistics[name] = value;
    return statistics;
}

// Keeps lines in flight at all slices of an Hbm.
class Loader : public sc_core::sc_module, public TimedComponent, public LineInitiator {
public:
    Loader(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Hbm& hbm, unsigned slices,
        const HbmLoad& load)
        : sc_module(name), TimedComponent(event_queue, "loader"), pool_(pool), slices_(slices), load_(load),
          next_(slices, 0)
    {
        for (unsigned s = 0; s < slices; ++s) {
            sockets_.push_back(std::make_unique<LineInitiatorSocket>(("out" + std::to_string(s)).c_str(), *this, s));
            sockets_.back()->bind(hbm.target(s));
        }
        event_queue.schedule(start_, *this, 0);
    }

    Time quarter = 0;  // when a quarter of the lines had been answered
    Time three_quarters = 0;
    Time waited = 0;
    std::uint64_t answered = 0;

private:
    Time on_response(unsigned, Line& line, Time delay) override
    {
        event_queue().schedule(line, *this, event_queue().now() + delay);
        return 0;
    }
    void run(ScheduledItem& item) override
    {
        if (&item == &start_) {
            while (sent_ < load_.in_flight && sent_ < load_.count)
                send(static_cast<unsigned>(sent_ % slices_.divisor()));
            return;
        }
        Line& line = Line::of(item);
        const Time now = event_queue().now();
        const unsigned slice = line.tag;
        waited += now - line.issued;
        pool_.give(line);
        ++answered;
        if (answered == load_.count / 4) quarter = now;
        if (answered == load_.count / 4 * 3) three_quarters = now;
        if (sent_ < load_.count) send(slice);
    }
    void send(unsigned slice)
    {
        // A slice's i-th line is its line of the i-th group of lines.
        HbmAccess access = load_.next(load_.by_slice ? next_[slice]++ * slices_.divisor() : sent_);
        if (!load_.by_slice) slice = slice_place(access.address / line_bytes, slices_).slice;
        ++sent_;
        Line& line = pool_.take();
        line.begin(access.op, access.address, line_bytes).tag(slice);
        line.issued = event_queue().now();
        sockets_[slice]->send_request(line, 0);
    }

    LinePool& pool_;
    Divider slices_;
    const HbmLoad& load_;
    ScheduledItem start_;
    std::uint64_t sent_ = 0;
    std::vector<std::uint64_t> next_;
    std::vector<std::unique_ptr<LineInitiatorSocket>> sockets_;
};

}  // namespace

HbmOutcome run_hbm(const HbmSpec& spec, unsigned slices, const std::vector<HbmAccess>& accesses)
{
    std::istringstream text(in_child([&] {
        EventQueue event_queue("event_queue");
        LinePool pool;
        pool.hold_wide(most_transaction_bytes);
        Hbm hbm("hbm", event_queue, "hbm", spec, slices);
        Checkers checkers(event_queue);
        std::vector<std::unique_ptr<LineIssuer>> issuers;
        for (unsigned s = 0; s < slices; ++s) {
            issuers.push_back(
                std::make_unique<LineIssuer>(("slice" + std::to_string(100 + s)).c_str(), event_queue, pool));
            checkers.bind(issuers[s]->out, hbm.target(s));
        }
        std::vector<std::size_t> tag;
        for (const HbmAccess& access : accesses) {
            tag.push_back(issuers[access.slice]->done.size());
            issuers[access.slice]->issue(access.at, access.op, access.address, access.bytes);
        }
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(pool.live(), 0u);
        std::ostringstream out;
        out.precision(17);
        for (std::size_t i = 0; i < accesses.size(); ++i) out << issuers[accesses[i].slice]->done[tag[i]].at << ' ';
        print(out, hbm);
        return out.str();
    }));
    HbmOutcome outcome;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        outcome.answered.push_back(0);
        text >> outcome.answered.back();
    }
    outcome.statistics = read_statistics(text);
    return outcome;
}

HbmRate load_hbm(const HbmSpec& spec, unsigned slices, const HbmLoad& load)
{
    std::istringstream text(in_child([&] {
        EventQueue event_queue("event_queue");
        LinePool pool;
        Hbm hbm("hbm", event_queue, "hbm", spec, slices);
        Loader loader("loader", event_queue, pool, hbm, slices, load);
        sc_core::sc_start();
        EXPECT_EQ(loader.answered, load.count);
        EXPECT_EQ(pool.live(), 0u);
        const std::uint64_t pairs = load.count / 4;
        const double lines = 2.0 * static_cast<double>(pairs);
        std::ostringstream out;
        out.precision(17);
        out << lines * line_bytes * 1e12 / static_cast<double>(loader.three_quarters - loader.quarter) << ' '
            << static_cast<double>(loader.waited) / static_cast<double>(load.count) << ' ';
        print(out, hbm);
        return out.str();
    }));
    HbmRate rate{};
    text >> rate.bytes_per_second >> rate.latency;
    rate.statistics = read_statistics(text);
    return rate;
}

HbmAccess stream(std::uint64_t i, LineOp op) { return {0, 0, op, i * line_bytes}; }

HbmAccess random_line(std::uint64_t i, LineOp op)
{
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return {0, 0, op, (x >> 38) * line_bytes};
}

std::uint64_t line_of(const HbmSpec& spec, unsigned slices, unsigned bank, std::uint32_t row, unsigned n)
{
    const HbmMap map(spec, slices);
    for (std::uint64_t line = 0;; line += slices) {
        const HbmPlace place = map.place(0, line);
        if (place.channel == 0 && place.bank == bank && place.row == row && n-- == 0) return line * line_bytes;
    }
}

HbmSpec one_channel()
{
    HbmSpec spec;
    spec.bandwidth = 32'000'000'000;
    spec.channels = 1;
    spec.request_latency = 50'000;
    spec.response_latency = 25'000;
    spec.t_rcd = 14'000;
    spec.t_rp = 15'000;
    spec.t_cl = 13'000;
    spec.t_wl = 7'000;
    spec.t_ras = 30'000;
    spec.t_ccd_l = 2'000;
    spec.t_rrd = 3'000;
    spec.t_faw = 20'000;
    spec.t_wr = 16'000;
    spec.t_rtp = 5'000;
    spec.t_wtr = 8'000;
    spec.t_rtw = 4'000;
    spec.refresh = RefreshMode::none;
    spec.row_policy = RowPolicy::open;
    spec.read_queue = 64;
    spec.write_queue = 64;
    spec.write_high = 48;
    spec.write_low = 16;
    return spec;
}

}  // namespace weft::testing
