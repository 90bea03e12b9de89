#include "testbenches/rtl/cache/llc_scoreboard.h"

#include <cstring>

#include <fmt/format.h>

#include "testbenches/rtl/cache/llc_random.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft::test {

LlcScoreboard::LlcScoreboard(const std::vector<std::uint64_t>& lines)
{
    for (const std::uint64_t number : lines) {
        LlcRandom random(number);
        Line line;
        for (std::uint8_t& byte : line.memory) byte = static_cast<std::uint8_t>(random.next());
        line.wanted = line.memory;
        lines_.emplace(number, line);
    }
}

void LlcScoreboard::complain(const std::string& what, std::uint64_t value)
{
    if (complaint_.empty()) complaint_ = fmt::format("{} ({:#x})", what, value);
}

LlcScoreboard::Line* LlcScoreboard::find(std::uint64_t number)
{
    const auto found = lines_.find(number);
    if (found != lines_.end()) return &found->second;
    complain("a line that nobody asked for", number);
    return nullptr;
}

void LlcScoreboard::requested(const LineBits& request)
{
    Line* const line = find(request.address() >> 6);
    if (line == nullptr) return;
    ++requests_;
    LineBits response = request;
    std::memset(response.data(), 0, 64);
    const auto op = static_cast<LineOp>(request.op());
    std::uint8_t* const place = line->wanted.data() + (request.address() & 63U);
    const unsigned size = request.size();
    if (op == LineOp::read) {
        std::memcpy(response.data(), place, size);
    } else if (op == LineOp::write) {
        std::memcpy(place, request.data(), size);
    } else {
        std::uint64_t word = 0;
        std::uint64_t operand = 0;
        std::uint64_t comparand = 0;
        std::memcpy(&word, place, size);
        std::memcpy(&operand, request.data(), size);
        std::memcpy(&comparand, request.data() + 8, size);
        const std::uint64_t result = result_of(static_cast<AtomicOp>(request.function()), word, operand, comparand);
        std::memcpy(place, &result, size);
        if (op == LineOp::fetch) std::memcpy(response.data(), &word, size);
    }
    response.set_rest(request.source(), request.op(), true, size, request.function(), request.flags(), request.tag(),
        request.failed());
    outstanding_[request.tag()] = {response, line->requests++};
}

void LlcScoreboard::responded(const LineBits& response)
{
    ++responses_;
    const auto found = outstanding_.find(response.tag());
    if (found == outstanding_.end()) {
        complain("an answer that nobody waits for, tag", response.tag());
        return;
    }
    const Expected& expected = found->second;
    if (std::memcmp(response.bytes, expected.response.bytes, header_bits / 8) != 0)
        complain("an answer with another header, tag", response.tag());
    if (!(response == expected.response)) complain("an answer with wrong data, tag", response.tag());
    Line* const line = find(expected.response.address() >> 6);
    if (line != nullptr && line->responses++ != expected.turn)
        complain("answers of a line out of order, tag", response.tag());
    outstanding_.erase(found);
}

const LlcScoreboard::Contents& LlcScoreboard::read(const LineBits& request)
{
    static const Contents nothing{};
    ++reads_;
    if (request.op() != 0 || request.size() != 64 || (request.address() & 63U) != 0)
        complain("memory was asked for no line", request.address());
    const Line* const line = find(request.address() >> 6);
    return line == nullptr ? nothing : line->memory;
}

void LlcScoreboard::written(const LineBits& request)
{
    ++writes_;
    if (request.op() != 1 || request.size() != 64 || (request.address() & 63U) != 0)
        complain("memory was given no line", request.address());
    Line* const line = find(request.address() >> 6);
    if (line != nullptr) std::memcpy(line->memory.data(), request.data(), 64);
}

void LlcScoreboard::counted(const LlcOut& out)
{
    hits_ += out.hit ? 1 : 0;
    misses_ += out.miss ? 1 : 0;
    merged_ += out.merged ? 1 : 0;
    write_backs_ += out.write_back ? 1 : 0;
}

void LlcScoreboard::finish()
{
    if (requests_ != responses_) complain("requests without an answer", requests_ - responses_);
    if (hits_ + misses_ + merged_ != requests_) complain("the counters lack requests", requests_);
    if (misses_ != reads_) complain("misses and reads of memory differ", reads_);
    if (write_backs_ != writes_) complain("write-backs and writes to memory differ", writes_);
    for (const auto& [number, line] : lines_)
        if (line.memory != line.wanted) complain("memory is wrong after the flush at line", number);
}

}  // namespace weft::test
