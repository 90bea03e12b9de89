// The unit of transfer: a 64-byte-aligned line. A wide transaction is several lines in a row.
#pragma once

#include <cstdint>

namespace weft {

constexpr std::uint32_t line_bytes = 64;
// The largest size of a transaction, B: the upper limit of engine.grain.
constexpr std::uint32_t most_transaction_bytes = 512;

}  // namespace weft
