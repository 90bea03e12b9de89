#include "collectives/plans/msccl_algo.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/nearest.h"
#include "collectives/plans/plan_limits.h"
#include "collectives/plans/xml_tree.h"

namespace weft {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

struct CollectiveName {
    const char* name;
    CollectiveOp op;
};
constexpr CollectiveName collective_names[] = {{"allreduce", CollectiveOp::all_reduce},
    {"allgather", CollectiveOp::all_gather}, {"reduce", CollectiveOp::reduce}, {"broadcast", CollectiveOp::broadcast},
    {"alltoall", CollectiveOp::all_to_all}, {"reduce_scatter", CollectiveOp::reduce_scatter},
    {"custom", CollectiveOp::custom}};

constexpr MscclType all_types[] = {MscclType::s, MscclType::r, MscclType::rcs, MscclType::rrc, MscclType::rrs,
    MscclType::rrcs, MscclType::cpy, MscclType::re, MscclType::nop};

// The attributes of all elements, in alphabetical order. Some are for runtimes and have no effect here.
const std::vector<std::string> attributes{"buf", "chan", "cnt", "coll", "depid", "deps", "dstbuf", "dstoff", "hasdep",
    "i_chunks", "id", "inplace", "maxBytes", "minBytes", "name", "nchannels", "nchunksperloop", "ngpus", "nthreads",
    "o_chunks", "off", "op", "outofplace", "proto", "recv", "redop", "root", "s", "s_chunks", "send", "srcbuf",
    "srcoff", "step", "type"};

class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    MscclAlgo algo(const XmlElement& root)
    {
        if (root.name != "algo") refuse(root.line, "<" + root.name + "> is not a plan", "<algo>");
        MscclAlgo out;
        out.line = root.line;
        out.name = text(root, "name");
        out.protocol = text(root, "proto");
        if (out.protocol != "Simple" && out.protocol != "LL" && out.protocol != "LL128")
            refuse(root.line, "proto " + quoted(out.protocol), "Simple, LL or LL128");
        out.channels = small(root, "nchannels", 1, most_plan_ranks);
        out.chunks = small(root, "nchunksperloop", 1, most_plan_chunks);
        out.ranks = small(root, "ngpus", 1, most_plan_ranks);
        out.collective = text(root, "coll");
        out.op = collective(root.line, out.collective);
        if (root.attribute("op") != nullptr) out.op = custom_op(root, out);
        out.in_place = number(root, "inplace", 0, 1) != 0;
        out.min_bytes = static_cast<std::uint64_t>(number(root, "minBytes", 0, most_bytes, 0));
        if (root.attribute("maxBytes") != nullptr)
            out.max_bytes = static_cast<std::uint64_t>(number(root, "maxBytes", 0, most_bytes));
        if (out.min_bytes > out.max_bytes)
            refuse(root.line, fmt::format("minBytes={} above maxBytes={}", out.min_bytes, out.max_bytes),
                "a least size that is not above the largest");
        out.root = static_cast<std::uint32_t>(number(root, "root", 0, out.ranks - 1, 0));
        for (const XmlElement& child : children(root, "gpu")) out.gpus.push_back(gpu(child));
        std::set<std::string> seen;
        tell_unknown(root, seen, out.unread);
        return out;
    }

private:
    [[noreturn]] void refuse(int line, const std::string& what, const std::string& expected) const
    {
        throw InputError(file_, line, what, expected);
    }

    static std::string quoted(const std::string& text)
    {
        std::string out = "'";
        for (const char c : text.substr(0, 60)) out += c >= ' ' && c < 127 ? c : '?';
        return out + "'";
    }

    const std::vector<XmlElement>& children(const XmlElement& parent, const char* name,
        const char* other = nullptr) const
    {
        for (const XmlElement& child : parent.children)
            if (child.name != name && (other == nullptr || child.name != other))
                refuse(child.line, "<" + child.name + "> in <" + parent.name + ">", std::string("<") + name + ">");
        return parent.children;
    }

