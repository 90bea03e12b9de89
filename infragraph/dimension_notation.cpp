#include "infragraph/dimension_notation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr const char* form = "DIMENSION(SIZE) joined by '_', innermost first: Ring, FullyConnected or Switch with a "
                             "size from 2 to 65535, such as Ring(8)_Switch(4)";
static_assert(most_notation_accelerators == 65535);
constexpr std::uint64_t ps_of_ns = 1000;
constexpr double bytes_of_gigabyte = 1e9;

const std::pair<const char*, DimensionKind> names[] = {{"Ring", DimensionKind::ring},
    {"FullyConnected", DimensionKind::fully_connected}, {"Switch", DimensionKind::switched}};

NotationDimension parse_dimension(const std::string& one)
{
    const std::size_t open = one.find('(');
    const auto malformed = [&] { return InputError("", 0, "'" + one + "' is not a network dimension", form); };
    if (open == std::string::npos || one.back() != ')') throw malformed();
    const std::string name = one.substr(0, open);
    const std::string size = one.substr(open + 1, one.size() - open - 2);
    const auto* const known =
        std::find_if(std::begin(names), std::end(names), [&](const auto& entry) { return name == entry.first; });
    if (known == std::end(names) || size.empty() || size.size() > 5 ||
        size.find_first_not_of("0123456789") != std::string::npos)
        throw malformed();
    NotationDimension out;
    out.kind = known->second;
    out.size = static_cast<std::uint32_t>(std::stoul(size));
    if (out.size < 2) throw malformed();
    return out;
}

class Writer {
public:
    explicit Writer(const std::vector<NotationDimension>& dimensions) : dimensions_(dimensions)
    {
        for (const NotationDimension& dimension : dimensions) ranks_ *= dimension.size;
    }

    std::string write(const std::string& text)
    {
        out_ = fmt::format(
            "# {}: {} accelerators\nname: network\ndescription: {}\ndevices:\n- name: network\n  components:\n", text,
            ranks_, text);
        out_ += fmt::format("  - {{name: xpu, choice: xpu, count: {}, description: accelerator}}\n", ranks_);
        for (std::size_t d = 0; d < dimensions_.size(); ++d)
            if (dimensions_[d].kind == DimensionKind::switched)
                out_ += fmt::format("  - {{name: sw{}, choice: switch, count: {}, description: switch}}\n", d,
                    ranks_ / dimensions_[d].size);
        out_ += "  links:\n";
        for (std::size_t d = 0; d < dimensions_.size(); ++d)
            out_ += fmt::format("  - {{name: dim{}, description: Ethernet, physical: {{bandwidth: "
                                "{{gigabytes_per_second: {}}}, latency: {{ns: {}}}}}}}\n",
                d, static_cast<double>(dimensions_[d].bandwidth) / bytes_of_gigabyte,
                static_cast<double>(dimensions_[d].latency_ps) / static_cast<double>(ps_of_ns));
        out_ += "  edges:\n";
        std::uint64_t stride = 1;
        for (std::size_t d = 0; d < dimensions_.size(); ++d) {
            for (std::uint64_t base = 0; base < ranks_; base += stride * dimensions_[d].size) edges(d, stride, base);
            stride *= dimensions_[d].size;
        }
        return out_ + "instances:\n- {name: net, device: network, count: 1}\n";
    }

private:
    // `count` accelerators from `first` on with as many nodes of `other` from `second` on, pair by pair.
    void pairs(std::size_t d, std::uint64_t first, const std::string& other, std::uint64_t second, std::uint64_t count)
    {
        out_ += fmt::format("  - {{ep1: {{component: \"xpu[{}:{}]\"}}, ep2: {{component: \"{}[{}:{}]\"}}, scheme: "
                            "one2one, link: dim{}}}\n",
            first, first + count, other, second, second + count, d);
    }

    // Along dimension d, of the accelerators from `base` on that differ on this dimension and those before it.
    void edges(std::size_t d, std::uint64_t stride, std::uint64_t base)
    {
        const std::uint64_t size = dimensions_[d].size;
        switch (dimensions_[d].kind) {
        case DimensionKind::ring:
            pairs(d, base, "xpu", base + stride, (size - 1) * stride);
            if (size > 2) pairs(d, base + (size - 1) * stride, "xpu", base, stride);
            return;
        case DimensionKind::fully_connected:
            for (std::uint64_t apart = 1; apart < size; ++apart)
                pairs(d, base, "xpu", base + apart * stride, (size - apart) * stride);
            return;
        case DimensionKind::switched:
            for (std::uint64_t at = 0; at < size; ++at)
                pairs(d, base + at * stride, fmt::format("sw{}", d), base / size, stride);
            return;
        }
    }

    const std::vector<NotationDimension>& dimensions_;
    std::uint64_t ranks_ = 1;
    std::string out_;
};

}  // namespace

std::vector<NotationDimension> parse_notation(const std::string& text)
{
    std::vector<NotationDimension> out;
    std::uint64_t ranks = 1;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('_', start), text.size());
        out.push_back(parse_dimension(text.substr(start, end - start)));
        ranks *= out.back().size;
        if (ranks > most_notation_accelerators)
            throw InputError("", 0, fmt::format("'{}' has {} accelerators or more", text, ranks),
                fmt::format("at most {}", most_notation_accelerators));
        start = end + 1;
    }
    return out;
}

std::string notation_document(const std::string& text, const std::vector<NotationDimension>& dimensions)
{
    return Writer(dimensions).write(text);
}

}  // namespace weft
