#include "rtl/dut/port_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "infragraph/findings.h"
#include "rtl/dut/channels/axi4.h"

namespace weft {

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

std::string pin_of(const MapSignal& signal, unsigned port) { return replaced(signal.pin, "{p}", std::to_string(port)); }
bool has_pin_for_each(const MapSignal& signal) { return signal.pin.find("{p}") != std::string::npos; }

unsigned width_for(const MapSignal& signal, unsigned ports, unsigned pin_width)
{
    if (signal.width != 0) return signal.width;
    return has_pin_for_each(signal) ? pin_width - std::min(signal.at, pin_width) : pin_width / ports;
}

class MapCheck {
public:
    MapCheck(const PortMap& map, const std::vector<PinInfo>& pins, unsigned ports)
        : map_(map), ports_(ports), findings_(map.file, false)
    {
        for (const PinInfo& pin : pins) {
            pins_[pin.name] = &pin;
            names_.push_back(pin.name);
            users_[pin.name].resize(pin.width);
        }
    }

    void run()
    {
        for (const MapClock& clock : map_.clocks) whole(clock.pin, true, "a clock", clock.line, 1);
        if (!map_.reset.pin.empty()) whole(map_.reset.pin, true, "the reset", map_.reset.line, 1);
        if (!map_.idle.pin.empty()) whole(map_.idle.pin, false, "idle", map_.idle.line, 1);
        for (const MapPin& tie : map_.ties) {
            const PinInfo* const pin = whole(tie.pin, true, "a tie", tie.line, 0);
            if (pin != nullptr && pin->width < 64 && tie.value >> pin->width != 0)
                findings_.refuse(tie.line,
                    fmt::format("{} does not fit in the {} bits of pin '{}'", tie.value, pin->width, tie.pin),
                    "a smaller number");
        }
        for (const MapStream& stream : map_.streams) check(stream);
        for (const std::string& name : names_) open(*pins_[name]);
        findings_.throw_if_failed();
    }

private:
    const PinInfo* find(const std::string& name, bool input, const std::string& use, int line)
    {
        const auto found = pins_.find(name);
        if (found == pins_.end()) {
            findings_.refuse(line, fmt::format("{} names the pin '{}', which the block does not have", use, name),
                findings_.nearest("a pin of module " + map_.top, name, [this] { return names_; }));
            return nullptr;
        }
        if (found->second->input != input) {
            findings_.refuse(line,
                fmt::format("{} names the pin '{}', which is an {} of the block", use, name,
                    input ? "output" : "input"),
                input ? "an input" : "an output");
            return nullptr;
        }
        return found->second;
    }

    const PinInfo* whole(const std::string& name, bool input, const std::string& use, int line, unsigned width)
    {
        const PinInfo* const pin = find(name, input, use, line);
        if (pin == nullptr) return nullptr;
        if (width != 0 && pin->width != width)
            findings_.refuse(line, fmt::format("{} names the pin '{}' of {} bits", use, name, pin->width),
                fmt::format("{}", width));
        take(*pin, 0, pin->width, use, line);
        return pin;
    }

    void take(const PinInfo& pin, unsigned at, unsigned width, const std::string& use, int line)
    {
        std::vector<std::string>& users = users_[pin.name];
        for (unsigned bit = at; bit < at + width; ++bit) {
            if (!users[bit].empty()) {
                findings_.refuse(line, fmt::format("bit {} of pin '{}' is {} and {}", bit, pin.name, users[bit], use),
                    "one use of each bit");
                return;
            }
            users[bit] = use;
        }
    }

    // The width that every port's part has; 0: it does not fit.
    unsigned check(const MapSignal& signal, bool input, const std::string& side)
    {
        unsigned width = 0;
        for (unsigned port = 0; port < ports_; ++port) {
            const std::string use = fmt::format("{} of {} {}", signal.name, side, port);
            const PinInfo* const pin = find(pin_of(signal, port), input, use, signal.line);
            if (pin == nullptr) return 0;
            if (signal.width == 0 && !has_pin_for_each(signal) && pin->width % ports_ != 0) {
                findings_.refuse(signal.line,
                    fmt::format("pin '{}' has {} bits for {} ports", pin->name, pin->width, ports_),
                    "the same number for each, or a width");
                return 0;
            }
            width = width_for(signal, ports_, pin->width);
            const unsigned stride = signal.stride != 0 ? signal.stride : width;
            const std::uint64_t at = signal.at + (has_pin_for_each(signal) ? 0 : std::uint64_t{port} * stride);
            if (width == 0 || at + width > pin->width) {
                findings_.refuse(signal.line,
                    fmt::format("{} is bits {}..{} of pin '{}', which has {}", use, at + width - 1, at, pin->name,
                        pin->width),
                    "bits that the pin has");
                return 0;
            }
            take(*pin, static_cast<unsigned>(at), width, use, signal.line);
        }
        return width;
    }

    void want_width(const MapSignal& signal, unsigned width, unsigned wanted)
    {
        if (width != 0 && width != wanted)
            findings_.refuse(signal.line, fmt::format("{} of a port has {} bits", signal.name, width),
                std::to_string(wanted));
    }

