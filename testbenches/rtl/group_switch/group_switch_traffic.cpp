#include "testbenches/rtl/group_switch/group_switch_traffic.h"

#include <algorithm>
#include <cstring>

namespace weft::test {

namespace {

unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

}  // namespace

GroupTrafficShape GroupTrafficShape::of(std::uint64_t seed)
{
    Dice dice(seed + 177);
    GroupTrafficShape shape;
    shape.ordinary = dice.below(12);
    shape.multicasts = dice.below(4);
    shape.posted = 1 + dice.below(4);
    shape.load_reduces = dice.below(5);
    shape.reduces = 1 + dice.below(5);
    static constexpr unsigned delays[] = {0, 5, 60, 400};
    shape.delay = delays[dice.below(4)];
    return shape;
}

GroupSwitchTraffic::GroupSwitchTraffic(const GroupSwitchParameters& parameters, std::uint64_t seed,
    const GroupTrafficShape& shape)
    : parameters_(parameters), ports_(parameters.outside.ports), vcs_(parameters.outside.vcs), shape_(shape),
      dice_(seed), operands_(seed), groups_(parameters.groups), scoreboard_(parameters, groups_),
      in_(parameters.outside),
      credits_(std::size_t{ports_} * vcs_, static_cast<std::uint16_t>(parameters.outside.depth)),
      owed_(credits_.size()), outputs_of_(vcs_), responses_(ports_)
{
    for (unsigned output = 0; output < ports_; ++output)
        for (unsigned vc = 0; vc < vcs_; ++vc)
            if (parameters.outside.credits_of(output, vc) > 0) outputs_of_[vc] |= std::uint64_t{1} << output;
}

// Bits that are set with a probability of 0, 1/4, 1/2, 3/4, 1.
std::uint64_t GroupSwitchTraffic::thinned(unsigned level)
{
    switch (level) {
    case 0: return 0;
    case 1: return dice_.bits() & dice_.bits();
    case 2: return dice_.bits();
    case 3: return dice_.bits() | dice_.bits();
    default: return ~std::uint64_t{0};
    }
}

void GroupSwitchTraffic::change()
{
    left_ = 50 + dice_.below(400);
    pattern_ = dice_.below(3);
    hot_ = dice_.below(ports_);
    static constexpr unsigned shares[] = {0, 1, 4, 16};
    multicast_ = shares[dice_.below(4)];
    if (shape_.steady) return;
    static constexpr unsigned levels[] = {4, 4, 3, 2, 1, 4, 4, 0};
    ready_level_ = levels[dice_.below(8)];
    credit_level_ = levels[dice_.below(8)];
    if (ready_level_ == 0 || credit_level_ == 0) left_ = 20 + dice_.below(60);
    silent_ = dice_.below(10) == 0;
}

const SwitchIn& GroupSwitchTraffic::next()
{
    if (left_-- == 0) change();
    set_groups();
    drive_outputs();
    in_.valid = 0;
    for (unsigned input = 0; input < ports_; ++input)
        if (dice_.chance(load_)) send(input);
    return in_;
}

void GroupSwitchTraffic::drive_outputs()
{
    in_.ready = thinned(ready_level_) & ((std::uint64_t{1} << ports_) - 1);
    for (unsigned output = 0; output < ports_; ++output) {
        in_.credit[output] = 0;
        const std::uint64_t back = thinned(credit_level_);
        for (unsigned vc = 0; vc < vcs_; ++vc)
            if ((back >> vc & 1U) != 0 && owed_[output * vcs_ + vc] > 0) {
                --owed_[output * vcs_ + vc];
                in_.credit[output] = static_cast<std::uint16_t>(in_.credit[output] | 1U << vc);
            }
    }
}

// All of them first, one a clock; then now and then one that is not in use.
void GroupSwitchTraffic::set_groups()
{
    settings_.clear();
    if (groups_set_ < groups_.size()) {
        set_group(groups_set_);
    } else if (!winding_up_ && dice_.chance(shape_.settings)) {
        const unsigned group = dice_.below(static_cast<unsigned>(groups_.size()));
        if (groups_[group].in_use == 0) set_group(group);
    }
}

void GroupSwitchTraffic::set_group(unsigned group)
{
    BenchGroup& changed = groups_[group];
    const unsigned count = dice_.below(2) == 0 ? ports_ : 1 + dice_.below(ports_);
    changed.ports.clear();
    changed.endpoints.clear();
    std::vector<std::uint8_t> left;
    for (unsigned port = 0; port < ports_; ++port) left.push_back(static_cast<std::uint8_t>(port));
    for (unsigned i = 0; i < count; ++i) {
        const unsigned at = dice_.below(static_cast<unsigned>(left.size()));
        changed.ports.push_back(left[at]);
        // The endpoint of a member need not be that of another group behind the same port.
        changed.endpoints.push_back(static_cast<std::uint16_t>(endpoint_at(left[at]) + group));
        left.erase(left.begin() + at);
    }
    changed.type = static_cast<std::uint8_t>(dice_.below(4));
    changed.op = static_cast<std::uint8_t>(dice_.below(3));
    ++groups_set_;
    settings_.push_back(
        {static_cast<std::uint16_t>(group), changed.type, changed.op, changed.ports, changed.endpoints});
}

void GroupSwitchTraffic::send(unsigned input)
{
    if (groups_set_ < groups_.size()) return;
    if (dice_.below(4) != 0 && send_response(input)) return;
    if (winding_up_ || silent_) {
        if (!send_contribution(input)) send_response(input);
        return;
    }
    unsigned draw =
        dice_.below(shape_.ordinary + shape_.multicasts + shape_.posted + shape_.load_reduces + shape_.reduces);
    const auto drawn = [&draw](unsigned weight) {
        if (draw < weight) return true;
        draw -= weight;
        return false;
    };
    if (drawn(shape_.ordinary)) {
        send_ordinary(input);
    } else if (drawn(shape_.multicasts)) {
        begin_operation(input, op_multicast, false);
    } else if (drawn(shape_.posted)) {
        begin_operation(input, op_multicast, true);
    } else if (drawn(shape_.load_reduces)) {
        begin_operation(input, op_load_reduce, false);
    } else if (dice_.below(4) == 0 || !send_contribution(input)) {
        begin_operation(input, op_reduce, false);
    }
}

void GroupSwitchTraffic::put(unsigned input, unsigned vc, std::uint64_t ports)
{
    --credits_[input * vcs_ + vc];
    ++sent_;
    in_.valid |= std::uint64_t{1} << input;
    in_.vc[input] = static_cast<std::uint8_t>(vc);
    in_.ports[input] = ports;
}

// Random bits, but not those of a copy that the unit makes.
bool GroupSwitchTraffic::send_ordinary(unsigned input)
{
    const unsigned vc = dice_.below(vcs_);
    if (!has_credit(input, vc)) {
        ++without_credit_;
        return false;
    }
    const std::uint64_t ports = choose_ports(input, vc);
    if (ports == 0) return false;
    LineBits& line = in_.data[input];
    std::uint64_t word = dice_.bits();
    for (unsigned i = 0; i < sizeof line.bytes; i += 8, word = word * 0xd1342543de82ef95U + 1)
        std::memcpy(line.bytes + i, &word, 8);
    const std::uint64_t corner = dice_.bits() >> 32;
    if ((corner & 7U) == 0) line.bytes[7] |= 0xfc;       // of the destination
    if ((corner >> 3 & 7U) == 0) line.bytes[9] |= 0xfc;  // of the source
    if (!line.response() && line.source() >= group_number && line.destination() >= group_number) line.bytes[7] &= 0x7f;
    put(input, vc, ports);
    multicasts_ += (ports & (ports - 1)) != 0;
    return true;
}

std::uint64_t GroupSwitchTraffic::choose_ports(unsigned input, unsigned vc)
{
    const std::uint64_t there = outputs_of_[vc];
    if (multicast_ > 0 && dice_.below(16) < multicast_) {
        const std::uint64_t some = dice_.below(4) == 0 ? ~std::uint64_t{0} : dice_.bits();
        if ((some & there) != 0) return some & there;
    }
    const unsigned output = pattern_ == 0 ? dice_.below(ports_) : pattern_ == 1 ? hot_ : (input + hot_) % ports_;
    return there & std::uint64_t{1} << output;
}

bool GroupSwitchTraffic::send_response(unsigned input)
{
    std::vector<Response>& waiting = responses_[input];
    if (waiting.empty() || !has_credit(input, parameters_.vc_response)) return false;
    const unsigned at = dice_.below(static_cast<unsigned>(waiting.size()));
    if (waiting[at].due > clock_) return false;
    const Response response = waiting[at];
    waiting[at] = waiting.back();
    waiting.pop_back();
    in_.data[input] = response.line;
    put(input, parameters_.vc_response, std::uint64_t{1} << ports_);
    scoreboard_.response(response.operation, response.member, response.line);
    return true;
}

// Whether its requests get a context, whatever waits beside them.
bool GroupSwitchTraffic::certain(const GroupOperation& operation) const
{
    const bool all = parameters_.contexts == 1;
    if (!all && operation.op != op_reduce) return true;
    if (operation.rank == 0) return false;
    unsigned before = 0;
    for (const auto& [number, other] : scoreboard_.operations()) {
        const bool holds = all || (other.op == op_reduce && other.arrived < groups_[other.group].size());
        before += holds && other.rank != 0 && other.rank < operation.rank;
    }
    return before < std::max(parameters_.contexts - 1, 1U);
}

// A slot is left to the contributions that open contexts wait for. Where an input has but one queue, every request must
// find a slot, for what waits behind it.
bool GroupSwitchTraffic::has_room(unsigned op, unsigned members, const GroupOperation* operation) const
{
    if (parameters_.outside.one_queue) {
        if (operation != nullptr) return true;
        unsigned lines = op == op_reduce ? members : 1;
        for (const auto& [number, other] : scoreboard_.operations())
            lines += other.op == op_reduce ? groups_[other.group].size() : 1;
        if (lines > parameters_.slots) return false;
    }
    if (parameters_.contexts > 1 && op != op_reduce) return true;
    if (operation != nullptr && certain(*operation)) return true;
    unsigned lines = 1;
    for (const auto& [number, other] : scoreboard_.operations())
        if (!certain(other)) lines += other.requests;
    return lines < parameters_.slots;
}

bool GroupSwitchTraffic::send_contribution(unsigned input)
{
    const auto& operations = scoreboard_.operations();
    if (operations.empty() || !has_credit(input, parameters_.vc_group)) return false;
    // From any of them on.
    auto found = operations.lower_bound(
        operations.begin()->first + dice_.below(scoreboard_.started() - operations.begin()->first));
    for (std::size_t tries = 0; tries < operations.size(); ++tries, ++found) {
        if (found == operations.end()) found = operations.begin();
        const BenchGroup& group = groups_[found->second.group];
        if (found->second.op != op_reduce || found->second.requests == group.size()) continue;
        const auto port = std::find(group.ports.begin(), group.ports.end(), input);
        if (port == group.ports.end()) continue;
        const auto member = static_cast<unsigned>(port - group.ports.begin());
        if (found->second.contributed[member] || !has_room(op_reduce, group.size(), &found->second)) continue;
        GroupOperation& round = scoreboard_.operation(found->first);
        round.contributed[member] = true;
        operands_.line(static_cast<ElementType>(group.type), in_.data[input].data());
        put_request(input, found->first, group.endpoints[member]);
        round.operands[member] = in_.data[input];
        return true;
    }
    return false;
}

bool GroupSwitchTraffic::in_flight(unsigned group, std::uint64_t address, bool read) const
{
    for (const auto& [number, known] : scoreboard_.operations())
        if (known.group == group && known.address == address && (known.op == op_load_reduce) == read) return true;
    return false;
}

// Any, or that of another operation, or nearly so.
std::uint64_t GroupSwitchTraffic::new_address()
{
    const unsigned kind = dice_.below(4);
    if (kind == 0) return last_address_;
    if (kind == 1) return last_address_ ^ std::uint64_t{1} << dice_.below(48);
    return last_address_ = dice_.bits() >> 16;
}

bool GroupSwitchTraffic::begin_operation(unsigned input, unsigned op, bool posted)
{
    if (!has_credit(input, parameters_.vc_group)) {
        ++without_credit_;
        return false;
    }
    if (scoreboard_.operations().size() > 2 * parameters_.contexts + 4) return false;
    const unsigned number_of_group = dice_.below(static_cast<unsigned>(groups_.size()));
    BenchGroup& group = groups_[number_of_group];
    const auto port = std::find(group.ports.begin(), group.ports.end(), input);
    if (op == op_reduce && port == group.ports.end()) return false;
    if (!has_room(op, group.size(), nullptr)) return false;
    const std::uint64_t address = new_address();
    if (in_flight(number_of_group, address, op == op_load_reduce)) return false;
    unsigned size = dice_.below(4) != 0 ? 64 : 1 + dice_.below(64);
    const unsigned element = op == op_multicast ? 1 : size_of(static_cast<ElementType>(group.type));
    size = (size + element - 1) / element * element;
    const unsigned number = scoreboard_.begin(op, number_of_group, address, size, posted, input);
    ++group.in_use;
    const auto member = static_cast<unsigned>(op == op_reduce ? port - group.ports.begin() : 0);
    operands_.line(op == op_reduce ? static_cast<ElementType>(group.type) : ElementType::int32, in_.data[input].data());
    put_request(input, number,
        op == op_reduce ? group.endpoints[member] : static_cast<std::uint16_t>(dice_.below(group_number)));
    GroupOperation& operation = scoreboard_.operation(number);
    operation.contributed[member] = true;
    operation.operands[member] = in_.data[input];
    return true;
}

void GroupSwitchTraffic::put_request(unsigned input, unsigned number, std::uint16_t source)
{
    const GroupOperation& operation = scoreboard_.operation(number);
    BenchRequest request;
    request.source = source;
    request.port = static_cast<std::uint8_t>(input);
    request.flags = static_cast<std::uint8_t>((dice_.below(256) & ~posted_flag) | (operation.posted ? posted_flag : 0));
    request.tag = tags_++ * 0x9e3779U & 0xffffffU;
    LineBits& line = in_.data[input];
    line.set_place(static_cast<std::uint16_t>(group_number + operation.group), operation.address);
    line.set_rest(source, operation.op, false, operation.size, 0, request.flags, request.tag, false);
    put(input, parameters_.vc_group, std::uint64_t{1} << ports_);
    scoreboard_.request(number, request);
}

void GroupSwitchTraffic::observe(const SwitchOut& out)
{
    for (std::uint64_t rest = out.credit_valid; rest != 0; rest &= rest - 1)
        ++credits_[lowest(rest) * vcs_ + out.credit_vc[lowest(rest)]];
    for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1)
        ++owed_[lowest(rest) * vcs_ + out.vc[lowest(rest)]];
    scoreboard_.clock(in_, out);
    ++clock_;
    for (const GroupSwitchScoreboard::Copy& copy : scoreboard_.copies()) {
        const GroupOperation& operation = scoreboard_.operation(copy.operation);
        const BenchGroup& group = groups_[operation.group];
        Response response{clock_ + dice_.below(shape_.delay + 1), copy.operation, copy.member, copy.line};
        LineBits& line = response.line;
        line.set_rest(line.source(), line.op(), true, operation.size, 0, line.flags(), line.tag(),
            dice_.chance(shape_.failures));
        if (operation.op == op_load_reduce) operands_.line(static_cast<ElementType>(group.type), line.data());
        responses_[group.ports[copy.member]].push_back(response);
    }
    for (const unsigned number : scoreboard_.finished()) --groups_[scoreboard_.operation(number).group].in_use;
    scoreboard_.forget_finished();
}

}  // namespace weft::test
