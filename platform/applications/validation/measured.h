// A table of measurements that a system is compared with: what was measured, by whom, and the runs that stand for it.
//
//   validation:
//     title: All-reduce on eight GPUs
//     source: who measured it, with what
//     remark: what the comparison leaves out                      (optional)
//     system: ../dgx_h100/system.yaml                             relative to this file
//     options: [--collective=all_reduce, --set=engine.channels=24]
//     variants:                                                   each row takes the fastest, as a library's tuner would
//       LL: [--set=engine.protocol=ll]
//       Simple: {options: [--set=engine.slices=4], from: 1 MiB}   ... of those whose sizes it is among (`from`, `to`)
//     over: bytes                                                 an option of weft run; `bytes` unless given
//     quantity: time                                              what rows hold: time or busbw
//     launch: fitted                                              added to every simulated time: a time, `fitted`, or 0
//     launch_group: NCCL in nccl-tests, HGX H100                  software and class of host: tables of a group have one launch
//     largest: 64 MiB                                             `over: bytes`: larger sizes go on from the last ones
//     free: [engine.channels, the launch constant]                what was chosen and not measured
//     rows:
//       1 MiB: 27.76 us
//       2 MiB: {measured: 40.66 us, not_simulated: why}           shown, but not run
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

struct MeasuredRow {
    std::string key;            // as written: "1 MiB"
    std::uint64_t number = 0;   // bytes, ranks
    double value = 0;           // us or GB/s
    std::string not_simulated;  // why; empty: the row is run or extrapolated
    int line = 0;
};

struct RunVariant {
    std::string name;
    std::vector<std::string> options;
    std::uint64_t from = 0;  // the rows that it is run for
    std::uint64_t to = UINT64_MAX;

    bool covers(std::uint64_t number) const { return number >= from && number <= to; }
};

struct MeasuredTable {
    enum class Quantity : std::uint8_t { time, busbw };

    std::string file;
    std::string title;
    std::string source;
    std::string remark;
    std::string system;
    int system_line = 0;
    std::vector<std::string> options;
    std::vector<RunVariant> variants;  // at least one; a single one may have no name
    std::string over = "bytes";
    Quantity quantity = Quantity::time;
    int quantity_line = 0;
    bool launch_fitted = false;
    double launch_us = 0;
    std::string launch_group;  // empty: the table has a launch of its own
    int launch_group_line = 0;
    std::optional<std::uint64_t> largest;
    std::vector<std::string> free;
    std::vector<MeasuredRow> rows;

    bool over_bytes() const { return over == "bytes"; }
    const char* unit() const { return quantity == Quantity::time ? "us" : "GB/s"; }
};

// Throws InputError for a text that is no such table.
MeasuredTable read_measured(const std::string& file, const std::string& text);

}  // namespace weft
