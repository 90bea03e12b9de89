#include "tlm_interconnect/protocol/credit_account.h"

#include <algorithm>

namespace weft {

namespace {

// Due times that a ring has room for at first: two cache lines of the host.
constexpr std::uint32_t first_room = 16;

std::uint32_t room_for(std::uint32_t count)
{
    std::uint32_t room = 1;
    while (room < count && room < first_room) room *= 2;
    return room;
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

void CreditAccount::Ring::grant(std::uint32_t count, Time* due, std::uint32_t room)
{
    due_ = due;
    at_hand_ = size_ = count;
    head_ = count_ = 0;
    mask_ = room - 1;
    borrowed = 0;
}

void CreditAccount::Ring::settle(Time now)
{
    while (count_ > 0 && due_[head_] <= now) {
        head_ = (head_ + 1) & mask_;
        --count_;
        ++at_hand_;
    }
}

void CreditAccount::Ring::move_to(Time* due)
{
    for (std::uint32_t i = 0; i < count_; ++i) due[i] = due_[(head_ + i) & mask_];
    due_ = due;
    head_ = 0;
    mask_ = mask_ * 2 + 1;
}

// Half of the room stays free, so that it is not looked for again at once.
void CreditAccount::make_room(Ring& ring, std::uint32_t count, Time now)
{
    ring.settle(now);
    while (ring.room() < ring.size() && (!ring.has_room(count) || ring.on_their_way() > ring.room() / 2)) {
        larger_.push_back(std::make_unique<Time[]>(std::size_t{ring.room()} * 2));
        ring.move_to(larger_.back().get());
    }
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
    std::size_t total = room_for(space.shared);
    for (const std::uint32_t lines : space.lines) total += room_for(lines);
    constexpr std::size_t in_cache_line = 8;
    larger_.clear();
    due_.assign(total + in_cache_line, 0);
    Time* next = due_.data();
    while (reinterpret_cast<std::uintptr_t>(next) % (in_cache_line * sizeof(Time)) != 0) ++next;
    const auto hand_out = [&next](Ring& ring, std::uint32_t count) {
        const std::uint32_t room = room_for(count);
        ring.grant(count, next, room);
        next += room;
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
