// The level-1 cache of one compute unit: not coherent, written through, without allocation on a write.
//
// It has no sockets: the unit asks it before a load goes to the network, and hands it what comes back.
//
//   look_up   hit: the data as this cache has them, which another unit may have changed since; miss: the caller fetches
//             the whole sector and calls fill(); merged: the load waits for a fetch under way; full: as many
//             fetches are under way as may be, the load takes its turn when one has ended.
//   store     changes a sector that is present; the caller sends the store on in any case.
//   drop      forgets a sector.
//   invalidate  forgets everything, in no time; loads that are under way are still answered.
//
// A sector is 64 bytes, a tag covers `line` of them, least recently used. A sector that is stored to while it is being
// fetched is not kept.
//
// Timing is the caller's: `latency` from issue to data on a hit, hits at `bandwidth` one after another.
//
// Statistics: hits, misses, merged loads, loads that found no room, invalidations.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/statistic.h"
#include "sc_models/l1_spec.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class L1Cache {
public:
    L1Cache(const L1Spec& spec, bool data_on);
    virtual ~L1Cache() = default;
    L1Cache(const L1Cache&) = delete;
    L1Cache& operator=(const L1Cache&) = delete;

    enum class Outcome : std::uint8_t { hit, miss, merged, full };
    struct Answer {
        Outcome outcome;
        std::uint32_t fetch = 0;  // miss: what fill() is to be called with
    };
    // `load` keeps waiting here unless it hits.
    Answer look_up(Line& load);

    // The sector has arrived. Returns the loads that waited for it, with their data, linked by `next`; then those that
    // found the cache full, which are to be looked up again.
    struct Filled {
        Line* answered = nullptr;
        Line* again = nullptr;
    };
    virtual Filled fill(std::uint32_t place, const std::uint8_t* data);

    void store(std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes);
    void drop(std::uint64_t address);  // its sector: an atomic changes it elsewhere
    virtual void invalidate();

    struct Counts {
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
        std::uint64_t merged = 0;
        std::uint64_t full = 0;
        std::uint64_t invalidations = 0;
    };
    const Counts& counts() const { return counts_; }
    void reset_counts() { counts_ = Counts{}; }

private:
    static constexpr std::uint16_t none = 0xffff;
    static constexpr unsigned max_sectors = 2;

    struct Entry {  // in order of use within a set
        std::uint64_t tag = ~std::uint64_t{0};
        std::uint32_t generation = 0;
        std::uint32_t place = 0;  // of its data
        std::uint8_t valid = 0;   // bit per sector
        std::uint16_t fetch[max_sectors] = {none, none};
    };
    struct Fetch {
        std::uint64_t sector = 0;
        bool keep = false;
        Line* first = nullptr;
        Line* last = nullptr;
    };

    Entry* row(std::uint64_t tag) { return entries_.data() + tag % sets_ * ways_; }
    Entry* find(std::uint64_t tag);
    Entry& allocate(std::uint64_t tag);
    std::uint8_t* data_of(const Entry& entry, unsigned sector)
    {
        return data_.data() + (std::size_t{entry.place} * sectors_ + sector) * line_bytes;
    }
    void answer(Line& load, const std::uint8_t* sector) const;

    unsigned sectors_;  // per tag
    std::uint64_t ways_;
    std::uint64_t sets_;
    bool data_on_;
    std::uint32_t generation_ = 1;
    std::vector<Entry> entries_;
    std::vector<std::uint8_t> data_;
    std::vector<Fetch> fetches_;
    std::vector<std::uint16_t> free_;
    Line* full_first_ = nullptr;
    Line* full_last_ = nullptr;
    Counts counts_;
};

using L1Factory = std::function<std::unique_ptr<L1Cache>(const L1Spec& spec, bool data_on)>;

}  // namespace weft
