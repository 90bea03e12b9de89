// The text of a stall report over many ranks: a circular wait in one line, and ranks that wait alike in one line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft {

// "0-3 7", of ascending numbers.
std::string ranges_text(const std::vector<std::uint32_t>& ascending);

// The same of numbers in any order; of more than two at one distance "0-56 step 8".
std::string compact_ranks(const std::vector<std::uint32_t>& ranks);

// Which rank waits for which. A meeting is a collective that ranks wait in until all have reached it.
class WaitGraph {
public:
    explicit WaitGraph(std::uint32_t ranks) : ranks_(ranks), next_(ranks) {}

    void wait(std::uint32_t rank, std::uint32_t for_rank) { next_[rank].push_back(for_rank); }
    // A meeting that `here` wait in for `missing`.
    void meeting(const std::string& name, const std::vector<std::uint32_t>& here,
        const std::vector<std::uint32_t>& missing);

    // "circular wait: rank 0 waits for rank 1, which waits in NAME for rank 0"; of a long one the first ranks. Empty: there is
    // none. Cost: linear in the waits.
    std::string circle() const;

private:
    std::vector<std::uint32_t> find() const;

    std::uint32_t ranks_;
    std::vector<std::vector<std::uint32_t>> next_;  // by rank, then by meeting
    std::vector<std::string> meetings_;
};

// One line for each rank that waits. If more than `most_alone` ranks wait for the same rank, or each for the rank at one distance from
// its own, they share a line: "rank r: RECV waits for rank r+1, for r = 0-1023 (modulo 1024)".
class StallLines {
public:
    static constexpr std::size_t most_alone = 4;

    // `before` precedes the number of a rank in a line.
    explicit StallLines(std::uint32_t ranks, std::string before = "rank ") : ranks_(ranks), before_(std::move(before))
    {
    }

    // The line is `before`, the rank, `text`, the peer where there is one, and `end`. Equal lines of a rank are told once.
    void add(std::uint32_t rank, const std::string& text, std::optional<std::uint32_t> peer = {},
        const std::string& end = "");
    // At most `most` lines; the last then counts the others.
    std::vector<std::string> text(std::size_t most) const;

private:
    struct Line {
        std::uint32_t rank;
        std::string text;
        std::optional<std::uint32_t> peer;
        std::string end;
    };
    // Text, end, then the peer or its distance; 0: no peer, 1: the peer itself, 2: the distance.
    using Likeness = std::tuple<std::string, std::string, int, std::uint32_t>;

    Likeness likeness(const Line& line, bool by_distance) const;
    std::string one(const Line& line) const;
    std::string many(const Line& line, bool by_distance, const std::vector<std::uint32_t>& ranks) const;

    std::uint32_t ranks_;
    std::string before_;
    std::vector<Line> lines_;
};

}  // namespace weft