    // Once for each name. A misspelt attribute would be a plan without it.
    void tell_unknown(const XmlElement& element, std::set<std::string>& seen, std::vector<Diagnostic>& out) const
    {
        for (const XmlAttribute& attribute : element.attributes) {
            if (std::binary_search(attributes.begin(), attributes.end(), attribute.name)) continue;
            if (!seen.insert(attribute.name).second) continue;
            const std::string nearest = nearest_name(attribute.name, attributes);
            out.push_back({file_, element.line,
                "the attribute " + quoted(attribute.name) + " is not one of a plan, and is not read",
                nearest.empty() ? "" : "a known attribute (did you mean '" + nearest + "'?)"});
        }
        for (const XmlElement& child : element.children) tell_unknown(child, seen, out);
    }

    std::string text(const XmlElement& element, const char* name) const
    {
        const std::string* value = element.attribute(name);
        if (value == nullptr)
            refuse(element.line, "<" + element.name + "> without " + name, std::string(name) + "=\"...\"");
        return *value;
    }

    std::int64_t number(const XmlElement& element, const char* name, std::int64_t low, std::int64_t high) const
    {
        const std::string value = text(element, name);
        std::int64_t out = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
        if (error != std::errc() || end != value.data() + value.size() || out < low || out > high)
            refuse(element.line, std::string(name) + "=" + quoted(value),
                "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
        return out;
    }

    std::int64_t number(const XmlElement& element, const char* name, std::int64_t low, std::int64_t high,
        std::int64_t absent) const
    {
        return element.attribute(name) == nullptr ? absent : number(element, name, low, high);
    }

    std::uint32_t small(const XmlElement& element, const char* name, std::int64_t low, std::int64_t high) const
    {
        return static_cast<std::uint32_t>(number(element, name, low, high));
    }

    CollectiveOp collective(int line, const std::string& name) const
    {
        std::string known;
        for (const CollectiveName& entry : collective_names) {
            if (name == entry.name) return entry.op;
            known += std::string(known.empty() ? "" : ", ") + entry.name;
        }
        refuse(line, "coll " + quoted(name), "one of " + known);
    }

    // The format has no name for these, which divide the message among the ranks as no custom plan does.
    CollectiveOp custom_op(const XmlElement& root, const MscclAlgo& algo) const
    {
        const std::string name = text(root, "op");
        if (algo.op != CollectiveOp::custom)
            refuse(root.line, "op " + quoted(name) + " of coll " + quoted(algo.collective), "op with coll=\"custom\"");
        for (const CollectiveOp op : {CollectiveOp::gather, CollectiveOp::scatter})
            if (name == name_of(op)) return op;
        refuse(root.line, "op " + quoted(name), "gather or scatter");
    }

    MscclGpu gpu(const XmlElement& element) const
    {
        MscclGpu out;
        out.line = element.line;
        out.id = number(element, "id", 0, most_plan_ranks);
        out.chunks[static_cast<unsigned>(Buffer::input)] = small(element, "i_chunks", 0, most_plan_chunks);
        out.chunks[static_cast<unsigned>(Buffer::output)] = small(element, "o_chunks", 0, most_plan_chunks);
        out.chunks[static_cast<unsigned>(Buffer::scratch)] = small(element, "s_chunks", 0, most_plan_chunks);
        for (const XmlElement& child : children(element, "tb")) out.blocks.push_back(block(child));
        return out;
    }

    MscclBlock block(const XmlElement& element) const
    {
        MscclBlock out;
        out.line = element.line;
        out.id = number(element, "id", 0, most_plan_chunks);
        out.send = number(element, "send", -1, most_plan_chunks);
        out.recv = number(element, "recv", -1, most_plan_chunks);
        out.channel = number(element, "chan", 0, most_plan_chunks);
        for (const XmlElement& child : children(element, "step", "op")) {
            const bool newer = child.name == "op";
            const std::int64_t index =
                number(child, newer && child.attribute("s") == nullptr ? "step" : "s", 0, most_plan_chunks);
            if (index != static_cast<std::int64_t>(out.steps.size()))
                refuse(child.line, "step " + std::to_string(index) + " of tb " + std::to_string(out.id),
                    "step " + std::to_string(out.steps.size()) + ", counted from 0");
            out.steps.push_back(step(child, newer));
        }
        return out;
    }

    // The newer form leaves out defaults and names one place for both sides.
    MscclStep step(const XmlElement& element, bool newer) const
    {
        MscclStep out;
        out.line = element.line;
        out.type = type(element);
        const auto named = [&](const char* name, const char* both) {
            return newer && element.attribute(name) == nullptr && element.attribute(both) != nullptr ? both : name;
        };
        const bool optional = newer || out.type == MscclType::nop;
        out.source_buffer = buffer(element, named("srcbuf", "buf"), optional);
        out.destination_buffer = buffer(element, named("dstbuf", "buf"), optional);
        const auto offset = [&](const char* name) {
            const char* shown = named(name, "off");
            return optional ? number(element, shown, -1, most_plan_chunks, -1)
                            : number(element, shown, -1, most_plan_chunks);
        };
        out.source = offset("srcoff");
        out.destination = offset("dstoff");
        out.count = newer ? number(element, "cnt", 0, most_plan_chunks, out.type == MscclType::nop ? 0 : 1)
                          : number(element, "cnt", 0, most_plan_chunks);
        out.block =
            newer ? number(element, "depid", -1, most_plan_chunks, -1) : number(element, "depid", -1, most_plan_chunks);
        out.step =
            newer ? number(element, "deps", -1, most_plan_chunks, -1) : number(element, "deps", -1, most_plan_chunks);
        out.has_dependents = (newer ? number(element, "hasdep", 0, 1, 0) : number(element, "hasdep", 0, 1)) != 0;
        return out;
    }

    MscclType type(const XmlElement& element) const
    {
        const std::string name = text(element, "type");
        for (const MscclType known : all_types)
            if (name == name_of(known)) return known;
        refuse(element.line, "type " + quoted(name), "one of s, r, rcs, rrc, rrs, rrcs, cpy, re, nop");
    }

    Buffer buffer(const XmlElement& element, const char* name, bool optional) const
    {
        if (optional && element.attribute(name) == nullptr) return Buffer::input;
        const std::string value = text(element, name);
        if (value == "i") return Buffer::input;
        if (value == "o") return Buffer::output;
        if (value == "s") return Buffer::scratch;
        refuse(element.line, std::string(name) + "=" + quoted(value), "i, o or s");
    }

    const std::string& file_;
};

}  // namespace

