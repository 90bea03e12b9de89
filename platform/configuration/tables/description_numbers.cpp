#include "platform/configuration/tables/description_numbers.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>

namespace weft {

namespace {

using Of = DescribedNumber::Of;

std::string lower(const std::string& text)
{
    std::string out;
    for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool one_of(const std::string& text, std::initializer_list<const char*> words)
{
    return std::any_of(words.begin(), words.end(), [&text](const char* word) { return text == word; });
}

// Letters count: GB/s are bytes, Gb/s and G are bits.
double bytes_of_unit(const std::string& unit)
{
    if (unit.empty()) return 0;
    const double scale = unit[0] == 'G' || unit[0] == 'g' ? 1e9
        : unit[0] == 'T' || unit[0] == 't'                ? 1e12
        : unit[0] == 'M' || unit[0] == 'm'                ? 1e6
                                                          : 0;
    const std::string rest = unit.substr(1);
    if (scale == 0) return 0;
    if (rest == "B/s" || rest == "Bps") return scale;
    if (rest.empty() && scale < 1e9) return 0;  // "5 m" of cable
    if (rest.empty() && unit[0] == 't') return 0;
    return one_of(lower(rest), {"", "b/s", "bps", "bit", "bit/s", "bits", "bits/s", "be", "e", "base", "aui", "ig"})
        ? scale / 8
        : 0;
}

class Scanner {
public:
    explicit Scanner(const std::string& text) : text_(text) {}

    std::vector<DescribedNumber> scan()
    {
        for (std::size_t at = 0; at < text_.size();) {
            if (!digit(at)) {
                ++at;
                continue;
            }
            const std::size_t begin = at;
            while (at < text_.size() && (digit(at) || (text_[at] == '.' && digit(at + 1)))) ++at;
            if (const auto number = number_at(begin, at)) out_.push_back(*number);
        }
        return std::move(out_);
    }

private:
    bool letter(std::size_t at) const
    {
        return at < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at])) != 0;
    }
    bool digit(std::size_t at) const
    {
        return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0;
    }
    bool is_x(std::size_t at) const { return text_[at] == 'x' || text_[at] == 'X'; }

    // An "x" in front that belongs to no word: "x8", "x 8", "4x100G", not "ConnectX 7".
    bool behind_x(std::size_t begin) const
    {
        while (begin > 0 && text_[begin - 1] == ' ') --begin;
        if (begin > 0 && text_[begin - 1] == '*') return true;
        return begin > 0 && is_x(begin - 1) && (begin == 1 || !letter(begin - 2));
    }

    // "2x NVLink"; the "x" of "4.0 x8" is the 8's.
    bool before_x(std::size_t unit, std::size_t unit_end) const
    {
        if (unit_end != unit + 1 || !is_x(unit)) return false;
        while (unit_end < text_.size() && text_[unit_end] == ' ') ++unit_end;
        return !digit(unit_end);
    }

    // The number of [begin, end), with the letters behind it.
    std::optional<DescribedNumber> number_at(std::size_t begin, std::size_t end) const
    {
        constexpr std::size_t longest = 6;
        if (end - begin > longest) return std::nullopt;
        std::size_t unit = end;
        while (unit < text_.size() && (text_[unit] == ' ' || text_[unit] == '-')) ++unit;
        std::size_t unit_end = unit;
        while (letter(unit_end) || (unit_end < text_.size() && text_[unit_end] == '/' && letter(unit_end + 1)))
            ++unit_end;
        const std::string name = text_.substr(unit, unit_end - unit);
        const std::string low = lower(name);
        const bool behind = behind_x(begin);
        const bool alone = begin == 0 || !letter(begin - 1);
        DescribedNumber out;
        out.value = std::stod(text_.substr(begin, end - begin));
        out.text = text_.substr(begin, unit_end - begin);
        if (const double scale = bytes_of_unit(name); scale > 0) {
            out.value *= scale;
            out.multiplied = behind;
            if (behind) out.text = "x" + out.text;
        } else if (one_of(low, {"gt/s", "gtps", "gt"})) {
            out.of = Of::transfers;
            out.value *= 1e9;
        } else if (one_of(low, {"lane", "lanes"})) {
            out.of = Of::lanes;
        } else if (behind) {
            out.of = Of::lanes;
            out.text = "x" + text_.substr(begin, end - begin);
        } else if (alone && one_of(low, {"link", "links"})) {
            out.of = Of::links;
        } else if (alone && one_of(low, {"port", "ports", "rail", "rails", "cable", "cables"})) {
            out.of = Of::ports;
        } else if (alone && before_x(unit, unit_end)) {
            out.of = Of::times;
        } else {
            return std::nullopt;
        }
        return out;
    }

    const std::string& text_;
    std::vector<DescribedNumber> out_;
};

}  // namespace

std::vector<DescribedNumber> numbers_in(const std::string& description) { return Scanner(description).scan(); }

}  // namespace weft
