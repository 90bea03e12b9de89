#include "tlm_interconnect/adapters/base_to_line.h"

#include <cstring>

namespace weft {

BaseToLineCore::BaseToLineCore(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
    const BaseToLineSpec& spec)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), out("out", *this), spec_(spec), pool_(pool),
      credits_(spec.request_credits)
{
    wake_.kind = wake_kind;
    SC_METHOD(deliver);
    sensitive << call_event_;
    dont_initialize();
}

std::vector<AdapterLimit> BaseToLineCore::limits(Time now) const
{
    return {{path(),
        "all " + std::to_string(spec_.outstanding) + " outstanding transactions were in use while others waited", true,
        outstanding_full_.total(now), service_}};
}

void BaseToLineCore::violation(const char* what) const
{
    SC_REPORT_ERROR("/weft/adapter", (std::string(name()) + ": " + what).c_str());
}

bool BaseToLineCore::accessible(const AccessPiece& piece) const
{
    return endpoint_of(piece.address) < spec_.endpoints && local_of(piece.address) < spec_.local_bytes &&
        piece.bytes <= spec_.local_bytes - local_of(piece.address);
}

// Cuts into pieces_, all of them accessible, or says why not.
tlm::tlm_response_status BaseToLineCore::cut(const tlm::tlm_generic_payload& payload, bool debug)
{
    const auto cuts = debug ? split_debug : split;
    const tlm::tlm_response_status status = cuts(payload, payload.get_address() + spec_.base, pieces_);
    if (status != tlm::TLM_OK_RESPONSE) return status;
    for (const AccessPiece& piece : pieces_)
        if (!accessible(piece)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return status;
}

std::uint16_t BaseToLineCore::open_job(tlm::tlm_generic_payload& payload, Time start, bool blocking)
{
    if (free_jobs_.empty()) {
        if (jobs_.size() > 0xffff) SC_REPORT_FATAL("/weft/adapter", "more than 65536 accesses at once");
        free_jobs_.push_back(static_cast<std::uint16_t>(jobs_.size()));
        jobs_.push_back(std::make_unique<Job>());
    }
    const std::uint16_t index = free_jobs_.back();
    free_jobs_.pop_back();
    ++open_jobs_;
    Job& job = *jobs_[index];
    job.payload = &payload;
    job.blocking = blocking;
    job.status = tlm::TLM_OK_RESPONSE;
    LineExtension* extension = nullptr;
    payload.get_extension(extension);
    job.own_line = extension != nullptr;
    if (job.own_line) {
        issue_own(*extension->line, index, start);
        return index;
    }
    job.address = payload.get_address() + spec_.base;
    job.pieces = job.unsent = job.unanswered = static_cast<std::uint32_t>(pieces_.size());
    const LineOp op = payload.is_read() ? LineOp::read : LineOp::write;
    transfers_ = transfers_ % ~std::uint32_t{0} + 1;
    for (const AccessPiece& piece : pieces_) {
        Line& line = pool_.take();
        line.begin(op, piece.address, piece.bytes)
            .source(spec_.source)
            .tag(index)
            .transfer(pieces_.size() > 1 ? transfers_ : 0);
        if (op == LineOp::write) std::memcpy(line.data(), payload.get_data_ptr() + piece.offset, piece.bytes);
        line.push_port(index);
        line.kind = request_kind;
        event_queue().schedule(line, *this, start);
    }
    return index;
}

// The address may have been translated on the way here; it is put back with the answer.
void BaseToLineCore::issue_own(Line& line, std::uint16_t index, Time start)
{
    Job& job = *jobs_[index];
    job.address = line.address;
    job.pieces = job.unsent = job.unanswered = 1;
    const tlm::tlm_generic_payload& payload = line.payload();
    if (line.marked(LineHeader::handed_mark)) violation("the module between has handed on a transaction twice");
    line.mark(LineHeader::handed_mark);
    if (payload.get_command() != line.command())
        violation("the module between has changed the command of a transaction");
    if (payload.get_data_length() != line.size || payload.get_data_ptr() != line.data() ||
        payload.get_byte_enable_ptr() != nullptr)
        violation("the module between has changed which bytes a transaction moves");
    else if (!line.has_noted_data())
        violation("the module between has changed the data of a request");
    line.translate(payload.get_address() + spec_.base);
    line.push_port(index);
    line.kind = request_kind;
    event_queue().schedule(line, *this, start);
}

void BaseToLineCore::close_job(std::uint16_t index)
{
    jobs_[index]->payload = nullptr;
    free_jobs_.push_back(index);
    --open_jobs_;
}

void BaseToLineCore::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    event_queue().enter();
    LineExtension* extension = nullptr;
    payload.get_extension(extension);
    payload.set_dmi_allowed(false);
    const tlm::tlm_response_status status = extension != nullptr ? tlm::TLM_OK_RESPONSE : cut(payload);
    if (status != tlm::TLM_OK_RESPONSE || (extension == nullptr && pieces_.empty())) {
        payload.set_response_status(status);
        return;
    }
    const std::uint16_t index = open_job(payload, event_queue().now(), true);
    Job& job = *jobs_[index];
    do {
        sc_core::wait(job.finished);
    } while (job.unanswered > 0);
    payload.set_response_status(job.status);
    close_job(index);
}

