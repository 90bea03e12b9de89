#include "rtl/dut/port_map_reader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/text_file.h"
#include "base/units.h"
#include "infragraph/fields.h"
#include "rtl/dut/channels/axi4.h"

namespace weft {

namespace {

using Id = YamlTree::Id;

// A name as the protocol's own documents have it, and what it is by the names of valid/ready.
struct SignalName {
    const char* written;
    const char* meant;
    bool required;
};

const std::vector<SignalName>& signal_names(StreamProtocol protocol)
{
    static const std::vector<SignalName> valid_ready{{"valid", "valid", true}, {"ready", "ready", true},
        {"data", "data", true}, {"last", "last", false}, {"dest", "dest", false}, {"vc", "vc", false},
        {"id", "id", false}};
    static const std::vector<SignalName> credit{{"valid", "valid", true}, {"credit", "credit", true},
        {"data", "data", true}, {"last", "last", false}, {"dest", "dest", false}, {"vc", "vc", false},
        {"id", "id", false}};
    static const std::vector<SignalName> axi_stream{{"tvalid", "valid", true}, {"tready", "ready", true},
        {"tdata", "data", true}, {"tkeep", "keep", false}, {"tlast", "last", false}, {"tdest", "dest", false},
        {"tuser", "vc", false}, {"tid", "id", false}};
    return protocol == StreamProtocol::valid_ready ? valid_ready
        : protocol == StreamProtocol::credit       ? credit
                                                   : axi_stream;
}

class MapReader {
public:
    MapReader(const std::string& path, const std::string& text) : tree_(path, text), findings_(path, false)
    {
        map_.file = path;
    }

