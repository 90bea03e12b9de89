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
    const WireFlit* arriving() const { return next() == 0 ? &places_[first_].flit : nullptr; }
    // After arriving(), once a clock: what is put on the wire; nullptr: nothing. True: it was hit.
    bool clock(const WireFlit* flit);
    bool empty() const { return under_way_ == 0; }
    // Clocks from now until something arrives; never, if nothing is under way.
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t next() const { return under_way_ == 0 ? never : places_[first_].due - now_; }
    // As many clocks in which nothing is put on the wire, up to the next in which something arrives.
    void skip(std::uint64_t clocks) { now_ += clocks < next() ? clocks : next(); }

    std::uint64_t flits() const { return flits_; }
    std::uint64_t flits_hit() const { return flits_hit_; }

private:
    struct Place {
        WireFlit flit;
        std::uint64_t due = 0;
    };
    // False: it does not arrive.
    bool spoil(WireFlit& flit, bool& hit);
    std::uint64_t gap();
    std::uint64_t draw();

    unsigned flit_bytes_;
    double rate_;
    std::uint64_t state_;
    std::uint64_t now_ = 0;
    std::vector<Place> places_;  // a ring, as many as the wire can hold
    std::size_t first_ = 0;
    std::size_t under_way_ = 0;
    std::uint64_t clean_;  // bits until the next wrong one
    std::uint64_t flits_ = 0;
    std::uint64_t flits_hit_ = 0;
    std::multimap<std::uint64_t, int> planned_;  // by flit: bit, or -1
};

}  // namespace weft
