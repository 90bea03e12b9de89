#include "gpu/copies/list_log.h"

namespace weft {

void ListLog::place(std::uint32_t list, std::uint32_t work, Time queued, Time now)
{
    if (accounts_.size() <= list) accounts_.resize(list + 1);
    Account& account = accounts_[list];
    account = Account{};
    account.active = true;
    account.since = now;
    account.spent[static_cast<unsigned>(StallCause::queued)] = queued;
    account.work = log_ != nullptr ? work : 0;
    ++lists_;
}

void ListLog::wait(std::uint32_t list, StallCause cause, Time now)
{
    Account& account = accounts_[list];
    account.spent[static_cast<unsigned>(account.cause)] += now - account.since;
    account.since = now;
    account.cause = cause;
}

void ListLog::begin(std::uint32_t list, const Program& program, std::size_t next, Time now)
{
    Account& account = accounts_[list];
    if (account.work == 0 || (account.open && account.record.operation == next)) return;
    wait(list, account.cause, now);
    close(account);
    account.open = true;
    account.before = account.spent;
    OperationRecord& record = account.record;
    record = OperationRecord{};
    record.work = account.work;
    record.operation = static_cast<std::uint32_t>(next);
    record.begin = now;
    if (next < program.operations.size()) {
        const Operation& operation = program.operations[next];
        record.kind = operation.kind;
        record.label = operation.label;
        record.address = operation.address;
        record.value = operation.value;
    } else if (next > 0) {
        record.label = program.operations.back().label;
    }
}

void ListLog::close(Account& account)
{
    if (!account.open) return;
    account.open = false;
    account.record.end = account.since;
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        account.record.spent[cause] = account.spent[cause] - account.before[cause];
    const std::uint32_t number = log_->add(account.record);
    if (account.signal != 0) signalling_[account.signal] = number;
    account.signal = 0;
}

void ListLog::end(std::uint32_t list, Time now)
{
    Account& account = accounts_[list];
    wait(list, StallCause::none, now);
    close(account);
    account.active = false;
    for (unsigned cause = 0; cause < stall_causes; ++cause) ended_[cause] += account.spent[cause];
}

void ListLog::cut_off(Time now)
{
    for (std::uint32_t list = 0; list < accounts_.size(); ++list) {
        Account& account = accounts_[list];
        if (!account.active) continue;
        wait(list, account.cause, now);
        account.record.unfinished = true;
        close(account);
    }
}

void ListLog::cut_off_queued(Time queued)
{
    ended_[static_cast<unsigned>(StallCause::queued)] += queued;
    ++lists_;
}

void ListLog::trace(std::uint32_t list, const LineIssue& issue, Time now)
{
    Account& account = accounts_[list];
    if (account.work == 0) return;
    Line& line = issue;
    issue.flag(LineHeader::traced_flag);
    line.breakdown().begin(now);
    if (line.op == LineOp::atomic) account.signal = line.breakdown().record = ++signals_;
}

// A signal's record is closed by then: the list goes on in the instant in which the signal leaves.
void ListLog::respond(std::uint32_t list, Line& line, Time now)
{
    Account& account = accounts_[list];
    LatencyBreakdown breakdown = line.breakdown();
    if (const auto sent = signalling_.find(breakdown.record); breakdown.record != 0 && sent != signalling_.end()) {
        breakdown.record = sent->second;
        log_->answered(breakdown);
        signalling_.erase(sent);
    }
    account.record.lives.add(breakdown, now);
}

StallTimes ListLog::stalls() const
{
    StallTimes out = ended_;
    for (const Account& account : accounts_) {
        if (!account.active) continue;
        for (unsigned cause = 0; cause < stall_causes; ++cause) out[cause] += account.spent[cause];
    }
    return out;
}

}  // namespace weft
