// SHA-256 (FIPS 180-4), for digests of golden lists.
#pragma once

#include <string>
#include <string_view>

namespace weft::test {

std::string sha256_hex(std::string_view data);

}  // namespace weft::test
