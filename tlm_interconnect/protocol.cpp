#include "tlm_interconnect/protocol.h"

namespace weft {

const char* name_of(LinePhase phase)
{
    switch (phase) {
    case LinePhase::request: return "request";
    case LinePhase::response: return "response";
    case LinePhase::request_credit: return "request credit";
    case LinePhase::response_credit: return "response credit";
    }
    return "?";
}

LineInitiatorSocket::LineInitiatorSocket(const char* name, LineInitiator& owner, unsigned port)
    : tlm_initiator_socket(name), owner_(owner), port_(port)
{
    bind(static_cast<tlm::tlm_bw_transport_if<line_protocol>&>(*this));
}

tlm::tlm_sync_enum LineInitiatorSocket::nb_transport_bw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    if (phase == LinePhase::response) {
        const Time occupied = owner_.on_response(port_, line, to_ps(delay));
        if (occupied == 0) return tlm::TLM_ACCEPTED;
        delay = to_sc_time(occupied);
        return tlm::TLM_UPDATED;
    }
    if (phase == LinePhase::request_credit) {
        owner_.on_request_credit(port_, line, to_ps(delay));
    } else {
        SC_REPORT_ERROR("/weft/protocol", "a forward phase on the backward path");
    }
    return tlm::TLM_ACCEPTED;
}

LineTargetSocket::LineTargetSocket(const char* name, LineTarget& owner, unsigned port)
    : tlm_target_socket(name), owner_(owner), port_(port)
{
    bind(static_cast<tlm::tlm_fw_transport_if<line_protocol>&>(*this));
}

tlm::tlm_sync_enum LineTargetSocket::nb_transport_fw(Line& line, LinePhase& phase, sc_core::sc_time& delay)
{
    if (phase == LinePhase::request) {
        const Time occupied = owner_.on_request(port_, line, to_ps(delay));
        if (occupied == 0) return tlm::TLM_ACCEPTED;
        delay = to_sc_time(occupied);
        return tlm::TLM_UPDATED;
    }
    if (phase == LinePhase::response_credit) {
        owner_.on_response_credit(port_, line, to_ps(delay));
    } else {
        SC_REPORT_ERROR("/weft/protocol", "a backward phase on the forward path");
    }
    return tlm::TLM_ACCEPTED;
}

void LineTargetSocket::b_transport(Line&, sc_core::sc_time&)
{
    SC_REPORT_ERROR("/weft/protocol", "blocking transport needs an adapter (tlm_interconnect/adapters/)");
}

}  // namespace weft
