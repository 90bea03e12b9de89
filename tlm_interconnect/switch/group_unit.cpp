#include "tlm_interconnect/switch/group_unit.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

GroupUnit::GroupUnit(GroupHost& host, std::string path, const SwitchSpec& spec, LinePool& pool)
    : host_(host), path_(std::move(path)), group_limit_(spec.multicast_groups), timeout_(spec.reduce_timeout),
      pool_(pool), adder_(spec.reduce_rate), contexts_(spec.group_contexts), places_(spec.waiting_contributions)
{
    for (std::size_t i = contexts_.size(); i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
    std::size_t buckets = 1;
    while (buckets < contexts_.size()) buckets *= 2;
    buckets_.assign(buckets, none);
}

void GroupUnit::add(const SwitchGroup& group)
{
    if (groups_.size() >= group_limit_)
        throw InputError("", 0, fmt::format("{}: the table of {} groups is full", path_, group_limit_),
            "fewer groups, or a larger switch.multicast_groups");
    if (group.id < first_group || group.members.empty())
        throw InputError("", 0, fmt::format("{}: group {:#x} of {} members", path_, group.id, group.members.size()),
            fmt::format("a group number of {:#x} or more, and at least one member", first_group));
    const auto place = static_cast<std::size_t>(group.id - first_group);
    if (group_at_.size() <= place) group_at_.resize(place + 1, none);
    if (group_at_[place] != none)
        throw InputError("", 0, fmt::format("{}: group {:#x} exists already", path_, group.id), "another group number");
    group_at_[place] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(group);
    for (Context& context : contexts_)
        if (context.lines.size() < group.members.size()) context.lines.resize(group.members.size(), nullptr);
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
    while (index != none && contexts_[index].address != address) index = contexts_[index].chain;
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
    if (line.op == LineOp::reduce && member_of(groups_[group], line.source) == groups_[group].members.size())
        SC_REPORT_FATAL("/weft/group",
            fmt::format("{}: endpoint {} is not a member of the group", path_, line.source).c_str());
    line.scratch.contribution.placed = false;
    if (begin(line, input, now)) return;
    ++waited_;
    waiting_.push_back({&line, input});
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
    for (auto entry = waiting_.begin(); placed_ < places_ && placed_ < contributions_waiting_; ++entry) {
        Line& line = *entry->line;
        if (line.op != LineOp::reduce || line.scratch.contribution.placed) continue;
        line.scratch.contribution.placed = true;
        ++placed_;
        host_.free_request_slot(line, entry->input);
    }
}

bool GroupUnit::begin(Line& line, unsigned input, Time now)
{
    if (line.op == LineOp::reduce) {
        const std::uint32_t known = find(line.address);
        if (known != none) {
            contribute(known, line, input, now);
            return true;
        }
    }
    if (free_.empty()) return false;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    ++operations_;
    peak_ = std::max<std::uint64_t>(peak_, contexts_.size() - free_.size());
    Context& context = contexts_[index];
    context.open = true;
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
        if (contributions_waiting_ > 0) take_waiting(index, now);
    } else {
        send_copies(index, line.op == LineOp::multicast ? LineOp::write : LineOp::read, line.data());
    }
    return true;
}

// Contributions to the same address need no context of their own.
void GroupUnit::take_waiting(std::uint32_t index, Time now)
{
    for (std::size_t i = 0; i < waiting_.size();) {
        const Waiting entry = waiting_[i];
        if (entry.line->op != LineOp::reduce || entry.line->address != contexts_[index].address) {
            ++i;
            continue;
        }
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        wait_no_more(*entry.line);
        contribute(index, *entry.line, entry.input, now);
    }
    fill_places();
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
    const Time done = adder_.book(now, context.size).end;
    if (--context.pending == 0) {
        context.original = &line;
        host_.group_later(line, done, index);
    }
}

