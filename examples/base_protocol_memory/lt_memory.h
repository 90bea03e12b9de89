// A loosely timed memory of the TLM-2.0 base protocol: one socket, fixed latencies, a DMI pointer. It knows nothing of Weft.
#pragma once

#include <cstring>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

class LtMemory : public sc_core::sc_module {
public:
    using Payload = tlm::tlm_generic_payload;

    tlm_utils::multi_passthrough_target_socket<LtMemory> socket;

    // `waits`: b_transport waits for the latency instead of adding it to the delay.
    LtMemory(sc_core::sc_module_name name, std::uint64_t bytes, sc_core::sc_time read, sc_core::sc_time write,
        bool waits)
        : sc_module(name), socket("socket"), bytes_(bytes), read_(read), write_(write), waits_(waits)
    {
        socket.register_b_transport(this, &LtMemory::access);
        socket.register_transport_dbg(this, &LtMemory::peek);
        socket.register_get_direct_mem_ptr(this, &LtMemory::grant);
    }

private:
    void access(int id, Payload& payload, sc_core::sc_time& delay)
    {
        payload.set_dmi_allowed(true);
        payload.set_response_status(peek(id, payload) > 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += payload.is_read() ? read_ : write_;
        if (!waits_) return;
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }

    unsigned peek(int, Payload& payload)
    {
        const sc_dt::uint64 at = payload.get_address();
        if (at >= bytes_.size() || bytes_.size() - at < payload.get_data_length()) return 0;
        if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &bytes_[at], payload.get_data_length());
        if (payload.is_write()) std::memcpy(&bytes_[at], payload.get_data_ptr(), payload.get_data_length());
        return payload.get_data_length();
    }

    bool grant(int, Payload&, tlm::tlm_dmi& region)
    {
        region.allow_read_write();
        region.set_dmi_ptr(bytes_.data());
        region.set_start_address(0);
        region.set_end_address(bytes_.size() - 1);
        region.set_read_latency(read_);
        region.set_write_latency(write_);
        return true;
    }

    std::vector<unsigned char> bytes_;
    sc_core::sc_time read_;
    sc_core::sc_time write_;
    bool waits_;
};
