#include "sc_models/memory/hbm_spec.h"

namespace weft {

const ParameterTable<HbmSpec>& HbmSpec::parameters()
{
    constexpr std::uint64_t microsecond = 1'000'000;
    static const ParameterTable<HbmSpec> table({"hbm", BlockOwner::endpoint, "memory"},
        {
            {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "peak rate of the pins of all channels together",
                 {}},
                &HbmSpec::bandwidth},
            {{"channels", Unit::count, 1, 1024, "pseudo-channels", {}}, &HbmSpec::channels},
            {{"capacity", Unit::bytes, 1ULL << 20, 1ULL << 42, "memory of one GPU", {}}, &HbmSpec::capacity},
            {{"bank_groups", Unit::count, 1, 8, "bank groups of a channel", {}}, &HbmSpec::bank_groups},
            {{"banks", Unit::count, 1, 8, "banks of a group", {}}, &HbmSpec::banks},
            {{"row", Unit::bytes, 64, 65536, "row of a bank", {}}, &HbmSpec::row},
            {{"burst", Unit::bytes, 16, 256, "bytes moved by one column command", {}}, &HbmSpec::burst},
            {{"request_latency", Unit::time, 0, 1'000'000'000, "latency from an L2 slice to the channel's queue", {}},
                &HbmSpec::request_latency},
            {{"response_latency", Unit::time, 0, 1'000'000'000, "latency from the pins to an L2 slice", {}},
                &HbmSpec::response_latency},
            {{"t_rcd", Unit::time, 1, microsecond, "time from activate to column command", {}}, &HbmSpec::t_rcd},
            {{"t_rp", Unit::time, 1, microsecond, "time from precharge to activate", {}}, &HbmSpec::t_rp},
            {{"t_cl", Unit::time, 1, microsecond, "time from a read command to its first data", {}}, &HbmSpec::t_cl},
            {{"t_wl", Unit::time, 1, microsecond, "time from a write command to its first data", {}}, &HbmSpec::t_wl},
            {{"t_ras", Unit::time, 1, microsecond, "time from activate to precharge", {}}, &HbmSpec::t_ras},
            {{"t_ccd_l", Unit::time, 0, microsecond, "least time between column commands of one bank group", {}},
                &HbmSpec::t_ccd_l},
            {{"t_rrd", Unit::time, 0, microsecond, "least time between activates of a channel", {}}, &HbmSpec::t_rrd},
            {{"t_faw", Unit::time, 0, microsecond, "window that holds at most four activates", {}}, &HbmSpec::t_faw},
            {{"t_wr", Unit::time, 0, microsecond, "time from the end of write data to precharge", {}}, &HbmSpec::t_wr},
            {{"t_rtp", Unit::time, 0, microsecond, "time from a read command to precharge", {}}, &HbmSpec::t_rtp},
            {{"t_wtr", Unit::time, 0, microsecond, "time from the end of write data to a read command", {}},
                &HbmSpec::t_wtr},
            {{"t_rtw", Unit::time, 0, microsecond, "time that the data wires are idle between read and write data", {}},
                &HbmSpec::t_rtw},
            {{"t_rfc", Unit::time, 1, 10 * microsecond, "time of a refresh", {}}, &HbmSpec::t_rfc},
            {{"t_refi", Unit::time, 100'000, 1000 * microsecond, "time between refreshes of a bank", {}},
                &HbmSpec::t_refi},
            {{"refresh", Unit::choice, 0, 2, "scope of a refresh: the channel or one bank",
                 {"none", "per_bank", "all_bank"}},
                &HbmSpec::refresh},
            {{"row_policy", Unit::choice, 0, 2, "when a row without waiting requests is closed",
                 {"open", "idle", "closed"}},
                &HbmSpec::row_policy},
            {{"row_idle", Unit::time, 0, 1000 * microsecond,
                 "policy idle: time from the last access until the row is closed", {}},
                &HbmSpec::row_idle},
            {{"read_queue", Unit::count, 1, 1024, "reads of a channel that its scheduler sees", {}},
                &HbmSpec::read_queue},
            {{"write_queue", Unit::count, 1, 1024, "writes of a channel that its scheduler sees", {}},
                &HbmSpec::write_queue},
            {{"write_high", Unit::count, 1, 1024, "number of waiting writes that starts a drain", {}},
                &HbmSpec::write_high},
            {{"write_low", Unit::count, 0, 1023, "number of waiting writes that ends a drain", {}},
                &HbmSpec::write_low},
            {{"age_limit", Unit::time, 0, 1000 * microsecond,
                 "longest time for which row hits may overtake an older request", {}},
                &HbmSpec::age_limit},
            {{"model", Unit::choice, 0, 0, "what stands for the memory: ours, or a model of a plug-in", {"hbm"}, "", "",
                 "memory"},
                &HbmSpec::model},
        });
    return table;
}

}  // namespace weft
