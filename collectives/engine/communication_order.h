// Which of the communication nodes of a trace that are free start next, where ranks agree on it.
//
// Every rank has some places. A node of one rank only (a send, a memory node) takes one there; a collective
// takes one at each of its members, and starts when all of them have come to it and all have a place: at all
// at the same instant. Nobody holds a place while waiting for others, so no order in which ranks come to
// their collectives makes them wait crosswise, as long as the nodes themselves do not depend on each other in
// a circle.
//
// Of those that could start, in this order as many as find their places:
//   lifo      the one that came last
//   priority  the highest priority; of equal ones the one that came first
// A node has come when its first rank has. What has started is not interrupted, and places are not kept free
// for somebody whose other members are still busy.
//
// The members of a collective are matched by group, kind and size: the k-th of one member with the k-th of
// the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace weft {

class CommunicationOrder {
public:
    enum class Rule : std::uint8_t { lifo, priority };
    using Members = std::vector<std::uint32_t>;
    struct Kind {  // of alike collectives
        std::uint64_t type = 0;
        std::uint64_t bytes = 0;
        std::int64_t priority = 0;
        auto tie() const { return std::tie(type, bytes, priority); }
        bool operator<(const Kind& other) const { return tie() < other.tie(); }
    };
    struct Start {
        std::uint32_t rank;
        std::uint64_t node;
    };

    CommunicationOrder(Rule rule, std::uint32_t ranks, std::uint64_t places);

    // A node of `rank` alone is free.
    void add(std::uint32_t rank, std::uint64_t node);
    // A collective of `members`, of which `rank` is one, is free there.
    void add(std::uint32_t rank, std::uint64_t node, const Members& members, const Kind& kind);
    // A node that was started has ended at `rank`.
    void release(std::uint32_t rank);
    // What starts now, members of a collective in order. Takes the places.
    std::vector<Start> start();

    // Collectives that some members have come to: kind, and who has not come (first) and who has.
    struct Incomplete {
        Kind kind;
        Members missing;
        Members here;
    };
    std::vector<Incomplete> incomplete() const;

private:
    struct Candidate {
        Members members;
        Kind kind;
        std::vector<std::optional<std::uint64_t>> nodes;  // by position
        std::uint32_t here = 0;
    };
    using Number = std::uint64_t;  // by time of coming
    struct Family {                // alike collectives of a group
        std::vector<std::uint64_t> came;     // by position: how many
        std::map<std::uint64_t, Number> open;  // by number of the instance: those not yet complete
    };
    using Turn = std::pair<std::int64_t, std::int64_t>;  // lower starts first

    void complete(Number number);

    Rule rule_;
    std::vector<std::uint64_t> free_;  // places by rank
    Number next_ = 0;
    std::map<Number, Candidate> candidates_;
    std::map<std::pair<Members, Kind>, Family> families_;
    std::map<Turn, Number> ready_;
};

}  // namespace weft
