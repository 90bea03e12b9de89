#include "tlm_interconnect/credit_account.h"

namespace weft {

void CreditAccount::Ring::grant(std::uint32_t count)
{
    std::size_t capacity = 1;
    while (capacity < count) capacity *= 2;
    due_.assign(capacity, 0);
    at_hand_ = size_ = count;
    head_ = count_ = 0;
    last_ = 0;
}

std::uint32_t CreditAccount::Ring::used(Time now) const
{
    std::uint32_t back = 0;
    while (back < count_ && due_[(head_ + back) & mask()] <= now) ++back;
    return size_ - at_hand_ - back;
}

void CreditAccount::grant(const BufferSpace& space)
{
    for (unsigned vc = 0; vc < max_vcs; ++vc) own_[vc].grant(space.lines[vc]);
    pool_.grant(space.shared);
    borrowed_.fill(0);
}

std::uint32_t CreditAccount::used(std::uint8_t vc, Time now) const { return own_[vc].used(now) + borrowed_[vc]; }

}  // namespace weft
