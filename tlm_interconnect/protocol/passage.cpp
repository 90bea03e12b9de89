#include "tlm_interconnect/protocol/passage.h"

#include <fmt/format.h>

namespace weft {

namespace {

// A delay of half the range of time and more can only be a difference that went below zero.
constexpr Time in_the_past = Time{1} << 63;

bool is_line(LinePhase phase) { return phase == LinePhase::request || phase == LinePhase::response; }

}  // namespace

std::size_t LineSet::find(const Line* line) const
{
    std::size_t slot = home_of(line);
    while (slots_[slot] != nullptr && slots_[slot] != line) slot = next(slot);
    return slot;
}

void LineSet::insert(const Line& line)
{
    const std::size_t slot = find(&line);
    if (slots_[slot] != nullptr) return;
    slots_[slot] = &line;
    if (++count_ * 2 <= slots_.size()) return;
    std::vector<const Line*> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Line* each : old)
        if (each != nullptr) slots_[find(each)] = each;
}

// What stands behind it and could have stood there moves up, so that no search ends too early.
bool LineSet::erase(const Line& line)
{
    std::size_t gap = find(&line);
    if (slots_[gap] == nullptr) return false;
    --count_;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = next(gap); slots_[slot] != nullptr; slot = next(slot)) {
        const std::size_t home = home_of(slots_[slot]);
        if (((slot - home) & mask) < ((slot - gap) & mask)) continue;
        slots_[gap] = slots_[slot];
        gap = slot;
    }
    slots_[gap] = nullptr;
    return true;
}

bool Passage::calls(const Line& line, LinePhase phase, const sc_core::sc_time& delay)
{
    // The line itself may be in use elsewhere: what it asks for is only read.
    const auto what = [&line, phase] {
        return fmt::format("a {} ({} of {} B at {:#x}, tag {})", name_of(phase), name_of(line.op), line.size,
            line.address, line.tag);
    };
    const Time ahead = to_ps(delay);
    if (ahead >= in_the_past) {
        event_queue_.fail(fmt::format("{}: hands on {} {} ps before the current time; expected now or later", name_,
            what(), Time{0} - ahead));
        return false;
    }
    if (!is_line(phase)) return true;
    if (!line.of_group() && !inside_.erase(line) && !line.marked(LineHeader::made_mark)) {
        event_queue_.fail(fmt::format(
            "{}: hands on {} that it does not have; expected each transaction once for each time that it came in",
            name_, what()));
        return false;
    }
    booked_until_ = std::max(booked_until_, event_queue_.now() + ahead);
    return true;
}

bool Passage::takes_next(const sc_core::sc_time& delay)
{
    const Time ahead = to_ps(delay);
    if (ahead >= in_the_past) {
        event_queue_.fail(fmt::format(
            "{}: takes the next transaction {} ps before the current time, by what it answers; expected now or later",
            name_, Time{0} - ahead));
        return false;
    }
    booked_until_ = std::max(booked_until_, event_queue_.now() + ahead);
    return true;
}

PassageJoint::PassageJoint(sc_core::sc_module_name name, LineInitiatorSocket& from, Passage* of_from,
    LineTargetSocket& to, Passage* of_to)
    : sc_module(name), target_("target"), initiator_("initiator"), from_(of_from), to_(of_to)
{
    target_.bind(static_cast<tlm::tlm_fw_transport_if<line_protocol>&>(*this));
    initiator_.bind(static_cast<tlm::tlm_bw_transport_if<line_protocol>&>(*this));
    from.bind(target_);
    initiator_.bind(to);
}

tlm::tlm_sync_enum PassageJoint::nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    if (from_ != nullptr && !from_->calls(line, phase, delay)) return tlm::TLM_ACCEPTED;
    const bool lines = is_line(phase);
    if (to_ != nullptr && lines) to_->enters(line);
    const tlm::tlm_sync_enum answer = initiator_->nb_transport_fw(line, phase, delay);
    if (to_ != nullptr && lines && answer == tlm::TLM_UPDATED && !to_->takes_next(delay)) return tlm::TLM_ACCEPTED;
    return answer;
}

tlm::tlm_sync_enum PassageJoint::nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    if (to_ != nullptr && !to_->calls(line, phase, delay)) return tlm::TLM_ACCEPTED;
    const bool lines = is_line(phase);
    if (from_ != nullptr && lines) from_->enters(line);
    const tlm::tlm_sync_enum answer = target_->nb_transport_bw(line, phase, delay);
    if (from_ != nullptr && lines && answer == tlm::TLM_UPDATED && !from_->takes_next(delay)) return tlm::TLM_ACCEPTED;
    return answer;
}

}  // namespace weft
