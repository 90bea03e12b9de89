#include "sc_models/l2/cache_copies.h"

#include "sc_models/l2/l2_slice.h"

namespace weft {

CacheCopies::CacheCopies(std::vector<std::vector<L2Slice*>> partitions, unsigned sector_shift,
    std::vector<L2Slice*> home, unsigned home_sector_shift)
    : partitions_(std::move(partitions)), home_(std::move(home)),
      slices_(static_cast<std::uint32_t>(partitions_[0].size())), homes_(static_cast<std::uint32_t>(home_.size())),
      sector_shift_(sector_shift), home_sector_shift_(home_sector_shift)
{
    for (const std::vector<L2Slice*>& slices : partitions_)
        for (L2Slice* slice : slices) slice->set_copies(*this);
    for (L2Slice* slice : home_) slice->set_copies(*this);
}

L2Slice& CacheCopies::home(std::uint64_t local) const
{
    return *home_[slice_place(local / line_bytes, homes_, home_sector_shift_).slice];
}

unsigned CacheCopies::within(std::uint64_t local) const
{
    return slice_place(local / line_bytes, slices_, sector_shift_).slice;
}

void CacheCopies::wrote(const L2Slice& by, std::uint64_t local, const std::uint8_t* bytes, unsigned size)
{
    const unsigned slice = within(local);
    for (const std::vector<L2Slice*>& partition : partitions_)
        if (partition[slice] != &by) partition[slice]->reach(local, bytes, size);
    if (L2Slice& at_home = home(local); &at_home != &by) at_home.reach(local, bytes, size);
}

bool CacheCopies::newest(const L2Slice& by, std::uint64_t local, std::uint8_t* sector)
{
    if (&home(local) != &by) return false;
    const unsigned slice = within(local);
    for (const std::vector<L2Slice*>& partition : partitions_)
        if (partition[slice]->newest(local, sector)) return true;
    return false;
}

}  // namespace weft
