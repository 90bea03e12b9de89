// The caches of a GPU that may hold the same sector side by side: private partitions of the L2, and the memory-side cache that
// they meet in.
//
// Hardware writes back and invalidates private partitions at fences. Weft models neither the traffic nor the time of that
// (l2.md), so contents are coherent in no time: what one of these caches writes reaches the bytes that the others hold, wait
// for or write back. Tags and times know nothing of it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/divider.h"

namespace weft {

class L2Slice;

class CacheCopies {
public:
    // `partitions`: the slices of each, in order; `home`: those of the memory-side cache.
    CacheCopies(std::vector<std::vector<L2Slice*>> partitions, unsigned sector_shift, std::vector<L2Slice*> home,
        unsigned home_sector_shift);

    void wrote(const L2Slice& by, std::uint64_t local, const std::uint8_t* bytes, unsigned size);
    // For the memory-side cache: the bytes of a partition that are newer than memory's.
    bool newest(const L2Slice& by, std::uint64_t local, std::uint8_t* sector);

private:
    L2Slice& home(std::uint64_t local) const;
    unsigned within(std::uint64_t local) const;

    std::vector<std::vector<L2Slice*>> partitions_;
    std::vector<L2Slice*> home_;
    Divider slices_;
    Divider homes_;
    unsigned sector_shift_;
    unsigned home_sector_shift_;
};

}  // namespace weft
