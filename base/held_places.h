// Places of workgroups on an accelerator: how many receives hold, and how long other workgroups wait for one meanwhile.
//
// A receive that is posted holds its places until its data have come, however late that is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft {

// The part that a workgroup has in a transfer. The background is kernels beside the workload, whose waits do not count.
enum class TransferSide : std::uint8_t { none, send, receive, background };

// How the places for workgroups of one accelerator are used.
struct PlaceUse {
    std::uint64_t units = 0;   // compute units
    std::uint64_t places = 0;  // of all units, for workgroups of collectives; 0: they are not counted
    std::uint64_t held = 0;    // now
    std::uint64_t held_by_receives = 0;
    std::uint64_t waiting = 0;  // workgroups without a place now
    std::uint64_t waiting_sends = 0;
    // The longest time, ps, that a workgroup waited while receives held places: of receives, and of others; and the most places that
    // receives held while somebody waited.
    std::uint64_t longest_receive = 0;
    std::uint64_t longest_other = 0;
    std::uint64_t most_by_receives = 0;
};

class HeldPlaces {
public:
    using Ps = std::uint64_t;

    // `now` never goes back.
    void take(TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        pass(now);
        use_.held += workgroups;
        if (side != TransferSide::receive) return;
        use_.held_by_receives += workgroups;
        note_most();
    }
    void give_back(TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        pass(now);
        use_.held -= workgroups;
        if (side == TransferSide::receive) use_.held_by_receives -= workgroups;
    }
    // One that finds no place; what begins() and cut_off() want.
    Ps wait(TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        pass(now);
        if (side == TransferSide::background) return behind_;
        use_.waiting += workgroups;
        if (side == TransferSide::send) use_.waiting_sends += workgroups;
        note_most();
        return behind_;
    }
    // It has one.
    void begin(TransferSide side, Ps waited, Ps now, std::uint64_t workgroups = 1)
    {
        pass(now);
        if (side != TransferSide::background) {
            use_.waiting -= workgroups;
            if (side == TransferSide::send) use_.waiting_sends -= workgroups;
            note_longest(side, waited);
        }
        take(side, now, workgroups);
    }
    // The run ends while it waits.
    void cut_off(TransferSide side, Ps waited, Ps now)
    {
        pass(now);
        if (side != TransferSide::background) note_longest(side, waited);
    }
    const PlaceUse& use() const { return use_; }
    void reset_statistics() { use_.longest_receive = use_.longest_other = use_.most_by_receives = 0; }

private:
    void pass(Ps now)
    {
        if (use_.held_by_receives > 0 && now > since_) behind_ += now - since_;
        since_ = std::max(since_, now);
    }
    void note_most()
    {
        if (use_.waiting > 0) use_.most_by_receives = std::max(use_.most_by_receives, use_.held_by_receives);
    }
    void note_longest(TransferSide side, Ps waited)
    {
        Ps& longest = side == TransferSide::receive ? use_.longest_receive : use_.longest_other;
        longest = std::max(longest, behind_ - waited);
    }

    PlaceUse use_;
    Ps behind_ = 0;  // how long receives have held places so far
    Ps since_ = 0;
};

}  // namespace weft
