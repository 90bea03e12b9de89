#include "testbenches/rtl/reduction/reduction_scoreboard.h"

#include <cstring>

#include <fmt/format.h>

#include "testbenches/rtl/reduction/exact_arithmetic.h"

namespace weft::test {

std::uint64_t BenchGroup::mask() const
{
    std::uint64_t mask = 0;
    for (const std::uint8_t port : ports) mask |= std::uint64_t{1} << port;
    return mask;
}

ReductionScoreboard::ReductionScoreboard(const ReductionParameters& parameters, const std::vector<BenchGroup>& groups)
    : parameters_(parameters), groups_(groups), contexts_(parameters.contexts, -1)
{
}

void ReductionScoreboard::fail(const std::string& what)
{
    if (complaint_.empty()) complaint_ = what;
}

unsigned ReductionScoreboard::begin(unsigned op, unsigned group, std::uint64_t address, unsigned size, bool posted)
{
    BenchOperation& operation = operations_[started_];
    operation.op = op;
    operation.group = group;
    operation.address = address;
    operation.size = size;
    operation.number = started_;
    operation.posted = posted;
    const unsigned members = groups_[group].size();
    operation.contributed.assign(members, false);
    operation.operands.assign(members, LineBits{});
    return started_++;
}

void ReductionScoreboard::request(unsigned number, const BenchRequest& request)
{
    ++operations_.at(number).contributions;
    requests_[request.tag] = request;
    requests_[request.tag].operation = number;
}

void ReductionScoreboard::response(unsigned number, unsigned member, const LineBits& line)
{
    BenchOperation& operation = operations_.at(number);
    ++operation.responses;
    operation.failed |= line.failed();
    if (operation.op == op_load_reduce) operation.operands[member] = line;
}

std::vector<std::uint8_t> ReductionScoreboard::combined(const BenchOperation& operation) const
{
    const BenchGroup& group = groups_[operation.group];
    std::vector<std::uint8_t> sum(operation.operands[0].data(), operation.operands[0].data() + 64);
    for (unsigned m = 1; m < group.size(); ++m)
        exact_combine(static_cast<ElementType>(group.type), static_cast<ReduceOp>(group.op), sum.data(),
            operation.operands[m].data());
    return sum;
}

int ReductionScoreboard::line(const ReductionOut& out)
{
    if (out.line.response()) {
        check_answer(out);
        return -1;
    }
    const unsigned context = out.line.tag();
    if (context >= contexts_.size() || contexts_[context] >= 0) {
        fail(fmt::format("a copy of context {}, which there is not or which is in use", context));
        return -1;
    }
    // Operations with a copy still owed, at this place.
    for (auto& [number, operation] : operations_) {
        if (operation.sent || group_number + operation.group != out.line.destination() ||
            operation.address != out.line.address() || (operation.op == op_load_reduce) != (out.line.op() == op_read))
            continue;
        check_copy(operation, out);
        operation.sent = true;
        operation.context = static_cast<int>(context);
        if (operation.posted) {
            finish(operation);
        } else {
            contexts_[context] = static_cast<int>(number);
        }
        return static_cast<int>(number);
    }
    fail(fmt::format("a copy at {:#x} of group {:#x} that nobody asked for", out.line.address(),
        out.line.destination()));
    return -1;
}

void ReductionScoreboard::check_copy(const BenchOperation& operation, const ReductionOut& out)
{
    const BenchGroup& group = groups_[operation.group];
    const bool read = operation.op == op_load_reduce;
    LineBits expected;
    expected.clear();
    expected.set_place(static_cast<std::uint16_t>(group_number + operation.group), operation.address);
    expected.set_rest(static_cast<std::uint16_t>(group_number + operation.group), read ? op_read : op_write, false,
        operation.size, 0, operation.posted ? posted_flag : 0, out.line.tag(), false);
    if (operation.op == op_multicast) std::memcpy(expected.data(), operation.operands[0].data(), 64);
    if (operation.op == op_reduce) std::memcpy(expected.data(), combined(operation).data(), 64);
    if (operation.op == op_reduce && operation.contributions != group.size()) fail("a sum leaves before all are in");
    ReductionOut whole = out;
    whole.line = expected;
    whole.ports = group.mask();
    whole.vc = static_cast<std::uint8_t>(read ? parameters_.vc_read : parameters_.vc_write);
    if (whole != out) fail("copy: " + difference(whole, out));
    if (operation.op == op_reduce) return;
    // What one source sent in order leaves in order: multicasts, and reads, of a group.
    for (auto request = requests_.begin(); request != requests_.end(); ++request) {
        if (request->second.operation != operation.number) continue;
        const auto key = std::make_pair(request->second.source, operation.group << 4 | operation.op);
        const auto last = last_sent_.find(key);
        if (last != last_sent_.end() && last->second > operation.number) fail("copies leave out of order");
        last_sent_[key] = operation.number;
        if (operation.posted) requests_.erase(request);
        break;
    }
}

void ReductionScoreboard::check_answer(const ReductionOut& out)
{
    const auto found = requests_.find(out.line.tag());
    if (found == requests_.end()) {
        fail(fmt::format("an answer with tag {:#x} to nobody", out.line.tag()));
        return;
    }
    const BenchRequest request = found->second;
    BenchOperation& operation = operations_.at(request.operation);
    LineBits expected;
    expected.clear();
    expected.set_place(static_cast<std::uint16_t>(group_number + operation.group), operation.address);
    expected.set_rest(request.source, operation.op, true, operation.size, 0, request.flags, request.tag,
        operation.failed);
    if (operation.op == op_load_reduce) std::memcpy(expected.data(), combined(operation).data(), 64);
    if (operation.responses != groups_[operation.group].size()) fail("an answer before all members have responded");
    if (operation.posted) fail("a posted multicast is answered");
    ReductionOut whole = out;
    whole.line = expected;
    whole.ports = std::uint64_t{1} << request.port;
    whole.vc = static_cast<std::uint8_t>(parameters_.vc_response);
    if (whole != out) fail("answer: " + difference(whole, out));
    ++answers_;
    requests_.erase(found);
    if (++operation.answers < operation.contributions) return;
    contexts_[static_cast<unsigned>(operation.context)] = -1;
    finish(operation);
}

void ReductionScoreboard::forget(unsigned number) { operations_.erase(number); }

void ReductionScoreboard::finish(BenchOperation& operation)
{
    operation.done = true;
    ++finished_;
    just_finished_.push_back(operation.number);
}

std::string ReductionScoreboard::left() const
{
    unsigned open = 0;
    for (const auto& operation : operations_) open += operation.second.done ? 0 : 1;
    if (open == 0 && requests_.empty()) return "";
    return fmt::format("{} operations and {} requests are not finished", open, requests_.size());
}

}  // namespace weft::test
