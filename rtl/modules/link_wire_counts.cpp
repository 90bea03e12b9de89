#include "rtl/modules/link_wire_counts.h"

#include <string>

#include "rtl/link/link_packet.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

void LinkWireCounts::flit(const WireFlit& flit, bool hit)
{
    ++counts_.flits;
    if (flit.head) begin(flit);
    if (again_) ++counts_.repeated_flits;
    if (hit) {
        ++counts_.flits_hit;
        if (!hit_) ++counts_.hit;
        hit_ = true;
    }
    if (!flit.tail || control_ || hit_) return;
    if (number_ == expected_) {
        expected_ = (expected_ + 1) & mask_;
    } else if (((expected_ - number_) & mask_) <= mask_ / 2) {
        ++counts_.duplicates;
    }
}

void LinkWireCounts::begin(const WireFlit& flit)
{
    const LinkWord word = LinkWord::read(flit.bytes);
    control_ = word.control;
    again_ = false;
    hit_ = false;
    if (word.tells_credit() && word.credit_vc < LinkParams::max_vcs) {
        const unsigned fresh = (word.credit - told_[word.credit_vc]) & link_credit_mask;
        told_[word.credit_vc] = word.credit;
        counts_.credits_told += fresh;
        if (word.control && fresh > 0) ++counts_.credit_messages;
    }
    if (control_) {
        ++counts_.control;
        counts_.requests += word.nak;
        counts_.questions += word.ask;
        return;
    }
    number_ = word.seq & mask_;
    ++counts_.packets;
    again_ = number_ != next_;
    if (again_)
        ++counts_.repeated;
    else
        next_ = (next_ + 1) & mask_;
    counts_.gone_back += word.again != mark_;
    mark_ = word.again;
}

void LinkWireCounts::describe(const char* prefix, std::vector<Statistic>& out) const
{
    StatisticWriter write(clocked_link_statistics(), out, prefix);
    write("control_packets", counts_.control);
    write("repeated_packets", counts_.repeated);
    write("replay_requests", counts_.requests);
    write("credit_questions", counts_.questions);
    write("credits_told", counts_.credits_told);
    write("wrong_flits", counts_.flits_hit);
}

}  // namespace weft
