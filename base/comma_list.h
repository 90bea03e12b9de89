// The items of a text between commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// As they stand, empty ones too: n commas make n + 1 items. They live as long as `text`.
inline std::vector<std::string_view> comma_list(std::string_view text)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t comma = text.find(',');
        out.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return out;
        text.remove_prefix(comma + 1);
    }
}

inline std::vector<std::string_view> comma_list(const char* text) { return comma_list(std::string_view(text)); }

// A temporary would be gone before its items are read.
std::vector<std::string_view> comma_list(std::string&& text) = delete;

}  // namespace weft