tlm::tlm_sync_enum BaseToLineCore::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
    sc_core::sc_time& delay)
{
    event_queue().enter();
    if (phase == tlm::BEGIN_REQ) return begin_request(payload, to_ps(delay));
    if (phase == tlm::END_RESP) {
        if (responding_ < 0 || jobs_[static_cast<std::size_t>(responding_)]->payload != &payload) {
            violation("END_RESP without a BEGIN_RESP of that transaction");
            return tlm::TLM_ACCEPTED;
        }
        end_response(to_ps(delay));
        return tlm::TLM_COMPLETED;
    }
    violation("a phase that is neither BEGIN_REQ nor END_RESP on the forward path");
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum BaseToLineCore::begin_request(tlm::tlm_generic_payload& payload, Time delay)
{
    if (request_open_) violation("BEGIN_REQ before the END_REQ of the transaction ahead of it");
    LineExtension* extension = nullptr;
    payload.get_extension(extension);
    payload.set_dmi_allowed(false);
    const tlm::tlm_response_status status = extension != nullptr ? tlm::TLM_OK_RESPONSE : cut(payload);
    if (status != tlm::TLM_OK_RESPONSE || (extension == nullptr && pieces_.empty())) {
        payload.set_response_status(status);
        return tlm::TLM_COMPLETED;
    }
    if (payload.has_mm()) {
        payload.acquire();
    } else {
        violation("a transaction without memory manager in a non-blocking call");
    }
    request_open_ = true;
    open_job(payload, event_queue().now() + delay, false);
    return tlm::TLM_ACCEPTED;
}

unsigned int BaseToLineCore::transport_dbg(tlm::tlm_generic_payload& payload)
{
    event_queue().enter();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const tlm::tlm_response_status status = cut(payload, true);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return 0;
    }
    unsigned moved = 0;
    const std::vector<AccessPiece> pieces = pieces_;
    for (const AccessPiece& piece : pieces) {
        Line& line = pool_.take();
        line.begin(payload.is_read() ? LineOp::read : LineOp::write, piece.address, piece.bytes).source(spec_.source);
        unsigned char* data = payload.get_data_ptr() + piece.offset;
        if (payload.is_write()) std::memcpy(line.data(), data, piece.bytes);
        moved += out.debug(line);
        if (payload.is_read()) std::memcpy(data, line.data(), piece.bytes);
        pool_.give(line);
    }
    return moved;
}

void BaseToLineCore::on_request_credit(unsigned, Line&, Time delay)
{
    credits_.give(event_queue().now() + delay);
    if (!queue_.empty()) pump();
}

Time BaseToLineCore::on_response(unsigned, Line& line, Time delay)
{
    out.return_response_credit(line, delay);
    line.kind = answer_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay);
    return 0;
}