void GroupUnit::send_copies(std::uint32_t index, LineOp op, const std::uint8_t* data)
{
    Context& context = contexts_[index];
    const SwitchGroup& group = groups_[context.group];
    context.unsent = static_cast<unsigned>(group.members.size());
    for (const std::uint16_t member : group.members) {
        Line& copy = pool_.take();
        copy.begin(op, global_address(member, local_of(context.address)), context.size)
            .source(group.id)
            .tag(index)
            .flag(context.posted ? LineHeader::posted_flag : 0U);
        copy.issued = context.original->issued;
        copy.message_part = context.original->message_part;  // the switch repeats the packets that it has got
        copy.vc = context.original->vc;
        copy.path_hash = context.original->path_hash;  // what the choice of this switch has left of it
        if (op == LineOp::write) std::memcpy(copy.data(), data, context.size);
        copy.push_hop(marker_port, 0);
        ++copies_;
        host_.group_request(copy, context.input);
    }
}

void GroupUnit::on_copy_sent(Line& copy)
{
    Context& context = contexts_[copy.tag];
    if (--context.unsent > 0 || context.op == LineOp::reduce) return;
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
    const bool last = --context.pending == 0;
    if (context.op == LineOp::load_reduce) {
        context.lines[member_of(groups_[context.group], line.destination)] = &line;
        const Time done = adder_.book(now, context.size).end;
        if (last) host_.group_later(*context.original, done, index);
        return;
    }
    pool_.give(line);
    if (!last) return;
    if (context.op == LineOp::reduce) {
        for (Line*& contribution : context.lines) {
            if (contribution != nullptr) answer(*contribution, input);
            contribution = nullptr;
        }
    } else {
        answer(*context.original, input);
    }
    close(index);
}

void GroupUnit::ready(unsigned index)
{
    Context& context = contexts_[index];
    std::uint8_t result[line_bytes];
    combine(context, result);
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
    if (!begin(line, input, now)) {
        waiting_.push_front({&line, input});
        wait(line);
        fill_places();
    } else if (!free_.empty()) {
        retry_next();  // it joined others
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
    retry_next();
}

void GroupUnit::retry_next()
{
    if (waiting_.empty()) return;
    const Waiting next = waiting_.front();
    waiting_.pop_front();
    wait_no_more(*next.line);
    fill_places();
    host_.group_retry(*next.line, next.input);
}

std::string GroupUnit::missing(const Context& context) const
{
    const SwitchGroup& group = groups_[context.group];
    if (context.op == LineOp::multicast || context.unsent > 0)
        return fmt::format("{} copies to leave and {} acknowledgements", context.unsent, context.pending);
    std::string out;
    for (std::size_t m = 0; m < group.members.size(); ++m)
        if (context.lines[m] == nullptr) out += (out.empty() ? "endpoint " : ", ") + std::to_string(group.members[m]);
    return out;
}

std::vector<std::string> GroupUnit::blocked() const
{
    std::vector<std::string> out;
    for (const Context& context : contexts_)
        if (context.open && context.pending > 0)
            out.push_back(fmt::format("{} at {:#x} of group {:#x} waits for {}", name_of(context.op),
                local_of(context.address), groups_[context.group].id, missing(context)));
    if (!waiting_.empty())
        out.push_back(
            fmt::format("{} operations on groups wait for one of {} contexts", waiting_.size(), contexts_.size()));
    if (contributions_waiting_ > placed_)
        out.push_back(fmt::format(
            "{} of their contributions keep their input slots; all switch.waiting_contributions = {} places are in use",
            contributions_waiting_ - placed_, places_));
    return out;
}

bool GroupUnit::overdue(Time now) const
{
    if (timeout_ == 0) return false;
    return std::any_of(contexts_.begin(), contexts_.end(), [&](const Context& context) {
        return context.open && context.op == LineOp::reduce && context.pending > 0 && now - context.since > timeout_;
    });
}

void GroupUnit::add_statistics(std::vector<Statistic>& out) const
{
    StatisticWriter write(group_unit_statistics(), out);
    write("group_operations", operations_);
    write("group_copies", copies_);
    write("group_contexts_peak", peak_);
    write("group_waits", waited_);
    write("adder_busy", adder_.busy());
}

void GroupUnit::reset_statistics()
{
    operations_ = copies_ = waited_ = 0;
    peak_ = contexts_.size() - free_.size();
    adder_.reset_busy();
}

}  // namespace weft
