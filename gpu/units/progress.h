// Knows whether anything in the system can still change something.
//
// A workgroup that spins on a flag keeps time moving for ever, so an empty event queue is no sign of
// deadlock then. Instead everything that may still write a flag or packets is counted as busy: workgroups that do more than wait or
// whose packets and words are under way, signals, lists of copy engines, requests to them. When nothing is and
// every spinning workgroup has since polled its flag in vain, the run cannot progress. What counts as busy may itself
// wait for ever, for a member that takes no part in a reduction or for a credit that is lost: set_watch(). For that
// everything but polls that happens is counted (changes()).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class Progress {
public:
    void busy()
    {
        ++busy_;
        ++changes_;
    }
    void quiet(Time now)
    {
        ++changes_;
        if (--busy_ == 0) {
            quiet_since_ = now;
            ++epoch_;
            vain_ = 0;
            polls_.clear();
        }
    }
    void enter_spin() { ++spinning_; }
    void leave_spin() { --spinning_; }

    // Asked before a run is given up: true when it has found something more to do.
    void set_last_resort(std::function<bool()> action) { last_resort_ = std::move(action); }
    bool anything_busy() const { return busy_ != 0; }
    // A response that is no poll's has come, or something else has moved that no flag tells of.
    void changed() { ++changes_; }
    std::uint64_t changes() const { return changes_; }
    // A poller that finds its flag unchanged calls `stuck` every `period`: true when what is busy, or spins without polling (a monitor
    // without a time-out), waits in vain, too.
    void set_watch(Time period, std::function<bool(Time)> stuck)
    {
        watch_at_ = period_ = period;
        stuck_ = std::move(stuck);
    }

    // For a run in parts (platform/parallel/): a workgroup that spins in this part may wait for another part, so this part never ends the run
    // by itself. `resort` is the last resort of the run; `elsewhere` says whether other parts may be asked at this moment.
    void make_part(
        std::function<bool()> resort = [] { return true; }, std::function<bool()> elsewhere = {})
    {
        last_resort_ = std::move(resort);
        elsewhere_ = std::move(elsewhere);
    }
    // The same: the next call of what set_watch() gave comes no sooner.
    void watch_from(Time at)
    {
        watch_at_ = at;
        if (first_poll_ < at) first_poll_ = never;
    }
    // A request of a poll that was issued at `issued` leaves.
    void poll_leaves(Time issued)
    {
        if (issued >= watch_at_) first_poll_ = std::min(first_poll_, issued);
    }
    // The first poll that may call what set_watch() gave, by its time of issue; ~0: none has left.
    Time first_poll() const { return first_poll_; }
    // From here on some poll in vain may count as issued when it is answered.
    void polls_at_once() { polls_at_once_ = true; }
    bool any_at_once() const { return polls_at_once_; }
    bool anybody_spins() const { return spinning_ != 0; }
    // Nothing is busy, and all who spin have polled in vain since the last ask_again().
    bool all_in_vain() const { return busy_ == 0 && vain_ == spinning_; }
    // Changes whenever something has been busy.
    std::uint64_t epoch() const { return epoch_; }
    // When the last of what was busy ended, or since when that is asked.
    Time quiet_since() const { return quiet_since_; }
    // Nothing is busy since `since`; polls that were issued earlier do not count, `again` those that were issued later do.
    void ask_again(Time since, bool again = false)
    {
        quiet_since_ = since;
        ++epoch_;
        vain_ = 0;
        for (const auto& [last_epoch, issued] : polls_) {
            if (!again || issued < since) continue;
            *last_epoch = epoch_;
            ++vain_;
        }
    }

    // A poll that was issued at `issued` was in vain. True when what is busy waits in vain, too.
    bool busy_in_vain(Time issued) { return asks(issued) && stuck(issued); }

    // A spinning workgroup has polled, at a time after `issued`, and must go on. `last_epoch` is kept by
    // the workgroup. True when the run cannot progress.
    bool polled_in_vain(Time issued, std::uint64_t& last_epoch)
    {
        if (asks(issued) && stuck(issued)) return true;
        if (busy_ != 0) return false;
        if (elsewhere_) polls_[&last_epoch] = issued;
        if (issued < quiet_since_ || last_epoch == epoch_) return false;
        last_epoch = epoch_;
        return ++vain_ == spinning_ && !(last_resort_ && last_resort_());
    }

private:
    static constexpr Time never = ~Time{0};

    bool asks(Time issued) const { return issued >= watch_at_ && (busy_ != 0 || !elsewhere_ || elsewhere_()); }
    bool stuck(Time now)
    {
        watch_at_ = now + period_;
        return stuck_(now);
    }

    std::int64_t busy_ = 0;
    std::int64_t spinning_ = 0;
    std::int64_t vain_ = 0;
    std::uint64_t epoch_ = 0;
    std::uint64_t changes_ = 0;
    Time quiet_since_ = 0;
    Time watch_at_ = never;
    Time first_poll_ = never;
    bool polls_at_once_ = false;
    Time period_ = 0;
    std::function<bool(Time)> stuck_;
    std::function<bool()> last_resort_;
    std::function<bool()> elsewhere_;
    std::unordered_map<std::uint64_t*, Time> polls_;  // of a part, since it is quiet: who polled in vain, and when last
};

}  // namespace weft
