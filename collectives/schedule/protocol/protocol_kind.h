// The protocols by name; protocol.h has what they do.
#pragma once

#include <cstdint>

namespace weft {

enum class Protocol : std::uint8_t { simple, ll, ll128 };
const char* name_of(Protocol protocol);

}  // namespace weft
