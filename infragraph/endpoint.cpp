#include "infragraph/endpoint.h"

#include <charconv>

#include "infragraph/findings.h"

namespace weft {

namespace {

// Far above every count and far below overflow in the arithmetic of ranges.
constexpr std::int64_t largest_index = std::int64_t{1} << 40;

bool parse_index(std::string_view text, std::optional<std::int64_t>& value)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.empty()) return true;
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return false;
    if (number > largest_index || number < -largest_index) return false;
    value = number;
    return true;
}

}  // namespace

IndexRange Slice::range(std::int64_t n) const
{
    if (single) return {*start, 1, 1};
    IndexRange range{start.value_or(0), step, 0};
    const std::int64_t end = stop.value_or(n);
    if (step > 0 && end > range.first)
        range.count = static_cast<std::uint64_t>((end - range.first + step - 1) / step);
    else if (step < 0 && end < range.first)
        range.count = static_cast<std::uint64_t>((range.first - end - step - 1) / -step);
    return range;
}

bool parse_slice(std::string_view text, Slice& slice, std::string& problem)
{
    std::optional<std::int64_t> parts[3];
    std::size_t count = 0;
    for (std::string_view rest = text;;) {
        const std::size_t colon = rest.find(':');
        if (count == 3 || !parse_index(rest.substr(0, colon), parts[count])) {
            problem = "the slice [" + std::string(text.substr(0, 40)) + "] is not understood";
            return false;
        }
        ++count;
        if (colon == std::string_view::npos) break;
        rest.remove_prefix(colon + 1);
    }
    slice = Slice{};
    slice.start = parts[0];
    if (count == 1) {
        if (!parts[0]) {
            problem = "the slice [] is empty";
            return false;
        }
        slice.single = true;
        return true;
    }
    slice.stop = parts[1];
    slice.step = parts[2].value_or(1);
    if (slice.step == 0) {
        problem = "the slice [" + std::string(text) + "] has a step of 0";
        return false;
    }
    return true;
}

bool parse_path(std::string_view expression, std::vector<PathElement>& path, std::string& problem)
{
    for (std::string_view rest = expression;;) {
        const std::size_t end = rest.find_first_of(".[");
        PathElement element;
        element.name = rest.substr(0, end);
        if (element.name.empty()) {
            problem = "a name is missing in " + in_quotes(expression);
            return false;
        }
        rest.remove_prefix(element.name.size());
        if (!rest.empty() && rest.front() == '[') {
            const std::size_t close = rest.find(']');
            if (close == std::string_view::npos) {
                problem = "a bracket is not closed in " + in_quotes(expression);
                return false;
            }
            if (!parse_slice(rest.substr(1, close - 1), element.slice, problem)) {
                problem += " in " + in_quotes(expression);
                return false;
            }
            element.sliced = true;
            rest.remove_prefix(close + 1);
        }
        path.push_back(element);
        if (rest.empty()) return true;
        if (rest.front() != '.') {
            problem = "there is text behind a bracket in " + in_quotes(expression);
            return false;
        }
        rest.remove_prefix(1);
    }
}

}  // namespace weft
