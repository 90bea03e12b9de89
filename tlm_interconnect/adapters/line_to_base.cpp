#include "tlm_interconnect/adapters/line_to_base.h"

#include <algorithm>
#include <cstring>

namespace weft {

LineToBaseCore::LineToBaseCore(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    const LineToBaseSpec& spec)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), in("in", *this), spec_(spec),
      credits_(spec.response_credits)
{
    wake_.kind = wake_kind;
    spec_.threads = std::max(1U, spec.threads);
    if (spec.mode == LineToBaseSpec::Mode::blocking) {
        for (std::uint32_t t = 0; t < spec_.threads; ++t)
            sc_core::sc_spawn([this] { serve_blocking(); }, ("thread" + std::to_string(t)).c_str());
    } else {
        SC_METHOD(issue);
        sensitive << issue_event_;
        dont_initialize();
    }
}

std::vector<AdapterLimit> LineToBaseCore::limits(Time now) const
{
    std::vector<AdapterLimit> out;
    if (spec_.mode == LineToBaseSpec::Mode::blocking)
        out.push_back({path(),
            "all " + std::to_string(spec_.threads) + " threads were in blocking calls while transactions waited", true,
            threads_busy_.total(now), service_});
    out.push_back({path(), "all " + std::to_string(spec_.buffer) + " slots of the buffer were in use", true,
        buffer_full_.total(now), service_});
    if (spec_.mode == LineToBaseSpec::Mode::non_blocking)
        out.push_back({path(), "the foreign module had not ended its request phase while transactions waited", false,
            foreign_busy_.total(now), service_});
    return out;
}

// After every change of what waits or is under way.
void LineToBaseCore::note_limits()
{
    const Time now = event_queue().now();
    threads_busy_.set(!queue_.empty() && calling_ >= spec_.threads, now);
    buffer_full_.set(held_ >= spec_.buffer, now);
    foreign_busy_.set(!queue_.empty() && (requesting_ >= 0 || request_free_ > now), now);
}

void LineToBaseCore::violation(const std::string& what) const
{
    SC_REPORT_ERROR("/weft/adapter", (std::string(name()) + ": " + what).c_str());
}

Time LineToBaseCore::on_request(unsigned, Line& line, Time delay)
{
    line.kind = request_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay);
    return 0;
}

void LineToBaseCore::on_response_credit(unsigned, Line&, Time delay)
{
    credits_.give(event_queue().now() + delay);
    if (!answers_.empty() && !wake_.scheduled) event_queue().schedule(wake_, *this, credits_.next(event_queue().now()));
}

unsigned LineToBaseCore::debug(unsigned, Line& line)
{
    tlm::tlm_generic_payload& payload = line.make_payload();
    if (spec_.local_addresses) payload.set_address(local_of(line.address));
    return foreign().transport_dbg(payload);
}

void LineToBaseCore::run(ScheduledItem& item)
{
    if (item.kind == request_kind) {
        accept(Line::of(item));
        return;
    }
    if (item.kind == answer_kind) {
        Line& line = Line::of(item);
        const std::uint16_t index = line.pop_port();
        line.push_port(index);
        answers_.push_back(index);
    }
    pump();
}

