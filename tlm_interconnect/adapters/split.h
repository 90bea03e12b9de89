// Cuts a generic payload of any place and length into pieces that our lines can carry.
#pragma once

#include <cstdint>
#include <vector>

#include <tlm>

namespace weft {

// A run of enabled bytes within one 64-byte line.
struct AccessPiece {
    std::uint64_t address;
    std::uint32_t offset;  // in the payload's data
    std::uint32_t bytes;   // 1..64
};

constexpr std::uint32_t max_access_bytes = 4096;

// Pieces of `payload` in ascending order, its address taken as `address`. TLM_OK_RESPONSE, or why it cannot be
// done: TLM_COMMAND_ERROR (neither read nor write), TLM_BURST_ERROR (no data, above 4 KiB, streaming width
// below the length), TLM_BYTE_ENABLE_ERROR (enables of length 0), TLM_ADDRESS_ERROR (wraps around).
tlm::tlm_response_status split(const tlm::tlm_generic_payload& payload, std::uint64_t address,
    std::vector<AccessPiece>& pieces);

// The same of a debug access, which has neither byte enables nor a streaming width, of any length: TLM_OK_RESPONSE, or
// TLM_COMMAND_ERROR, TLM_BURST_ERROR (no data) or TLM_ADDRESS_ERROR.
tlm::tlm_response_status split_debug(const tlm::tlm_generic_payload& payload, std::uint64_t address,
    std::vector<AccessPiece>& pieces);

}  // namespace weft
