#include "platform/configuration/tables/infiniband_rate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "platform/configuration/parameters/phrase.h"

namespace weft {

namespace {

// Of a lane in Gb/s, as data (behind 8b/10b up to QDR, 64b/66b from FDR) and as the name's generation is called.
struct Generation {
    std::string_view name;
    double lane;
    double nominal;
};
constexpr std::array<Generation, 8> generations{{{"sdr", 2, 2.5}, {"ddr", 4, 5}, {"qdr", 8, 10},
    {"fdr", 14.0625 * 64 / 66, 14.0625}, {"edr", 25, 25}, {"hdr", 50, 50}, {"ndr", 100, 100}, {"xdr", 200, 200}}};

constexpr std::array<int, 5> widths{1, 2, 4, 8, 12};
constexpr int usual_width = 4;

constexpr double bytes_of_gbps = 1e9 / 8;

using Words = std::vector<PlacedWord>;

int number(const std::string& word)
{
    const bool digits = !word.empty() && word.size() < 6 &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return digits ? std::stoi(word) : -1;
}

std::string_view word(const Words& words, std::size_t at)
{
    return at < words.size() ? std::string_view(words[at].text) : std::string_view();
}

int number(const Words& words, std::size_t at) { return at < words.size() ? number(words[at].text) : -1; }

bool is_lanes(std::string_view text) { return text == "x" || text == "lane" || text == "lanes"; }

// "4x", "x4", "4 lanes" from `at` on, two words of them; what they count.
std::optional<int> count_at(const Words& words, std::size_t at)
{
    if (number(words, at) >= 0 && is_lanes(word(words, at + 1))) return number(words, at);
    if (word(words, at) == "x" && number(words, at + 1) >= 0) return number(words, at + 1);
    return std::nullopt;
}

bool is_width(int count) { return std::find(widths.begin(), widths.end(), count) != widths.end(); }

class Reader {
public:
    explicit Reader(const std::string& description) : text_(description), words_(placed_words(description))
    {
        out_.rest = description;
    }

    InfinibandRates read()
    {
        for (std::size_t at = 0; at < words_.size(); ++at) {
            if (word(words_, at) == "gdr") out_.unknown = "gdr";
            for (const Generation& generation : generations)
                if (words_[at].text == generation.name) read(generation, at);
        }
        return std::move(out_);
    }

private:
    // A name, and the widths and numbers around it; each of these is a statement of the rate.
    void read(const Generation& generation, std::size_t at)
    {
        const std::size_t before = out_.rates.size();
        const std::string name(generation.name);
        if (at >= 2) {
            if (const auto count = count_at(words_, at - 2)) {
                if (is_width(*count))
                    add(generation, *count, at - 2, at);
                else
                    tell(at - 2, at - 1);
            }
        }
        std::size_t next = at + 1;
        while (word(words_, next) == "infiniband" || word(words_, next) == "ib") ++next;
        while (next < words_.size()) {
            const auto count = count_at(words_, next);
            if (count && is_width(*count)) {
                add(generation, *count, next, next + 2);
                next += 2;
            } else if (const int lanes = lanes_of(generation, number(words_, next)); lanes > 0 && !count) {
                add(generation, lanes, next, next + 1, name + " " + words_[next].text);
                ++next;
            } else {
                if (count || (number(words_, next) >= 0 && !is_speed(next) && !is_single(next))) tell(next, next + 1);
                break;
            }
        }
        if (out_.rates.size() == before) add(generation, usual_width, at, at, name);
    }

    // "HDR100": so many Gb/s are so many lanes of what a port may have.
    static int lanes_of(const Generation& generation, int gbps)
    {
        for (const int lanes : {1, 2, usual_width})
            if (gbps == static_cast<int>(generation.nominal * lanes)) return lanes;
        return 0;
    }

    // A number and the unit of a speed, "400 Gb/s": read as that of any port.
    bool is_speed(std::size_t at) const
    {
        const std::string_view unit = word(words_, at + 1);
        return !unit.empty() && (unit[0] == 'g' || unit[0] == 't');
    }

    // "1 port" is what a link has anyway.
    bool is_single(std::size_t at) const
    {
        const std::string_view unit = word(words_, at + 1);
        return number(words_, at) == 1 && (unit == "port" || unit == "link" || unit == "cable");
    }

    void add(const Generation& generation, int lanes, std::size_t from, std::size_t to, std::string text = "")
    {
        if (text.empty()) {
            text = std::string(generation.name) + " " + written(from, to - 1);
            std::transform(text.begin(), text.end(), text.begin(),
                [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        }
        const double gbps = generation.lane * lanes;
        out_.rates.push_back({gbps * bytes_of_gbps, generation.nominal * lanes * bytes_of_gbps, std::move(text)});
        for (std::size_t i = from; i < to; ++i)
            for (std::size_t c = words_[i].at; c < words_[i].end(); ++c) out_.rest[c] = ' ';
    }

    // Words `first` to `last` as the description has them.
    std::string written(std::size_t first, std::size_t last) const
    {
        last = std::min(last, words_.size() - 1);
        return text_.substr(words_[first].at, words_[last].end() - words_[first].at);
    }

    void tell(std::size_t first, std::size_t last)
    {
        if (out_.unread.empty()) out_.unread = written(first, last);
    }

    const std::string& text_;
    Words words_;
    InfinibandRates out_;
};

}  // namespace

InfinibandRates infiniband_rates(const std::string& description) { return Reader(description).read(); }

}  // namespace weft