const char* name_of(MscclType type)
{
    switch (type) {
    case MscclType::s: return "s";
    case MscclType::r: return "r";
    case MscclType::rcs: return "rcs";
    case MscclType::rrc: return "rrc";
    case MscclType::rrs: return "rrs";
    case MscclType::rrcs: return "rrcs";
    case MscclType::cpy: return "cpy";
    case MscclType::re: return "re";
    case MscclType::nop: return "nop";
    }
    return "?";
}

bool receives(MscclType type)
{
    return type == MscclType::r || type == MscclType::rcs || type == MscclType::rrc || type == MscclType::rrs ||
        type == MscclType::rrcs;
}

bool sends(MscclType type)
{
    return type == MscclType::s || type == MscclType::rcs || type == MscclType::rrs || type == MscclType::rrcs;
}

bool reads_source(MscclType type)
{
    return type == MscclType::s || type == MscclType::rrc || type == MscclType::rrs || type == MscclType::rrcs ||
        type == MscclType::cpy || type == MscclType::re;
}

bool writes_destination(MscclType type)
{
    return type != MscclType::s && type != MscclType::rrs && type != MscclType::nop;
}

MscclAlgo parse_msccl(const std::string& text, const std::string& file)
{
    return Parser(file).algo(read_xml(text, file));
}

}  // namespace weft
