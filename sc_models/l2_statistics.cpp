// What an L2 slice counts.
#include "sc_models/l2_slice.h"

namespace weft {

std::uint64_t L2Slice::hops() const
{
    std::uint64_t total = memory.requests() + target.responses() + 2 * far_hits_;
    if (other_) total += other_memory_->requests() + other_target_->responses();
    return total;
}

std::vector<Statistic> L2Slice::statistics() const
{
    const Time busy = part_.server.busy() + (other_ ? other_->server.busy() : 0);
    std::vector<Statistic> out = {{"hits", static_cast<double>(hits_), "lines", "accesses that found their line, whole-line writes included"},
        {"misses", static_cast<double>(missed_), "lines", "fills fetched from memory"},
        {"merged", static_cast<double>(merged_), "lines", "accesses that waited for a fill already on its way"},
        {"write_backs", static_cast<double>(written_back_), "lines", "dirty lines written to memory"},
        {"flag_operations", static_cast<double>(flags_.operations()), "lines", "flag reads, writes, adds and awaits"},
        {"busy", static_cast<double>(busy), "ps", "time the slice was busy"},
        {"sector_misses", static_cast<double>(sector_misses_), "lines", "fills beside a sector that was there"},
        {"far_hits", static_cast<double>(far_hits_), "lines", "fills fetched from the other partition"},
        {"copies", static_cast<double>(copies_), "lines", "of these by reads: the line is then in both partitions"},
        {"moved_victims", static_cast<double>(moved_), "lines", "displaced lines that moved to the other partition"},
        {"far_bytes", static_cast<double>(far_bytes_), "B", "data between the partitions, both ways"}};
    flags_.add_statistics(out);
    return out;
}

void L2Slice::reset_statistics()
{
    hits_ = missed_ = merged_ = written_back_ = 0;
    flags_.reset_statistics();
    sector_misses_ = far_hits_ = copies_ = moved_ = far_bytes_ = 0;
    part_.server.reset_busy();
    if (other_) other_->server.reset_busy();
}

}  // namespace weft
