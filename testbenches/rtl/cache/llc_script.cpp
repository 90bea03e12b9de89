#include "testbenches/rtl/cache/llc_script.h"

#include <algorithm>

namespace weft::test {

LineBits llc_request(unsigned op, std::uint64_t address, unsigned size, std::uint64_t operand, unsigned function,
    std::uint64_t comparand)
{
    LineBits request{};
    request.set_place(1, address);
    request.set_rest(2, op, false, size, function, 0, 0, false);
    std::memcpy(request.data(), &operand, sizeof operand);
    std::memcpy(request.data() + 8, &comparand, sizeof comparand);
    return request;
}

LineBits llc_read(std::uint64_t address, unsigned size) { return llc_request(0, address, size); }

LineBits llc_write(std::uint64_t address, unsigned size, std::uint64_t value)
{
    return llc_request(1, address, size, value);
}

LineBits llc_add(std::uint64_t address, std::uint64_t operand, bool fetch)
{
    return llc_request(fetch ? 3 : 2, address, 8, operand);
}

std::uint64_t LlcScript::Answer::word() const
{
    std::uint64_t value;
    std::memcpy(&value, response.data(), sizeof value);
    return value;
}

LlcScript::LlcScript(LlcBlock& block, std::uint32_t memory) : block_(block), latency_(memory)
{
    in.endpoint = 1;
    block_.reset();
}

std::uint32_t LlcScript::ask(LineBits request)
{
    const auto number = static_cast<std::uint32_t>(answers_.size());
    request.set_rest(request.source(), request.op(), false, request.size(), request.function(), request.flags(), number,
        false);
    answers_.emplace_back();
    asked_.push_back(request);
    return number;
}

void LlcScript::drive()
{
    in.req_valid = !asked_.empty();
    if (in.req_valid) in.req = asked_.front();
    in.resp_ready = resp_ready;
    in.mem_read_ready = mem_read_ready;
    in.mem_write_ready = mem_write_ready;
    if (!in.mem_resp_valid && mem_resp_valid && !fills_.empty() && fills_.front().due <= clock_) {
        in.mem_resp_valid = true;
        in.mem_resp = fills_.front().line;
        fills_.pop_front();
    }
    fill_on_pins_ = in.mem_resp_valid;
}

void LlcScript::observe()
{
    hits += out.hit ? 1 : 0;
    misses += out.miss ? 1 : 0;
    merged += out.merged ? 1 : 0;
    write_backs += out.write_back ? 1 : 0;
    if (in.req_valid && out.req_ready) {
        answers_[in.req.tag()].taken = clock_;
        asked_.pop_front();
    }
    if (out.resp_valid && in.resp_ready) {
        Answer& answer = answers_.at(out.resp.tag());
        answer.answered = clock_;
        answer.response = out.resp;
        order_.push_back(out.resp.tag());
    }
    if (in.mem_resp_valid && out.mem_resp_ready) in.mem_resp_valid = false;
    if (out.mem_write_valid && in.mem_write_ready) {
        const std::uint64_t line = out.mem_write.address() >> 6;
        std::copy(out.mem_write.data(), out.mem_write.data() + 64, memory_[line].begin());
        writes.push_back({clock_, line});
    }
    if (out.mem_read_valid && in.mem_read_ready) {
        const std::uint64_t line = out.mem_read.address() >> 6;
        reads.push_back({clock_, line});
        Fill fill{clock_ + latency_, out.mem_read};
        std::copy(memory_[line].begin(), memory_[line].end(), fill.line.data());
        fills_.push_back(fill);
    }
    ++clock_;
}

void LlcScript::run(std::uint64_t clocks)
{
    for (std::uint64_t i = 0; i < clocks; ++i) {
        drive();
        block_.cycle(in, out);
        observe();
    }
}

bool LlcScript::finish(std::uint64_t most)
{
    for (std::uint64_t i = 0; i < most && order_.size() < answers_.size(); ++i) run(1);
    if (order_.size() < answers_.size()) return false;
    // The last counter comes a clock after its look; a merge before that.
    run(2);
    return true;
}

std::uint64_t LlcScript::flush()
{
    in.flush = true;
    const std::uint64_t start = clock_;
    do run(1);
    while (!out.flushed && clock_ - start < 1'000'000);
    in.flush = false;
    return clock_ - 1 - start;
}

}  // namespace weft::test
