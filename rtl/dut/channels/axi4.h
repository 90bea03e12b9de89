// AXI4: requests as writes and reads of up to a line, answers by their IDs.
//
// Into the block we are a master, out of it a slave that answers when the fabric's answer comes. Writes and what only
// acknowledges (atomics) go over AW, W and B; reads and what returns a word (fetch, await, monitor) over AR and R.
//
//   AxADDR  local address, with the number of the output from bit `port_at` on
//   AxUSER  the header of the line; ARUSER has the first 16 bytes of data above it
//   AxID    a number that no other transaction of the port has; the block may change it on the way, if BID and RID lead back
//   WSTRB   the bytes of the line that the operation names; data lie in their lanes
//   xUSER   of an answer: its header; xRESP is SLVERR where the operation failed
//
// A write that nobody answers in the fabric is answered where it leaves the block.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "rtl/dut/channels/line_sink.h"
#include "rtl/dut/channels/line_source.h"

namespace weft {

constexpr unsigned axi4_incr = 1;
// AxSIZE of beats as wide as the bus; `bytes` is a power of 2.
constexpr unsigned axi4_log2(unsigned bytes)
{
    unsigned log2 = 0;
    while ((1U << log2) < bytes) ++log2;
    return log2;
}

// AW or AR.
struct Axi4Address {
    Signal valid, ready, id, addr, len, size, burst, user;
};
// B or R; B has no data and no last.
struct Axi4Answer {
    Signal valid, ready, id, resp, user, data, last;
};
struct Axi4Pins {
    Axi4Address aw, ar;
    Signal wvalid, wready, wdata, wstrb, wlast;
    Axi4Answer b, r;
    unsigned port_at = 48;

    // The signal of a name such as "awvalid".
    Signal& signal(const std::string& name);
};
const std::vector<std::string>& axi4_signal_names();
// Whether it goes from master to slave.
bool axi4_forward(const std::string& name);

// Whether what is offered stays until it is taken.
class Steady {
public:
    // In each clock; false: it went away or changed.
    bool look(bool valid, bool taken, const Signal& what)
    {
        bool good = !waits_ || valid;
        offered_.resize((what.width + 31) / 32);
        for (unsigned i = 0; valid && i < offered_.size(); ++i) {
            const std::uint64_t word = what.pin.get(what.at + 32 * i, std::min(32U, what.width - 32 * i));
            good = good && (!waits_ || word == offered_[i]);
            offered_[i] = word;
        }
        waits_ = valid && !taken;
        return good;
    }

private:
    bool waits_ = false;
    std::vector<std::uint64_t> offered_;
};

// What the five channels of one port have in common.
struct Axi4Port {
    struct Outstanding {
        bool busy = false;
        bool posted = false;
    };
    Axi4Pins pins;
    std::vector<Outstanding> writes;  // into the block: by the ID that we gave
    std::vector<Outstanding> reads;
    std::unordered_map<const void*, std::uint64_t>
        ids;  // out of the block: of the transactions that wait for their answer
    struct Posted {
        std::uint64_t id;
        LineBits bits;
    };
    std::deque<Posted> posted;  // out of the block: to be answered at once
};

// Into the block.
std::unique_ptr<LineSource> make_axi4_requests(std::shared_ptr<Axi4Port> port);
std::unique_ptr<LineSink> make_axi4_answers(std::shared_ptr<Axi4Port> port, bool reads);
// Out of the block.
std::unique_ptr<LineSink> make_axi4_taken(std::shared_ptr<Axi4Port> port, bool reads, unsigned channels);
std::unique_ptr<LineSource> make_axi4_replies(std::shared_ptr<Axi4Port> port);

}  // namespace weft
