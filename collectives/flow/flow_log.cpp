#include "collectives/flow/flow_log.h"

#include <algorithm>

namespace weft {

void FlowLog::open(std::uint64_t operations)
{
    records_job_ = most_ > 0 && opened_ + operations <= most_;
    if (records_job_) {
        opened_ += operations;
    } else if (most_ > 0) {
        ++left_out_;
        largest_ = std::max(largest_, operations);
    }
}

void FlowLog::add(std::uint32_t index, const Work& work)
{
    if (accounts_.size() <= index) accounts_.resize(index + 1);
    Account fresh;
    fresh.recorded = records_job_;
    fresh.work = static_cast<std::uint32_t>(works_.size());
    fresh.endpoint = work.endpoint;
    accounts_[index] = fresh;
    if (records_job_) works_.push_back(work);
}

void FlowLog::enter(std::uint32_t index, Ps entered)
{
    if (accounts_[index].recorded) works_[accounts_[index].work].entered = entered;
}

void FlowLog::launch(std::uint32_t index, Ps now)
{
    accounts_[index].mark = now;
    accounts_[index].running = true;
    accounts_[index].waits_for = FlowCause::flag;
}

void FlowLog::next(Account& account, std::uint32_t number, FlowRecord::Kind kind)
{
    if (account.record > 0 && records_[account.record - 1].operation == number) return;
    close(account);
    FlowRecord made;
    made.work = account.work;
    made.operation = number;
    made.kind = kind;
    made.begin = account.mark;
    records_.push_back(made);
    account.record = static_cast<std::uint32_t>(records_.size());
}

// Loads that came, and stores that were acknowledged, count in the operation that waited for them.
void FlowLog::close(Account& account)
{
    if (account.record == 0) return;
    FlowRecord& record = records_[account.record - 1];
    record.end = account.mark;
    const auto spent = [&record](FlowCause cause) { return record.spent[static_cast<unsigned>(cause)] > 0; };
    if (spent(FlowCause::loads) || spent(FlowCause::registers)) {
        record.loads = account.loads;
        account.loads = {};
    }
    if (spent(FlowCause::acknowledge)) {
        record.stores = account.stores;
        account.stores = {};
    }
}

void FlowLog::live(std::uint32_t index, const FlowLives& life, bool load)
{
    Account& account = accounts_[index];
    if (!account.recorded) return;
    FlowLives& sum = load ? account.loads : account.stores;
    sum.serialisation += life.serialisation;
    sum.latency += life.latency;
    sum.memory += life.memory;
    sum.issue += life.issue;
    sum.packets += life.packets;
}

std::uint32_t FlowLog::send(std::uint32_t index, Ps left, Ps alone, std::uint32_t record)
{
    if (!accounts_[index].recorded) return 0;
    signals_.push_back({record == 0 ? accounts_[index].record : record, left, alone});
    return static_cast<std::uint32_t>(signals_.size());
}

void FlowLog::released(std::uint32_t index, std::uint32_t signal, Ps set)
{
    const std::uint32_t at = accounts_[index].record;
    if (at == 0 || signal == 0) return;
    FlowRecord& record = records_[at - 1];
    if (record.released != 0 && record.set >= set) return;
    record.released = signal;
    record.set = set;
}

void FlowLog::count(Account& account)
{
    if (sums_.size() <= account.endpoint) {
        sums_.resize(account.endpoint + 1);
        counts_.resize(account.endpoint + 1);
    }
    Ps life = 0;
    for (unsigned cause = 0; cause < flow_causes; ++cause) {
        life += account.spent[cause];
        sums_[account.endpoint][cause] += account.spent[cause];
    }
    if (life > 0) ++counts_[account.endpoint];
    account.running = false;
}

void FlowLog::end(std::uint32_t index, Ps until)
{
    Account& account = accounts_[index];
    spend(index, FlowCause::acknowledge, until);
    close(account);
    account.record = 0;
    count(account);
}

// The log accounts for a step when it begins, and for the last acknowledge when it is known, so a thread may be ahead of the end of
// the run.
void FlowLog::take_back(Account& account, Ps now)
{
    if (account.mark <= now) return;
    FlowTimes& of = account.running ? account.spent : sums_[account.endpoint];
    for (const Stretch& stretch : account.recent) {
        if (stretch.end <= now) continue;
        const auto cause = static_cast<unsigned>(stretch.cause);
        const Ps time = stretch.end - std::max(stretch.begin, now);
        of[cause] -= time;
        if (stretch.record > 0) records_[stretch.record - 1].spent[cause] -= time;
    }
    account.mark = now;
}

void FlowLog::finish(Ps now)
{
    for (std::uint32_t index = 0; index < accounts_.size(); ++index) {
        Account& account = accounts_[index];
        take_back(account, now);
        if (!account.running) continue;
        spend(index, account.waits_for, now);
        close(account);
        if (account.record > 0) records_[account.record - 1].unfinished = true;
        count(account);
    }
    for (FlowRecord& record : records_) {
        if (std::max(record.begin, record.end) <= now) continue;
        record.begin = std::min(record.begin, now);
        record.end = now;
        record.unfinished = true;
    }
}

}  // namespace weft
