#include "gpu/units/flag_polls.h"

#include "gpu/network/line_tag.h"

namespace weft {

void FlagPolls::issue(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    const Time now = scheduler_.now();
    const std::uint32_t flag = group.wait.issue(now);
    const Wavefront::Word wait = wave.word(flag);
    const Time delay = unit.book(wait.address, true, now);
    wave.to_issue = group.wait.must_issue();
    Line& line = network_.take();
    const LineOp op = !spins() ? LineOp::await : group.wait.arms() ? LineOp::monitor : LineOp::read;
    const LineIssue issue = line.begin(op, wait.address, 8);
    issue.flag(LineHeader::control_flag | LineHeader::poll_flag)
        .tag(LineTag{unit.number(), wave.context, LineUse::word, flag}.packed());
    line.set_operand(wait.value);
    wave.stall.set(StallCause::flag, unit.in_flight(), now);
    ++polls_;
    if (!group.spinning && !group.drains) {
        group.drains = group.stores_tell && !group.open.only_signals();
        if (!group.drains) stand(group);
    }
    progress_.poll_leaves(group.wait.polled_at());
    network_.send(issue, unit, delay);
}

void FlagPolls::acknowledged(Workgroup& group)
{
    if (!group.open.only_signals()) return;
    group.drains = false;
    stand(group);
}

// Nothing that it does changes anything any more before the flags do.
void FlagPolls::stand(Workgroup& group)
{
    group.spinning = true;
    if (spins()) progress_.enter_spin();
    progress_.quiet(scheduler_.now());
}

FlagPolls::Outcome FlagPolls::respond(Workgroup& group, std::uint32_t flag, Line& line)
{
    const LineOp op = line.op;
    const std::uint64_t value = line.operand();
    network_.give(line);
    FlagWait& wait = group.wait;
    const bool has_value = op == LineOp::await || (op == LineOp::read && value >= group.zero->word(flag).value);
    if (!wait.respond(flag, has_value)) return Outcome::waits;
    if (op == LineOp::monitor) {  // something has changed, or time is over
        poll(group);
        return Outcome::polls;
    }
    if (wait.over()) {
        if (group.spinning) {
            progress_.busy();
            if (spins()) progress_.leave_spin();
        }
        group.spinning = group.drains = false;
        return Outcome::ended;
    }
    if (progress_.polled_in_vain(wait.polled_at(), group.vain_epoch)) {
        cannot_progress_ = true;
        scheduler_.stop_run();
        return Outcome::waits;
    }
    if (policy_ == WaitPolicy::monitor) {
        wait.begin_poll(true);
        group.zero->to_issue = true;
        return Outcome::polls;
    }
    scheduler_.at(scheduler_.now() + wait.interval(), group);
    if (policy_ == WaitPolicy::backoff) wait.double_interval(backoff_limit_);
    return Outcome::waits;
}

}  // namespace weft
