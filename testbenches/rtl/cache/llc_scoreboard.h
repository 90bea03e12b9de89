// What a cache slice must keep to whatever its clocks: every request answered once, with the data that a plain memory
// would give, in order for a line; every read of memory answered; memory in the end as if there had been no cache.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "rtl/cache/llc_pins.h"

namespace weft::test {

class LlcScoreboard {
public:
    explicit LlcScoreboard(const std::vector<std::uint64_t>& lines);

    using Contents = std::array<std::uint8_t, 64>;

    void requested(const LineBits& request);
    void responded(const LineBits& response);
    // Of memory: what it answers; what it is told.
    const Contents& read(const LineBits& request);
    void written(const LineBits& request);
    // The counters of the block, each clock.
    void counted(const LlcOut& out);
    // All is answered and flushed.
    void finish();

    bool tag_is_free(std::uint32_t tag) const { return outstanding_.count(tag) == 0; }
    std::uint64_t outstanding() const { return requests_ - responses_; }
    std::uint64_t requests() const { return requests_; }
    std::uint64_t responses() const { return responses_; }
    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }
    std::uint64_t merged() const { return merged_; }
    std::uint64_t write_backs() const { return write_backs_; }
    // What was wrong first; empty: nothing.
    const std::string& complaint() const { return complaint_; }

private:
    struct Expected {
        LineBits response;
        std::uint64_t turn;  // among those of its line
    };
    struct Line {
        Contents wanted;
        Contents memory;
        std::uint64_t requests = 0;
        std::uint64_t responses = 0;
    };
    void complain(const std::string& what, std::uint64_t value);
    Line* find(std::uint64_t number);

    std::unordered_map<std::uint64_t, Line> lines_;
    std::unordered_map<std::uint32_t, Expected> outstanding_;  // by tag
    std::uint64_t requests_ = 0;
    std::uint64_t responses_ = 0;
    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t merged_ = 0;
    std::uint64_t write_backs_ = 0;
    std::string complaint_;
};

}  // namespace weft::test
