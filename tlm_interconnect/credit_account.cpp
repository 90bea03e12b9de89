#include "tlm_interconnect/credit_account.h"

#include <algorithm>
#include <map>
#include <utility>

namespace weft {

namespace {

std::uint32_t capacity_for(std::uint32_t count)
{
    std::uint32_t capacity = 1;
    while (capacity < count) capacity *= 2;
    return capacity;
}

// The list that collects at present, and the lists in which an account is. Never destroyed: accounts may outlive statics.
struct Collection {
    CreditAccount::Granted into;
    std::multimap<const CreditAccount*, std::weak_ptr<std::vector<const CreditAccount*>>> lists;
};

Collection& collection()
{
    static auto* const all = new Collection;
    return *all;
}

}  // namespace

CreditAccount::~CreditAccount()
{
    auto& lists = collection().lists;
    const auto [first, last] = lists.equal_range(this);
    for (auto entry = first; entry != last; ++entry)
        if (const Granted list = entry->second.lock()) list->erase(std::remove(list->begin(), list->end(), this), list->end());
    lists.erase(first, last);
}

CreditAccount::Granted CreditAccount::granted_by(const std::function<void()>& collect)
{
    Granted list = std::make_shared<std::vector<const CreditAccount*>>();
    const Granted before = std::exchange(collection().into, list);
    collect();
    collection().into = before;
    return list;
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
    if (const Granted& list = collection().into; list != nullptr && std::find(list->begin(), list->end(), this) == list->end()) {
        list->push_back(this);
        collection().lists.emplace(this, list);
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
        for (unsigned lane = 0; lane < max_lanes; ++lane) {
            const std::uint8_t vc = vc_of(static_cast<VcClass>(cls), lane);
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
