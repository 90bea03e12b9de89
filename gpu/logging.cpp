// What compute units tell an OperationLog.
#include <algorithm>

#include "gpu/compute_units.h"
#include "gpu/line_tag.h"

namespace weft {

void ComputeUnits::set_log(OperationLog& log)
{
    log_ = &log;
    open_.resize(groups_.size());
}

// Spent so far by wavefront zero, the present cause included; as set_cause() would account for it.
std::array<Time, stall_causes> ComputeUnits::spent_by(const Unit& unit, const Wavefront& wave) const
{
    std::array<Time, stall_causes> out = wave.spent;
    const Time now = event_queue().now();
    if (now < wave.cause_since) {
        out[static_cast<unsigned>(StallCause::none)] -= wave.cause_since - now;
        return out;
    }
    Time span = now - wave.cause_since;
    if (wave.cause == StallCause::issue) {
        const Time full_now = unit.full + (full(unit) ? now - unit.full_since : 0);
        const Time at_limit = std::min(span, full_now - wave.full_before);
        out[static_cast<unsigned>(StallCause::outstanding)] += at_limit;
        span -= at_limit;
    }
    out[static_cast<unsigned>(wave.cause)] += span;
    return out;
}

// Closes what the workgroup was at and begins `operation`; null: the end of its program.
void ComputeUnits::log_operation(std::uint32_t index, const Operation* operation)
{
    const Workgroup& group = groups_[index];
    log_end(index);
    const Wavefront& zero = units_[group.unit].waves[group.zero];
    OpenRecord& open = open_[index];
    open.record = OperationRecord{};
    open.record.work = group.log;
    open.record.begin = event_queue().now();
    open.record.operation =
        operation != nullptr ? zero.next - 1 : static_cast<std::uint32_t>(group.program->operations.size());
    const Operation* named =
        operation != nullptr || group.program->operations.empty() ? operation : &group.program->operations.back();
    if (named != nullptr) open.record.label = named->label_of(operation != nullptr ? group.repeat : named->more());
    if (operation != nullptr) {
        open.record.kind = operation->kind;
        open.record.address = operation->address_of(group.repeat);
        open.record.value = operation->value;
        if (operation->kind == Operation::Kind::wait && group.lanes > 1) {
            open.record.lanes = group.lanes;
            for (std::uint32_t i = 0; i < group.lanes; ++i) {
                const Word wait = word_at(group, zero, i);
                const std::uint32_t lane = log_->add_lane({wait.address, wait.value, wait.label});
                if (i == 0) open.record.first_lane = lane;
            }
        }
    }
    open.spent = spent_by(units_[group.unit], zero);
    open.open = true;
}

void ComputeUnits::log_end(std::uint32_t index)
{
    OpenRecord& open = open_[index];
    if (!open.open) return;
    const Workgroup& group = groups_[index];
    const std::array<Time, stall_causes> spent = spent_by(units_[group.unit], units_[group.unit].waves[group.zero]);
    for (unsigned cause = 0; cause < stall_causes; ++cause) open.record.spent[cause] = spent[cause] - open.spent[cause];
    open.record.end = event_queue().now();
    open.record.breakdown = open.signalled;
    const std::uint32_t number = log_->add(open.record);
    // Its line is on its way: it brings the rest.
    if (open.record.kind == Operation::Kind::signal && open.line != nullptr) open.line->breakdown().record = number;
    open = OpenRecord{};
}

void ComputeUnits::follow(const LineIssue& issue, std::uint32_t number, Time delay)
{
    Line& line = issue;
    const LineTag tag = LineTag::of(line.tag);
    if (tag.use == LineUse::fetch) return;
    const std::uint32_t index = units_[number].waves[tag.context].group;
    if (groups_[index].log == 0) return;
    issue.flag(LineHeader::traced_flag);
    line.breakdown().begin(event_queue().now() + delay);
    if (line.op == LineOp::atomic && (line.flags & LineHeader::control_flag) != 0) open_[index].line = &line;
}

// Packets that a wavefront had found missing are there.
void ComputeUnits::note_packets(const Line& line, std::uint32_t number, std::uint32_t context)
{
    const Wavefront& wave = units_[number].waves[context];
    if (const std::uint32_t log = groups_[wave.group].log; log != 0)
        log_->seen({line.address / line_bytes, log, wave.number, event_queue().now()});
}

void ComputeUnits::note_life(Line& line, std::uint32_t number)
{
    const LatencyBreakdown& breakdown = line.breakdown();
    const std::uint32_t index = units_[number].waves[LineTag::of(line.tag).context].group;
    if (breakdown.record > 0) {
        log_->answered(breakdown);
    } else if (open_[index].line == &line) {  // answered before its record ended
        open_[index].signalled = breakdown;
        open_[index].line = nullptr;
    }
    if (line.op == LineOp::write && (line.flags & LineHeader::packet_flag) != 0)
        log_->stored(
            {line.address / line_bytes, groups_[index].log, units_[number].waves[LineTag::of(line.tag).context].number,
                breakdown.start, breakdown.home, breakdown.out.queued + breakdown.out.wire, breakdown.out.credits});
    if ((line.flags & LineHeader::poll_flag) == 0) open_[index].record.lives.add(breakdown, event_queue().now());
}

}  // namespace weft
