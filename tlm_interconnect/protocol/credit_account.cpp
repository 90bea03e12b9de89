#include "tlm_interconnect/protocol/credit_account.h"

#include <algorithm>

namespace weft {

namespace {

std::uint32_t capacity_for(std::uint32_t count)
{
    std::uint32_t capacity = 1;
    while (capacity < count) capacity *= 2;
    return capacity;
}

}  // namespace

CreditAccount::~CreditAccount() { leave_holders(); }

void CreditAccount::leave_holders()
{
    if (!holders_) return;
    auto& accounts = holders_->accounts_;
    accounts.erase(std::remove(accounts.begin(), accounts.end(), this), accounts.end());
    holders_.reset();
}

void CreditAccount::Ring::grant(std::uint32_t count, Time* due, std::uint32_t mask)
{
    due_ = due;
    at_hand_ = size_ = count;
    head_ = count_ = 0;
    mask_ = mask;
    borrowed = 0;
}

std::uint32_t CreditAccount::Ring::used(Time now) const
{
    std::uint32_t back = 0;
    while (back < count_ && due_[(head_ + back) & mask_] <= now) ++back;
    return size_ - at_hand_ - back;
}

void CreditAccount::grant(const BufferSpace& space)
{
    if (holders_ != space.holders) {
        leave_holders();
        holders_ = space.holders;
        if (holders_) holders_->accounts_.push_back(this);
    }
    std::size_t total = capacity_for(space.shared);
    for (const std::uint32_t lines : space.lines) total += capacity_for(lines);
    constexpr std::size_t in_cache_line = 8;
    due_.assign(total + in_cache_line, 0);
    Time* next = due_.data();
    while (reinterpret_cast<std::uintptr_t>(next) % (in_cache_line * sizeof(Time)) != 0) ++next;
    const auto hand_out = [&next](Ring& ring, std::uint32_t count) {
        const std::uint32_t capacity = capacity_for(count);
        ring.grant(count, next, capacity - 1);
        next += capacity;
    };
    for (unsigned cls = 0; cls < vc_classes; ++cls)
        for (unsigned vc_set = 0; vc_set < max_vc_sets; ++vc_set) {
            const std::uint8_t vc = vc_of(static_cast<VcClass>(cls), vc_set);
            hand_out(own_[place(vc)], space.lines[vc]);
        }
    hand_out(pool_, space.shared);
}

std::uint32_t CreditAccount::used(std::uint8_t vc, Time now) const
{
    const Ring& own = own_[place(vc)];
    return own.used(now) + own.borrowed;
}

}  // namespace weft
