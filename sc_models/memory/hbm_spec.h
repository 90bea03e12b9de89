// Parameters of a GPU's DRAM.
#pragma once

#include "base/parameter.h"

namespace weft {

enum class RefreshMode : std::uint8_t { none, per_bank, all_bank };
enum class RowPolicy : std::uint8_t { open, idle, closed };

struct HbmSpec {
    std::uint64_t bandwidth = 3'350'000'000'000;  // B/s, pins of all channels: the peak
    std::uint64_t channels = 128;                 // pseudo-channels: command and data wires of their own
    std::uint64_t capacity = 80'000'000'000;      // B
    std::uint64_t bank_groups = 4;                // of a channel
    std::uint64_t banks = 4;                      // of a group
    std::uint64_t row = 1024;                     // B of a row in one channel
    std::uint64_t burst = 32;                     // B that one column command moves
    std::uint64_t request_latency = 75'000;       // ps, slice to the channel's queue
    std::uint64_t response_latency = 75'000;      // ps, pins to slice
    std::uint64_t t_rcd = 14'000;                 // ps, activate to column command
    std::uint64_t t_rp = 14'000;                  // ps, precharge to activate
    std::uint64_t t_cl = 14'000;                  // ps, read command to its first data
    std::uint64_t t_wl = 6'000;                   // ps, write command to its first data
    std::uint64_t t_ras = 28'000;                 // ps, activate to precharge
    std::uint64_t t_ccd_l = 2'000;                // ps, column commands of one bank group
    std::uint64_t t_rrd = 2'000;                  // ps, activates of a channel
    std::uint64_t t_faw = 12'000;                 // ps, window of four activates
    std::uint64_t t_wr = 16'000;                  // ps, end of write data to precharge
    std::uint64_t t_rtp = 5'000;                  // ps, read command to precharge
    std::uint64_t t_wtr = 8'000;                  // ps, end of write data to read command
    std::uint64_t t_rtw = 3'000;                  // ps, data wires idle between read and write data
    std::uint64_t t_rfc = 350'000;                // ps that a refresh takes
    std::uint64_t t_refi = 3'900'000;             // ps between refreshes of a bank
    RefreshMode refresh = RefreshMode::all_bank;
    RowPolicy row_policy = RowPolicy::idle;
    std::uint64_t row_idle = 100'000;     // ps after its last access that an idle row is closed
    std::uint64_t read_queue = 64;        // reads of a channel that the scheduler sees
    std::uint64_t write_queue = 128;      // writes
    std::uint64_t write_high = 96;        // writes that start a drain
    std::uint64_t write_low = 32;         // writes that end one when reads wait
    std::uint64_t age_limit = 1'000'000;  // ps that row hits may pass a line by
    std::uint64_t model = 0;              // what stands for the DRAM; beyond the choices: of the registry of a run

    bool ours() const { return model == 0; }

    static const ParameterTable<HbmSpec>& parameters();
};

}  // namespace weft