    void check(const MapStream& stream)
    {
        const std::string side = stream.in ? "input" : "output";
        if (std::none_of(map_.clocks.begin(), map_.clocks.end(),
                [&](const MapClock& clock) { return clock.pin == stream.clock; }))
            findings_.refuse(stream.line,
                "the clock " + weft::in_quotes(stream.clock) + " of a stream is not a clock of the map",
                "a pin of 'clocks'");
        std::map<std::string, unsigned> widths;
        for (const auto& [name, signal] : stream.signals) {
            const bool axi4 = stream.protocol == StreamProtocol::axi4;
            const bool backwards = axi4 ? !axi4_forward(name) : name == "ready" || name == "credit";
            widths[name] = check(signal, stream.in != backwards, side);
        }
        if (stream.protocol == StreamProtocol::axi4) {
            check_axi4(stream, widths);
            return;
        }
        for (const char* const bit : {"valid", "last"})
            if (const MapSignal* const signal = stream.signal(bit)) want_width(*signal, widths[bit], 1);
        const unsigned data = widths["data"];
        if (data != 0 && stream.layout.bits() > data && data % 8 != 0)
            findings_.refuse(stream.signal("data")->line,
                fmt::format("a transaction of {} bits in beats of {} bits", stream.layout.bits(), data),
                "whole bytes, or one beat");
        if (const MapSignal* const keep = stream.signal("keep")) want_width(*keep, widths["keep"], data / 8);
        if (const MapSignal* const dest = stream.signal("dest"))
            if (widths["dest"] != 0 && widths["dest"] < 32 && (ports_ - 1) >> widths["dest"] != 0)
                findings_.refuse(dest->line,
                    fmt::format("{} of a port has {} bits for {} ports", dest->name, widths["dest"], ports_),
                    "enough for each");
        for (const auto& [field, signal] : stream.field_signals) {
            const unsigned width = check(signal, stream.in, side);
            if (width > width_of(field)) want_width(signal, width, width_of(field));
        }
    }

    void check_axi4(const MapStream& stream, std::map<std::string, unsigned>& widths)
    {
        const unsigned bus = widths["wdata"];
        if (bus != 0 && (bus < 64 || bus > 512 || (bus & (bus - 1)) != 0))
            findings_.refuse(stream.line, fmt::format("wdata of a port has {} bits", bus), "64, 128, 256 or 512");
        const std::map<std::string, unsigned> wanted{{"wstrb", bus / 8}, {"rdata", bus}, {"awlen", 8}, {"arlen", 8},
            {"awsize", 3}, {"arsize", 3}, {"awburst", 2}, {"arburst", 2}, {"bresp", 2}, {"rresp", 2},
            {"awuser", header_bits}, {"aruser", 2 * header_bits}, {"buser", header_bits}, {"ruser", header_bits}};
        for (const auto& [name, signal] : stream.signals) {
            const auto fixed = wanted.find(name);
            const std::string kind = name.substr(name.size() < 5 ? 0 : name.size() - 5);
            if (fixed != wanted.end())
                want_width(signal, widths[name], fixed->second);
            else if (kind == "valid" || kind == "ready" || name == "wlast" || name == "rlast")
                want_width(signal, widths[name], 1);
        }
        for (const char* const name : {"awaddr", "araddr"}) {
            const unsigned width = widths[name];
            if (width != 0 && (width > 64 || width <= stream.port_at || (ports_ - 1) >> (width - stream.port_at) != 0))
                findings_.refuse(stream.line,
                    fmt::format("{} of a port has {} bits, the output's number from bit {} on", name, width,
                        stream.port_at),
                    "enough for each, at most 64");
        }
    }

    // An input that nothing drives.
    void open(const PinInfo& pin)
    {
        if (!pin.input) return;
        const std::vector<std::string>& users = users_[pin.name];
        const auto some = std::find(users.begin(), users.end(), "");
        if (some == users.end()) return;
        const bool all = std::all_of(users.begin(), users.end(), [](const std::string& user) { return user.empty(); });
        findings_.refuse(0,
            all ? fmt::format("the map drives no value to the input '{}'", pin.name)
                : fmt::format("the map drives no value to bit {} of the input '{}'", some - users.begin(), pin.name),
            "a stream, or 'ties: {" + pin.name + ": 0}'");
    }

    const PortMap& map_;
    unsigned ports_;
    Findings findings_;
    std::map<std::string, const PinInfo*> pins_;
    std::vector<std::string> names_;
    std::map<std::string, std::vector<std::string>> users_;  // of each bit
};

}  // namespace

const char* name_of(StreamProtocol protocol)
{
    switch (protocol) {
    case StreamProtocol::valid_ready: return "valid_ready";
    case StreamProtocol::credit: return "credit";
    case StreamProtocol::axi_stream: return "axi_stream";
    case StreamProtocol::axi4: return "axi4";
    }
    return "?";
}

const char* name_of(BlockRole role) { return role == BlockRole::switch_ ? "switch" : "link"; }

bool PortMap::scales() const
{
    return std::any_of(parameters.begin(), parameters.end(),
        [](const auto& parameter) { return parameter.second.find("{ports}") != std::string::npos; });
}

std::map<std::string, std::string> PortMap::parameters_for(unsigned ports_of_node, unsigned vcs_of_node) const
{
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : parameters)
        out[name] =
            replaced(replaced(value, "{ports}", std::to_string(ports_of_node)), "{vcs}", std::to_string(vcs_of_node));
    return out;
}

PinSlice slice_of(const MapSignal& signal, unsigned port, unsigned ports, const std::vector<PinInfo>& pins)
{
    PinSlice out;
    out.pin = pin_of(signal, port);
    const auto pin = std::find_if(pins.begin(), pins.end(), [&](const PinInfo& info) { return info.name == out.pin; });
    out.width = width_for(signal, ports, pin->width);
    out.at = signal.at + (has_pin_for_each(signal) ? 0 : port * (signal.stride != 0 ? signal.stride : out.width));
    return out;
}

void check_map(const PortMap& map, const std::vector<PinInfo>& pins, unsigned ports)
{
    MapCheck(map, pins, ports).run();
}

}  // namespace weft
