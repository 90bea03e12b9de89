#include "platform/configuration/parameters/phrase.h"

#include <algorithm>
#include <utility>

namespace weft {

std::vector<PlacedWord> placed_words(std::string_view text)
{
    enum class Kind { other, letter, digit };
    std::vector<PlacedWord> words;
    Kind last = Kind::other;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char c = text[at];
        Kind kind = Kind::other;
        if (c >= '0' && c <= '9') kind = Kind::digit;
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c >= 'a' && c <= 'z') kind = Kind::letter;
        if (kind != Kind::other) {
            if (kind != last) words.push_back({"", at});
            words.back().text += c;
        }
        last = kind;
    }
    return words;
}

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    for (PlacedWord& word : placed_words(text)) words.push_back(std::move(word.text));
    return words;
}

int find_phrase(const std::vector<std::string>& words, const std::vector<std::string>& phrase)
{
    if (phrase.empty()) return -1;
    const auto found = std::search(words.begin(), words.end(), phrase.begin(), phrase.end());
    return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

}  // namespace weft
