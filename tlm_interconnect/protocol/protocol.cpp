#include "tlm_interconnect/protocol/protocol.h"

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

void LineTargetEnd::refuse_phase() { SC_REPORT_ERROR("/weft/protocol", "a backward phase on the forward path"); }

void LineTargetEnd::b_transport(Line&, sc_core::sc_time&)
{
    SC_REPORT_ERROR("/weft/protocol", "blocking transport needs an adapter (tlm_interconnect/adapters/)");
}

void LineInitiatorEnd::refuse_phase() { SC_REPORT_ERROR("/weft/protocol", "a forward phase on the backward path"); }

LineInitiatorSocket::LineInitiatorSocket(const char* name, std::unique_ptr<LineInitiatorEnd> end)
    : tlm_initiator_socket(name), end_(std::move(end))
{
    bind(static_cast<tlm::tlm_bw_transport_if<line_protocol>&>(*end_));
}

LineTargetSocket::LineTargetSocket(const char* name, std::unique_ptr<LineTargetEnd> end)
    : tlm_target_socket(name), end_(std::move(end))
{
    bind(static_cast<tlm::tlm_fw_transport_if<line_protocol>&>(*end_));
}

}  // namespace weft
