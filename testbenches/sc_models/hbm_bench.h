// The DRAM alone, in a simulation of its own in a child process.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sc_models/memory/hbm.h"

namespace weft::testing {

struct HbmAccess {
    Time at;
    unsigned slice;
    LineOp op;
    std::uint64_t address;
    std::uint32_t bytes = 64;
};

struct HbmOutcome {
    std::vector<Time> answered;  // by access
    std::map<std::string, double> statistics;
};

// Accesses at given times, under protocol checkers.
HbmOutcome run_hbm(const HbmSpec& spec, unsigned slices, const std::vector<HbmAccess>& accesses);

// `count` accesses, `in_flight` of them at a time: the next one leaves when one is answered. `next` says
// operation and address of the i-th (slice and time follow).
struct HbmLoad {
    std::uint64_t count = 0;
    unsigned in_flight = 1;
    std::function<HbmAccess(std::uint64_t)> next;
    bool by_slice =
        false;  // the next one is the slice's that had the answer: all slices keep the same number in flight
};
struct HbmRate {
    double bytes_per_second;  // from a quarter to three quarters of the lines
    double latency;           // ps, mean of all lines
    std::map<std::string, double> statistics;
};
HbmRate load_hbm(const HbmSpec& spec, unsigned slices, const HbmLoad& load);

// Streams: line i of the memory, and a line somewhere in 4 GiB.
HbmAccess stream(std::uint64_t i, LineOp op = LineOp::read);
HbmAccess random_line(std::uint64_t i, LineOp op = LineOp::read);

// Address of the n-th line of a row, asked for by slice 0 of `slices`.
std::uint64_t line_of(const HbmSpec& spec, unsigned slices, unsigned bank, std::uint32_t row, unsigned n = 0);

// One channel behind one slice, figures that tell the rules apart: 1000 ps a burst, 2000 ps a line; in ns
// t_rcd 14, t_rp 15, t_cl 13, t_wl 7, t_ras 30, t_ccd_l 2, t_rrd 3, t_faw 20, t_wr 16, t_rtp 5, t_wtr 8,
// t_rtw 4; 50 there and 25 back; no refresh, rows stay open. 4 groups of 4 banks. Queues of 64, marks at 48
// and 16.
HbmSpec one_channel();

}  // namespace weft::testing