    PortMap read()
    {
        Fields fields(tree_, tree_.root(), "port map", findings_);
        map_.name = fields.text("name", Fields::Need::required).value_or("");
        const bool plain = std::all_of(map_.name.begin(), map_.name.end(),
            [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
        const bool empty = map_.name.empty() && fields.get("name").has_value();
        if (!plain || empty || map_.name.size() > 64)
            findings_.refuse(fields.line(), "the name " + weft::in_quotes(map_.name),
                "letters, digits, _ and -, at most 64");
        map_.text = fields.text("text").value_or("a block of RTL behind a port map");
        const bool link = choice(fields, "role", {"switch", "link"}) == "link";
        map_.role = link ? BlockRole::link : BlockRole::switch_;
        map_.top = fields.text("top", Fields::Need::required).value_or("");
        if (const auto top = fields.get("top")) map_.top_line = tree_.line(*top);
        map_.ports = number(fields, "ports", link ? 2 : map_.ports, 1, 64);
        if (link && map_.ports != 2)
            findings_.refuse(fields.line(), fmt::format("a link with {} ports", map_.ports), "2, its ends");
        map_.vcs = number(fields, "vcs", map_.vcs, 1, 16);
        map_.quiet = number(fields, "quiet", map_.quiet, 1, 1'000'000);
        map_.output_buffer = number(fields, "output_buffer", map_.output_buffer, 1, 4096);
        if (const auto id = fields.get("output_buffer"); id && link)
            findings_.refuse(tree_.line(*id), "'output_buffer' of a link",
                "a map without it: the sender holds a slot of the buffer behind the link");
        read_build(fields);
        read_clocks(fields);
        for (const char* const side : {"in", "out"}) read_side(fields, side);
        fields.finish();
        findings_.throw_if_failed();
        return std::move(map_);
    }

private:
    unsigned number(int line, std::string_view text, const std::string& name, unsigned otherwise, unsigned low,
        unsigned high)
    {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && !text.empty() && value >= low && value <= high)
            return value;
        findings_.refuse(line, fmt::format("'{}' is {}", name, weft::in_quotes(text)),
            fmt::format("a whole number from {} to {}", low, high));
        return otherwise;
    }
    unsigned number(Fields& fields, const char* name, unsigned otherwise, unsigned low, unsigned high)
    {
        const auto id = fields.get(name);
        return id ? number(tree_.line(*id), tree_.text_or_empty(*id), name, otherwise, low, high) : otherwise;
    }
    std::string choice(Fields& fields, const char* name, const std::vector<std::string>& known)
    {
        const auto id = fields.get(name, Fields::Need::required);
        if (!id) return known.front();
        std::string text(tree_.text_or_empty(*id));
        if (std::find(known.begin(), known.end(), text) != known.end()) return text;
        std::string all;
        for (const std::string& word : known) all += (all.empty() ? "" : ", ") + word;
        findings_.refuse(tree_.line(*id), fmt::format("'{}' is {}", name, weft::in_quotes(text)), "one of " + all);
        return known.front();
    }
    // Words of a list, or a single one.
    std::vector<std::string> words(Fields& fields, const char* name)
    {
        std::vector<std::string> out;
        const auto id = fields.get(name);
        if (!id) return out;
        if (tree_.kind(*id) == YamlTree::Kind::sequence)
            for (std::uint32_t i = 0; i < tree_.size(*id); ++i)
                out.emplace_back(tree_.text_or_empty(tree_.item(*id, i)));
        else
            out.emplace_back(tree_.text_or_empty(*id));
        for (const std::string& word : out)
            if (word.empty())
                findings_.refuse(tree_.line(*id), fmt::format("'{}' is {}", name, tree_.describe(*id)), "words");
        return out;
    }

    void read_build(Fields& fields)
    {
        if (const auto id = fields.get("parameters")) {
            const Fields parameters(tree_, *id, "parameters", findings_);
            for (std::uint32_t i = 0; i < parameters.size(); ++i) {
                const std::string name(parameters.key(i));
                map_.parameters[name] = tree_.text_or_empty(parameters.value(i));
                map_.parameter_lines[name] = tree_.line(parameters.value(i));
            }
        }
        const std::filesystem::path here = std::filesystem::absolute(map_.file).parent_path();
        for (const std::string& folder : words(fields, "include")) {
            map_.include_folders.push_back((here / folder).string());
            if (!std::filesystem::is_directory(map_.include_folders.back()))
                findings_.refuse(tree_.line(*fields.get("include")), "no such folder " + weft::in_quotes(folder),
                    "a folder, from that of the map on");
        }
        map_.defines = words(fields, "defines");
        if (const auto id = fields.get("ties")) {
            const Fields ties(tree_, *id, "ties", findings_);
            for (std::uint32_t i = 0; i < ties.size(); ++i) {
                const int line = tree_.line(ties.value(i));
                const std::string pin(ties.key(i));
                map_.ties.push_back({pin, number(line, tree_.text_or_empty(ties.value(i)), pin, 0, 0, ~0U), line});
            }
        }
    }

    // 0: switch.clock, which links do not have.
    std::uint64_t period_of(Id id)
    {
        const std::string text(tree_.text_or_empty(id));
        const auto ps = parse_time_ps(text);
        const bool link = map_.role == BlockRole::link;
        if (text == "switch.clock" && !link) return 0;
        if (!ps || *ps == 0)
            findings_.refuse(tree_.line(id), "the period is " + weft::in_quotes(text),
                link ? "a time, such as 800ps" : "a time, such as 800ps, or switch.clock");
        return ps.value_or(0);
    }

    void read_clocks(Fields& fields)
    {
        for (const Id id : fields.list("clocks", Fields::Need::required)) {
            Fields entry(tree_, id, "clock", findings_);
            MapClock clock;
            clock.line = entry.line();
            clock.pin = entry.text("pin", Fields::Need::required).value_or("");
            if (const auto period = entry.get("period"))
                clock.period = period_of(*period);
            else if (map_.role == BlockRole::link)
                findings_.refuse(clock.line, "a clock of a link without a period", "a time, such as 800ps");
            entry.finish();
            map_.clocks.push_back(clock);
        }
        if (map_.clocks.empty() && !findings_.failed())
            findings_.refuse(fields.line(), "'clocks' is empty", "at least one clock");
        if (const auto id = fields.get("reset")) {
            Fields reset(tree_, *id, "reset", findings_);
            map_.reset.line = reset.line();
            map_.reset.pin = reset.text("pin", Fields::Need::required).value_or("");
            if (reset.get("active")) map_.reset.active_low = choice(reset, "active", {"low", "high"}) == "low";
            map_.reset.clocks = number(reset, "clocks", map_.reset.clocks, 1, 1'000'000);
            reset.finish();
        }
        if (const auto id = fields.get("idle")) {
            map_.idle.line = tree_.line(*id);
            map_.idle.value = 1;
            if (tree_.kind(*id) == YamlTree::Kind::mapping) {
                Fields idle(tree_, *id, "idle", findings_);
                map_.idle.pin = idle.text("pin", Fields::Need::required).value_or("");
                map_.idle.value = number(idle, "value", 1, 0, 1);
                idle.finish();
            } else {
                map_.idle.pin = tree_.text_or_empty(*id);
            }
        }
    }

    void read_side(Fields& fields, const char* side)
    {
        const auto id = fields.get(side, Fields::Need::required);
        if (!id) return;
        std::vector<Id> all{*id};
        if (tree_.kind(*id) == YamlTree::Kind::sequence) {
            all.clear();
            for (std::uint32_t i = 0; i < tree_.size(*id); ++i) all.push_back(tree_.item(*id, i));
        }
        unsigned classes[3] = {};
        for (const Id stream : all) {
            read_stream(stream, side == std::string("in"));
            ++classes[static_cast<unsigned>(map_.streams.back().lines)];
        }
        const bool whole = classes[0] == 1 && classes[1] + classes[2] == 0;
        const bool split = classes[0] == 0 && classes[1] == 1 && classes[2] == 1;
        if (!whole && !split)
            findings_.refuse(tree_.line(*id),
                fmt::format("the streams of '{}' do not carry each transaction exactly once", side),
                "one stream, or one of 'lines: requests' and one of 'lines: responses'");
    }

    MapSignal read_signal(const char* name, Id id)
    {
        MapSignal signal;
        signal.name = name;
        signal.line = tree_.line(id);
        if (tree_.kind(id) != YamlTree::Kind::mapping) {
            signal.pin = tree_.text_or_empty(id);
            if (signal.pin.empty())
                findings_.refuse(signal.line, fmt::format("'{}' is {}", name, tree_.describe(id)), "a pin");
            return signal;
        }
        Fields fields(tree_, id, "signal", findings_);
        signal.pin = fields.text("pin", Fields::Need::required).value_or("");
        signal.at = number(fields, "at", 0, 0, 1U << 20U);
        signal.stride = number(fields, "stride", 0, 1, 1U << 20U);
        signal.width = number(fields, "width", 0, 1, 1U << 20U);
        fields.finish();
        return signal;
    }

    void read_stream(Id id, bool in)
    {
        MapStream stream;
        stream.in = in;
        Fields fields(tree_, id, in ? "stream in" : "stream out", findings_);
        stream.line = fields.line();
        const std::string protocol = choice(fields, "protocol", {"valid_ready", "credit", "axi_stream", "axi4"});
        stream.protocol = protocol == "credit" ? StreamProtocol::credit
            : protocol == "axi_stream"         ? StreamProtocol::axi_stream
                                               : StreamProtocol::valid_ready;
        if (protocol == "axi4") {
            read_axi4(fields, stream);
            return;
        }
        if (fields.get("lines")) {
            const std::string lines = choice(fields, "lines", {"all", "requests", "responses"});
            stream.lines = lines == "all" ? StreamLines::all
                : lines == "requests"     ? StreamLines::requests
                                          : StreamLines::responses;
        }
        stream.clock = fields.text("clock").value_or(map_.clocks.empty() ? "" : map_.clocks.front().pin);
        if (stream.protocol == StreamProtocol::credit) {
            if (!fields.get("credits"))
                findings_.refuse(stream.line, "a stream with credits does not state their number", "credits: N");
            stream.credits = number(fields, "credits", 1, 1, 4096);
        }
        for (const SignalName& name : signal_names(stream.protocol))
            if (const auto signal =
                    fields.get(name.written, name.required ? Fields::Need::required : Fields::Need::optional))
                stream.signals[name.meant] = read_signal(name.written, *signal);
        read_packing(fields, stream);
        fields.finish();
        map_.streams.push_back(std::move(stream));
    }

    // All pins by their usual names.
    void read_axi4(Fields& fields, MapStream& stream)
    {
        stream.protocol = StreamProtocol::axi4;
        stream.clock = fields.text("clock").value_or(map_.clocks.empty() ? "" : map_.clocks.front().pin);
        stream.port_at = number(fields, "port_at", 48, 6, 63);
        stream.layout = LineLayout::whole();
        const std::string prefix = fields.text("prefix", Fields::Need::required).value_or("");
        for (const std::string& name : axi4_signal_names()) {
            MapSignal& signal = stream.signals[name];
            signal.name = name;
            signal.pin = prefix + name;
            signal.line = stream.line;
        }
        fields.finish();
        map_.streams.push_back(std::move(stream));
    }

    void read_packing(Fields& fields, MapStream& stream)
    {
        for (unsigned i = 0; i + 1 < line_fields; ++i)
            if (const auto id = fields.get(line_field_names()[i].c_str()))
                stream.field_signals[static_cast<LineField>(i)] = read_signal(line_field_names()[i].c_str(), *id);
        const auto packing = fields.get("packing");
        if (!packing && stream.field_signals.empty()) {
            stream.layout = LineLayout::whole();
            return;
        }
        const int line = packing ? tree_.line(*packing) : stream.line;
        if (packing) {
            Fields places(tree_, *packing, "packing", findings_);
            for (unsigned i = 0; i < line_fields; ++i) {
                const auto field = static_cast<LineField>(i);
                if (const auto id = places.get(line_field_names()[i].c_str())) read_place(field, *id, stream.layout);
            }
            places.finish();
        } else {
            stream.layout.add(LineField::data, 0, width_of(LineField::data));
        }
        check_packing(stream, line);
    }

    void read_place(LineField field, Id id, LineLayout& layout)
    {
        unsigned width = width_of(field);
        unsigned at = 0;
        if (tree_.kind(id) == YamlTree::Kind::mapping) {
            Fields place(tree_, id, "place", findings_);
            at = number(place, "at", 0, 0, 8191);
            width = number(place, "width", width, 1, width);
            place.finish();
        } else {
            at = number(tree_.line(id), tree_.text_or_empty(id), name_of(field), 0, 0, 8191);
        }
        for (unsigned i = 0; i < line_fields; ++i) {
            const LineLayout::Place& other = layout.place(static_cast<LineField>(i));
            if (other.width != 0 && at < other.at + other.width && other.at < at + width)
                findings_.refuse(tree_.line(id),
                    fmt::format("{} overlaps {}", name_of(field), name_of(static_cast<LineField>(i))),
                    "bits of its own");
        }
        layout.add(field, at, width);
    }

    // What names and routes a line must go through the block.
    void check_packing(const MapStream& stream, int line)
    {
        std::vector<LineField> needed{LineField::destination, LineField::source, LineField::operation, LineField::tag,
            LineField::data};
        if (stream.lines == StreamLines::all) needed.push_back(LineField::response);
        for (const LineField field : needed)
            if (!stream.carries(field))
                findings_.refuse(line, fmt::format("the stream does not carry '{}'", name_of(field)),
                    "all fields of a transaction: destination, source, operation, response, tag, data");
        for (const auto& [field, signal] : stream.field_signals)
            if (stream.layout.has(field))
                findings_.refuse(signal.line, fmt::format("'{}' has a pin and a place in 'packing'", name_of(field)),
                    "one of them");
        if (stream.layout.has(LineField::data) &&
            stream.layout.place(LineField::data).width != width_of(LineField::data))
            findings_.refuse(line, "the data field has less than a line", "512 bits");
    }

    YamlTree tree_;
    Findings findings_;
    PortMap map_;
};

}  // namespace

PortMap read_port_map_text(const std::string& path, const std::string& text) { return MapReader(path, text).read(); }

PortMap read_port_map(const std::string& path)
{
    return read_port_map_text(path, read_text_file(path, std::size_t{1} << 20U));
}

}  // namespace weft
