// TLM-2.0 modules as somebody else would write them: base protocol, tlm_utils sockets, sc_time_stamp(), no
// knowledge of lines or of the event queue.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace weft::testing {

inline std::uint64_t stamp() { return sc_core::sc_time_stamp().value(); }
inline sc_core::sc_time ps(std::uint64_t value) { return sc_core::sc_time(static_cast<double>(value), sc_core::SC_PS); }

// A memory manager that counts what is out.
class ForeignPool : public tlm::tlm_mm_interface {
public:
    tlm::tlm_generic_payload& take()
    {
        ++live;
        auto* payload = new tlm::tlm_generic_payload(this);
        payload->acquire();
        return *payload;
    }
    void free(tlm::tlm_generic_payload* payload) override
    {
        --live;
        payload->reset();
        delete payload;
    }
    int live = 0;
};

// Issues accesses through nb_transport, one outstanding request at a time, any number of transactions.
struct ForeignAtInitiator : sc_core::sc_module {
    // How it answers BEGIN_RESP.
    enum class Completion { completed, updated, later };

    explicit ForeignAtInitiator(sc_core::sc_module_name name, Completion completion = Completion::later)
        : sc_module(name), socket("socket"), completion(completion), queue("queue", this, &ForeignAtInitiator::on_phase)
    {
        socket.register_nb_transport_bw(this, &ForeignAtInitiator::nb_transport_bw);
    }

    struct Access {
        tlm::tlm_command command;
        std::uint64_t address;
        std::vector<unsigned char> data;
        std::vector<unsigned char> enables;
        std::uint64_t delay = 0;
        // Results
        std::uint64_t requested = 0, accepted = 0, answered = 0;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    };

    void add(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char> data, std::uint64_t delay = 0)
    {
        accesses.push_back({command, address, std::move(data), {}, delay});
    }
    void start() { send_next(); }

    void send_next()
    {
        if (next == accesses.size()) return;
        Access& access = accesses[next];
        tlm::tlm_generic_payload& payload = pool.take();
        current[&payload] = next++;
        payload.set_command(access.command);
        payload.set_address(access.address);
        payload.set_data_ptr(access.data.data());
        payload.set_data_length(static_cast<unsigned>(access.data.size()));
        payload.set_streaming_width(static_cast<unsigned>(access.data.size()));
        payload.set_byte_enable_ptr(access.enables.empty() ? nullptr : access.enables.data());
        payload.set_byte_enable_length(static_cast<unsigned>(access.enables.size()));
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = ps(access.delay);
        access.requested = stamp() + access.delay;
        const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED) {
            access.accepted = stamp() + delay.value();
            finish(payload, access);
            send_next();
        } else if (answer == tlm::TLM_UPDATED) {
            queue.notify(payload, phase, delay);
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay)
    {
        if (phase == tlm::BEGIN_RESP && completion != Completion::later) {
            finish(payload, accesses[current[&payload]]);
            delay += ps(hold);
            if (completion == Completion::completed) return tlm::TLM_COMPLETED;
            phase = tlm::END_RESP;
            return tlm::TLM_UPDATED;
        }
        queue.notify(payload, phase, delay);
        return tlm::TLM_ACCEPTED;
    }

    void on_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase)
    {
        Access& access = accesses[current[&payload]];
        if (phase == tlm::END_REQ) {
            access.accepted = stamp();
            send_next();
        } else if (phase == tlm::BEGIN_RESP) {
            payload.acquire();
            finish(payload, access);
            tlm::tlm_phase end = tlm::END_RESP;
            sc_core::sc_time delay = ps(hold);
            socket->nb_transport_fw(payload, end, delay);
            payload.release();
        }
    }

    void finish(tlm::tlm_generic_payload& payload, Access& access)
    {
        access.answered = stamp();
        access.status = payload.get_response_status();
        current.erase(&payload);
        payload.release();
    }

    tlm_utils::simple_initiator_socket<ForeignAtInitiator> socket;
    Completion completion;
    std::uint64_t hold = 0;  // from BEGIN_RESP to END_RESP
    std::deque<Access> accesses;
    std::size_t next = 0;
    std::map<tlm::tlm_generic_payload*, std::size_t> current;
    ForeignPool pool;
    tlm_utils::peq_with_cb_and_phase<ForeignAtInitiator> queue;
};

// A memory with a fixed access time, reached by any transport.
struct ForeignMemory : sc_core::sc_module {
    enum class Style {
        four_phase,        // END_REQ after `accept`, BEGIN_RESP on the backward path
        no_end_request,    // BEGIN_RESP directly
        updated,           // BEGIN_REQ returns TLM_UPDATED with END_REQ
        updated_response,  // BEGIN_REQ returns TLM_UPDATED with BEGIN_RESP
        completed          // BEGIN_REQ returns TLM_COMPLETED
    };

