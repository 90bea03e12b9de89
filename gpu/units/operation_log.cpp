#include "gpu/units/operation_log.h"

#include <algorithm>

namespace weft {

void LineLives::add(const LatencyBreakdown& breakdown, Time end)
{
    const Time all = end - breakdown.start;
    const Time queues = breakdown.out.queued + breakdown.out.wire + breakdown.back.queued + breakdown.back.wire;
    const Time waits = breakdown.out.credits + breakdown.back.credits;
    const Time links = breakdown.out.flight + breakdown.back.flight;
    const Time slice = breakdown.answered > breakdown.home ? breakdown.answered - breakdown.home : 0;
    ++lines;
    serialisation += queues;
    credits += waits;
    flight += links;
    memory += slice;
    other += all - std::min(all, queues + waits + links + slice);
}

OperationLog OperationLog::of(Entries entries)
{
    OperationLog out;
    out.records_ = std::move(entries.records);
    out.lanes_ = std::move(entries.lanes);
    out.stores_ = std::move(entries.stores);
    out.looks_ = std::move(entries.looks);
    return out;
}

void OperationLog::absorb(const std::vector<OperationLog>& others,
    const std::function<bool(std::uint32_t a, std::uint32_t b)>& first)
{
    if (others.empty()) return order_unfinished();
    for (const OperationLog& other : others) {
        const auto lanes = static_cast<std::uint32_t>(lanes_.size());
        for (OperationRecord record : other.records_) {
            if (record.lanes > 0) record.first_lane += lanes;
            records_.push_back(record);
        }
        lanes_.insert(lanes_.end(), other.lanes_.begin(), other.lanes_.end());
        stores_.insert(stores_.end(), other.stores_.begin(), other.stores_.end());
        looks_.insert(looks_.end(), other.looks_.begin(), other.looks_.end());
    }
    std::stable_sort(records_.begin(), records_.end(), [&first](const OperationRecord& a, const OperationRecord& b) {
        return a.end != b.end ? a.end < b.end : first(a.work, b.work);
    });
    order_unfinished();
}

void OperationLog::order_unfinished()
{
    const auto open = std::stable_partition(records_.begin(), records_.end(),
        [](const OperationRecord& record) { return !record.unfinished; });
    std::sort(open, records_.end(), [](const OperationRecord& a, const OperationRecord& b) { return a.work < b.work; });
}

}  // namespace weft
