#include "testbenches/rtl/cache/llc_bench.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::test {

namespace {

// Clocks to the end without a request: more than all that is inside, and a flush, can take.
std::uint64_t longest_end(const LlcParameters& parameters)
{
    return 20'000 + std::uint64_t{parameters.sets} * parameters.ways * (4 + parameters.modify_clocks);
}

std::uint32_t load_at(std::uint64_t clock, std::uint64_t clocks)
{
    return 100 * (1 + static_cast<std::uint32_t>(clock * 10 / clocks));
}

std::string at(std::uint64_t clock, const std::string& what) { return fmt::format("clock {}: {}", clock, what); }

}  // namespace

LlcBench::LlcBench(const LlcParameters& parameters, std::uint64_t seed)
    : traffic_(parameters, seed), scoreboard_(traffic_.lines())
{
    in_.endpoint = static_cast<std::uint16_t>(traffic_.random().next());
}

void LlcBench::offer_request()
{
    std::uint32_t tag = 0;
    do tag = (next_tag_++ * 0x9e3779b1U) & 0xffffffU;
    while (!scoreboard_.tag_is_free(tag));
    traffic_.make_request(in_.req, traffic_.choose_line(), tag);
    in_.req_valid = true;
}

void LlcBench::offer_fill(bool in_order)
{
    const auto there = [this](const Fill& fill) { return fill.due <= clock_; };
    auto fill = std::find_if(fills_.begin(), fills_.end(), there);
    if (fill == fills_.end()) return;
    if (!in_order) {
        const auto other = fills_.begin() + traffic_.random().below(static_cast<std::uint32_t>(fills_.size()));
        if (there(*other)) fill = other;
    }
    in_.mem_resp = fill->line;
    in_.mem_resp_valid = true;
    *fill = fills_.back();
    fills_.pop_back();
}

const LlcIn& LlcBench::drive(std::uint32_t load)
{
    const LlcTraffic::Willing willing = traffic_.next(load);
    in_.resp_ready = willing.resp;
    in_.mem_read_ready = willing.mem_read;
    in_.mem_write_ready = willing.mem_write;
    if (!in_.req_valid && willing.request) offer_request();
    if (!in_.mem_resp_valid && willing.mem_resp) offer_fill(false);
    if (willing.flush) in_.flush = true;
    return in_;
}

const LlcIn& LlcBench::drive_out()
{
    in_.resp_ready = in_.mem_read_ready = in_.mem_write_ready = true;
    if (!in_.mem_resp_valid) offer_fill(true);
    draining_ = true;
    if (!in_.req_valid && !in_.flush && scoreboard_.outstanding() == 0) in_.flush = true;
    return in_;
}

void LlcBench::observe(const LlcOut& out)
{
    scoreboard_.counted(out);
    if (out.resp_valid && in_.resp_ready) scoreboard_.responded(out.resp);
    // What memory is told before what it is asked for in the same clock.
    if (out.mem_write_valid && in_.mem_write_ready) scoreboard_.written(out.mem_write);
    if (out.mem_read_valid && in_.mem_read_ready) {
        Fill fill;
        for (unsigned i = 0; i < 16; i += 8) {
            const std::uint64_t word = traffic_.random().next();
            std::memcpy(fill.line.bytes + i, &word, sizeof word);
        }
        fill.line.set_rest(fill.line.source(), fill.line.op(), true, fill.line.size(), fill.line.function(),
            fill.line.flags(), out.mem_read.tag(), fill.line.failed());
        const LlcScoreboard::Contents& contents = scoreboard_.read(out.mem_read);
        std::copy(contents.begin(), contents.end(), fill.line.data());
        fill.due = clock_ + traffic_.memory_latency();
        fills_.push_back(fill);
    }
    if (in_.req_valid && out.req_ready) {
        scoreboard_.requested(in_.req);
        in_.req_valid = false;
    }
    if (in_.mem_resp_valid && out.mem_resp_ready) in_.mem_resp_valid = false;
    if (in_.flush && out.flushed) {
        in_.flush = false;
        if (draining_ && scoreboard_.outstanding() == 0 && !in_.req_valid) {
            done_ = true;
            scoreboard_.finish();
        }
    }
    ++clock_;
}

std::string compare(LlcBlock& expected, LlcBlock& got, const LlcParameters& parameters, std::uint64_t seed,
    std::uint64_t clocks)
{
    LlcBench bench(parameters, seed);
    LlcOut wanted;
    LlcOut out;
    expected.reset();
    got.reset();
    const std::uint64_t end = clocks + longest_end(parameters);
    std::uint64_t clock = 0;
    for (; clock < end && !bench.done(); ++clock) {
        const LlcIn& in = clock < clocks ? bench.drive(load_at(clock, clocks)) : bench.drive_out();
        expected.cycle(in, wanted);
        got.cycle(in, out);
        const std::string differs = difference(wanted, out);
        if (!differs.empty()) return at(clock, differs + (got.failed() ? "; " + got.failure() : ""));
        bench.observe(out);
        if (!bench.scoreboard().complaint().empty()) return at(clock, bench.scoreboard().complaint());
        if (clock % 1000 == 0 && got.failed()) break;
    }
    if (got.failed()) return at(clock, got.failure());
    if (!bench.done()) return at(clock, "requests or a flush have no end");
    expected.cycle({}, wanted);
    got.cycle({}, out);
    expected.cycle({}, wanted);
    got.cycle({}, out);
    if (!expected.idle() || !got.idle()) return at(clock, "not idle in the end");
    return {};
}

std::string check(LlcBlock& block, const LlcParameters& parameters, std::uint64_t seed, std::uint64_t clocks,
    const std::function<void(std::uint64_t clock, LlcOut& out)>& change)
{
    LlcBench bench(parameters, seed);
    LlcOut out;
    block.reset();
    const std::uint64_t end = clocks + longest_end(parameters);
    for (std::uint64_t clock = 0; clock < end && !bench.done(); ++clock) {
        const LlcIn& in = clock < clocks ? bench.drive(load_at(clock, clocks)) : bench.drive_out();
        block.cycle(in, out);
        if (change) change(clock, out);
        bench.observe(out);
        if (!bench.scoreboard().complaint().empty()) return at(clock, bench.scoreboard().complaint());
    }
    if (block.failed()) return block.failure();
    return bench.done() ? "" : "requests or a flush have no end";
}

}  // namespace weft::test
