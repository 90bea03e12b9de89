#include "gpu/units/word_access.h"

#include "gpu/network/line_tag.h"

namespace weft {

void WordAccess::issue(ComputeUnit& unit, Wavefront& wave, Time delay)
{
    if (wave.at(Operation::Kind::signal)) {
        issue_signal(unit, wave, delay);
    } else {
        issue_word(unit, wave, delay);
    }
}

void WordAccess::issue_signal(ComputeUnit& unit, const Wavefront& wave, Time delay)
{
    Line& line = network_.take();
    const LineIssue issue = line.begin(LineOp::atomic, wave.word().address, 8);
    issue.flag(LineHeader::control_flag).tag(LineTag{unit.number(), wave.context, LineUse::word}.packed());
    line.set_operand(1);
    wave.group->open.begin_signal();
    ++signals_;
    progress_.busy();
    network_.send(issue, unit, delay);
}

void WordAccess::issue_word(ComputeUnit& unit, Wavefront& wave, Time delay)
{
    Workgroup& group = *wave.group;
    const Operation& operation = *wave.operation;
    Line& line = network_.take();
    LineTag tag{unit.number(), wave.context, LineUse::store};
    const bool chase = operation.kind == Operation::Kind::chase;
    const bool loads = chase || operation.kind == Operation::Kind::load || operation.returns;
    const LineOp op = operation.returns            ? LineOp::fetch
        : loads                                    ? LineOp::read
        : operation.kind == Operation::Kind::store ? LineOp::write
                                                   : LineOp::atomic;
    const LineIssue issue = line.begin(op, chase ? group.chase.address : operation.address, 8);
    if (loads) {
        tag.use = LineUse::word;
        tag.code = chase ? chase_result : operation.result;
        group.open.begin_word();
    } else {
        tag.epoch = group.open.begin_store(network_.is_near(line));
    }
    if (op != LineOp::read) group.stores_tell = true;
    line.set_operand(operation.value);
    if (operation.atomic == AtomicOp::compare_swap) line.set_comparand(operation.compare);
    issue.function(operation.atomic).tag(tag.packed());
    if (op == LineOp::read && cache_.cacheable(operation.scope, line.address)) {
        cache_.load(issue, unit, delay);
    } else {
        if (op == LineOp::write) {
            CachedAccess::store(line, unit);
        } else if (op != LineOp::read) {
            CachedAccess::drop(line, unit);
        }
        network_.send(issue, unit, delay);
    }
    if (chase) wave.stall.set(StallCause::loads, unit.in_flight(), scheduler_.now());
}

WordAccess::Outcome WordAccess::respond(Workgroup& group, std::uint32_t result, Line& line)
{
    const bool signal = line.asks(LineHeader::control_flag);
    const std::uint64_t value = line.operand();
    network_.give(line);
    if (signal) {
        progress_.quiet(scheduler_.now());
        group.open.end_signal();
        return Outcome::performed;
    }
    group.open.end_word();
    if (result == chase_result) {
        group.chase.address = value;
        return --group.chase.left == 0 ? Outcome::chased : Outcome::chases;
    }
    if (group.results != nullptr) group.results[result] = value;
    return Outcome::performed;
}

}  // namespace weft
