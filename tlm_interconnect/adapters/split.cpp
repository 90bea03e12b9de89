#include "tlm_interconnect/adapters/split.h"

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

}  // namespace weft
