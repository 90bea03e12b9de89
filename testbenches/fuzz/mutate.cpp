#include "testbenches/fuzz/mutate.h"

#include <algorithm>
#include <cctype>

#include "testbenches/chakra/trace_writer.h"

namespace weft::fuzz {

namespace {

const std::vector<std::string> pieces{"0", "-1", "1", "65536", "2147483648", "18446744073709551615",
    "99999999999999999999", "1e308", "0.5", "nan", "\"", "'", "[", "]", "{", "}", ": ", ",", "\n", "- ", "&a ", "*a",
    "<<: *a", "[0:99999999]", "[::-1]", "[-1]", "[:]", ".", "~", "*", "?", "true", "null", "\t", "#", "|", "!!int ",
    "\x80", "\xff", std::string(1, '\0'), "---\n", "999 TB/s", "0 ns", "1 ps", "1 GiB", "name", "count", "xpu", "sw",
    "ring", "one2one", "many2many", "device", "l2.size", "gpu.compute_units", "engine.channels: 256\n", "data_deps",
    std::string(300, 'x'), std::string(60, '[')};

struct Span {
    std::size_t begin;
    std::size_t end;
};

std::vector<Span> tokens_of(const std::string& text)
{
    std::vector<Span> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const auto is_word = [&](std::size_t i) {
            return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
        };
        std::size_t end = at + 1;
        if (is_word(at))
            while (end < text.size() && is_word(end)) ++end;
        if (text[at] != ' ') tokens.push_back({at, end});
        at = end;
    }
    return tokens;
}

std::size_t indent_of(const std::string& text, std::size_t line)
{
    std::size_t at = line;
    while (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
    return at - line;
}

// A line with the lines that are indented deeper below it.
Span block_at(const std::string& text, std::size_t line)
{
    const std::size_t depth = indent_of(text, line);
    std::size_t end = line;
    do {
        const std::size_t next = text.find('\n', end);
        end = next == std::string::npos ? text.size() : next + 1;
    } while (end < text.size() && indent_of(text, end) > depth);
    return {line, end};
}

// The bracketed part that begins at `open`.
Span group_at(const std::string& text, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (text[at] == '{' || text[at] == '[') ++depth;
        if ((text[at] == '}' || text[at] == ']') && --depth == 0) return {open, at + 1};
    }
    return {open, text.size()};
}

std::vector<Span> parts_of(const std::string& text)
{
    std::vector<Span> parts;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at == 0 || text[at - 1] == '\n') parts.push_back(block_at(text, at));
        if (text[at] == '{' || text[at] == '[') parts.push_back(group_at(text, at));
    }
    return parts;
}

std::string take(const std::string& text, Span span) { return text.substr(span.begin, span.end - span.begin); }

}  // namespace

std::uint64_t Random::next()
{
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t value = state_;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27) * 0x94d049bb133111ebU;
    return value ^ value >> 31;
}

std::string mutate_bytes(std::string text, Random& random)
{
    for (std::size_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
        const std::size_t at = random.below(text.size());
        switch (random.below(6)) {
        case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.below(8))); break;
        case 1: text[at] = static_cast<char>(random.next()); break;
        case 2: text.erase(at, 1 + random.below(8)); break;
        case 3: text.insert(at, 1 + random.below(8), static_cast<char>(random.next())); break;
        case 4: text.insert(at, text.substr(random.below(text.size()), random.below(64))); break;
        default:
            if (random.below(4) == 0) text.resize(at);
        }
    }
    return text;
}

std::string mutate_tokens(const std::string& text, Random& random)
{
    std::string out = text;
    for (std::size_t edits = 1 + random.below(3); edits > 0; --edits) {
        const std::vector<Span> tokens = tokens_of(out);
        if (tokens.empty()) break;
        const Span one = tokens[random.below(tokens.size())];
        const Span other = tokens[random.below(tokens.size())];
        const std::size_t length = one.end - one.begin;
        switch (random.below(6)) {
        case 0: out.replace(one.begin, length, pieces[random.below(pieces.size())]); break;
        case 1: out.replace(one.begin, length, take(out, other)); break;
        case 2: out.erase(one.begin, length); break;
        case 3: out.insert(one.begin, pieces[random.below(pieces.size())]); break;
        default: {
            // Other numbers keep a text well formed and change what it means.
            const std::size_t digit = out.find_first_of("0123456789", one.begin);
            if (digit != std::string::npos)
                out.replace(digit, 1,
                    random.below(8) == 0 ? pieces[random.below(8)] : std::to_string(random.below(10)));
        }
        }
    }
    return out;
}

std::string mutate_tree(const std::string& text, Random& random)
{
    std::string out = text;
    for (std::size_t edits = 1 + random.below(2); edits > 0; --edits) {
        const std::vector<Span> parts = parts_of(out);
        if (parts.empty()) break;
        const Span one = parts[random.below(parts.size())];
        const Span other = parts[random.below(parts.size())];
        const std::string moved = take(out, one);
        switch (random.below(5)) {
        case 0: out.erase(one.begin, one.end - one.begin); break;
        case 1: out.insert(one.end, moved); break;
        case 2: out.replace(other.begin, other.end - other.begin, moved); break;
        case 3: out.insert(other.begin, moved); break;
        default: {
            // Doubled again and again: depth and length beyond any real input.
            std::string many = moved;
            while (many.size() < 4000 && !many.empty()) many += many;
            if (random.below(2) == 0)
                many = std::string(1 + random.below(3000), moved.front() == '{' ? '{' : '[') + many;
            out.insert(one.end, many);
        }
        }
    }
    return out;
}

std::string mutate_text(const std::string& text, Random& random)
{
    switch (random.below(8)) {
    case 0:
    case 1: return mutate_bytes(text, random);
    case 2:
    case 3:
    case 4: return mutate_tokens(text, random);
    case 5:
    case 6: return mutate_tree(text, random);
    default: return mutate_tokens(mutate_tree(text, random), random);
    }
}

std::string mutate_trace(std::vector<std::string> messages, Random& random)
{
    using namespace weft::chakra::testing;
    const std::size_t level = random.below(4);
    if (level == 0) return mutate_bytes(framed(messages), random);
    for (std::size_t edits = 1 + random.below(3); edits > 0 && !messages.empty(); --edits) {
        const std::size_t one = random.below(messages.size());
        const std::size_t other = random.below(messages.size());
        switch (random.below(6)) {
        case 0: messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(one)); break;
        case 1: messages.push_back(messages[one]); break;
        case 2: std::swap(messages[one], messages[other]); break;
        case 3: messages[one] += messages[other]; break;  // merged: later fields win
        case 4: messages[one] = mutate_bytes(messages[one], random); break;
        default:  // a field of any number with an extreme value
            messages[one] +=
                Fields().number(1 + static_cast<unsigned>(random.below(12)), random.next() >> random.below(64)).bytes();
        }
    }
    return framed(messages);
}

}  // namespace weft::fuzz
