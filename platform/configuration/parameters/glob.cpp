#include "platform/configuration/parameters/glob.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t most_digits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A whole number without leading zeros that ends where its digits do; moves `at` behind it.
std::optional<std::uint64_t> number_at(std::string_view text, std::size_t& at)
{
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at || end - at > most_digits || (text[at] == '0' && end - at > 1)) return std::nullopt;
    std::uint64_t number = 0;
    std::from_chars(text.data() + at, text.data() + end, number);
    at = end;
    return number;
}

// "[0,2-4]"
struct NumberList {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::size_t end = 0;  // behind the bracket

    bool has(std::uint64_t number) const
    {
        return std::any_of(ranges.begin(), ranges.end(),
            [number](const auto& range) { return range.first <= number && number <= range.second; });
    }
};

std::optional<NumberList> list_at(std::string_view text, std::size_t at)
{
    if (at >= text.size() || text[at] != '[') return std::nullopt;
    NumberList out;
    do {
        const auto first = number_at(text, ++at);
        if (!first) return std::nullopt;
        std::optional<std::uint64_t> last = first;
        if (at < text.size() && text[at] == '-') last = number_at(text, ++at);
        if (!last || *last < *first) return std::nullopt;
        out.ranges.emplace_back(*first, *last);
    } while (at < text.size() && text[at] == ',');
    if (at >= text.size() || text[at] != ']') return std::nullopt;
    out.end = at + 1;
    return out;
}

// `numbers`: those of the lists, where the pattern matches.
bool match(std::string_view pattern, std::string_view text, std::vector<std::uint64_t>* numbers)
{
    std::size_t p = 0;
    std::size_t t = 0;
    // Only the last `*` needs to be tried again: an earlier one could not match more than it does.
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    std::size_t before_star = 0;  // numbers
    const auto number = [&] {
        if (t > 0 && is_digit(text[t - 1])) return false;
        const auto list = list_at(pattern, p);
        std::size_t end = t;
        const auto found = list ? number_at(text, end) : std::nullopt;
        if (!found || !list->has(*found)) return false;
        if (numbers != nullptr) numbers->push_back(*found);
        p = list->end;
        t = end;
        return true;
    };
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '[' && is_digit(text[t]) && number()) continue;
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
            if (numbers != nullptr) before_star = numbers->size();
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
            if (numbers != nullptr) numbers->resize(before_star);
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace

bool has_glob(std::string_view text)
{
    if (text.find_first_of("*?") != std::string_view::npos) return true;
    for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1))
        if (list_at(text, at)) return true;
    return false;
}

bool glob_matches(std::string_view pattern, std::string_view text) { return match(pattern, text, nullptr); }

bool NumberedGlob::matches(std::string_view text)
{
    std::vector<std::uint64_t> numbers;
    if (!match(pattern_, text, &numbers)) return false;
    met_.resize(std::max(met_.size(), numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) met_[i].insert(numbers[i]);
    return true;
}

std::string NumberedGlob::missing() const
{
    std::size_t number = 0;
    for (std::size_t at = pattern_.find('['); at != std::string::npos; at = pattern_.find('[', at + 1)) {
        const auto list = list_at(pattern_, at);
        if (!list) continue;
        if (number == met_.size()) return "";  // the names have brackets
        for (const auto& [first, last] : list->ranges)
            for (std::uint64_t i = first; i <= last; ++i)
                if (met_[number].count(i) == 0)
                    return pattern_.substr(0, at) + std::to_string(i) + pattern_.substr(list->end);
        ++number;
    }
    return "";
}

std::vector<std::string> split_globs(std::string_view text)
{
    std::vector<std::string> out(1);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const auto list = list_at(text, at)) {
            out.back() += text.substr(at, list->end - at);
            at = list->end - 1;
        } else if (text[at] == ',') {
            out.emplace_back();
        } else {
            out.back() += text[at];
        }
    }
    return out;
}

}  // namespace weft
