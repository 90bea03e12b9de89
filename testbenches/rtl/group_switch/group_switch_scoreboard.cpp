#include "testbenches/rtl/group_switch/group_switch_scoreboard.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "testbenches/rtl/reduction/exact_arithmetic.h"

namespace weft::test {

namespace {

unsigned lowest_member(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

std::string first_byte(const LineBits& expected, const LineBits& got)
{
    unsigned byte = 0;
    while (byte < sizeof got.bytes && expected.bytes[byte] == got.bytes[byte]) ++byte;
    return byte == sizeof got.bytes
        ? ""
        : fmt::format("byte {}: expected {:#x}, got {:#x}", byte, expected.bytes[byte], got.bytes[byte]);
}

const char* name_of(unsigned op)
{
    return op == op_multicast ? "multicast" : op == op_load_reduce ? "load_reduce" : "reduce";
}

}  // namespace

GroupSwitchScoreboard::GroupSwitchScoreboard(const GroupSwitchParameters& parameters,
    const std::vector<BenchGroup>& groups)
    : parameters_(parameters), ports_(parameters.outside.ports), vcs_(parameters.outside.vcs), groups_(groups),
      expected_(std::size_t{2} * ports_ * ports_ * vcs_), fan_outs_(std::size_t{ports_} * vcs_),
      to_unit_(fan_outs_.size()), left_ordinary_(fan_outs_.size())
{
}

void GroupSwitchScoreboard::fail(const std::string& what)
{
    if (failure_.empty()) failure_ = fmt::format("clock {}: {}", clock_, what);
}

unsigned GroupSwitchScoreboard::begin(unsigned op, unsigned group, std::uint64_t address, unsigned size, bool posted,
    unsigned input)
{
    GroupOperation& operation = operations_[started_];
    operation.op = op;
    operation.group = group;
    operation.address = address;
    operation.size = size;
    operation.posted = posted;
    operation.first_input = input;
    operation.owed = groups_[group].mask();
    operation.contributed.assign(groups_[group].size(), false);
    operation.operands.assign(groups_[group].size(), LineBits{});
    return started_++;
}

void GroupSwitchScoreboard::request(unsigned number, const BenchRequest& request)
{
    ++operations_.at(number).requests;
    BenchRequest& kept = requests_[request.tag];
    kept = request;
    kept.operation = number;
    to_unit_[std::size_t{request.port} * vcs_ + parameters_.vc_group].push_back(static_cast<int>(number));
}

void GroupSwitchScoreboard::response(unsigned number, unsigned member, const LineBits& line)
{
    GroupOperation& operation = operations_.at(number);
    ++operation.responses;
    operation.failed |= line.failed();
    if (operation.op == op_load_reduce) operation.operands[member] = line;
    to_unit_[std::size_t{groups_[operation.group].ports[member]} * vcs_ + parameters_.vc_response].push_back(
        a_response);
}

void GroupSwitchScoreboard::clock(const SwitchIn& in, const SwitchOut& out)
{
    copies_.clear();
    std::fill(left_ordinary_.begin(), left_ordinary_.end(), 0);
    for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1) {
        const unsigned output = lowest_member(rest);
        const LineBits& line = out.data[output];
        if (take_ordinary(output, out.vc[output], line)) continue;
        if (line.response())
            take_answer(output, out.vc[output], line);
        else
            take_copy(output, out.vc[output], line);
    }
    for (std::uint64_t rest = out.credit_valid; rest != 0; rest &= rest - 1)
        take_credit(lowest_member(rest), out.credit_vc[lowest_member(rest)]);
    const auto withheld = std::find(left_ordinary_.begin(), left_ordinary_.end(), 1);
    if (withheld != left_ordinary_.end()) {
        const auto channel = static_cast<unsigned>(withheld - left_ordinary_.begin());
        fail(fmt::format("input {}, channel {}: a transaction leaves without its credit", channel / vcs_,
            channel % vcs_));
    }
    for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) {
        const unsigned input = lowest_member(rest);
        if ((in.ports[input] >> ports_ & 1U) != 0) continue;
        const unsigned vc = in.vc[input];
        const auto copies = static_cast<unsigned>(__builtin_popcountll(in.ports[input]));
        for (std::uint64_t outputs = in.ports[input]; outputs != 0; outputs &= outputs - 1)
            queue(input, vc, lowest_member(outputs), copies > 1).push_back(in.data[input]);
        if (copies > 1) fan_outs_[std::size_t{input} * vcs_ + vc].push_back(copies);
    }
    ++clock_;
}

