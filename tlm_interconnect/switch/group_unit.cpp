#include "tlm_interconnect/switch/group_unit.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

InputError group_table_full(const std::string& path, std::uint64_t limit)
{
    return InputError("", 0, fmt::format("{}: the table of {} groups is full", path, limit),
        "fewer groups, or a larger switch.multicast_groups");
}

GroupUnit::GroupUnit(GroupHost& host, std::string path, const SwitchSpec& spec, LinePool& pool)
    : host_(host), path_(std::move(path)), group_limit_(spec.multicast_groups), context_limit_(spec.group_contexts),
      timeout_(spec.reduce_timeout), pool_(pool), adder_(spec.reduce_rate), contexts_(spec.group_contexts),
      places_(spec.waiting_contributions)
{
    pool.hold_data();
    for (std::size_t i = contexts_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
    std::size_t buckets = 1;
    while (buckets < contexts_.size()) buckets *= 2;
    buckets_.assign(buckets, none);
}

void GroupUnit::add(const GroupTier& group)
{
    if (groups_.size() >= group_limit_) throw group_table_full(path_, group_limit_);
    if (group.id < first_group || (group.members.empty() && !group.leaf()))
        throw InputError("", 0, fmt::format("{}: group {:#x} of {} members", path_, group.id, group.members.size()),
            fmt::format("a group number of {:#x} or more, and at least one member", first_group));
    const auto place = static_cast<std::size_t>(group.id - first_group);
    if (group_at_.size() <= place) group_at_.resize(place + 1, none);
    if (group_at_[place] != none)
        throw InputError("", 0, fmt::format("{}: group {:#x} exists already", path_, group.id), "another group number");
    group_at_[place] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(group);
    widest_ = std::max(widest_, group.members.size());
    for (Context& context : contexts_)
        if (context.lines.size() < widest_) context.lines.resize(widest_, nullptr);
}

std::uint32_t GroupUnit::group_of(const Line& line) const
{
    const auto place = static_cast<std::size_t>(line.destination - first_group);
    return place < group_at_.size() ? group_at_[place] : none;
}

unsigned GroupUnit::member_of(const SwitchGroup& group, std::uint16_t endpoint) const
{
    const auto found = std::find(group.members.begin(), group.members.end(), endpoint);
    return static_cast<unsigned>(found - group.members.begin());
}

std::uint32_t& GroupUnit::bucket(std::uint64_t address)
{
    return buckets_[(address / line_bytes * 0x9e3779b97f4a7c15ULL >> 32U) & (buckets_.size() - 1)];
}

std::uint32_t GroupUnit::find(std::uint64_t address)
{
    std::uint32_t index = bucket(address);
    while (index != none && (contexts_[index].address != address || contexts_[index].stage != Stage::collects))
        index = contexts_[index].chain;
    return index;
}

GroupUnit::Share& GroupUnit::share_of(const Line& line, unsigned input)
{
    return shares_[groups_[group_of(line)].from_above(input) ? 1 : 0];
}

// The number of a context: those beyond group_contexts are made when they are first needed.
std::uint32_t GroupUnit::take_context(Share& share)
{
    ++share.taken;
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(contexts_.size()));
        contexts_.emplace_back().lines.resize(widest_, nullptr);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
}

