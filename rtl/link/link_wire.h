// A wire between two endpoints, one direction: what is put on it in a clock arrives `latency` clocks later, some of its
// bits wrong. Tags are hit as other bits are; whether there is a flit is not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "rtl/link/link_pins.h"

namespace weft {

class LinkWire {
public:
    // `latency` at least 1. Every bit of a flit is wrong with chance `bit_error_rate`, from a stream of its own.
    // Throws InputError.
    LinkWire(unsigned flit_bytes, unsigned latency, double bit_error_rate = 0, std::uint64_t seed = 1);

    // Directed errors: bit `bit` of the n-th flit from now on (0: the next that is put on the wire); its bits
    // 8 * flit_bytes and above are head and tail.
    void hit(std::uint64_t flit, unsigned bit) { planned_.emplace(flits_ + flit, static_cast<int>(bit)); }
    // The flit does not arrive at all.
    void drop(std::uint64_t flit) { planned_.emplace(flits_ + flit, -1); }

    // What arrives in this clock; nullptr: nothing.
    const WireFlit* arriving() const
    {
        const Place& place = places_[at_];
        return place.valid ? &place.flit : nullptr;
    }
    // After arriving(), once a clock: what is put on the wire; nullptr: nothing.
    void clock(const WireFlit* flit);
    bool empty() const { return under_way_ == 0; }

    std::uint64_t flits() const { return flits_; }
    std::uint64_t flits_hit() const { return flits_hit_; }

private:
    struct Place {
        WireFlit flit;
        bool valid = false;
    };
    void spoil(Place& place);
    std::uint64_t gap();
    std::uint64_t draw();

    unsigned flit_bytes_;
    double rate_;
    std::uint64_t state_;
    std::vector<Place> places_;
    unsigned at_ = 0;
    unsigned under_way_ = 0;
    std::uint64_t clean_;  // bits until the next wrong one
    std::uint64_t flits_ = 0;
    std::uint64_t flits_hit_ = 0;
    std::multimap<std::uint64_t, int> planned_;  // by flit: bit, or -1
};

}  // namespace weft
