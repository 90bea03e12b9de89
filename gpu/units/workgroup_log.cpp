#include "gpu/units/workgroup_log.h"

#include <algorithm>

#include "gpu/network/line_tag.h"

namespace weft {

StallTimes WorkgroupLog::spent(const Workgroup& group, Time now)
{
    return group.zero->stall.spent(group.unit->in_flight(), now);
}

void WorkgroupLog::begin(const Workgroup& group, const Operation* operation)
{
    end(group);
    const std::vector<Operation>& operations = group.program->operations;
    OpenRecord& open = open_[group.index];
    open.record = OperationRecord{};
    open.record.work = group.log;
    open.record.begin = event_queue_.now();
    open.record.operation = operation != nullptr ? group.zero->next - 1 : static_cast<std::uint32_t>(operations.size());
    const Operation* named = operation != nullptr || operations.empty() ? operation : &operations.back();
    if (named != nullptr)
        open.record.label = named->label_of(operation != nullptr ? group.zero->repeat : named->more());
    if (operation != nullptr) {
        open.record.kind = operation->kind;
        open.record.address = operation->address_of(group.zero->repeat);
        open.record.value = operation->value;
        const std::uint32_t flags = group.wait.flags();
        if (operation->kind == Operation::Kind::wait && flags > 1) {
            open.record.lanes = flags;
            for (std::uint32_t i = 0; i < flags; ++i) {
                const Wavefront::Word wait = group.zero->word(i);
                const std::uint32_t number = log_->add_lane({wait.address, wait.value, wait.label});
                if (i == 0) open.record.first_lane = number;
            }
        }
    }
    open.spent = spent(group, event_queue_.now());
    open.open = true;
}

void WorkgroupLog::end(const Workgroup& group) { close(group, event_queue_.now()); }

void WorkgroupLog::cut_off(const Workgroup& group, Time now)
{
    open_[group.index].record.unfinished = true;
    close(group, now);
}

void WorkgroupLog::close(const Workgroup& group, Time now)
{
    OpenRecord& open = open_[group.index];
    if (!open.open) return;
    const StallTimes times = spent(group, now);
    for (unsigned cause = 0; cause < stall_causes; ++cause) open.record.spent[cause] = times[cause] - open.spent[cause];
    open.record.end = now;
    open.record.breakdown = open.signalled;
    const std::uint32_t number = log_->add(open.record);
    // Its request is on its way: the response brings the rest.
    if (open.record.kind == Operation::Kind::signal && open.signal != 0) signalling_[open.signal] = number;
    open = OpenRecord{};
}

void WorkgroupLog::trace(const LineIssue& issue, ComputeUnit& unit, Time delay)
{
    Line& line = issue;
    const LineTag tag = LineTag::of(line.tag);
    if (tag.use == LineUse::fetch) return;
    const Workgroup& group = *unit.wave(tag.context).group;
    if (group.log == 0) return;
    issue.flag(LineHeader::traced_flag);
    line.breakdown().begin(event_queue_.now() + delay);
    if (line.op == LineOp::atomic && (line.flags & LineHeader::control_flag) != 0)
        open_[group.index].signal = line.breakdown().record = ++signals_;
}

void WorkgroupLog::respond(Line& line, const ComputeUnit& unit)
{
    LatencyBreakdown breakdown = line.breakdown();
    const std::uint32_t signal = breakdown.record;
    const Wavefront& wave = unit.wave(LineTag::of(line.tag).context);
    OpenRecord& open = open_[wave.group->index];
    breakdown.record = 0;
    if (const auto ended = signalling_.find(signal); signal != 0 && ended != signalling_.end()) {
        breakdown.record = ended->second;
        log_->answered(breakdown);
        signalling_.erase(ended);
    } else if (signal != 0 && open.signal == signal) {  // before its record has ended
        open.signalled = breakdown;
        open.signal = 0;
    }
    if (line.op == LineOp::write && (line.flags & LineHeader::packet_flag) != 0)
        log_->stored({line.address / line_bytes, wave.group->log, wave.number, breakdown.start, breakdown.home,
            breakdown.out.queued + breakdown.out.wire, breakdown.out.credits});
    if ((line.flags & LineHeader::poll_flag) == 0) open.record.lives.add(breakdown, event_queue_.now());
}

void WorkgroupLog::trace_bulk(std::uint32_t group, const LineIssue& issue)
{
    if (!on() || !open_[group].open) return;
    issue.flag(LineHeader::traced_flag);
    issue.line().breakdown().begin(event_queue_.now());
}

void WorkgroupLog::respond_bulk(std::uint32_t group, Line& line)
{
    open_[group].record.lives.add(line.breakdown(), event_queue_.now());
}

void WorkgroupLog::wait_for_engine(std::uint32_t group, Time since)
{
    OperationRecord& record = open_[group].record;
    record.engine += event_queue_.now() - std::max(since, record.begin);
}

void WorkgroupLog::detect(const Line& line, const Wavefront& wave)
{
    if (wave.group->log != 0) log_->seen({line.address / line_bytes, wave.group->log, wave.number, event_queue_.now()});
}

}  // namespace weft
