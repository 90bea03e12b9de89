#include "at_router.h"

AtRouter::AtRouter(sc_core::sc_module_name name, unsigned ports, Decode decode, sc_core::sc_time latency,
    sc_core::sc_time cycle)
    : sc_module(name), decode_(std::move(decode)), latency_(latency), cycle_(cycle), requests_("requests"),
      responses_("responses"), request_channels_(ports), response_channels_(ports)
{
    for (unsigned p = 0; p < ports; ++p) {
        in.push_back(
            std::make_unique<tlm_utils::simple_target_socket_tagged<AtRouter>>(("in" + std::to_string(p)).c_str()));
        out.push_back(
            std::make_unique<tlm_utils::simple_initiator_socket_tagged<AtRouter>>(("out" + std::to_string(p)).c_str()));
        in.back()->register_nb_transport_fw(this, &AtRouter::on_forward, static_cast<int>(p));
        out.back()->register_nb_transport_bw(this, &AtRouter::on_backward, static_cast<int>(p));
    }
    SC_METHOD(requests_due);
    sensitive << requests_.get_event();
    dont_initialize();
    SC_METHOD(responses_due);
    sensitive << responses_.get_event();
    dont_initialize();
}

tlm::tlm_sync_enum AtRouter::on_forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay)
{
    if (phase == tlm::END_RESP) {
        finish(static_cast<unsigned>(port));
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    ports_of_[&payload] = {static_cast<unsigned>(port), decode_(payload.get_address())};
    requests_.notify(payload, delay + latency_);
    phase = tlm::END_REQ;
    delay += cycle_;
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum AtRouter::on_backward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay)
{
    Channel& channel = request_channels_[static_cast<unsigned>(port)];
    const bool ends_request = channel.open == &payload;
    if (ends_request) channel.open = nullptr;
    if (phase == tlm::BEGIN_RESP) {
        responses_.notify(payload, delay + latency_);
        phase = tlm::END_RESP;
        delay += cycle_;
    }
    if (ends_request) send_requests(static_cast<unsigned>(port));
    return phase == tlm::END_RESP ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
}

void AtRouter::requests_due()
{
    while (Payload* payload = requests_.get_next_transaction()) {
        const unsigned port = ports_of_[payload].to;
        request_channels_[port].waiting.push_back(payload);
        send_requests(port);
    }
}

void AtRouter::responses_due()
{
    while (Payload* payload = responses_.get_next_transaction()) {
        const unsigned port = ports_of_[payload].from;
        response_channels_[port].waiting.push_back(payload);
        send_responses(port);
    }
}

void AtRouter::send_requests(unsigned port)
{
    Channel& channel = request_channels_[port];
    while (channel.open == nullptr && !channel.waiting.empty()) {
        Payload& payload = *channel.waiting.front();
        channel.waiting.pop_front();
        channel.open = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = (*out[port])->nb_transport_fw(payload, phase, delay);
        if (answer == tlm::TLM_ACCEPTED) continue;
        channel.open = nullptr;
        if (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) responses_.notify(payload, delay + latency_);
        if (phase == tlm::BEGIN_RESP && answer == tlm::TLM_UPDATED) {
            phase = tlm::END_RESP;
            (*out[port])->nb_transport_fw(payload, phase, delay);
        }
    }
}

void AtRouter::send_responses(unsigned port)
{
    Channel& channel = response_channels_[port];
    while (channel.open == nullptr && !channel.waiting.empty()) {
        Payload& payload = *channel.waiting.front();
        channel.waiting.pop_front();
        channel.open = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        ports_of_.erase(&payload);
        const tlm::tlm_sync_enum answer = (*in[port])->nb_transport_bw(payload, phase, delay);
        if (answer == tlm::TLM_ACCEPTED) continue;
        channel.open = nullptr;
        payload.release();
    }
}

void AtRouter::finish(unsigned port)
{
    Channel& channel = response_channels_[port];
    if (channel.open == nullptr) return;
    Payload* const payload = channel.open;
    channel.open = nullptr;
    payload->release();
    send_responses(port);
}