void BaseToLineCore::run(ScheduledItem& item)
{
    if (item.kind == answer_kind) {
        finish_piece(Line::of(item));
    } else if (item.kind == request_kind) {
        queue_.push_back(&Line::of(item));
    }
    pump();
}

void BaseToLineCore::pump()
{
    if (pumping_) return;  // a credit that came back from within send_request()
    pumping_ = true;
    const Time now = event_queue().now();
    while (!queue_.empty()) {
        if (spec_.outstanding != 0 && in_flight_ >= spec_.outstanding) break;
        const Time next = credits_.next(now);
        if (next != now) {
            if (next != CreditGate::never && !wake_.scheduled) event_queue().schedule(wake_, *this, next);
            break;
        }
        credits_.take();
        Line& line = *queue_.front();
        queue_.pop_front();
        ++in_flight_;
        const std::uint16_t index = line.pop_port();
        line.push_port(index);
        Job& job = *jobs_[index];
        if (job.unsent == job.pieces) job.sent = now;
        if (--job.unsent == 0 && !job.blocking) post(index, false);
        out.send_request(line, 0);
    }
    outstanding_full_.set(!queue_.empty() && spec_.outstanding != 0 && in_flight_ >= spec_.outstanding, now);
    pumping_ = false;
}

void BaseToLineCore::finish_piece(Line& line)
{
    --in_flight_;
    const std::uint16_t index = line.pop_port();
    Job& job = *jobs_[index];
    if (job.status == tlm::TLM_OK_RESPONSE) job.status = line.get_response_status();
    if (job.own_line) {
        line.translate(job.address);
        line.note_data();
    } else {
        if (line.op == LineOp::read)
            std::memcpy(job.payload->get_data_ptr() + (line.address - job.address), line.data(), line.size);
        pool_.give(line);
    }
    if (--job.unanswered > 0) return;
    const unsigned kind = std::min<unsigned>(job.pieces, ServiceTime::kinds / 2 - 1);
    service_.note(job.payload->is_read() ? kind : kind + ServiceTime::kinds / 2, event_queue().now() - job.sent);
    if (job.blocking) {
        event_queue().notify_kernel(job.finished, event_queue().now());
    } else {
        post(index, true);
    }
}

void BaseToLineCore::post(std::uint16_t job, bool response)
{
    calls_.push_back({event_queue().now(), job, response});
    event_queue().notify_kernel(call_event_, event_queue().now());
}

void BaseToLineCore::deliver()
{
    event_queue().enter();
    const Time now = event_queue().now();
    while (!calls_.empty() && calls_.front().due <= now) {
        const Call call = calls_.front();
        calls_.pop_front();
        if (call.response) {
            responses_.push_back(call.job);
            continue;
        }
        request_open_ = false;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        initiator().nb_transport_bw(*jobs_[call.job]->payload, phase, delay);
    }
    while (!responses_.empty() && responding_ < 0 && response_free_ <= now) {
        const std::uint16_t index = responses_.front();
        responses_.pop_front();
        begin_response(index);
    }
    if (!calls_.empty()) event_queue().notify_kernel(call_event_, calls_.front().due);
    if (!responses_.empty() && responding_ < 0) event_queue().notify_kernel(call_event_, response_free_);
}

void BaseToLineCore::begin_response(std::uint16_t index)
{
    Job& job = *jobs_[index];
    tlm::tlm_generic_payload& payload = *job.payload;
    payload.set_response_status(job.status);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    responding_ = index;
    const tlm::tlm_sync_enum answer = initiator().nb_transport_bw(payload, phase, delay);
    // An initiator may also have called END_RESP from within.
    const bool early = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (responding_ == index && early) end_response(to_ps(delay));
}

void BaseToLineCore::end_response(Time delay)
{
    const std::uint16_t index = static_cast<std::uint16_t>(responding_);
    tlm::tlm_generic_payload* payload = jobs_[index]->payload;
    responding_ = -1;
    response_free_ = event_queue().now() + delay;
    close_job(index);
    if (payload->has_mm()) payload->release();
    if (!responses_.empty()) event_queue().notify_kernel(call_event_, response_free_);
}

}  // namespace weft
