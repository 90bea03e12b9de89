// What compute units report of themselves: statistics, time by cause, and workgroups that are not done.
#include "gpu/units/compute_units.h"
#include "gpu/units/unit_statistics.h"

namespace weft {

void ComputeUnits::cut_off(Time end)
{
    for (Workgroup& group : groups_) {
        if (!group.active) continue;
        if (group.log != 0) log_.cut_off(group, end);
        group.zero->stall.cut_off(group.unit->in_flight(), end);
    }
    for (const Queued& queued : queue_) {
        spent_[queued.launch.background ? 1 : 0][static_cast<unsigned>(StallCause::queued)] += end - queued.since;
        if (!queued.launch.background) ++workgroups_;
        held_.cut_off(queued.launch.side, queued.waited, end);
    }
}

StallTimes ComputeUnits::stalls(bool background) const
{
    StallTimes out = spent_[background ? 1 : 0];
    for (const Workgroup& group : groups_) {
        if (!group.active || group.background != background) continue;
        const StallTimes& spent = group.zero->stall.spent();
        for (unsigned cause = 0; cause < stall_causes; ++cause) out[cause] += spent[cause];
    }
    return out;
}

std::vector<ComputeUnits::Blocked> ComputeUnits::blocked() const
{
    std::vector<Blocked> out;
    for (const Workgroup& group : groups_)
        if (group.active) out.push_back(blocked(group));
    return out;
}

ComputeUnits::Blocked ComputeUnits::blocked(const Workgroup& group) const
{
    Blocked entry{group.token, 0, group.program->operations.size(), Operation::Kind::move, 0, 0, 0};
    entry.in_flight = group.open.requests();
    entry.no_place = group.unit->in_flight().full();
    if (group.open.bulk_copies() > 0) entry.in_flight += bulk_->in_flight(group.unit->number());
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const Wavefront& wave = group.unit->wave(static_cast<std::uint32_t>(__builtin_ctzll(left)));
        for (unsigned i = 0; i < wave.sets.in_flight(); ++i)
            entry.in_flight += wave.sets[i].waiting - wave.sets[i].missed;
        // The operation that holds all others back: the first that any wavefront is at.
        if (wave.operation == nullptr || wave.next - 1 >= entry.operation) continue;
        const bool waits = wave.number == 0 && wave.at(Operation::Kind::wait);
        const Wavefront::Word at = wave.word(waits ? group.wait.first_missing() : 0);
        entry.operation = wave.next - 1;
        entry.kind = wave.operation->kind;
        entry.label = at.label;
        entry.flag = at.address;
        entry.value = at.value;
        if (waits) entry.more_flags = group.wait.missing() - 1;
        entry.packets = packets_.missing(wave);
        for (unsigned i = wave.sets.in_flight(); i-- > 0;)
            if (wave.sets[i].missed > 0) entry.label = wave.sets[i].move->label;
    }
    return entry;
}

std::vector<std::uint64_t> ComputeUnits::awaited_flags() const
{
    std::vector<std::uint64_t> out;
    for (const Workgroup& group : groups_)
        if (awaits(group))
            group.wait.for_each_missing([&](std::uint32_t number) { out.push_back(group.zero->word(number).address); });
    return out;
}

void ComputeUnits::expect_responses(const std::function<std::uint64_t(std::uint64_t)>& flag_at)
{
    for (Workgroup& group : groups_)
        if (awaits(group)) polls_.expect_responses(group, flag_at);
}

std::vector<Statistic> ComputeUnits::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(compute_unit_statistics(), out);
    write("lines", lines());
    write("flag_reads", polls_.polls() + packets_.polls());
    write("signals", words_.signals());
    write("fences", fences_.begun());
    L1Cache::Counts l1;
    for (const ComputeUnit& unit : units_) {
        if (!CachedAccess::present(unit)) continue;
        const L1Cache::Counts& part = unit.l1().cache->counts();
        l1.hits += part.hits;
        l1.misses += part.misses;
        l1.merged += part.merged;
        l1.full += part.full;
        l1.invalidations += part.invalidations;
    }
    write("l1_hits", l1.hits);
    write("l1_misses", l1.misses);
    write("l1_merged", l1.merged);
    write("l1_full", l1.full);
    write("l1_invalidations", l1.invalidations);
    const StallTimes time = stalls(false);
    const StallTimes beside = stalls(true);
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        write(std::string("time_") + name_of(static_cast<StallCause>(cause)), time[cause] + beside[cause]);
    return out;
}

void ComputeUnits::reset_statistics()
{
    network_.reset_statistics();
    polls_.reset_statistics();
    packets_.reset_statistics();
    words_.reset_statistics();
    fences_.reset_statistics();
    held_.reset_statistics();
    for (ComputeUnit& unit : units_)
        if (CachedAccess::present(unit)) unit.l1().cache->reset_counts();
    spent_ = {};
}

}  // namespace weft
