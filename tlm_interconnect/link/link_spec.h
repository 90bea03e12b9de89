// Parameters of a link: one full-duplex connection between two nodes of the fabric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/parameter.h"

namespace weft {

// shared: all requests in one channel; split: reads, writes and atomics apart.
enum class RequestVcs : std::uint8_t { shared, split };
// Which lines share a packet (packetiser.h).
enum class MergeKind : std::uint8_t { none, adjacent, destination };
// What becomes of a packet with a bit error (replay_link.h).
enum class RetryKind : std::uint8_t { none, timeout, go_back_n };
// How the packets of a bundle choose among its physical links.
enum class BundleSelection : std::uint8_t { lines, round_robin };

struct LinkSpec {
    std::uint64_t bandwidth = 25'000'000'000;  // B/s per direction, raw (headers included)
    std::uint64_t latency = 70'000;            // ps, last bit out of the sender to line at the receiver
    std::uint64_t flit = 16;                   // B; payloads are padded to whole flits
    std::uint64_t header = 16;                 // B, on every request and response
    std::uint64_t response_saving = 0;         // B that the header of a response is shorter
    std::uint64_t byte_enable = 16;            // B, on requests that write part of a line
    std::uint64_t request_credits = 512;       // lines, receive buffer of each request channel
    std::uint64_t response_credits = 512;      // lines, receive buffer of the response channel
    std::uint64_t pool_credits = 0;            // lines, receive buffer that all channels share beyond their own
    RequestVcs vcs = RequestVcs::split;
    std::uint64_t vc_sets = 1;                 // copies of the set of channels
    std::uint64_t address_extension = 0;       // B, on requests whose region is not remembered
    std::uint64_t extension_region = 1 << 20;  // B
    std::uint64_t extension_ways = 1;          // regions remembered
    std::uint64_t atomic_extra = 0;            // B, on atomic requests
    MergeKind merge = MergeKind::none;
    std::uint64_t max_payload = 64;     // B of a packet, where lines merge
    std::uint64_t group_payload = 64;   // B, the same of lines that switches carry out for groups
    std::uint64_t packet_overhead = 0;  // B, on every packet
    std::uint64_t message_header = 0;   // B, on the first packet of a network card's message
    std::uint64_t message_answer = 0;   // B, the same of its answer
    std::uint64_t frame = 0;            // B of a data-link frame; 0: none
    std::uint64_t frame_payload = 0;    // B of packets in a frame
    std::uint64_t credit_bytes = 0;     // B of a message that returns credits; 0: in headers
    std::uint64_t credit_batch = 1;     // credits of one message
    std::uint64_t bundle = 1;           // physical links in this one
    BundleSelection bundle_selection = BundleSelection::lines;
    // No parameter: paths are chosen by lines (routing.path_selection), so that a bundle takes what choices before it have left of the
    // path hash. By the address itself it would see some of the lines only.
    bool paths_by_lines = false;
    RetryKind retry = RetryKind::none;
    std::uint64_t bit_error_rate = 0;          // parts of 10^18
    std::uint64_t replay_buffer = 256;         // packets sent and not yet acknowledged
    std::uint64_t replay_timeout = 2'000'000;  // ps
    std::uint64_t ack_bytes = 0;               // B of an acknowledge or replay request; 0: in headers
    std::uint64_t ack_every = 1;               // packets
    std::uint64_t model = 0;                   // what stands for it; beyond the choices: of the registry of a run

    static const ParameterTable<LinkSpec>& parameters();
};

// How the parameters of a built-in link contradict each other (frames, bundles and retries, bit errors), and which ones do.
struct LinkProblem {
    std::string what;
    std::string expected;
    std::vector<const char*> parameters;
};
// The first one; nullopt: none.
std::optional<LinkProblem> link_problem(const LinkSpec& spec);
// Throws InputError with it.
void check_link(const LinkSpec& spec);

// The longest time on a link with retry from the first bit of a line to its acknowledge, without an error, ps.
std::uint64_t longest_acknowledge(const LinkSpec& spec);

// B of the aligned blocks of addresses whose lines share a packet with merge=adjacent: max_payload in whole lines. Lines of
// groups have blocks of group_payload, where that is less.
std::uint64_t adjacent_block(const LinkSpec& spec, bool of_group = false);

}  // namespace weft
