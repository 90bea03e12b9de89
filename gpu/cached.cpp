// What a compute unit does with its L1.
#include "gpu/compute_units.h"
#include "gpu/line_tag.h"

namespace weft {

bool ComputeUnits::cacheable(Scope scope, std::uint64_t address) const
{
    return l1_spec_.size > 0 && scope == Scope::unit && !MemoryImage::is_flag(local_of(address)) &&
        (l1_spec_.cache_peers || endpoint_of(address) == endpoint_);
}

L1Cache& ComputeUnits::cache_of(Unit& unit)
{
    if (unit.l1 == nullptr) {
        unit.l1 = make_l1_ ? make_l1_(l1_spec_, data_on_) : std::make_unique<L1Cache>(l1_spec_, data_on_);
        unit.l1_port.set_rate(l1_spec_.bandwidth);
    }
    return *unit.l1;
}

void ComputeUnits::load_through(const LineIssue& issue, std::uint32_t number, Time delay)
{
    Unit& unit = units_[number];
    Line& line = issue.source(endpoint_);
    ++unit.outstanding;
    if (full(unit)) unit.full_since = event_queue().now();
    ++lines_;
    access_cache(line, number, delay);
}

void ComputeUnits::access_cache(Line& line, std::uint32_t number, Time delay)
{
    Unit& unit = units_[number];
    const L1Cache::Answer answer = cache_of(unit).look_up(line);
    if (answer.outcome == L1Cache::Outcome::hit) {
        const Time now = event_queue().now();
        line.kind = line_kind(DieStage::through);
        event_queue().schedule(line, *this, unit.l1_port.book(now + delay, line_bytes).start + l1_spec_.latency,
            line.tag >> 20U);
    } else if (answer.outcome == L1Cache::Outcome::miss) {
        Line& fetch = pool_.take();
        paths_.route(fetch.begin(LineOp::read, line.address / line_bytes * line_bytes, line_bytes)
                         .tag(fetch_tag(number, answer.fetch)));
        memory.send_request(fetch, ports_.set_out(number, fetch, event_queue().now(), delay));
    }
}

void ComputeUnits::fetched(Line& fetch, std::uint32_t number)
{
    const L1Cache::Filled filled = units_[number].l1->fill(fetch_of(fetch.tag), fetch.data());
    pool_.give(fetch);
    const auto following = [](const Line& line) { return line.next == nullptr ? nullptr : &Line::of(*line.next); };
    for (Line* line = filled.answered; line != nullptr;) {
        Line* next = following(*line);
        answered(*line);
        line = next;
    }
    for (Line* line = filled.again; line != nullptr;) {
        Line* next = following(*line);
        access_cache(*line, number, 0);
        line = next;
    }
}

void ComputeUnits::store_through(const Line& line, std::uint32_t number)
{
    if (units_[number].l1 != nullptr) units_[number].l1->store(line.address, line.data(), line.size);
}

void ComputeUnits::acquire(std::uint32_t number)
{
    if (units_[number].l1 != nullptr) units_[number].l1->invalidate();
}

}  // namespace weft
