// Selects the ready communication nodes of a trace that start next, in an order on which ranks agree.
//
// Every rank has a number of slots. A node of one rank only (a send, a memory node) takes a slot there. A collective
// takes a slot at each of its members, and starts at the same instant at all of them, when all are ready and all have
// a free slot. No rank holds a slot while it waits for others, so ranks cannot block each other, whatever the order in
// which their collectives become ready, as long as the nodes themselves do not depend on each other in a circle.
//
// Collectives that can start do so in this order, as long as slots are free:
//   lifo      the one that came last
//   priority  the highest priority; of equal ones the one that came first
// A collective counts as ready when its first member is. A running node is not interrupted, and slots are not kept free
// for a collective whose other members are still busy.
//
// The members of a collective are matched by group (communicator, members), kind and size: the k-th of one member with the k-th of
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
        std::uint64_t group = 0;  // number of the communicator: several may have the same members
        auto tie() const { return std::tie(type, bytes, priority, group); }
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
    // The nodes that start now, members of a collective in order. Takes their slots.
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
    using Number = std::uint64_t;              // by time of coming
    struct Family {                            // alike collectives of a group
        std::vector<std::uint64_t> came;       // by position: how many
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
