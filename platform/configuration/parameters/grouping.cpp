#include "platform/configuration/parameters/grouping.h"

#include <algorithm>
#include <map>
#include <set>

namespace weft {

namespace {

// A name with some numbers replaced by the set of their values, in text form.
struct Pattern {
    std::vector<std::string> elements;  // number elements: digits or a "[...]"
    std::string separators;             // after each element but the last
    std::size_t count = 1;
};

bool is_number(const std::string& text)
{
    return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos &&
        (text == "0" || text[0] != '0');
}

Pattern split(const std::string& name)
{
    Pattern out;
    out.elements.emplace_back();
    for (const char c : name) {
        if (c == '.' || c == '~') {
            out.separators += c;
            out.elements.emplace_back();
        } else {
            out.elements.back() += c;
        }
    }
    return out;
}

std::string joined(const Pattern& pattern)
{
    std::string out = pattern.elements[0];
    for (std::size_t i = 1; i < pattern.elements.size(); ++i) out += pattern.separators[i - 1] + pattern.elements[i];
    return out;
}

std::string bracketed(const std::set<unsigned long>& numbers)
{
    if (numbers.size() == 1) return std::to_string(*numbers.begin());
    std::string out = "[";
    for (auto i = numbers.begin(); i != numbers.end();) {
        const unsigned long first = *i;
        unsigned long last = first;
        for (++i; i != numbers.end() && *i == last + 1; ++i) last = *i;
        if (out.size() > 1) out += ',';
        out += std::to_string(first);
        if (last > first) out += (last == first + 1 ? "," : "-") + std::to_string(last);
    }
    return out + "]";
}

// Patterns that differ in element `position` alone become one.
std::vector<Pattern> merge(const std::vector<Pattern>& patterns, std::size_t position)
{
    struct Bucket {
        std::size_t first;
        std::set<unsigned long> numbers;
        std::size_t count;
    };
    std::map<std::string, std::size_t> index;
    std::vector<Bucket> buckets;
    std::vector<std::pair<bool, std::size_t>> order;  // (bucket?, index)
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (position >= patterns[i].elements.size() || !is_number(patterns[i].elements[position])) {
            order.emplace_back(false, i);
            continue;
        }
        Pattern rest = patterns[i];
        rest.elements[position] = "*";
        const auto [entry, fresh] = index.try_emplace(joined(rest), buckets.size());
        if (fresh) {
            buckets.push_back({i, {}, 0});
            order.emplace_back(true, entry->second);
        }
        Bucket& bucket = buckets[entry->second];
        bucket.numbers.insert(std::stoul(patterns[i].elements[position]));
        bucket.count += patterns[i].count;
    }
    std::vector<Pattern> out;
    for (const auto& [is_bucket, i] : order) {
        if (!is_bucket) {
            out.push_back(patterns[i]);
            continue;
        }
        Pattern merged = patterns[buckets[i].first];
        merged.elements[position] = bracketed(buckets[i].numbers);
        merged.count = buckets[i].count;
        out.push_back(std::move(merged));
    }
    return out;
}

// Names that differ in numbers only, whatever the combinations.
std::vector<NameGroup> hulls(const std::vector<std::string>& names)
{
    struct Hull {
        Pattern pattern;
        std::vector<std::set<unsigned long>> numbers;
        std::size_t count = 0;
    };
    std::map<std::string, std::size_t> index;
    std::vector<Hull> hulls;
    for (const std::string& name : names) {
        const Pattern pattern = split(name);
        Pattern shape = pattern;
        for (std::string& element : shape.elements)
            if (is_number(element)) element = "*";
        const auto [entry, fresh] = index.try_emplace(joined(shape), hulls.size());
        if (fresh) hulls.push_back({pattern, std::vector<std::set<unsigned long>>(pattern.elements.size()), 0});
        Hull& hull = hulls[entry->second];
        ++hull.count;
        for (std::size_t i = 0; i < pattern.elements.size(); ++i)
            if (is_number(pattern.elements[i])) hull.numbers[i].insert(std::stoul(pattern.elements[i]));
    }
    std::vector<NameGroup> out;
    for (Hull& hull : hulls) {
        for (std::size_t i = 0; i < hull.numbers.size(); ++i)
            if (!hull.numbers[i].empty()) hull.pattern.elements[i] = bracketed(hull.numbers[i]);
        out.push_back({joined(hull.pattern), hull.count});
    }
    return out;
}

}  // namespace

std::vector<NameGroup> group_names(const std::vector<std::string>& names, std::size_t most)
{
    std::vector<Pattern> patterns;
    std::size_t elements = 0;
    for (const std::string& name : names) {
        patterns.push_back(split(name));
        elements = std::max(elements, patterns.back().elements.size());
    }
    for (std::size_t position = elements; position-- > 0;) patterns = merge(patterns, position);
    if (patterns.size() > most) return hulls(names);
    std::vector<NameGroup> out;
    for (const Pattern& pattern : patterns) out.push_back({joined(pattern), pattern.count});
    return out;
}

}  // namespace weft
