#include "sc_models/hbm_spec.h"

namespace weft {

const ParameterTable<HbmSpec>& HbmSpec::parameters()
{
    constexpr std::uint64_t microsecond = 1'000'000;
    static const ParameterTable<HbmSpec> table({"hbm", BlockOwner::endpoint, "memory"},
        {
            {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "pins of all channels together: the peak", {}},
                &HbmSpec::bandwidth},
            {{"channels", Unit::count, 1, 1024, "pseudo-channels", {}}, &HbmSpec::channels},
            {{"capacity", Unit::bytes, 1ULL << 20, 1ULL << 42, "memory of one GPU", {}}, &HbmSpec::capacity},
            {{"bank_groups", Unit::count, 1, 8, "bank groups of a channel", {}}, &HbmSpec::bank_groups},
            {{"banks", Unit::count, 1, 8, "banks of a group", {}}, &HbmSpec::banks},
            {{"row", Unit::bytes, 64, 65536, "row of a bank", {}}, &HbmSpec::row},
            {{"burst", Unit::bytes, 16, 256, "moved by one column command", {}}, &HbmSpec::burst},
            {{"request_latency", Unit::time, 0, 1'000'000'000, "slice to the channel's queue", {}},
                &HbmSpec::request_latency},
            {{"response_latency", Unit::time, 0, 1'000'000'000, "pins to slice", {}}, &HbmSpec::response_latency},
            {{"t_rcd", Unit::time, 1, microsecond, "activate to column command", {}}, &HbmSpec::t_rcd},
            {{"t_rp", Unit::time, 1, microsecond, "precharge to activate", {}}, &HbmSpec::t_rp},
            {{"t_cl", Unit::time, 1, microsecond, "read command to its first data", {}}, &HbmSpec::t_cl},
            {{"t_wl", Unit::time, 1, microsecond, "write command to its first data", {}}, &HbmSpec::t_wl},
            {{"t_ras", Unit::time, 1, microsecond, "activate to precharge", {}}, &HbmSpec::t_ras},
            {{"t_ccd_l", Unit::time, 0, microsecond, "between column commands of one bank group", {}},
                &HbmSpec::t_ccd_l},
            {{"t_rrd", Unit::time, 0, microsecond, "between activates of a channel", {}}, &HbmSpec::t_rrd},
            {{"t_faw", Unit::time, 0, microsecond, "holds at most four activates", {}}, &HbmSpec::t_faw},
            {{"t_wr", Unit::time, 0, microsecond, "end of write data to precharge", {}}, &HbmSpec::t_wr},
            {{"t_rtp", Unit::time, 0, microsecond, "read command to precharge", {}}, &HbmSpec::t_rtp},
            {{"t_wtr", Unit::time, 0, microsecond, "end of write data to read command", {}}, &HbmSpec::t_wtr},
            {{"t_rtw", Unit::time, 0, microsecond, "data wires idle between read and write data", {}}, &HbmSpec::t_rtw},
            {{"t_rfc", Unit::time, 1, 10 * microsecond, "a refresh", {}}, &HbmSpec::t_rfc},
            {{"t_refi", Unit::time, 100'000, 1000 * microsecond, "between refreshes of a bank", {}}, &HbmSpec::t_refi},
            {{"refresh", Unit::choice, 0, 2, "what a refresh stops", {"none", "per_bank", "all_bank"}},
                &HbmSpec::refresh},
            {{"row_policy", Unit::choice, 0, 2, "when a row that nobody wants is closed", {"open", "idle", "closed"}},
                &HbmSpec::row_policy},
            {{"row_idle", Unit::time, 0, 1000 * microsecond, "policy idle: last access to closing", {}},
                &HbmSpec::row_idle},
            {{"read_queue", Unit::count, 1, 1024, "reads of a channel that its scheduler sees", {}},
                &HbmSpec::read_queue},
            {{"write_queue", Unit::count, 1, 1024, "writes of a channel that its scheduler sees", {}},
                &HbmSpec::write_queue},
            {{"write_high", Unit::count, 1, 1024, "waiting writes that start a drain", {}}, &HbmSpec::write_high},
            {{"write_low", Unit::count, 0, 1023, "waiting writes at which reads have their turn again", {}},
                &HbmSpec::write_low},
            {{"age_limit", Unit::time, 0, 1000 * microsecond, "how long row hits may pass an older line by", {}},
                &HbmSpec::age_limit},
        });
    return table;
}

}  // namespace weft
