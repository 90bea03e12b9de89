#include "testbenches/rtl/link/link_bench.h"

#include <fmt/format.h>

namespace weft::link_bench {

namespace {

// By operation, as weft_line_pkg.sv numbers them: does a request, does a response carry data?
struct Carries {
    bool request;
    bool response;
};
constexpr Carries carries[9] = {
    {false, true},  // read
    {true, false},  // write
    {true, false},  // atomic
    {true, true},   // fetch
    {true, false},  // await
    {true, false},  // monitor
    {true, false},  // multicast
    {false, true},  // load_reduce
    {true, false},  // reduce
};

}  // namespace

unsigned carried_bytes(const LineBits& line)
{
    const Carries& rule = carries[line.op()];
    if (line.response()) return rule.response ? line.size() : 0;
    if (!rule.request) return 0;
    const bool two_operands = (line.op() == 2 || line.op() == 3) && line.function() == 2;
    return two_operands ? std::min(64U, 2 * line.size()) : line.size();
}

LineBits as_carried(LineBits line)
{
    const unsigned bytes = carried_bytes(line);
    std::memset(line.data() + bytes, 0, 64 - bytes);
    return line;
}

void Scoreboard::fail(const std::string& what)
{
    if (failure_.empty()) failure_ = fmt::format("line {}: {}", lines_, what);
}

void Scoreboard::delivered(unsigned vc, const LineBits& line)
{
    ++lines_;
    if (expected_.empty()) return fail("came and was not sent, or twice");
    const Entry wanted = expected_.front();
    expected_.pop_front();
    if (wanted.vc == vc && wanted.line == line) {
        recent_.push_back(wanted);
        if (recent_.size() > 64) recent_.pop_front();
        return;
    }
    const auto same = [&](const Entry& entry) { return entry.vc == vc && entry.line == line; };
    for (const Entry& entry : recent_)
        if (same(entry)) return fail("came twice");
    for (std::size_t i = 0; i < expected_.size(); ++i)
        if (same(expected_[i])) return fail(fmt::format("came {} too early: lost, or out of order", i + 1));
    if (wanted.line == line) return fail(fmt::format("came on channel {}, was sent on {}", vc, wanted.vc));
    fail("is not what was sent");
}

void Scoreboard::end()
{
    if (!expected_.empty()) fail(fmt::format("{} lines never came", expected_.size()));
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

LineBits line_of(std::mt19937_64& random, unsigned op, bool response, unsigned size)
{
    LineBits line;
    for (unsigned i = 0; i < beat_bits / 8; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(line.bytes + i, &word, 8);
    }
    const std::uint64_t bits = random();
    line.set_rest(static_cast<std::uint16_t>(bits), op, response, size, bits >> 16 & 7, bits >> 24 & 255,
        bits >> 32 & 0xffffff, (bits >> 60 & 1) != 0);
    return line;
}

LineBits any_line(std::mt19937_64& random)
{
    const std::uint64_t bits = random();
    // Whole lines, the sizes around flits, and any.
    const unsigned size = (bits & 3) == 0 ? 64 : (bits & 3) == 1 ? 8U << (bits >> 8 & 3) : bits >> 8 & 127;
    return line_of(random, static_cast<unsigned>(bits >> 16) % 9, (bits >> 32 & 1) != 0, std::min(size, 64U));
}

LinkPair::LinkPair(LinkEndpoint& left, LinkEndpoint& right, const LinkParams& left_params,
    const LinkParams& right_params, unsigned latency, std::uint64_t seed, double left_errors, double right_errors)
{
    const auto add = [&](LinkEndpoint& block, const LinkParams& params, const LinkParams& peer, double errors,
                         std::uint64_t number) {
        End& end = ends_.emplace_back(block, params, LinkWire(params.flit_bytes, latency, errors, 2 * seed + number),
            2 * seed + number);
        for (unsigned v = 0; v < params.vcs; ++v) end.slots[v] = peer.credits[v];
    };
    add(left, left_params, right_params, left_errors, 0);
    add(right, right_params, left_params, right_errors, 1);
}

void LinkPair::drive(End& end)
{
    LinkIn& in = end.in;
    const Behaviour& does = end.behaviour;
    std::mt19937_64& random = end.random;
    if (does.bursts > 0) {
        if (uniform(random) < does.bursts) end.sender_pauses = now_ + 1 + random() % 200;
        if (uniform(random) < does.bursts) end.consumer_pauses = now_ + 1 + random() % 200;
    }
    // A line that was refused may be withdrawn for one on another channel.
    if (end.pending && does.only_vc < 0 && random() % 8 == 0) end.pending = false;
    if (!end.ordered.empty()) {
        in.tx_vc = static_cast<std::uint8_t>(end.ordered.front().vc);
        in.tx_line = end.ordered.front().line;
        end.pending = true;
    } else if (!end.pending) {
        if (!closing_ && does.load > 0 && now_ >= end.sender_pauses && uniform(random) < does.load) {
            in.tx_vc = static_cast<std::uint8_t>(does.only_vc >= 0 ? does.only_vc : random() % end.params.vcs);
            in.tx_line = does.line ? does.line(random) : any_line(random);
            end.pending = true;
        }
    }
    in.tx_valid = end.pending;
    in.rx_credit = 0;
    const bool awake = closing_ || now_ >= end.consumer_pauses;
    for (unsigned v = 0; v < end.params.vcs; ++v) {
        if (end.held[v] == 0 || !awake) continue;
        if (!closing_ && does.credit_rate < 1 && uniform(random) >= does.credit_rate) continue;
        --end.held[v];
        in.rx_credit |= static_cast<std::uint8_t>(1U << v);
    }
}

void LinkPair::observe(unsigned number)
{
    End& end = ends_[number];
    End& peer = ends_[1 - number];
    if (line_taken(end.in, end.out)) {
        end.scoreboard.taken(end.in.tx_vc, end.in.tx_line);
        if (!end.ordered.empty()) end.ordered.pop_front();
        end.pending = false;
        ++end.taken;
        if (on_taken) on_taken(number, now_);
    }
    if (end.out.rx_valid) {
        ++end.delivered;
        peer.scoreboard.delivered(end.out.rx_vc, end.out.rx_line);
        const unsigned v = end.out.rx_vc % LinkParams::max_vcs;
        if (++end.held[v] > end.slots[v] && overflow_.empty())
            overflow_ = fmt::format("clock {}: channel {} of end {} holds {} lines, has {} slots", now_, v, number,
                end.held[v], end.slots[v]);
        if (on_delivered) on_delivered(number, {now_, end.out.rx_vc, end.out.rx_line});
    }
    end.wire.clock(end.out.wire_valid ? &end.out.wire : nullptr);
}

void LinkPair::clock()
{
    for (unsigned number = 0; number < 2; ++number) {
        End& end = ends_[number];
        drive(end);
        const WireFlit* const flit = ends_[1 - number].wire.arriving();
        end.in.wire_valid = flit != nullptr;
        if (flit != nullptr) end.in.wire = *flit;
    }
    for (End& end : ends_) end.block->cycle(end.in, end.out);
    for (unsigned number = 0; number < 2; ++number) observe(number);
    ++now_;
}

bool LinkPair::idle() const
{
    for (const End& end : ends_) {
        if (end.pending || !end.ordered.empty() || !end.block->idle() || !end.wire.empty()) return false;
        for (const unsigned held : end.held)
            if (held != 0) return false;
    }
    return true;
}

bool LinkPair::drain(std::uint64_t limit)
{
    closing_ = true;
    for (; limit > 0 && !idle(); --limit) clock();
    const bool empty = idle();
    if (empty)
        for (End& end : ends_) end.scoreboard.end();
    closing_ = false;
    return empty;
}

std::string LinkPair::failure() const
{
    if (!overflow_.empty()) return overflow_;
    for (unsigned number = 0; number < 2; ++number) {
        const End& end = ends_[number];
        if (!end.scoreboard.failure().empty()) return fmt::format("from end {}: {}", number, end.scoreboard.failure());
        const std::string said = end.block->failure();
        if (!said.empty()) return fmt::format("end {}: {}", number, said);
    }
    return {};
}

void Lockstep::reset()
{
    block_.reset();
    reference_.reset();
    clock_ = 0;
    difference_.clear();
}

void Lockstep::cycle(const LinkIn& in, LinkOut& out)
{
    reference_.cycle(in, expected_);
    block_.cycle(in, out);
    if (difference_.empty()) {
        difference_ = difference(expected_, out, bytes_);
        if (!difference_.empty()) difference_ = fmt::format("clock {}: {}", clock_, difference_);
    }
    ++clock_;
}

}  // namespace weft::link_bench