void GroupUnit::on_request(Line& line, unsigned input, Time now)
{
    const std::uint32_t group = group_of(line);
    if (group == none) {
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: this switch does not know group {:#x}", path_, line.destination).c_str());
        return;
    }
    if (line.op != LineOp::multicast && line.size % size_of(groups_[group].type) != 0)
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: {} B are not a whole number of elements", path_, line.size).c_str());
    if (groups_[group].leaf() && groups_[group].from_above(input) == (line.op == LineOp::reduce)) {
        if (line.op == LineOp::reduce) {
            take_result(line, input);
        } else {
            host_.group_forward(line, input);
        }
        return;
    }
    if (line.op == LineOp::reduce && member_of(groups_[group], line.source) == groups_[group].members.size())
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: endpoint {} is not a member of the group", path_, line.source).c_str());
    line.scratch.contribution.placed = false;
    if (begin(line, input, now)) return;
    share_of(line, input).waiting.push_back({&line, input});
    if (line.op == LineOp::reduce && placed_ < places_) {  // then no other one waits for a place
        line.scratch.contribution.placed = true;
        host_.free_request_slot(line, input);
    }
    wait(line);
}

void GroupUnit::wait(Line& line)
{
    if (line.op != LineOp::reduce) return;
    ++contributions_waiting_;
    if (line.scratch.contribution.placed) ++placed_;
}

void GroupUnit::wait_no_more(const Line& line)
{
    if (line.op != LineOp::reduce) return;
    --contributions_waiting_;
    if (line.scratch.contribution.placed) --placed_;
}

// The oldest contributions without a place get those that are free.
void GroupUnit::fill_places()
{
    for (auto entry = from_members().waiting.begin(); placed_ < places_ && placed_ < contributions_waiting_; ++entry) {
        Line& line = *entry->line;
        if (line.op != LineOp::reduce || line.scratch.contribution.placed) continue;
        line.scratch.contribution.placed = true;
        ++placed_;
        host_.free_request_slot(line, entry->input);
    }
}

// `again`: it has waited. Of an operation that several contribute to only the one that opens its context counts as such.
bool GroupUnit::begin(Line& line, unsigned input, Time now, bool again)
{
    if (line.op == LineOp::reduce) {
        const std::uint32_t known = find(line.address);
        if (known != none) {
            contribute(known, line, input, now);
            return true;
        }
    }
    Share& share = share_of(line, input);
    if (share.taken == context_limit_) return false;
    const std::uint32_t index = take_context(share);
    ++operations_;
    peak_ = std::max(peak_, contexts_in_use());
    Context& context = contexts_[index];
    context.open = true;
    context.above = &share != &from_members();
    context.parked = false;
    context.stage = Stage::collects;
    context.op = line.op;
    context.group = static_cast<std::uint16_t>(group_of(line));
    context.address = line.address;
    context.size = line.size;
    context.posted = (line.flags & LineHeader::posted_flag) != 0;
    context.original = &line;
    context.since = now;
    context.input = input;
    context.pending = static_cast<unsigned>(groups_[context.group].members.size());
    if (line.op == LineOp::reduce) {
        std::uint32_t& head = bucket(line.address);
        context.chain = head;
        head = index;
        contribute(index, line, input, now);
        again = (contributions_waiting_ > 0 && take_waiting(index, now)) || again;
    } else {
        send_copies(index, line.op == LineOp::multicast ? LineOp::write : LineOp::read, line.data());
    }
    waited_ += again ? 1 : 0;
    return true;
}

// Contributions to the same address need no context of their own. Whether there were any.
bool GroupUnit::take_waiting(std::uint32_t index, Time now)
{
    std::deque<Waiting>& waiting = from_members().waiting;
    bool found = false;
    for (std::size_t i = 0; i < waiting.size();) {
        const Waiting entry = waiting[i];
        if (entry.line->op != LineOp::reduce || entry.line->address != contexts_[index].address) {
            ++i;
            continue;
        }
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        wait_no_more(*entry.line);
        contribute(index, *entry.line, entry.input, now);
        found = true;
    }
    fill_places();
    return found;
}

Time GroupUnit::add_operand(const Context& context, Time now)
{
    added_ += context.size;
    return adder_.book(now, context.size).end;
}

void GroupUnit::contribute(std::uint32_t index, Line& line, unsigned input, Time now)
{
    Context& context = contexts_[index];
    const unsigned member = member_of(groups_[context.group], line.source);
    if (context.lines[member] != nullptr)
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: endpoint {} contributes twice at {:#x}", path_, line.source, line.address).c_str());
    if (!line.scratch.contribution.placed) host_.free_request_slot(line, input);
    context.lines[member] = &line;
    const Time done = add_operand(context, now);
    if (--context.pending == 0) {
        context.original = &line;
        combine_later(line, done, index);
    }
}

void GroupUnit::combine_later(Line& line, Time due, std::uint32_t index)
{
    line.scratch.words[0] = index;  // until ready()
    host_.group_later(line, due, index & 0xfffU);
}

// A request of the unit itself, whose answer comes back to the context.
Line& GroupUnit::make_request(std::uint32_t index, LineOp op, std::uint64_t where, std::uint16_t source)
{
    const Context& context = contexts_[index];
    Line& made = pool_.take();
    made.begin(op, where, context.size).source(source).tag(index).flag(context.posted ? LineHeader::posted_flag : 0U);
    made.issued = context.original->issued;
    made.message_part = context.original->message_part;  // the switch repeats the packets that it has got
    made.vc = context.original->vc;
    made.path_hash = context.original->path_hash;  // what the choice of this switch has left of it
    made.push_hop(marker_port, 0);
    return made;
}

void GroupUnit::send_copies(std::uint32_t index, LineOp op, const std::uint8_t* data)
{
    Context& context = contexts_[index];
    const GroupTier& group = groups_[context.group];
    context.unsent = static_cast<unsigned>(group.members.size());
    for (std::size_t m = 0; m < group.members.size(); ++m) {
        const std::uint16_t member = group.members[m];
        Line& copy = group.spine()
            ? make_request(index, context.op, global_address(group.id, local_of(context.address)), group.id)
            : make_request(index, op, global_address(member, local_of(context.address)), group.id);
        if (op == LineOp::write) std::memcpy(copy.data(), data, context.size);
        ++copies_;
        if (group.spine()) {
            host_.group_request_down(copy, context.input, group.down[m]);
        } else {
            host_.group_request(copy, context.input);
        }
    }
}

void GroupUnit::on_copy_sent(Line& copy)
{
    Context& context = contexts_[copy.tag];
    if (--context.unsent > 0 || (context.op == LineOp::reduce && context.stage != Stage::writes)) return;
    host_.free_request_slot(*context.original, context.input);
    if (!context.posted) return;
    pool_.give(*context.original);
    close(copy.tag);
}

void GroupUnit::on_response(Line& line, unsigned input, Time now)
{
    const std::uint32_t index = line.tag;
    Context& context = contexts_[index];
    host_.free_response_slot(line, input);
    if (line.op == LineOp::reduce && is_leaf(context)) {
        pool_.give(line);
        close_push(index, input);
        return;
    }
    const bool last = --context.pending == 0;
    if (context.op == LineOp::load_reduce) {
        context.lines[operand_of(groups_[context.group], line, input)] = &line;
        const Time done = add_operand(context, now);
        if (last) combine_later(*context.original, done, index);
        return;
    }
    pool_.give(line);
    if (!last) return;
    if (context.stage == Stage::writes) {
        context.stage = Stage::written;
        context.pending = 1;
        answer(*context.original, input);
    } else if (context.op == LineOp::reduce) {
        close_push(index, input);
    } else {
        answer(*context.original, input);
        close(index);
    }
}

void GroupUnit::close_push(std::uint32_t index, unsigned input)
{
    for (Line*& contribution : contexts_[index].lines) {
        if (contribution != nullptr) answer(*contribution, input);
        contribution = nullptr;
    }
    close(index);
}

void GroupUnit::ready(Line& line)
{
    const auto index = static_cast<std::uint32_t>(line.scratch.words[0]);
    Context& context = contexts_[index];
    std::uint8_t result[line_bytes];
    combine(context, result);
    if (context.op == LineOp::reduce && is_leaf(context)) {
        raise(index, result);
        return;
    }
    if (context.op == LineOp::reduce) {
        unlink(index);  // a further contribution is to the next round
        context.pending = static_cast<unsigned>(groups_[context.group].members.size());
        send_copies(index, LineOp::write, result);
        return;
    }
    for (Line*& operand : context.lines) {
        if (operand != nullptr) pool_.give(*operand);
        operand = nullptr;
    }
    std::memcpy(context.original->data(), result, context.size);
    answer(*context.original, context.input);
    close(index);
}

void GroupUnit::retry(Line& line, unsigned input, Time now)
{
    if (!begin(line, input, now, true)) {
        share_of(line, input).waiting.push_front({&line, input});
        wait(line);
        fill_places();
    } else if (Share& share = share_of(line, input); share.taken < context_limit_) {
        retry_next(share);  // it joined others
    }
}

void GroupUnit::combine(const Context& context, std::uint8_t* into) const
{
    const SwitchGroup& group = groups_[context.group];
    std::memcpy(into, context.lines[0]->data(), context.size);
    for (std::size_t m = 1; m < group.members.size(); ++m)
        reduce_elements(group.type, group.op, into, context.lines[m]->data(), context.size);
}

void GroupUnit::answer(Line& line, unsigned input)
{
    line.set_response_status(tlm::TLM_OK_RESPONSE);
    host_.group_response(line, input);
}

void GroupUnit::unlink(std::uint32_t index)
{
    std::uint32_t* link = &bucket(contexts_[index].address);
    while (*link != index) link = &contexts_[*link].chain;
    *link = contexts_[index].chain;
}

void GroupUnit::close(std::uint32_t index)
{
    Context& context = contexts_[index];
    context.open = false;
    context.original = nullptr;
    free_.push_back(index);
    if (context.parked) {
        parked_ -= groups_[context.group].members.size();
        return;
    }
    Share& share = shares_[context.above ? 1 : 0];
    --share.taken;
    retry_next(share);
}

void GroupUnit::retry_next(Share& share)
{
    if (share.waiting.empty()) return;
    const Waiting next = share.waiting.front();
    share.waiting.pop_front();
    wait_no_more(*next.line);
    fill_places();
    host_.group_retry(*next.line, next.input);
}

}  // namespace weft