void LineToBaseCore::accept(Line& line)
{
    if (held_ >= spec_.buffer) violation("more transactions than its buffer holds: the sender ignores credits");
    if (free_slots_.empty()) {
        if (slots_.size() > 0xffff) SC_REPORT_FATAL("/weft/adapter", "more than 65536 transactions in one adapter");
        free_slots_.push_back(static_cast<std::uint16_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint16_t index = free_slots_.back();
    free_slots_.pop_back();
    ++held_;
    slots_[index] = {&line, false, 0};
    line.unmark(LineHeader::handed_mark);
    line.push_port(index);
    if (line.op != LineOp::read && line.op != LineOp::write && !spec_.pass_atomics) {
        violation(std::string("a plain memory cannot do ") + name_of(line.op));
        line.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        answers_.push_back(index);
        pump();
        return;
    }
    queue_.push_back(index);
    note_limits();
    event_queue().notify_kernel(issue_event_, event_queue().now());
}

// Takes the next line and makes it ready for foreign eyes.
std::uint16_t LineToBaseCore::next_line()
{
    const std::uint16_t index = queue_.front();
    queue_.pop_front();
    Slot& slot = slots_[index];
    slot.waiting = true;
    slot.handed = event_queue().now();
    note_limits();
    Line& line = *slot.line;
    LinePool::share(line);
    line.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_generic_payload& payload = line.make_payload();
    if (spec_.local_addresses) payload.set_address(local_of(line.address));
    if (spec_.pass_atomics) line.note_data();
    return index;
}

void LineToBaseCore::issue()
{
    event_queue().enter();
    const Time now = event_queue().now();
    if (spec_.mode == LineToBaseSpec::Mode::direct) {
        while (!queue_.empty()) call_blocking(next_line());
        return;
    }
    if (spec_.mode == LineToBaseSpec::Mode::dmi) {
        while (!queue_.empty()) {
            const std::uint16_t index = next_line();
            if (use_pointer(index)) continue;
            Line& line = *slots_[index].line;
            call_blocking(index);
            if (line.payload().is_dmi_allowed()) ask_for_pointer(line);
        }
        return;
    }
    while (!queue_.empty() && requesting_ < 0 && request_free_ <= now) begin_request(next_line());
    if (!queue_.empty() && requesting_ < 0) event_queue().notify_kernel(issue_event_, request_free_);
}

void LineToBaseCore::serve_blocking()
{
    for (;;) {
        while (queue_.empty()) sc_core::wait(issue_event_);
        call_blocking(next_line());
    }
}

void LineToBaseCore::call_blocking(std::uint16_t index)
{
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ++calling_;
    note_limits();
    foreign().b_transport(slots_[index].line->payload(), delay);
    --calling_;
    answered(index, to_ps(delay));
}

// False: no granted region holds all of the access.
bool LineToBaseCore::use_pointer(std::uint16_t index)
{
    Line& line = *slots_[index].line;
    tlm::tlm_generic_payload& payload = line.payload();
    const bool reads = payload.is_read();
    const std::uint64_t first = payload.get_address();
    const std::uint64_t last = first + payload.get_data_length() - 1;
    if (line.op != LineOp::read && line.op != LineOp::write) return false;
    for (const tlm::tlm_dmi& region : regions_) {
        if (first < region.get_start_address() || last > region.get_end_address()) continue;
        if (reads ? !region.is_read_allowed() : !region.is_write_allowed()) continue;
        unsigned char* const bytes = region.get_dmi_ptr() + (first - region.get_start_address());
        if (reads) {
            std::memcpy(payload.get_data_ptr(), bytes, payload.get_data_length());
        } else {
            std::memcpy(bytes, payload.get_data_ptr(), payload.get_data_length());
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        ++by_pointer_;
        answered(index, to_ps(reads ? region.get_read_latency() : region.get_write_latency()));
        return true;
    }
    return false;
}

void LineToBaseCore::ask_for_pointer(Line& line)
{
    tlm::tlm_generic_payload& payload = line.payload();
    payload.set_dmi_allowed(false);
    tlm::tlm_dmi region;
    if (!foreign().get_direct_mem_ptr(payload, region)) return;
    if (region.is_none_allowed() || region.get_dmi_ptr() == nullptr) {
        violation("get_direct_mem_ptr returned true and grants no access");
        return;
    }
    regions_.push_back(region);
}

void LineToBaseCore::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
{
    const auto meets = [first, last](const tlm::tlm_dmi& region) {
        return region.get_start_address() <= last && first <= region.get_end_address();
    };
    regions_.erase(std::remove_if(regions_.begin(), regions_.end(), meets), regions_.end());
}

void LineToBaseCore::begin_request(std::uint16_t index)
{
    requesting_ = index;
    note_limits();
    tlm::tlm_generic_payload& payload = slots_[index].line->payload();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = foreign().nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_ACCEPTED) return;
    if (requesting_ == index) end_request(to_ps(delay));
    if (answer == tlm::TLM_COMPLETED) {
        answered(index, to_ps(delay));
    } else if (phase == tlm::BEGIN_RESP) {
        const Time answer_delay = to_ps(delay);
        phase = tlm::END_RESP;
        foreign().nb_transport_fw(payload, phase, delay);
        answered(index, answer_delay);
    } else if (phase != tlm::END_REQ) {
        violation("TLM_UPDATED with a phase that cannot follow BEGIN_REQ");
    }
}

tlm::tlm_sync_enum LineToBaseCore::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
    sc_core::sc_time& delay)
{
    event_queue().enter();
    LineExtension* extension = nullptr;
    payload.get_extension(extension);
    const bool ours = extension != nullptr && extension->line->depth > 0;
    std::uint16_t index = 0;
    if (ours) {
        index = extension->line->pop_port();
        extension->line->push_port(index);
    }
    if (!ours || index >= slots_.size() || slots_[index].line != extension->line || !slots_[index].waiting) {
        violation("a response to no transaction in flight");
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        if (requesting_ == index) {
            end_request(to_ps(delay));
        } else {
            violation("a second END_REQ");
        }
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) {
        violation("a phase that is neither END_REQ nor BEGIN_RESP on the backward path");
        return tlm::TLM_ACCEPTED;
    }
    if (requesting_ == index) end_request(to_ps(delay));
    answered(index, to_ps(delay));
    return tlm::TLM_COMPLETED;
}

void LineToBaseCore::end_request(Time delay)
{
    requesting_ = -1;
    request_free_ = event_queue().now() + delay;
    note_limits();
    if (!queue_.empty()) event_queue().notify_kernel(issue_event_, request_free_);
}

void LineToBaseCore::answered(std::uint16_t index, Time delay)
{
    event_queue().enter();
    Slot& slot = slots_[index];
    slot.waiting = false;
    Line& line = *slot.line;
    service_.note(static_cast<unsigned>(line.op), event_queue().now() + delay - slot.handed);
    line.set_response_status(line.payload().get_response_status());
    if (line.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        violation("a response without a response status");
        line.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    if (spec_.pass_atomics) check_passed(line);
    line.kind = answer_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay);
    note_limits();
}

// What an interconnect between two adapters may not do on the way back.
void LineToBaseCore::check_passed(Line& line) const
{
    if (!line.marked(LineHeader::handed_mark)) {
        if (line.get_response_status() == tlm::TLM_OK_RESPONSE)
            violation("the module behind it has answered a transaction that it has not handed on");
    } else if (!line.has_noted_data()) {
        violation("the module behind it has changed the data of a response");
    }
}

void LineToBaseCore::pump()
{
    const Time now = event_queue().now();
    while (!answers_.empty()) {
        const Time next = credits_.next(now);
        if (next != now) {
            if (next != CreditGate::never && !wake_.scheduled) event_queue().schedule(wake_, *this, next);
            return;
        }
        credits_.take();
        const std::uint16_t index = answers_.front();
        answers_.pop_front();
        Line& line = *slots_[index].line;
        line.pop_port();
        slots_[index].line = nullptr;
        free_slots_.push_back(index);
        --held_;
        note_limits();
        in.return_request_credit(line, 0);
        in.send_response(line, 0);
    }
}

}  // namespace weft
