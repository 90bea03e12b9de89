// A JSON value in a diagnostic. Arrays and objects are named, not printed: printing recurses, and a
// hostile file nests millions deep.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "collectives/chakra/node.h"

namespace weft::chakra {

inline std::string brief_text(const nlohmann::json& value)
{
    if (value.is_structured()) return std::string("an ") + value.type_name();
    return printable(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace), 40);
}

}  // namespace weft::chakra
