#include "platform/configuration/tables/link_rate.h"

#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/tables/description_numbers.h"
#include "platform/configuration/tables/stated_rate.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

using Of = DescribedNumber::Of;

// The figure of the table; nullptr where lanes and encoding give the bandwidth.
const Figure* figure_of(const LinkKind& kind)
{
    const auto stated = kind.figures.find(*info_of(block_of<LinkSpec>()).find("bandwidth"));
    return stated == kind.figures.end() ? nullptr : &stated->second;
}

bool has_ports(const LinkKind& kind) { return kind.described_speed && !kind.transfer; }

// The rate of a lane that the description states, where the kind has several; 0: none.
std::uint64_t described_transfers(const LinkKind& kind, const std::string& description)
{
    if (!kind.described_speed || !kind.transfer) return 0;
    for (const DescribedNumber& number : numbers_in(description))
        if (number.of == Of::transfers) return static_cast<std::uint64_t>(std::llround(number.value));
    return 0;
}

bool alike(double a, double b) { return std::abs(a - b) <= 0.01 * b; }

// A speed that only repeats what is known: of a lane, of all lanes before their encoding, of the link.
bool is_known_speed(const LinkKind& kind, const std::string& description, double speed, double taken)
{
    if (taken > 0 && alike(speed, taken)) return true;
    if (const auto figure = bandwidth_of(kind, description, std::nullopt))
        if (alike(speed, static_cast<double>(figure->value))) return true;
    if (!kind.transfer) return kind.lane_rate > 0 && alike(speed, static_cast<double>(kind.lane_rate) / 8);
    const std::uint64_t stated = described_transfers(kind, description);
    const double lane = static_cast<double>(stated > 0 ? stated : kind.transfer->per_second) / 8;
    const std::uint64_t lanes = lanes_in(description);
    return alike(speed, lane) || alike(speed, lane * static_cast<double>(lanes > 0 ? lanes : kind.transfer->lanes));
}

bool is_understood(const LinkKind& kind, const std::string& description, const DescribedNumber& number, double taken)
{
    const std::uint64_t lanes = lanes_in(description);
    const std::uint64_t links = described_links(kind, description).count;
    const std::uint64_t transfers = described_transfers(kind, description);
    switch (number.of) {
    case Of::speed: return !number.multiplied && is_known_speed(kind, description, number.value, taken);
    case Of::transfers:
        return number.value ==
            static_cast<double>(transfers > 0 ? transfers
                    : kind.transfer           ? kind.transfer->per_second
                                              : kind.lane_rate);
    case Of::lanes:
        return kind.transfer ? number.value == static_cast<double>(lanes)
                             : links > 0 && number.text[0] == 'x' && number.value == static_cast<double>(links);
    case Of::links:
    case Of::times: return number.value == 1 || (links > 0 && number.value == static_cast<double>(links));
    case Of::ports: break;
    }
    return number.value == 1;
}

}  // namespace

std::optional<Figure> bandwidth_of(const LinkKind& kind, const std::string& description,
    const std::optional<StatedLane>& per_lane)
{
    if (!per_lane) {
        if (has_ports(kind))
            if (const auto rate = port_rate_in(description))
                return Figure{*rate, "its description (" + in_quotes(description) + ")", "derived"};
        const Figure* stated = figure_of(kind);
        if (const DescribedLinks links = described_links(kind, description); stated != nullptr && links.count > 0)
            return Figure{stated->value * links.count,
                fmt::format("{} link{} (its description) of {}: {}", links.count, links.count == 1 ? "" : "s",
                    format_rate(stated->value), stated->source),
                stated->grade};
        if (stated != nullptr && !describes_lanes(kind, description)) return *stated;
    }
    if (!kind.transfer) return std::nullopt;
    const Transfer& transfer = *kind.transfer;
    const std::uint64_t described = lanes_in(description);
    const std::uint64_t lanes = described > 0 ? described : transfer.lanes;
    const std::uint64_t transfers = described_transfers(kind, description);
    const std::uint64_t rate = per_lane ? per_lane->transfers : transfers > 0 ? transfers : transfer.per_second;
    // Beyond 10 PT/s nothing is left of the range of a bandwidth anyway.
    if (rate == 0 || rate > 10'000'000'000'000'000ULL / lanes) return std::nullopt;
    const std::uint64_t bytes = rate * lanes / 8 / transfer.coded * transfer.payload +
        rate * lanes / 8 % transfer.coded * transfer.payload / transfer.coded;
    if (per_lane)
        return Figure{bytes,
            fmt::format("{} lane{} at {}/{} ({}), {:g} GT/s each of {}", lanes, lanes == 1 ? "" : "s", transfer.payload,
                transfer.coded, transfer.source, static_cast<double>(rate) / 1e9, per_lane->origin),
            transfer.grade == "inferred" ? transfer.grade : "derived"};
    return Figure{bytes,
        fmt::format("{}: {} lane{} of {:g} GT/s at {}/{}", transfer.source, lanes, lanes == 1 ? "" : "s",
            static_cast<double>(rate) / 1e9, transfer.payload, transfer.coded),
        transfer.grade};
}

std::uint64_t other_transfers(const LinkKind& kind, const std::string& description, std::uint64_t transfers)
{
    if (!kind.transfer) return 0;
    const std::uint64_t described = described_transfers(kind, description);
    const bool named = !kind.generic && !kind.described_speed && kind.transfer->grade != "inferred";
    const std::uint64_t expected = described > 0 ? described : named ? kind.transfer->per_second : 0;
    return expected == transfers ? 0 : expected;
}

bool bandwidth_is_assumed(const LinkKind& kind, const std::string& description, bool per_lane)
{
    if (kind.generic) return true;
    if (!per_lane) {
        if (has_ports(kind) && port_rate_in(description)) return false;
        if (const Figure* stated = figure_of(kind)) return stated->grade == "inferred";
    }
    return kind.transfer && (lanes_in(description) == 0 || kind.transfer->grade == "inferred");
}

DescribedLinks described_links(const LinkKind& kind, const std::string& description)
{
    constexpr double most = 1024;
    DescribedLinks out;
    if (!kind.described_links) return out;
    for (const DescribedNumber& number : numbers_in(description)) {
        const bool counts =
            number.of == Of::links || number.of == Of::times || (number.of == Of::lanes && number.text[0] == 'x');
        if (!counts || number.value < 1 || number.value > most || number.value != std::floor(number.value)) continue;
        const auto count = static_cast<std::uint64_t>(number.value);
        if (out.count > 0 && out.count != count) return {};
        out = {count, number.text};
    }
    return out;
}

bool describes_lanes(const LinkKind& kind, const std::string& description)
{
    return kind.transfer && figure_of(kind) != nullptr &&
        (lanes_in(description) > 0 || described_transfers(kind, description) > 0);
}

std::string unread_speed(const LinkKind& kind, const std::string& description, std::uint64_t taken)
{
    if (has_ports(kind)) return unread_port_rate(description);
    if (kind.transfer) {
        if (const std::string lanes = unread_lanes(description); !lanes.empty()) return lanes;
        if (figure_of(kind) == nullptr)
            if (const std::string generation = unread_generation(description); !generation.empty()) return generation;
    }
    for (const DescribedNumber& number : numbers_in(description))
        if (!is_understood(kind, description, number, static_cast<double>(taken))) return number.text;
    return "";
}

}  // namespace weft
