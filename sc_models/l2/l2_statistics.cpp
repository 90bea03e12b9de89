// What an L2 slice counts.
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/memory_statistics.h"

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
    std::vector<Statistic> out;
    StatisticWriter write(l2_slice_statistics(), out);
    write("hits", hits_);
    write("misses", missed_);
    write("merged", merged_);
    write("write_backs", written_back_);
    write("cleaned", cleaned_);
    write("write_back_waits", waited_for_room_);
    write("flag_operations", flags_.operations());
    write("busy", busy);
    write("sector_misses", sector_misses_);
    write("far_hits", far_hits_);
    write("copies", copies_);
    write("moved_victims", moved_);
    write("far_bytes", far_bytes_);
    flags_.add_statistics(out);
    return out;
}

void L2Slice::reset_statistics()
{
    hits_ = missed_ = merged_ = written_back_ = cleaned_ = waited_for_room_ = 0;
    flags_.reset_statistics();
    sector_misses_ = far_hits_ = copies_ = moved_ = far_bytes_ = 0;
    part_.server.reset_busy();
    if (other_) other_->server.reset_busy();
}

}  // namespace weft
