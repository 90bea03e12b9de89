// One compute unit: its issue slot, its wavefronts, its limit of requests in flight, its L1.
//
// Owns: all of that, privately but for the L1, which CachedAccess keeps. Called by: whatever issues requests on the unit.
//
// Timing: one request a cycle, at 1 / clock with remainders carried; two lines of the same `coalesce` bytes are one request.
// Wavefronts that can issue take turns, one instruction each. Floating-point operations are booked one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/interface/gpu_spec.h"
#include "gpu/units/outstanding_limit.h"
#include "gpu/units/wavefront.h"
#include "sc_models/l1_cache.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class ComputeUnit {
public:
    static constexpr std::uint32_t max_wavefronts = Wavefronts::contexts;

    ComputeUnit(std::uint32_t number, const GpuSpec& spec);

    std::uint32_t number() const { return number_; }

    // Room for workgroups and their wavefronts.
    bool fits(std::uint32_t wavefronts) const
    {
        return resident_ < places_ && static_cast<std::uint32_t>(__builtin_popcountll(free_)) >= wavefronts;
    }
    std::uint32_t take_place();
    Wavefront& take_context();
    void release(std::uint32_t place, std::uint64_t contexts);
    Wavefront& wave(std::uint32_t context) { return waves_[context]; }
    const Wavefront& wave(std::uint32_t context) const { return waves_[context]; }
    void prefetch(std::uint32_t context) const { __builtin_prefetch(&waves_[context], 1); }

    // Issue: which wavefronts can, and whose turn it is.
    void set_ready(const Wavefront& wave, bool ready)
    {
        const std::uint64_t bit = std::uint64_t{1} << wave.context;
        ready_ = ready ? ready_ | bit : ready_ & ~bit;
    }
    bool any_ready() const { return ready_ != 0; }
    bool can_issue() const { return ready_ != 0 && !in_flight_.full(); }
    Wavefront& take_turn()
    {
        // Contexts behind the last one served, then the others.
        const std::uint64_t behind = last_ >= max_wavefronts - 1 ? 0 : ~std::uint64_t{0} << (last_ + 1);
        const std::uint64_t first = ready_ & behind;
        last_ = static_cast<std::uint32_t>(__builtin_ctzll(first != 0 ? first : ready_));
        return waves_[last_];
    }
    Time free_at() const { return issue_.free_at(); }
    // When the request at `address` leaves, after now; `first` of its instruction or not.
    Time book(std::uint64_t address, bool first, Time now)
    {
        const bool with_the_last = !first && coalesce_ > line_bytes && address % coalesce_ >= line_bytes;
        if (!with_the_last) slot_ = issue_.book(now, 1).start;
        return slot_ - now;
    }
    // The same of a wide transaction, which is several requests in a row; `tail`: how much later the last one leaves.
    Time book_wide(std::uint32_t bytes, Time now, std::uint32_t& tail)
    {
        const auto slots = static_cast<std::uint32_t>((bytes + coalesce_ - 1) / coalesce_);
        slot_ = issue_.book(now, 1).start;
        Time last = slot_;
        for (std::uint32_t slot = 1; slot < slots; ++slot) last = issue_.book(now, 1).start;
        tail = static_cast<std::uint32_t>(last - slot_);
        return slot_ - now;
    }
    // When floating-point operations end that take `time`.
    Time book_math(Time time, Time now)
    {
        math_free_ = std::max(math_free_, now) + time;
        return math_free_;
    }

    OutstandingLimit& in_flight() { return in_flight_; }
    const OutstandingLimit& in_flight() const { return in_flight_; }

    struct L1 {
        std::unique_ptr<L1Cache> cache;  // made when first used
        RateServer port;
    };
    L1& l1() { return l1_; }
    const L1& l1() const { return l1_; }

private:
    friend class UnitScheduler;  // its place on the event queue

    std::uint32_t number_;
    std::uint32_t last_ = max_wavefronts - 1;
    std::uint64_t ready_ = 0;  // bit per context that can issue
    Time slot_ = 0;            // of the last request
    OutstandingLimit in_flight_;
    std::uint64_t coalesce_;
    RateServer issue_;
    Wavefronts waves_;
    ScheduledItem wake_;
    bool listed_ = false;  // can issue, and is to be served in this instant
    L1 l1_;
    Time math_free_ = 0;
    std::uint64_t free_;       // bit per context without a wavefront
    std::uint64_t taken_ = 0;  // bit per place with a workgroup
    std::uint32_t resident_ = 0;
    std::uint32_t places_;
};

}  // namespace weft