    ForeignMemory(sc_core::sc_module_name name, std::uint64_t latency, Style style = Style::four_phase,
        bool waits = false)
        : sc_module(name), socket("socket"), bytes(1 << 16), latency(latency), style(style), waits(waits),
          queue("queue", this, &ForeignMemory::on_phase)
    {
        socket.register_nb_transport_fw(this, &ForeignMemory::nb_transport_fw);
        socket.register_b_transport(this, &ForeignMemory::b_transport);
        socket.register_transport_dbg(this, &ForeignMemory::transport_dbg);
    }

    void access(tlm::tlm_generic_payload& payload)
    {
        if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) ++stale_status;
        starts.push_back(stamp());
        const std::uint64_t address = payload.get_address();
        if (address + payload.get_data_length() > bytes.size()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_write()) {
            std::memcpy(&bytes[address], payload.get_data_ptr(), payload.get_data_length());
        } else if (payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), &bytes[address], payload.get_data_length());
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        access(payload);
        if (waits) {
            wait(ps(latency));
        } else {
            delay += ps(latency);
        }
    }

    unsigned transport_dbg(tlm::tlm_generic_payload& payload)
    {
        const std::uint64_t address = payload.get_address();
        if (payload.is_write()) {
            std::memcpy(&bytes[address], payload.get_data_ptr(), payload.get_data_length());
        } else {
            std::memcpy(payload.get_data_ptr(), &bytes[address], payload.get_data_length());
        }
        return payload.get_data_length();
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay)
    {
        if (phase == tlm::END_RESP) {
            ++ended;
            if (responding == &payload) responding = nullptr;
            payload.release();
            respond();
            return tlm::TLM_COMPLETED;
        }
        if (request_open) ++exclusion_broken;
        switch (style) {
        case Style::completed:
            access(payload);
            delay += ps(latency);
            return tlm::TLM_COMPLETED;
        case Style::updated_response:
            access(payload);
            payload.acquire();
            phase = tlm::BEGIN_RESP;
            delay += ps(latency);
            return tlm::TLM_UPDATED;
        case Style::updated:
            payload.acquire();
            queue.notify(payload, tlm::BEGIN_RESP, delay + ps(latency));
            phase = tlm::END_REQ;
            delay += ps(accept);
            return tlm::TLM_UPDATED;
        case Style::four_phase: queue.notify(payload, tlm::END_REQ, delay + ps(accept)); break;
        case Style::no_end_request: break;
        }
        request_open = true;
        payload.acquire();
        queue.notify(payload, tlm::BEGIN_RESP, delay + ps(latency));
        return tlm::TLM_ACCEPTED;
    }

    void on_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase)
    {
        if (phase == tlm::END_REQ) {
            request_open = false;
            tlm::tlm_phase end = tlm::END_REQ;
            sc_core::sc_time zero;
            socket->nb_transport_bw(payload, end, zero);
            return;
        }
        if (style == Style::no_end_request) request_open = false;
        waiting.push_back(&payload);
        respond();
    }

    void respond()
    {
        while (responding == nullptr && !waiting.empty()) {
            tlm::tlm_generic_payload& payload = *waiting.front();
            waiting.pop_front();
            responding = &payload;
            access(payload);
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time zero;
            const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, zero);
            if (answer == tlm::TLM_ACCEPTED) return;
            responding = nullptr;
            payload.release();
        }
    }

    tlm_utils::simple_target_socket<ForeignMemory> socket;
    std::vector<unsigned char> bytes;
    std::uint64_t latency;
    Style style;
    bool waits;
    std::uint64_t accept = 0;
    std::vector<std::uint64_t> starts;
    unsigned stale_status = 0;
    unsigned exclusion_broken = 0;
    unsigned ended = 0;
    bool request_open = false;
    tlm::tlm_generic_payload* responding = nullptr;
    std::deque<tlm::tlm_generic_payload*> waiting;
    tlm_utils::peq_with_cb_and_phase<ForeignMemory> queue;
};

// An interconnect that passes everything through, moved by `offset` in the address map.
struct ForeignRouter : sc_core::sc_module {
    explicit ForeignRouter(sc_core::sc_module_name name, std::uint64_t offset = 0)
        : sc_module(name), in("in"), out("out"), offset(offset)
    {
        in.register_nb_transport_fw(this, &ForeignRouter::nb_transport_fw);
        in.register_b_transport(this, &ForeignRouter::b_transport);
        in.register_transport_dbg(this, &ForeignRouter::transport_dbg);
        out.register_nb_transport_bw(this, &ForeignRouter::nb_transport_bw);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay)
    {
        if (phase == tlm::BEGIN_REQ) {
            payload.set_address(payload.get_address() + offset);
            ++passed;
        }
        return out->nb_transport_fw(payload, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
        sc_core::sc_time& delay)
    {
        return in->nb_transport_bw(payload, phase, delay);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
    {
        payload.set_address(payload.get_address() + offset);
        ++passed;
        out->b_transport(payload, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload)
    {
        payload.set_address(payload.get_address() + offset);
        return out->transport_dbg(payload);
    }

    tlm_utils::simple_target_socket<ForeignRouter> in;
    tlm_utils::simple_initiator_socket<ForeignRouter> out;
    std::uint64_t offset;
    unsigned passed = 0;
};

}  // namespace weft::testing
