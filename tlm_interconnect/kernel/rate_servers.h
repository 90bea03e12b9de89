// Many resources of one rate side by side, such as the ports of a place that has many: 32 bytes each.
//
// Each takes so many bytes per second, exactly, as a RateServer does: remainders of a picosecond are carried as long
// as it stays busy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/line_size.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class RateServers {
public:
    // Bytes per second; 0: no limit, and nothing may be booked. `usual`: what most bookings take, of up to 2^24.
    explicit RateServers(std::size_t count = 0, std::uint64_t rate = 0, std::uint32_t usual = line_bytes)
        : rate_(rate), usual_amount_(usual), servers_(rate > 0 ? count : 0)
    {
        if (rate > 0) usual_ = split(usual);
    }

    bool limited() const { return rate_ > 0; }

    // When `amount` bytes that come at `arrival` begin to pass: then, or when what came before is through.
    Time book(std::size_t index, Time arrival, std::uint32_t amount)
    {
        Server& server = servers_[index];
        if (arrival > server.free_at) {
            server.free_at = arrival;
            server.remainder = 0;
        }
        const Part part = amount == usual_amount_ ? usual_ : split(amount);
        const Time start = server.free_at;
        server.begun = start;
        server.free_at += part.quotient;
        server.remainder += part.remainder;
        if (server.remainder >= rate_) {
            server.remainder -= rate_;
            ++server.free_at;
        }
        server.bytes += amount;
        return start;
    }

    // The same where to wait costs an event: whoever comes while the last one passes is next, and goes on at once. Its
    // time is booked all the same, so that a stream keeps to the rate; only who finds others waiting waits.
    Time admit(std::size_t index, Time arrival, std::uint32_t amount)
    {
        const bool next = arrival >= servers_[index].begun;
        const Time start = book(index, arrival, amount);
        return next ? arrival : start;
    }

    std::size_t size() const { return servers_.size(); }
    std::uint64_t bytes(std::size_t index) const { return servers_[index].bytes; }
    std::uint64_t bytes() const
    {
        std::uint64_t sum = 0;
        for (const Server& server : servers_) sum += server.bytes;
        return sum;
    }
    // The one with most bytes, the first of equal ones. There must be one.
    std::size_t busiest() const
    {
        const auto less = [](const Server& a, const Server& b) { return a.bytes < b.bytes; };
        return static_cast<std::size_t>(std::max_element(servers_.begin(), servers_.end(), less) - servers_.begin());
    }
    // Time that so many bytes take, ps; rounded down.
    Time duration(std::uint64_t bytes) const { return split(static_cast<std::uint32_t>(bytes)).quotient; }
    // The same with its fraction.
    double time_of(std::uint64_t bytes) const { return static_cast<double>(bytes) * 1e12 / static_cast<double>(rate_); }
    void reset_statistics()
    {
        for (Server& server : servers_) server.bytes = 0;
    }

private:
    struct Part {
        Time quotient = 0;
        std::uint64_t remainder = 0;
    };
    struct Server {
        Time free_at = 0;
        Time begun = 0;  // by the last
        std::uint64_t remainder = 0;
        std::uint64_t bytes = 0;
    };
    Part split(std::uint64_t amount) const
    {
        constexpr std::uint64_t ps_per_s = 1'000'000'000'000;
        return {amount * ps_per_s / rate_, amount * ps_per_s % rate_};
    }

    std::uint64_t rate_;
    std::uint32_t usual_amount_;
    Part usual_;
    std::vector<Server> servers_;
};

}  // namespace weft
