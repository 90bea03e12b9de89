// A TLM-2.0 router as anybody might have it: base protocol, four phases, nothing but <tlm> and tlm_utils.
//
// Sockets: `in[i]` and `out[i]`, 32 bits wide. Where an access goes is what `decode` makes of its address.
// Timing: an access is at its output `latency` after its BEGIN_REQ, an answer at its input `latency` after its
// BEGIN_RESP. An input takes a request each `cycle`, an output an answer. An output has one BEGIN_REQ without END_REQ
// at a time, an input one BEGIN_RESP without END_RESP; others queue.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

class AtRouter : public sc_core::sc_module {
public:
    using Decode = std::function<unsigned(sc_dt::uint64 address)>;

    SC_HAS_PROCESS(AtRouter);
    AtRouter(sc_core::sc_module_name name, unsigned ports, Decode decode, sc_core::sc_time latency,
        sc_core::sc_time cycle);

    std::vector<std::unique_ptr<tlm_utils::simple_target_socket_tagged<AtRouter>>> in;
    std::vector<std::unique_ptr<tlm_utils::simple_initiator_socket_tagged<AtRouter>>> out;

private:
    using Payload = tlm::tlm_generic_payload;
    struct Ports {
        unsigned from;
        unsigned to;
    };
    // What waits for a socket, and whether the phase before it is still open.
    struct Channel {
        std::deque<Payload*> waiting;
        Payload* open = nullptr;
    };

    tlm::tlm_sync_enum on_forward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum on_backward(int port, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void requests_due();
    void responses_due();
    void send_requests(unsigned port);
    void send_responses(unsigned port);
    void finish(unsigned port);

    Decode decode_;
    sc_core::sc_time latency_;
    sc_core::sc_time cycle_;
    tlm_utils::peq_with_get<Payload> requests_;
    tlm_utils::peq_with_get<Payload> responses_;
    std::unordered_map<Payload*, Ports> ports_of_;
    std::vector<Channel> request_channels_;   // by output
    std::vector<Channel> response_channels_;  // by input
};
