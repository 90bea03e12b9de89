// What the unit owes: each line that it puts out is checked against the requests that went in and the operands that
// members gave. Independent of the reference model: fields, payload (exact_arithmetic.h), number of lines, order per
// source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rtl/reduction/reduction_pins.h"

namespace weft::test {

constexpr unsigned op_read = 0;
constexpr unsigned op_write = 1;
constexpr unsigned op_multicast = 6;
constexpr unsigned op_load_reduce = 7;
constexpr unsigned op_reduce = 8;
constexpr unsigned posted_flag = 8;
constexpr std::uint16_t group_number = 0xfc00;

// A group as the bench sets it.
struct BenchGroup {
    std::vector<std::uint8_t> ports;
    std::vector<std::uint16_t> endpoints;
    std::uint8_t type = 0;
    std::uint8_t op = 0;
    unsigned in_use = 0;  // operations in progress

    std::uint64_t mask() const;
    unsigned size() const { return static_cast<unsigned>(endpoints.size()); }
};

// One request to a group: the only one of a multicast or a load_reduce, one contribution of a reduce.
struct BenchRequest {
    std::uint16_t source = 0;
    std::uint8_t port = 0;
    std::uint8_t flags = 0;
    std::uint32_t tag = 0;
    unsigned operation = 0;  // number
};

struct BenchOperation {
    unsigned op = 0;
    unsigned group = 0;
    std::uint64_t address = 0;
    unsigned size = 0;
    unsigned number = 0;  // in order of first requests
    bool posted = false;
    bool failed = false;
    bool sent = false;           // the copy has left
    bool done = false;           // all answers are there
    int context = -1;            // tag of its copy
    unsigned contributions = 0;  // requests that went in
    unsigned responses = 0;      // responses that went in
    unsigned answers = 0;        // that came out
    std::vector<bool> contributed;
    std::vector<LineBits> operands;  // by member: contributions or responses; [0] of a multicast
};

class ReductionScoreboard {
public:
    ReductionScoreboard(const ReductionParameters& parameters, const std::vector<BenchGroup>& groups);

    unsigned begin(unsigned op, unsigned group, std::uint64_t address, unsigned size, bool posted);
    void request(unsigned number, const BenchRequest& request);
    BenchOperation& operation(unsigned number) { return operations_.at(number); }
    void response(unsigned number, unsigned member, const LineBits& line);

    // A line came out. Returns the number of the operation whose copy it is; -1: an answer, or nothing that is owed.
    int line(const ReductionOut& out);

    unsigned started() const { return started_; }
    unsigned finished() const { return finished_; }
    std::uint64_t answers() const { return answers_; }
    const std::vector<unsigned>& just_finished() const { return just_finished_; }
    void clear_finished() { just_finished_.clear(); }
    void forget(unsigned number);
    // First complaint; empty: none.
    const std::string& complaint() const { return complaint_; }
    // All that went in has come out.
    std::string left() const;

private:
    void fail(const std::string& what);
    void finish(BenchOperation& operation);
    void check_copy(const BenchOperation& operation, const ReductionOut& out);
    void check_answer(const ReductionOut& out);
    std::vector<std::uint8_t> combined(const BenchOperation& operation) const;

    ReductionParameters parameters_;
    const std::vector<BenchGroup>& groups_;
    std::map<unsigned, BenchOperation> operations_;   // in progress, by number
    std::map<std::uint32_t, BenchRequest> requests_;  // not answered, by tag
    std::vector<int> contexts_;                       // operation of each, -1: free
    // Order of what each source sent to each group: the number of its last operation whose copy left.
    std::map<std::pair<std::uint16_t, std::uint32_t>, unsigned> last_sent_;
    unsigned started_ = 0;
    unsigned finished_ = 0;
    std::uint64_t answers_ = 0;
    std::vector<unsigned> just_finished_;
    std::string complaint_;
};

}  // namespace weft::test