bool GroupSwitchScoreboard::take_ordinary(unsigned output, unsigned vc, const LineBits& line)
{
    for (unsigned input = 0; input < ports_; ++input)
        for (const bool multicast : {false, true}) {
            std::deque<LineBits>& waiting = queue(input, vc, output, multicast);
            if (waiting.empty() || !(waiting.front() == line)) continue;
            waiting.pop_front();
            ++delivered_;
            const std::size_t channel = std::size_t{input} * vcs_ + vc;
            bool last = true;
            if (multicast) {
                std::deque<unsigned>& lacking = fan_outs_[channel];
                last = --lacking.front() == 0;
                if (last) lacking.pop_front();
            }
            if (last) left_ordinary_[channel] = 1;
            return true;
        }
    return false;
}

void GroupSwitchScoreboard::take_copy(unsigned output, unsigned vc, const LineBits& line)
{
    const unsigned group = line.source() - unsigned{group_number};
    for (auto& [number, operation] : operations_) {
        if (operation.group != group || operation.address != line.address() || (operation.owed >> output & 1U) == 0 ||
            (operation.op == op_load_reduce) != (line.op() == op_read))
            continue;
        check_copy(number, operation, output, vc, line);
        return;
    }
    fail(fmt::format("output {}, channel {}: a line that is none of the next", output, vc));
}

void GroupSwitchScoreboard::check_copy(unsigned number, GroupOperation& operation, unsigned output, unsigned vc,
    const LineBits& line)
{
    const BenchGroup& group = groups_[operation.group];
    const auto member =
        static_cast<unsigned>(std::find(group.ports.begin(), group.ports.end(), output) - group.ports.begin());
    const bool read = operation.op == op_load_reduce;
    const std::string what = fmt::format("output {}: copy of a {}", output, name_of(operation.op));
    if (operation.arrived < (operation.op == op_reduce ? group.size() : 1)) fail(what + " before its requests are in");
    if (operation.context < 0) operation.context = static_cast<int>(line.tag());
    if (operation.context != static_cast<int>(line.tag()) || line.tag() >= parameters_.contexts)
        fail(fmt::format("{} of context {}", what, line.tag()));
    if (vc != (read ? parameters_.vc_read : parameters_.vc_write)) fail(fmt::format("{} on channel {}", what, vc));
    LineBits expected;
    expected.clear();
    expected.set_place(group.endpoints[member], operation.address);
    expected.set_rest(static_cast<std::uint16_t>(group_number + operation.group), read ? op_read : op_write, false,
        operation.size, 0, operation.posted ? posted_flag : 0, line.tag(), false);
    if (operation.op == op_multicast) std::memcpy(expected.data(), operation.operands[0].data(), 64);
    if (operation.op == op_reduce) std::memcpy(expected.data(), result_of(operation), 64);
    if (!(expected == line)) fail(what + ", " + first_byte(expected, line));
    if (operation.op != op_reduce) {
        unsigned& last = last_copy_[{operation.first_input, operation.group, operation.op, output}];
        if (last > number + 1) fail(what + " out of order");
        last = number + 1;
    }
    operation.owed &= ~(std::uint64_t{1} << output);
    ++unit_copies_;
    if (!operation.posted) {
        copies_.push_back({number, member, line});
    } else if (operation.owed == 0) {
        for (auto request = requests_.begin(); request != requests_.end(); ++request)
            if (request->second.operation == number) {
                requests_.erase(request);
                break;
            }
        finished_.push_back(number);
    }
}

