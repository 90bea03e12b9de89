#include "platform/configuration/stated_rate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "platform/configuration/phrase.h"

namespace weft {

namespace {

bool is_number(const std::string& word)
{
    return !word.empty() && word.size() < 7 &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::uint64_t number(const std::string& word) { return is_number(word) ? std::stoull(word) : 0; }

bool is_lanes(std::uint64_t count)
{
    constexpr std::array<std::uint64_t, 6> known{1, 2, 4, 8, 16, 32};
    return std::find(known.begin(), known.end(), count) != known.end();
}

// Where the words of lanes begin, "x 8" or "8 lanes"; the count is in the number of the two.
struct LaneWords {
    std::size_t at = 0;
    std::uint64_t count = 0;
};
std::optional<LaneWords> lane_words(const std::vector<std::string>& words)
{
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == "x" && is_number(words[i + 1])) return LaneWords{i, number(words[i + 1])};
        if (is_number(words[i]) && (words[i + 1] == "lanes" || words[i + 1] == "lane"))
            return LaneWords{i, number(words[i])};
    }
    return std::nullopt;
}

// "gen 4", or "16 gt" of a lane, as the generation; 0: none.
std::string generation_of(const std::vector<std::string>& words, std::size_t at)
{
    static const std::array<std::pair<const char*, const char*>, 4> rates{
        {{"8", "3"}, {"16", "4"}, {"32", "5"}, {"64", "6"}}};
    if ((words[at] == "gen" || words[at] == "generation") && is_number(words[at + 1])) return words[at + 1];
    if (words[at + 1] == "gt" || words[at + 1] == "gtps")
        for (const auto& [rate, generation] : rates)
            if (words[at] == rate) return generation;
    return "";
}

// A number and the letters behind it, "200 Gb/s".
struct Stated {
    double bytes = 0;  // per second; 0: no speed
    std::string text;
};

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
    std::string low;
    for (const char c : rest) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (low.empty() && scale < 1e9) return 0;  // "5 m" of cable
    if (low.empty() && unit[0] != 'G' && unit[0] != 'g' && unit[0] != 'T') return 0;
    for (const char* bits : {"", "b/s", "bps", "bit", "bit/s", "bits", "bits/s", "be", "e", "base", "aui", "ig"})
        if (low == bits) return scale / 8;
    return 0;
}

std::vector<Stated> port_rates(const std::string& text, std::string& unread)
{
    std::vector<Stated> out;
    const auto letter = [&](std::size_t at) { return std::isalpha(static_cast<unsigned char>(text[at])) != 0; };
    const auto digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(text[at])) != 0; };
    for (std::size_t i = 0; i < text.size();) {
        if (!digit(i)) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() && (digit(i) || (text[i] == '.' && i + 1 < text.size() && digit(i + 1)))) ++i;
        const std::string value = text.substr(begin, i - begin);
        std::size_t unit = i;
        while (unit < text.size() && (text[unit] == ' ' || text[unit] == '-')) ++unit;
        std::size_t end = unit;
        while (end < text.size() && (letter(end) || (text[end] == '/' && end + 1 < text.size() && letter(end + 1))))
            ++end;
        const double scale = bytes_of_unit(text.substr(unit, end - unit));
        if (scale == 0 || value.size() > 6) continue;
        // "4x100G": how many of them are one link?
        std::size_t before = begin;
        while (before > 0 && text[before - 1] == ' ') --before;
        const bool times =
            before > 0 && (text[before - 1] == 'x' || text[before - 1] == 'X' || text[before - 1] == '*');
        if (times && unread.empty()) unread = "x" + text.substr(begin, end - begin);
        if (!times) out.push_back({std::stod(value) * scale, text.substr(begin, end - begin)});
        i = end;
    }
    return out;
}

// Data rates of InfiniBand by their names: four lanes, or fewer by the Gb/s behind the name ("HDR100").
std::vector<Stated> infiniband_rates(const std::vector<std::string>& words, std::string& unread)
{
    static const std::array<std::pair<const char*, double>, 4> known{
        {{"edr", 100}, {"hdr", 200}, {"ndr", 400}, {"xdr", 800}}};
    static const std::array<const char*, 5> others{"sdr", "ddr", "qdr", "fdr", "gdr"};
    std::vector<Stated> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const auto& [name, gbps] : known) {
            if (words[i] != name) continue;
            const auto other = static_cast<double>(i + 1 < words.size() ? number(words[i + 1]) : 0);
            out.push_back({(other > 0 && other <= gbps ? other : gbps) * 1e9 / 8, name});
        }
        if (std::find(others.begin(), others.end(), words[i]) != others.end() && unread.empty()) unread = words[i];
    }
    return out;
}

struct PortRate {
    std::optional<double> bytes;
    std::string unread;
};
PortRate port_rate(const std::string& description)
{
    PortRate out;
    const std::vector<std::string> words = words_of(description);
    std::vector<Stated> all = port_rates(description, out.unread);
    if (find_phrase(words, {"infiniband"}) >= 0 || find_phrase(words, {"ib"}) >= 0)
        for (Stated& rate : infiniband_rates(words, out.unread)) all.push_back(std::move(rate));
    if (!out.unread.empty() || all.empty()) return out;
    for (const Stated& rate : all)
        if (std::abs(rate.bytes - all.front().bytes) > 1e-6 * all.front().bytes)
            out.unread = all.front().text + " and " + rate.text;
    if (out.unread.empty() && all.front().bytes >= 1) out.bytes = all.front().bytes;
    return out;
}

}  // namespace

std::vector<std::string> words_in_order(const std::string& description)
{
    std::vector<std::string> words = words_of(description);
    const auto protocol = [&words]() -> std::ptrdiff_t {  // behind it
        if (const int at = find_phrase(words, {"pcie"}); at >= 0) return at + 1;
        if (const int at = find_phrase(words, {"pci", "express"}); at >= 0) return at + 2;
        return 0;
    };
    if (protocol() == 0) return words;
    if (const auto lanes = lane_words(words)) {
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(lanes->at);
        words.erase(first, first + 2);
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string generation = generation_of(words, i);
        if (generation.empty()) continue;
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(first, first + 2);
        words.insert(words.begin() + protocol(), {"gen", generation});
        break;
    }
    return words;
}

std::uint64_t lanes_in(const std::string& description)
{
    const auto lanes = lane_words(words_of(description));
    return lanes && is_lanes(lanes->count) ? lanes->count : 0;
}

std::optional<std::uint64_t> port_rate_in(const std::string& description)
{
    const PortRate rate = port_rate(description);
    if (!rate.bytes) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*rate.bytes));
}

std::string unread_lanes(const std::string& description)
{
    const std::vector<std::string> words = words_of(description);
    if (const auto lanes = lane_words(words); lanes && !is_lanes(lanes->count))
        return words[lanes->at] == "x" ? "x" + words[lanes->at + 1] : words[lanes->at] + " " + words[lanes->at + 1];
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (const std::string generation = generation_of(words, i); !generation.empty())
            return number(generation) >= 3 && number(generation) <= 6 ? "" : "gen " + generation;
    return "";
}

std::string unread_port_rate(const std::string& description) { return port_rate(description).unread; }

}  // namespace weft
