#include "tlm_interconnect/kernel/recent_keys.h"

namespace weft {

RecentKeys::RecentKeys(std::uint32_t places) : places_(places), chains_(places, none), oldest_(0), newest_(places - 1)
{
    for (std::uint32_t i = 0; i < places; ++i) {
        places_[i].older = i == 0 ? none : i - 1;
        places_[i].newer = i + 1 == places ? none : i + 1;
    }
}

std::uint32_t& RecentKeys::chain_of(std::uint64_t key)
{
    std::uint64_t mixed = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;
    mixed ^= mixed >> 29;
    return chains_[mixed % chains_.size()];
}

// Makes it the newest.
void RecentKeys::use(std::uint32_t place)
{
    if (place == newest_) return;
    Place& used = places_[place];
    places_[used.newer].older = used.older;  // it is not the newest, so there is a newer one
    (used.older == none ? oldest_ : places_[used.older].newer) = used.newer;
    used.older = newest_;
    used.newer = none;
    places_[newest_].newer = place;
    newest_ = place;
}

std::uint32_t RecentKeys::find(std::uint64_t key)
{
    std::uint32_t place = chain_of(key);
    while (place != none && places_[place].key != key) place = places_[place].next;
    if (place != none) use(place);
    return place;
}

// Takes it out of its chain.
void RecentKeys::unlink(std::uint32_t place)
{
    std::uint32_t* at = &chain_of(places_[place].key);
    while (*at != place) at = &places_[*at].next;
    *at = places_[place].next;
}

std::uint32_t RecentKeys::insert(std::uint64_t key)
{
    const std::uint32_t place = oldest_;
    Place& taken = places_[place];
    if (taken.used) unlink(place);
    use(place);
    std::uint32_t& chain = chain_of(key);
    taken.key = key;
    taken.next = chain;
    taken.used = true;
    chain = place;
    return place;
}

}  // namespace weft
