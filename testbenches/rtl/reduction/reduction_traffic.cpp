#include "testbenches/rtl/reduction/reduction_traffic.h"

#include <algorithm>
#include <cstring>

namespace weft::test {

TrafficShape TrafficShape::of(std::uint64_t seed)
{
    Dice dice(seed + 77);
    TrafficShape shape;
    shape.multicasts = dice.below(4);
    shape.posted = dice.below(3);
    shape.load_reduces = dice.below(5);
    shape.reduces = 1 + dice.below(5);
    static constexpr unsigned delays[] = {0, 5, 60, 400};
    shape.delay = delays[dice.below(4)];
    shape.response_credits = 1 + dice.below(8);
    static constexpr double ready[] = {1.0, 0.9, 0.5, 0.2};
    shape.ready = ready[dice.below(4)];
    shape.stall = dice.below(2) == 0 ? 0 : 0.003;
    return shape;
}

ReductionTraffic::ReductionTraffic(const ReductionParameters& parameters, std::uint64_t seed, const TrafficShape& shape)
    : parameters_(parameters), shape_(shape), dice_(seed), operands_(seed), groups_(parameters.groups),
      scoreboard_(parameters, groups_), stalls_(parameters.vcs, 0), group_credits_(parameters.slots),
      response_credits_(shape.response_credits)
{
}

void ReductionTraffic::drive(double load, ReductionIn& in)
{
    in.valid = false;
    in.cfg_valid = false;
    drive_ready(in);
    if (groups_set_ < groups_.size()) {
        set_group(groups_set_++, in);
    } else if (dice_.chance(shape_.settings)) {
        const unsigned group = dice_.below(static_cast<unsigned>(groups_.size()));
        if (groups_[group].in_use == 0) set_group(group, in);
    }
    if (!dice_.chance(load)) return;
    if (dice_.below(2) == 0) {
        if (!send_response(in) && !in.cfg_valid) send_request(in);
    } else if (in.cfg_valid || !send_request(in)) {
        send_response(in);
    }
}

void ReductionTraffic::set_group(unsigned group, ReductionIn& in)
{
    BenchGroup& changed = groups_[group];
    const unsigned most = std::min(parameters_.members, parameters_.ports);
    const unsigned count = dice_.below(2) == 0 ? most : 1 + dice_.below(most);
    changed.ports.clear();
    changed.endpoints.clear();
    std::vector<std::uint8_t> left;
    for (unsigned port = 0; port < parameters_.ports; ++port) left.push_back(static_cast<std::uint8_t>(port));
    for (unsigned i = 0; i < count; ++i) {
        const unsigned at = dice_.below(static_cast<unsigned>(left.size()));
        changed.ports.push_back(left[at]);
        changed.endpoints.push_back(endpoint_at(left[at]));
        left.erase(left.begin() + at);
    }
    changed.type = static_cast<std::uint8_t>(dice_.below(4));
    changed.op = static_cast<std::uint8_t>(dice_.below(3));
    in.cfg_valid = true;
    in.cfg_group = static_cast<std::uint16_t>(group);
    in.cfg_members = changed.ports;
    in.cfg_endpoints = changed.endpoints;
    in.cfg_type = changed.type;
    in.cfg_op = changed.op;
}

void ReductionTraffic::drive_ready(ReductionIn& in)
{
    in.out_ready = 0;
    for (unsigned vc = 0; vc < parameters_.vcs; ++vc) {
        if (stalls_[vc] > 0) {
            --stalls_[vc];
        } else if (dice_.chance(shape_.stall)) {
            stalls_[vc] = dice_.below(200);
        } else if (shape_.ready >= 1 || dice_.chance(shape_.ready)) {
            in.out_ready |= 1U << vc;
        }
    }
}

bool ReductionTraffic::send_response(ReductionIn& in)
{
    if (responses_.empty() || response_credits_ == 0) return false;
    for (unsigned tries = 0; tries < 4; ++tries) {
        const unsigned at = dice_.below(static_cast<unsigned>(responses_.size()));
        if (responses_[at].due > clock_) continue;
        const Response& response = responses_[at];
        in.valid = true;
        in.vc = static_cast<std::uint8_t>(parameters_.vc_response);
        in.port = response.port;
        in.line = response.line;
        scoreboard_.response(response.operation, response.member, response.line);
        responses_[at] = responses_.back();
        responses_.pop_back();
        --response_credits_;
        return true;
    }
    return false;
}

// With several contexts only contributions can be held up for good, by older rounds that lack some.
bool ReductionTraffic::may_be_blocked(unsigned op, unsigned number) const
{
    if (parameters_.contexts == 1) return number > scoreboard_.finished();
    if (op != op_reduce) return false;
    const auto older = std::count_if(rounds_.begin(), rounds_.end(), [&](unsigned round) { return round < number; });
    return static_cast<unsigned>(older) >= parameters_.contexts - 1;
}

// One slot is left to contributions that open contexts wait for.
bool ReductionTraffic::has_room(unsigned op, unsigned number) const
{
    if (group_credits_ == 0) return false;
    return !may_be_blocked(op, number) || blocked_lines_ + 1 < parameters_.slots;
}

void ReductionTraffic::count_blocked()
{
    blocked_lines_ = 0;
    for (const unsigned number : in_flight_) {
        const BenchOperation& operation = scoreboard_.operation(number);
        if (may_be_blocked(operation.op, number)) blocked_lines_ += operation.contributions;
    }
}

bool ReductionTraffic::send_request(ReductionIn& in)
{
    const unsigned all = shape_.multicasts + shape_.posted + shape_.load_reduces + shape_.reduces;
    if (winding_up_) return send_contribution(in);
    const unsigned draw = dice_.below(all);
    if (draw < shape_.multicasts) return begin_operation(op_multicast, false, in);
    if (draw < shape_.multicasts + shape_.posted) return begin_operation(op_multicast, true, in);
    if (draw < all - shape_.reduces) return begin_operation(op_load_reduce, false, in);
    if (dice_.below(4) != 0 && send_contribution(in)) return true;
    return begin_operation(op_reduce, false, in);
}

bool ReductionTraffic::send_contribution(ReductionIn& in)
{
    if (rounds_.empty()) return false;
    const unsigned at = dice_.below(static_cast<unsigned>(rounds_.size()));
    BenchOperation& round = scoreboard_.operation(rounds_[at]);
    if (!has_room(op_reduce, round.number)) return false;
    const BenchGroup& group = groups_[round.group];
    unsigned member = dice_.below(group.size());
    while (round.contributed[member]) member = (member + 1) % group.size();
    round.contributed[member] = true;
    put_request(round.number, group.endpoints[member], group.ports[member], in);
    operands_.line(static_cast<ElementType>(group.type), in.line.data());
    round.operands[member] = in.line;
    if (round.contributions == group.size()) rounds_.erase(rounds_.begin() + at);
    count_blocked();
    return true;
}

bool ReductionTraffic::in_flight(unsigned group, std::uint64_t address, bool read) const
{
    return std::any_of(in_flight_.begin(), in_flight_.end(), [&](unsigned number) {
        const BenchOperation& known = const_cast<ReductionScoreboard&>(scoreboard_).operation(number);
        return known.group == group && known.address == address && (known.op == op_load_reduce) == read;
    });
}

// Any, or that of another operation, or nearly so.
std::uint64_t ReductionTraffic::new_address()
{
    const unsigned kind = dice_.below(4);
    if (kind == 0) return last_address_;
    if (kind == 1) return last_address_ ^ std::uint64_t{1} << dice_.below(48);
    return last_address_ = dice_.bits() >> 16;
}

bool ReductionTraffic::begin_operation(unsigned op, bool posted, ReductionIn& in)
{
    if (!has_room(op, scoreboard_.started()) || in_flight_.size() > 2 * parameters_.contexts + 4) return false;
    const unsigned group = dice_.below(static_cast<unsigned>(groups_.size()));
    const std::uint64_t address = new_address();
    if (in_flight(group, address, op == op_load_reduce)) return false;
    BenchGroup& used = groups_[group];
    unsigned size = dice_.below(4) != 0 ? 64 : 1 + dice_.below(64);
    const unsigned element = op == op_multicast ? 1 : size_of(static_cast<ElementType>(used.type));
    size = (size + element - 1) / element * element;
    const unsigned number = scoreboard_.begin(op, group, address, size, posted);
    in_flight_.push_back(number);
    ++used.in_use;
    if (op == op_reduce) {
        rounds_.push_back(number);
        const unsigned member = dice_.below(used.size());
        BenchOperation& round = scoreboard_.operation(number);
        round.contributed[member] = true;
        put_request(number, used.endpoints[member], used.ports[member], in);
        operands_.line(static_cast<ElementType>(used.type), in.line.data());
        round.operands[member] = in.line;
        if (used.size() == 1) rounds_.pop_back();
        count_blocked();
        return true;
    }
    put_request(number, static_cast<std::uint16_t>(dice_.below(group_number)), dice_.below(parameters_.ports), in);
    operands_.line(ElementType::int32, in.line.data());
    scoreboard_.operation(number).operands[0] = in.line;
    count_blocked();
    return true;
}

void ReductionTraffic::put_request(unsigned number, std::uint16_t source, unsigned port, ReductionIn& in)
{
    const BenchOperation& operation = scoreboard_.operation(number);
    --group_credits_;
    BenchRequest request;
    request.source = source;
    request.port = static_cast<std::uint8_t>(port);
    request.flags = static_cast<std::uint8_t>((dice_.below(256) & ~posted_flag) | (operation.posted ? posted_flag : 0));
    request.tag = tags_++ * 0x9e3779U & 0xffffffU;
    in.valid = true;
    in.vc = static_cast<std::uint8_t>(parameters_.vc_group);
    in.port = request.port;
    in.line.set_place(static_cast<std::uint16_t>(group_number + operation.group), operation.address);
    in.line.set_rest(source, operation.op, false, operation.size, 0, request.flags, request.tag, false);
    scoreboard_.request(number, request);
}

void ReductionTraffic::observe(const ReductionOut& out)
{
    ++clock_;
    group_credits_ += out.credit >> parameters_.vc_group & 1U;
    response_credits_ += out.credit >> parameters_.vc_response & 1U;
    if (!out.valid) return;
    const int number = scoreboard_.line(out);
    if (number >= 0 && !scoreboard_.operation(static_cast<unsigned>(number)).posted) {
        const BenchOperation& operation = scoreboard_.operation(static_cast<unsigned>(number));
        const BenchGroup& group = groups_[operation.group];
        for (unsigned m = 0; m < group.size(); ++m) {
            Response response;
            response.line = out.line;
            response.line.set_place(group.endpoints[m], operation.address);
            response.line.set_rest(out.line.source(), out.line.op(), true, operation.size, 0, out.line.flags(),
                out.line.tag(), dice_.chance(shape_.failures));
            if (operation.op == op_load_reduce)
                operands_.line(static_cast<ElementType>(group.type), response.line.data());
            response.port = group.ports[m];
            response.due = clock_ + dice_.below(shape_.delay + 1);
            response.operation = static_cast<unsigned>(number);
            response.member = m;
            responses_.push_back(response);
        }
    }
    for (const unsigned done : scoreboard_.just_finished()) {
        --groups_[scoreboard_.operation(done).group].in_use;
        in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), done));
        scoreboard_.forget(done);
    }
    if (!scoreboard_.just_finished().empty()) count_blocked();
    scoreboard_.clear_finished();
}

}  // namespace weft::test
