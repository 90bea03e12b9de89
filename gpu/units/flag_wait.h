// A wait of one workgroup for flags: which of them have not their values yet, and which requests its present poll still needs.
//
// Owns: the state of the wait. Called by: FlagPolls, which issues the requests; the operation log and reports read it.
//
// Waits for different flags that follow one another are one wait. A poll is a request for each flag that is still missing; it is
// complete when all of its requests have their responses, as the threads of a wavefront stay together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/units/program.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class FlagWait {
public:
    static constexpr std::uint32_t most_flags = 32;
    // The wavefront comes to the wait at `first`, number `repeat` of its run, with up to `most` flags in one wait.
    void begin(const std::vector<Operation>& operations, std::size_t first, std::uint32_t repeat, std::uint32_t most);
    void set_interval(Time interval) { interval_ = interval; }
    // To the next poll; it doubles up to `limit`.
    Time interval() const { return interval_; }
    void double_interval(Time limit) { interval_ = std::min<Time>(2 * interval_, limit); }

    // The next poll is of every flag that is missing; it reads them, or arms a monitor for each.
    void begin_poll(bool arms = false)
    {
        to_issue_ = missing_;
        polled_at_ = never;
        arms_ = arms;
    }
    bool arms() const { return arms_; }
    // The flag whose request issues now.
    std::uint32_t issue(Time now)
    {
        const auto flag = static_cast<std::uint32_t>(__builtin_ctz(to_issue_));
        to_issue_ &= to_issue_ - 1;
        ++in_flight_;
        if (polled_at_ == never) polled_at_ = now;
        return flag;
    }
    bool must_issue() const { return to_issue_ != 0; }
    // A response: the flag has its value or not. True when the poll is complete.
    bool respond(std::uint32_t flag, bool has_value)
    {
        if (has_value) missing_ &= ~(1U << flag);
        return --in_flight_ == 0 && to_issue_ == 0;
    }
    bool over() const { return missing_ == 0; }
    Time polled_at() const { return polled_at_; }  // when the first request of the poll issued

    std::uint32_t flags() const { return flags_; }
    std::uint32_t first_missing() const { return static_cast<std::uint32_t>(__builtin_ctz(missing_)); }
    template <class Visit>
    void for_each_missing(Visit visit) const
    {
        for (std::uint32_t left = missing_; left != 0; left &= left - 1)
            visit(static_cast<std::uint32_t>(__builtin_ctz(left)));
    }
    std::uint32_t missing() const { return static_cast<std::uint32_t>(__builtin_popcount(missing_)); }

private:
    static constexpr Time never = ~Time{0};

    Time polled_at_ = never;
    Time interval_ = 0;
    std::uint32_t flags_ = 0;
    std::uint32_t missing_ = 0;    // bit per flag that has not had its value
    std::uint32_t to_issue_ = 0;   // and whose request of the present poll is to be issued
    std::uint32_t in_flight_ = 0;  // requests of the present poll without a response
    bool arms_ = false;            // the present poll arms monitors
};

}  // namespace weft
