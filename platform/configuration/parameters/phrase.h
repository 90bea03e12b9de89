// Names and descriptions as sequences of words, so that "NVLink 4.0 XPU fabric", "nvlink_4" and
// "NVLINK4" are seen to speak of the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Lower case; words end at punctuation, spaces and between letters and digits.
std::vector<std::string> words_of(std::string_view text);

// The same, with the position in the text where each word begins.
struct PlacedWord {
    std::string text;
    std::size_t at = 0;
    std::size_t end() const { return at + text.size(); }
};
std::vector<PlacedWord> placed_words(std::string_view text);

// The position of `phrase` in `words`, or -1. An empty phrase is nowhere.
int find_phrase(const std::vector<std::string>& words, const std::vector<std::string>& phrase);

}  // namespace weft
