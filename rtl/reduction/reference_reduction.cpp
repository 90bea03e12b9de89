#include "rtl/reduction/reference_reduction.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

// Operations as they are on the pins (weft_line_pkg.sv), and the flag of a write that nobody answers.
constexpr unsigned op_read = 0;
constexpr unsigned op_write = 1;
constexpr unsigned op_multicast = 6;
constexpr unsigned op_load_reduce = 7;
constexpr unsigned op_reduce = 8;
constexpr unsigned posted_flag = 8;
constexpr std::uint16_t first_group_number = 0xfc00;

unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

}  // namespace

ReferenceReduction::ReferenceReduction(const ReductionParameters& parameters) : parameters_(parameters)
{
    parameters.check();
    queue_channel_[reads] = 1U << parameters.vc_read;
    queue_channel_[casts] = queue_channel_[sums] = 1U << parameters.vc_write;
    queue_channel_[acknowledged] = queue_channel_[results] = 1U << parameters.vc_response;
    groups_.resize(parameters.groups);
    contexts_.resize(parameters.contexts);
    askers_.resize(parameters.contexts * parameters.members);
    operands_.resize(parameters.contexts * parameters.members);
    results_.resize(parameters.contexts);
    slots_.resize(parameters.slots);
    order_.reserve(parameters.slots);
    free_slots_.reserve(parameters.slots);
    for (Group& group : groups_) group.endpoints.reserve(parameters.members);
    reset();
}

void ReferenceReduction::reset()
{
    for (Group& group : groups_) group.endpoints.clear();
    order_.clear();
    free_slots_.clear();
    for (unsigned i = 0; i < parameters_.slots; ++i) free_slots_.push_back(static_cast<std::uint8_t>(i));
    joining_ = collecting_ = 0;
    free_ = ~std::uint64_t{0} >> (64 - parameters_.contexts);
    freed_ = 0;
    for (Context& context : contexts_) context.collecting = false;
    for (Ring& ring : queue_) ring.clear();
    adder_.clear();
    waiting_ = turn_ = answered_ = 0;
    credit_ = 0;
    idle_ = true;
}

unsigned ReferenceReduction::contexts_in_use() const
{
    return parameters_.contexts - static_cast<unsigned>(__builtin_popcountll(free_));
}

void ReferenceReduction::cycle(const ReductionIn& in, ReductionOut& out)
{
    out.credit = credit_;
    out.valid = false;
    out.idle = idle_ = credit_ == 0 && !in.valid && !in.cfg_valid && order_.empty() && contexts_in_use() == 0;
    if (idle_) return;
    credit_ = 0;
    if (waiting_ != 0) send(in.out_ready, out);
    if (in.valid && in.line.response()) {
        take_response(in);
    } else {
        take_request();
        if (in.valid) keep(in);
    }
    if (!adder_.empty() && adder_done_ == now_) combine();
    if (in.cfg_valid) configure(in);
    free_ |= freed_;
    freed_ = 0;
    ++now_;
}

void ReferenceReduction::send(std::uint32_t out_ready, ReductionOut& out)
{
    Queue queue = queues;
    for (unsigned i = 0; i < queues && queue == queues; ++i) {
        const unsigned candidate = (turn_ + i) % queues;
        if ((waiting_ >> candidate & 1U) != 0 && (queue_channel_[candidate] & out_ready) != 0)
            queue = static_cast<Queue>(candidate);
    }
    if (queue == queues) return;
    turn_ = (queue + 1U) % queues;
    const unsigned index = queue_[queue].front();
    const Context& context = contexts_[index];
    const Group& group = groups_[context.group];
    const bool answers = queue == acknowledged || queue == results;
    out.valid = true;
    out.vc = static_cast<std::uint8_t>(lowest(queue_channel_[queue]));
    describe(queue, index, out.line);
    out.ports = answers
        ? std::uint64_t{1} << askers_[index * parameters_.members + answered_ * (queue == acknowledged)].port
        : group.ports;
    if (queue == acknowledged && context.op == op_reduce && ++answered_ < group.endpoints.size()) return;
    if (queue == acknowledged) answered_ = 0;
    if (answers || (queue == casts && context.posted)) freed_ = std::uint64_t{1} << index;
    queue_[queue].pop();
    if (queue_[queue].empty()) waiting_ &= ~(1U << queue);
}

void ReferenceReduction::describe(Queue queue, unsigned index, LineBits& line) const
{
    const Context& context = contexts_[index];
    const auto group = static_cast<std::uint16_t>(first_group_number + context.group);
    line.set_place(group, context.place);
    if (queue == acknowledged || queue == results) {
        const Asker& asker = askers_[index * parameters_.members + (queue == acknowledged ? answered_ : 0)];
        line.set_rest(asker.source, context.op, true, context.size, 0, asker.flags, asker.tag, context.failed);
    } else {
        line.set_rest(group, queue == reads ? op_read : op_write, false, context.size, 0,
            context.posted ? posted_flag : 0, index, false);
    }
    if (queue == casts) {
        std::memcpy(line.data(), operand(index, 0), 64);
    } else if (queue == sums || queue == results) {
        std::memcpy(line.data(), results_[index].bytes, 64);
    } else {
        std::memset(line.data(), 0, 64);
    }
}

