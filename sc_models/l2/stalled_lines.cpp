#include "sc_models/l2/stalled_lines.h"

namespace weft {

void StalledLines::add(Line& line, std::uint64_t sector, Outcome how)
{
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (free_.empty()) {
        slots_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    std::uint32_t& chain = bucket(sector);
    slots_[slot] = {&line, sector, ++arrivals_, last_, none, chain};
    chain = slot;
    (last_ == none ? first_ : slots_[last_].after) = slot;
    last_ = slot;
    if (how != Outcome::looks_again) return;
    due_.emplace_back(arrivals_, slot);
    std::push_heap(due_.begin(), due_.end(), later);
}

void StalledLines::arrived(std::uint64_t sector)
{
    if (empty()) return;
    for (std::uint32_t slot = bucket(sector); slot != none; slot = slots_[slot].chained) {
        if (slots_[slot].sector != sector) continue;
        const Entry entry{slots_[slot].number, slot};
        if (in_turn_ && entry.first <= position_) {
            next_.push_back(entry);
        } else {
            due_.push_back(entry);
            std::push_heap(due_.begin(), due_.end(), later);
        }
    }
}

void StalledLines::remove(std::uint32_t slot)
{
    Slot& old = slots_[slot];
    (old.before == none ? first_ : slots_[old.before].after) = old.after;
    (old.after == none ? last_ : slots_[old.after].before) = old.before;
    std::uint32_t* link = &bucket(old.sector);
    while (*link != slot) link = &slots_[*link].chained;
    *link = old.chained;
    old.number = 0;
    free_.push_back(slot);
}

}  // namespace weft
