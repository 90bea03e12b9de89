#include "gpu/units/cached_access.h"

namespace weft {

L1Cache& CachedAccess::cache_of(ComputeUnit& unit)
{
    ComputeUnit::L1& l1 = unit.l1();
    if (l1.cache == nullptr) {
        l1.cache = make_ ? make_(spec_, data_on_) : std::make_unique<L1Cache>(spec_, data_on_);
        l1.port.set_rate(spec_.bandwidth);
    }
    return *l1.cache;
}

void CachedAccess::load(const LineIssue& issue, ComputeUnit& unit, Time delay)
{
    look_up(network_.keep(issue, unit), unit, delay);
}

void CachedAccess::look_up(Line& line, ComputeUnit& unit, Time delay)
{
    const L1Cache::Answer answer = cache_of(unit).look_up(line);
    if (answer.outcome == L1Cache::Outcome::hit) {
        const Time start = unit.l1().port.book(scheduler_.now() + delay, line_bytes).start;
        scheduler_.at(start + spec_.latency, line, UnitItem::through);
    } else if (answer.outcome == L1Cache::Outcome::miss) {
        network_.fetch(network_.take()
                           .begin(LineOp::read, line.address / line_bytes * line_bytes, line_bytes)
                           .tag(fetch_tag(unit.number(), answer.fetch)),
            unit, delay);
    }
}

}  // namespace weft
