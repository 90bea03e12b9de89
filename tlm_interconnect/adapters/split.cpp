#include "tlm_interconnect/adapters/split.h"

#include <algorithm>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

tlm::tlm_response_status split(const tlm::tlm_generic_payload& payload, std::uint64_t address,
    std::vector<AccessPiece>& pieces)
{
    pieces.clear();
    if (payload.is_read() == payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    const std::uint32_t length = payload.get_data_length();
    if (length == 0 || length > max_access_bytes || payload.get_streaming_width() < length ||
        payload.get_data_ptr() == nullptr)
        return tlm::TLM_BURST_ERROR_RESPONSE;
    if (address + (length - 1) < address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const unsigned char* enables = payload.get_byte_enable_ptr();
    const std::uint32_t period = enables == nullptr ? 1 : payload.get_byte_enable_length();
    if (period == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    for (std::uint32_t i = 0; i < length; ++i) {
        if (enables != nullptr && enables[i % period] != TLM_BYTE_ENABLED) continue;
        const bool continues =
            !pieces.empty() && pieces.back().offset + pieces.back().bytes == i && (address + i) % line_bytes != 0;
        if (continues) {
            ++pieces.back().bytes;
        } else {
            pieces.push_back({address + i, i, 1});
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status split_debug(const tlm::tlm_generic_payload& payload, std::uint64_t address,
    std::vector<AccessPiece>& pieces)
{
    pieces.clear();
    if (payload.is_read() == payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    const std::uint32_t length = payload.get_data_length();
    if (length == 0 || payload.get_data_ptr() == nullptr) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (address + (length - 1) < address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    for (std::uint32_t at = 0; at < length; at += pieces.back().bytes) {
        const std::uint64_t to_end_of_line = line_bytes - (address + at) % line_bytes;
        pieces.push_back(
            {address + at, at, static_cast<std::uint32_t>(std::min<std::uint64_t>(length - at, to_end_of_line))});
    }
    return tlm::TLM_OK_RESPONSE;
}

}  // namespace weft
