// The credits that a sender holds for one direction of a link: some for each virtual channel, and a pool for
// whichever channel has none of its own left.
//
// A credit that comes back counts from the time it arrives. What a channel has borrowed from the pool goes back
// there first. Slots of one channel come back in order.
//
// Credits that have arrived are only counted. Due times are kept of those on their way, which are few, so that they stay in the
// host's caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm_interconnect/kernel/time.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

class CreditAccount;

// The accounts that live and hold credits for one direction of a link, in the order in which they were granted. Whoever made
// the link owns it and names it in the BufferSpace that it grants: so a run finds the accounts of modules that it knows only by
// their sockets.
class CreditHolders {
public:
    const std::vector<const CreditAccount*>& accounts() const { return accounts_; }

private:
    friend class CreditAccount;

    std::vector<const CreditAccount*> accounts_;
};

class CreditAccount {
public:
    CreditAccount() = default;
    ~CreditAccount();
    CreditAccount(const CreditAccount&) = delete;
    CreditAccount& operator=(const CreditAccount&) = delete;

    // Leaves the holders of an earlier grant and joins those of this one, if it has any.
    void grant(const BufferSpace& space);

    // Takes a credit of `vc`, or says that there is none at `now`.
    bool take(std::uint8_t vc, Time now)
    {
        Ring& own = own_[place(vc)];
        if (own.take(now)) return true;
        if (!pool_.take(now)) return false;
        ++own.borrowed;
        return true;
    }
    bool available(std::uint8_t vc, Time now) const { return own_[place(vc)].available(now) || pool_.available(now); }
    // The same of `count` credits for a wide transaction; the pool has none for them.
    bool available(std::uint8_t vc, Time now, std::uint32_t count) const { return own_[place(vc)].next(count) <= now; }
    // Takes them, which are available.
    void take_wide(std::uint8_t vc, std::uint32_t count) { own_[place(vc)].take_wide(count); }
    bool give_wide(std::uint8_t vc, Time due, std::uint32_t count, Time now = 0)
    {
        return room_in(own_[place(vc)], count, now).give(due, count);
    }
    // When `count` of the credits at hand and on their way are there.
    Time next_own(std::uint8_t vc, std::uint32_t count) const { return own_[place(vc)].next(count); }

    // False: more came back than was given. `now`: what has arrived by then may be counted, and ready() takes it as there from the
    // beginning; 0 where somebody asks for that.
    bool give(std::uint8_t vc, Time due, Time now = 0)
    {
        Ring& own = own_[place(vc)];
        if (__builtin_expect(own.borrowed == 0, 1)) return room_in(own, 1, now).give(due);
        --own.borrowed;
        return room_in(pool_, 1, now).give(due);
    }

    // When the next credit on its way arrives; no_time: none is.
    static constexpr Time no_time = ~Time{0};
    Time next_own(std::uint8_t vc) const { return own_[place(vc)].next(); }
    Time next_pooled() const { return pool_.next(); }
    std::uint32_t used(std::uint8_t vc, Time now) const;
    // Since when a credit of those at hand and on their way can be used; later than the present: not yet.
    Time ready(std::uint8_t vc) const { return std::min(own_[place(vc)].ready(), pool_.ready()); }

private:
    void leave_holders();

    // The VC sets of one class are neighbours: a port that sends only requests touches two cache lines.
    static constexpr unsigned place(std::uint8_t vc)
    {
        static_assert(vc_classes == 4 && max_vc_sets == 4, "both halves of a channel's number have two bits");
        return (vc << 2U | vc >> 2U) & (max_vcs - 1);
    }

    // Credits at hand, and the due times of those that are on their way back or have not been counted since, ascending. Half a cache
    // line.
    class alignas(32) Ring {
    public:
        // `due` has room for `room`, a power of two.
        void grant(std::uint32_t count, Time* due, std::uint32_t room);
        bool has_room(std::uint32_t count) const { return count_ + count <= mask_ + 1; }
        // Counts what has arrived.
        void settle(Time now);
        // Moves to a place with room for twice as many.
        void move_to(Time* due);
        std::uint32_t room() const { return mask_ + 1; }
        std::uint32_t on_their_way() const { return count_; }
        std::uint32_t size() const { return size_; }

        bool take(Time now)
        {
            if (at_hand_ > 0) {
                --at_hand_;
                return true;
            }
            if (count_ == 0 || due_[head_] > now) return false;
            head_ = (head_ + 1) & mask_;
            --count_;
            return true;
        }
        bool available(Time now) const { return at_hand_ > 0 || (count_ > 0 && due_[head_] <= now); }
        Time next() const { return count_ > 0 ? due_[head_] : no_time; }
        void take_wide(std::uint32_t count)
        {
            const std::uint32_t here = count < at_hand_ ? count : at_hand_;
            at_hand_ -= here;
            head_ = (head_ + count - here) & mask_;
            count_ -= count - here;
        }
        bool give(Time due)
        {
            if (at_hand_ + count_ >= size_) return false;
            if (count_ > 0) {
                const Time last = due_[(head_ + count_ - 1) & mask_];
                due = due < last ? last : due;
            }
            due_[(head_ + count_++) & mask_] = due;
            return true;
        }
        bool give(Time due, std::uint32_t count)
        {
            if (at_hand_ + count_ + count > size_) return false;
            if (count_ > 0) {
                const Time last = due_[(head_ + count_ - 1) & mask_];
                due = due < last ? last : due;
            }
            for (const std::uint32_t end = count_ + count; count_ < end; ++count_) due_[(head_ + count_) & mask_] = due;
            return true;
        }
        Time next(std::uint32_t count) const
        {
            if (count <= at_hand_) return 0;
            const std::uint32_t wanted = count - at_hand_;
            return wanted <= count_ ? due_[(head_ + wanted - 1) & mask_] : no_time;
        }
        Time ready() const { return at_hand_ > 0 ? 0 : next(); }
        std::uint32_t used(Time now) const;

    private:
        Time* due_ = nullptr;
        std::uint32_t at_hand_ = 0;
        std::uint32_t head_ = 0;
        std::uint32_t count_ = 0;
        std::uint32_t size_ = 0;
        std::uint32_t mask_ = 0;

    public:
        std::uint32_t borrowed = 0;  // of the pool
    };
    static_assert(sizeof(Ring) == 32, "a ring is half a cache line");
    Ring& room_in(Ring& ring, std::uint32_t count, Time now)
    {
        if (!ring.has_room(count)) make_room(ring, count, now);
        return ring;
    }
    [[gnu::cold]] void make_room(Ring& ring, std::uint32_t count, Time now);

    std::array<Ring, max_vcs> own_;
    Ring pool_;
    std::vector<Time> due_;                        // of all rings as granted,
    std::vector<std::unique_ptr<Time[]>> larger_;  // and of those that have asked for more
    std::shared_ptr<CreditHolders> holders_;
};

}  // namespace weft