void ReferenceReduction::take_response(const ReductionIn& in)
{
    credit_ |= 1U << parameters_.vc_response;
    const unsigned index = in.line.tag() % parameters_.contexts;
    Context& context = contexts_[index];
    context.failed |= in.line.failed();
    if (context.op == op_load_reduce) {
        const Group& group = groups_[context.group];
        std::memcpy(operand(index, member_of(group, in.line.destination())), in.line.data(), 64);
    }
    if (--context.pending != 0) return;
    if (context.op == op_load_reduce) {
        complete(index);
    } else {
        queue_[acknowledged].push(index);
        waiting_ |= 1U << acknowledged;
    }
}

void ReferenceReduction::take_request()
{
    if (order_.empty() || (joining_ == 0 && free_ == 0)) return;
    std::size_t place = 0;
    if (joining_ != 0) {
        while (!slots_[order_[place]].joins) ++place;
    } else if (collecting_ + 1 >= parameters_.contexts && parameters_.contexts > 1) {
        while (place < order_.size() && slots_[order_[place]].line.op() == op_reduce) ++place;
        if (place == order_.size()) return;
    }
    const std::uint8_t number = order_[place];
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place));
    free_slots_.push_back(number);
    credit_ |= 1U << parameters_.vc_group;
    const Slot& slot = slots_[number];
    if (slot.joins) {
        --joining_;
        contribute(slot.context, slot, false);
        return;
    }
    const unsigned index = lowest(free_);
    free_ &= free_ - 1;
    Context& context = contexts_[index];
    context.place = slot.line.low();
    context.op = slot.line.op();
    context.group = static_cast<std::uint16_t>(slot.line.destination() - first_group_number) % parameters_.groups;
    context.size = static_cast<std::uint8_t>(slot.line.size());
    context.posted = context.op == op_multicast && (slot.line.flags() & posted_flag) != 0;
    context.failed = false;
    context.pending = static_cast<unsigned>(groups_[context.group].endpoints.size());
    if (context.op == op_reduce) {
        contribute(index, slot, true);
        return;
    }
    askers_[index * parameters_.members] = {slot.line.source(), static_cast<std::uint8_t>(slot.line.flags()), slot.port,
        slot.line.tag()};
    const Queue queue = context.op == op_multicast ? casts : reads;
    if (queue == casts) std::memcpy(operand(index, 0), slot.line.data(), 64);
    queue_[queue].push(index);
    waiting_ |= 1U << queue;
}

void ReferenceReduction::contribute(unsigned index, const Slot& slot, bool opens)
{
    Context& context = contexts_[index];
    const Group& group = groups_[context.group];
    const unsigned member = member_of(group, slot.line.source());
    askers_[index * parameters_.members + member] = {slot.line.source(), static_cast<std::uint8_t>(slot.line.flags()),
        slot.port, slot.line.tag()};
    std::memcpy(operand(index, member), slot.line.data(), 64);
    collecting_ -= opens ? 0 : 1;
    context.collecting = --context.pending != 0;
    collecting_ += context.collecting ? 1 : 0;
    if (!context.collecting) {
        context.pending = static_cast<unsigned>(group.endpoints.size());
        complete(index);
    } else if (opens) {
        for (const std::uint8_t number : order_) {
            Slot& other = slots_[number];
            if (other.line.op() != op_reduce || other.line.low() != context.place) continue;
            other.joins = true;
            other.context = static_cast<std::uint8_t>(index);
            ++joining_;
        }
    }
}

// All operands are there.
void ReferenceReduction::complete(unsigned index)
{
    if (adder_.empty()) adder_done_ = now_ + groups_[contexts_[index].group].endpoints.size();
    adder_.push(index);
}

// A request that arrives is given a slot.
void ReferenceReduction::keep(const ReductionIn& in)
{
    if (free_slots_.empty()) return;
    const std::uint8_t number = free_slots_.back();
    free_slots_.pop_back();
    order_.push_back(number);
    Slot& slot = slots_[number];
    slot.line = in.line;
    slot.port = in.port;
    slot.joins = false;
    if (in.line.op() != op_reduce) return;
    for (unsigned i = 0; i < parameters_.contexts; ++i) {
        if (!contexts_[i].collecting || contexts_[i].place != in.line.low()) continue;
        slot.joins = true;
        slot.context = static_cast<std::uint8_t>(i);
        ++joining_;
        return;
    }
}

void ReferenceReduction::combine()
{
    const unsigned index = adder_.front();
    adder_.pop();
    const Context& context = contexts_[index];
    const Group& group = groups_[context.group];
    std::uint8_t* const result = results_[index].bytes;
    std::memcpy(result, operand(index, 0), 64);
    for (unsigned m = 1; m < group.endpoints.size(); ++m)
        reduce_elements(group.type, group.op, result, operand(index, m), 64);
    const Queue queue = context.op == op_reduce ? sums : results;
    queue_[queue].push(index);
    waiting_ |= 1U << queue;
    if (!adder_.empty()) adder_done_ = now_ + groups_[contexts_[adder_.front()].group].endpoints.size();
}

void ReferenceReduction::configure(const ReductionIn& in)
{
    Group& group = groups_[in.cfg_group % parameters_.groups];
    group.endpoints.assign(in.cfg_endpoints.begin(), in.cfg_endpoints.end());
    group.ports = 0;
    for (const std::uint8_t port : in.cfg_members) group.ports |= std::uint64_t{1} << port;
    group.type = static_cast<ElementType>(in.cfg_type);
    group.op = static_cast<ReduceOp>(in.cfg_op);
}

unsigned ReferenceReduction::member_of(const Group& group, std::uint16_t endpoint) const
{
    const auto found = std::find(group.endpoints.begin(), group.endpoints.end(), endpoint);
    return found == group.endpoints.end() ? 0 : static_cast<unsigned>(found - group.endpoints.begin());
}

}  // namespace weft
