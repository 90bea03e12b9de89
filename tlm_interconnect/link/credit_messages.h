// Messages that return credits over a wire, against the lines: every credit_batch-th credit (credits_of_message()) is one of credit_bytes, the
// others travel in it at no cost. Those do not wait for it: each is back as if it were in a header, so that a batch takes bytes and no
// credits. What waits in a batch that is not full would be for a receiver's timer to decide.
//
// A credit is often returned for a moment to come (a line that is still on its way will be consumed at once). Its
// message takes the wire then, not now: until then it waits here, and lines that come before it go before it. What
// comes after it is exact; its own arrival counts the lines that are known when the credit is returned.
#pragma once

#include <algorithm>
#include <deque>

#include "tlm_interconnect/link/credits_of_message.h"
#include "tlm_interconnect/link/framer.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class CreditMessages {
public:
    explicit CreditMessages(const LinkSpec& spec) : bytes_(spec.credit_bytes), batch_(credits_of_message(spec)) {}

    bool free() const { return bytes_ == 0; }

    // When the credit that is returned at now + delay has left, after now.
    Time leave(RateServer& server, Framer& framer, Time now, Time delay)
    {
        if (bytes_ == 0 || ++credits_ % batch_ != 0) return delay;
        settle(server, now);
        const Time due = now + delay;
        const std::uint32_t bytes = framer.with_frames(static_cast<std::uint32_t>(bytes_));
        ++count;
        wire_bytes += bytes;
        if (delay == 0) return framer.end_of_frame(server.book(now, bytes).end) - now;
        const auto place = std::upper_bound(waiting_.begin(), waiting_.end(), due,
            [](Time time, const Waiting& other) { return time < other.due; });
        waiting_.insert(place, {due, bytes});
        const Time duration = bytes * 1'000'000'000'000ULL / server.rate();
        return framer.end_of_frame(std::max(due, server.free_at()) + duration) - now;
    }

    // Before something is booked at `until`: messages due by then have the wire first.
    void settle(RateServer& server, Time until)
    {
        for (; !waiting_.empty() && waiting_.front().due <= until; waiting_.pop_front())
            server.book(waiting_.front().due, waiting_.front().bytes);
    }

    std::uint64_t count = 0;
    std::uint64_t wire_bytes = 0;

private:
    struct Waiting {
        Time due;
        std::uint32_t bytes;
    };
    std::uint64_t bytes_;
    std::uint64_t batch_;
    std::uint64_t credits_ = 0;
    std::deque<Waiting> waiting_;
};

}  // namespace weft