void GroupSwitchScoreboard::take_answer(unsigned output, unsigned vc, const LineBits& line)
{
    const auto found = requests_.find(line.tag());
    if (found == requests_.end()) {
        fail(fmt::format("output {}, channel {}: a response that is none of the next", output, vc));
        return;
    }
    const BenchRequest request = found->second;
    GroupOperation& operation = operations_.at(request.operation);
    const BenchGroup& group = groups_[operation.group];
    const std::string what = fmt::format("output {}: answer to a {}", output, name_of(operation.op));
    if (operation.responses != group.size()) {
        fail(what + " before all members have responded");
        return;
    }
    if (output != request.port || vc != parameters_.vc_response)
        fail(fmt::format("{} of input {} on channel {}", what, request.port, vc));
    LineBits expected;
    expected.clear();
    expected.set_place(static_cast<std::uint16_t>(group_number + operation.group), operation.address);
    expected.set_rest(request.source, operation.op, true, operation.size, 0, request.flags, request.tag,
        operation.failed);
    if (operation.op == op_load_reduce) std::memcpy(expected.data(), result_of(operation), 64);
    if (!(expected == line)) fail(what + ", " + first_byte(expected, line));
    requests_.erase(found);
    ++answers_;
    if (++operation.answers == (operation.op == op_reduce ? group.size() : 1)) finished_.push_back(request.operation);
}

// Of an ordinary line that has left in this clock, or else of the next that went to the unit.
void GroupSwitchScoreboard::take_credit(unsigned input, unsigned vc)
{
    const std::size_t channel = std::size_t{input} * vcs_ + vc;
    if (left_ordinary_[channel] != 0) {
        left_ordinary_[channel] = 0;
        return;
    }
    if (to_unit_[channel].empty()) {
        fail(fmt::format("input {}, channel {}: a credit for no line", input, vc));
        return;
    }
    const int number = to_unit_[channel].front();
    to_unit_[channel].pop_front();
    if (number == a_response) return;
    GroupOperation& operation = operations_.at(static_cast<unsigned>(number));
    if (operation.rank == 0) operation.rank = ++arrivals_;
    ++operation.arrived;
}

void GroupSwitchScoreboard::forget_finished()
{
    for (const unsigned number : finished_) operations_.erase(number);
    finished_.clear();
}

const std::uint8_t* GroupSwitchScoreboard::result_of(GroupOperation& operation) const
{
    if (!operation.result.empty()) return operation.result.data();
    const BenchGroup& group = groups_[operation.group];
    operation.result.assign(operation.operands[0].data(), operation.operands[0].data() + 64);
    for (unsigned m = 1; m < group.size(); ++m)
        exact_combine(static_cast<ElementType>(group.type), static_cast<ReduceOp>(group.op), operation.result.data(),
            operation.operands[m].data());
    return operation.result.data();
}

std::string GroupSwitchScoreboard::left() const
{
    for (std::size_t i = 0; i < expected_.size(); ++i)
        if (!expected_[i].empty())
            return fmt::format("{} lines of input {} never came out of output {}, channel {}", expected_[i].size(),
                i / 2 % ports_, i / 2 / ports_ / vcs_, i / 2 / ports_ % vcs_);
    for (std::size_t i = 0; i < to_unit_.size(); ++i)
        if (!to_unit_[i].empty())
            return fmt::format("{} lines of input {}, channel {}, never went to the unit", to_unit_[i].size(), i / vcs_,
                i % vcs_);
    if (operations_.empty()) return "";
    const GroupOperation& first = operations_.begin()->second;
    return fmt::format(
        "a {} of group {} is not finished: {} requests, {} at the unit, copies lack at {:#x}, {} responses, {} answers",
        name_of(first.op), first.group, first.requests, first.arrived, first.owed, first.responses, first.answers);
}

}  // namespace weft::test
