// JSON values in diagnostics, and keys that come twice.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "collectives/chakra/node.h"

namespace weft::chakra {

// Arrays and objects are named, not printed: printing recurses, and a hostile file nests millions deep.
inline std::string brief_text(const nlohmann::json& value)
{
    if (value.is_structured()) return std::string("an ") + value.type_name();
    return printable(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace), 40);
}

// For json::parse(), which keeps the last value of a key that an object has twice: the first such key goes to `repeated`.
inline nlohmann::json::parser_callback_t note_repeated_key(std::string& repeated)
{
    return [open = std::vector<std::vector<std::string>>(), &repeated](int, nlohmann::json::parse_event_t event,
               nlohmann::json& value) mutable {
        using Event = nlohmann::json::parse_event_t;
        if (event == Event::object_start) {
            open.emplace_back();
        } else if (event == Event::object_end) {
            open.pop_back();
        } else if (event == Event::key) {
            const auto& name = value.get_ref<const std::string&>();
            std::vector<std::string>& names = open.back();
            if (repeated.empty() && std::find(names.begin(), names.end(), name) != names.end()) repeated = name;
            names.push_back(name);
        }
        return true;
    };
}

}  // namespace weft::chakra
