#include "platform/configuration/tables/stated_rate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "platform/configuration/parameters/phrase.h"
#include "platform/configuration/tables/description_numbers.h"
#include "platform/configuration/tables/infiniband_rate.h"

namespace weft {

namespace {

bool is_number(const std::string& word)
{
    return !word.empty() && word.size() < 7 &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::uint64_t whole_number(const std::string& word) { return is_number(word) ? std::stoull(word) : 0; }

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
        if (words[i] == "x" && is_number(words[i + 1])) return LaneWords{i, whole_number(words[i + 1])};
        if (is_number(words[i]) && (words[i + 1] == "lanes" || words[i + 1] == "lane"))
            return LaneWords{i, whole_number(words[i])};
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

struct Stated {
    double bytes = 0;  // per second
    std::string text;
};

// What a description says of ports. `unread`: nothing that it says can be relied on; `aside`: not understood either, the rates are.
struct Ports {
    std::vector<Stated> rates;
    std::string unread;
    std::string aside;
};

Ports ports_of(const std::string& text)
{
    Ports out;
    for (const DescribedNumber& number : numbers_in(text)) {
        if (number.of == DescribedNumber::Of::speed) {
            if (!number.multiplied)
                out.rates.push_back({number.value, number.text});
            else if (out.unread.empty())
                out.unread = number.text;
            continue;
        }
        // Lanes are those of the port's speed: "400G, 8 lanes".
        const bool counts = number.of == DescribedNumber::Of::links || number.of == DescribedNumber::Of::ports ||
            number.of == DescribedNumber::Of::times ||
            (number.of == DescribedNumber::Of::lanes && number.text[0] == 'x');
        if (counts && number.value != 1 && out.aside.empty()) out.aside = number.text;
    }
    return out;
}

struct PortRate {
    std::optional<double> bytes;
    std::string unread;
};

bool alike(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * b; }

PortRate port_rate(const std::string& description)
{
    const std::vector<std::string> words = words_of(description);
    InfinibandRates named;
    named.rest = description;
    if (find_phrase(words, {"infiniband"}) >= 0 || find_phrase(words, {"ib"}) >= 0)
        named = infiniband_rates(description);
    const Ports ports = ports_of(named.rest);
    std::vector<Stated> all;
    for (const Stated& rate : ports.rates) {
        // "40 Gb/s QDR" is what QDR is called by.
        const bool nominal = std::any_of(named.rates.begin(), named.rates.end(),
            [&rate](const NamedRate& of) { return alike(rate.bytes, of.nominal, 0.01); });
        if (!nominal) all.push_back(rate);
    }
    for (const NamedRate& rate : named.rates) all.push_back({rate.bytes, rate.text});
    PortRate out;
    out.unread = !ports.unread.empty() ? ports.unread : named.unknown;
    if (!out.unread.empty()) return out;
    for (const Stated& rate : all)
        if (!alike(rate.bytes, all.front().bytes, 1e-6)) out.unread = all.front().text + " and " + rate.text;
    if (!out.unread.empty()) return out;
    if (!all.empty() && all.front().bytes >= 1) out.bytes = all.front().bytes;
    out.unread = !named.unread.empty() ? named.unread : ports.aside;
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
    return "";
}

std::string unread_generation(const std::string& description)
{
    const std::vector<std::string> words = words_of(description);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (const std::string generation = generation_of(words, i); !generation.empty())
            return whole_number(generation) >= 3 && whole_number(generation) <= 6 ? "" : "gen " + generation;
    return "";
}

std::string unread_port_rate(const std::string& description) { return port_rate(description).unread; }

}  // namespace weft
