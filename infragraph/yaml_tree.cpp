#include "infragraph/yaml_tree.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/diagnostic.h"
#include "infragraph/findings.h"

namespace weft {

namespace {

constexpr std::size_t deepest = 100;
constexpr std::uint64_t most_elements = 20'000'000;
constexpr std::size_t longest_text = std::size_t{1} << 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_boolean(std::string_view text)
{
    constexpr std::array<std::string_view, 18> words{"true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes",
        "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"};
    for (const std::string_view word : words)
        if (text == word) return true;
    return false;
}

// What a plain scalar is. YAML 1.1 and 1.2 read 0x10, 010, 1_000 and 1:30 differently: those are kept
// apart as ambiguous and fit neither a number nor a text.
YamlTree::Kind plain_kind(std::string_view text)
{
    using Kind = YamlTree::Kind;
    if (is_boolean(text)) return Kind::boolean;
    if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan" || text == ".Inf" || text == "-.Inf" ||
        text == ".NaN" || text == ".INF" || text == ".NAN" || text == "-.INF")
        return Kind::ambiguous;
    std::string_view rest = text;
    if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
    if (rest.empty() || !(is_digit(rest.front()) || rest.front() == '.')) return Kind::text;
    std::size_t i = 0;
    std::size_t digits = 0;
    bool fraction = false;
    for (; i < rest.size(); ++i) {
        if (is_digit(rest[i]))
            ++digits;
        else if (rest[i] == '.' && !fraction)
            fraction = true;
        else
            break;
    }
    const bool leading_zero = rest.size() > 1 && rest[0] == '0' && is_digit(rest[1]);
    if (digits > 0 && i == rest.size()) {
        if (leading_zero && !fraction) return Kind::ambiguous;
        return fraction ? Kind::number : Kind::integer;
    }
    if (digits > 0 && (rest[i] == 'e' || rest[i] == 'E')) {
        std::size_t k = i + 1;
        if (k < rest.size() && (rest[k] == '-' || rest[k] == '+')) ++k;
        const std::size_t first = k;
        while (k < rest.size() && is_digit(rest[k])) ++k;
        if (k == rest.size() && k > first) return Kind::number;
    }
    // Other spellings of an integer in YAML 1.1: underscores, base 16, 8, 2 and 60.
    if (!is_digit(rest.front())) return Kind::text;
    if (rest.size() > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'b' || rest[1] == 'o') &&
        rest.find_first_not_of("0123456789abcdefABCDEF_", 2) == std::string_view::npos)
        return Kind::ambiguous;
    if (rest.find_first_not_of("0123456789_") == std::string_view::npos) return Kind::ambiguous;
    if (rest.find(':') != std::string_view::npos && rest.back() != ':' &&
        rest.find_first_not_of("0123456789:") == std::string_view::npos)
        return Kind::ambiguous;
    return Kind::text;
}

}  // namespace

// Receives yaml-cpp's events. Open containers keep their children on one shared stack; closing one moves
// its tail into the tree.
class YamlTreeBuilder : public YAML::EventHandler {
public:
    YamlTreeBuilder(YamlTree& tree, const std::string& file) : tree_(tree), file_(file) {}

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        add({YamlTree::Kind::null, line_of(mark), 0, 0}, anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end())
            throw InputError(file_, line_of(mark), "an alias is inside the element that it names",
                "an alias of an element that is complete");
        charge(found->second.weight, line_of(mark));
        pending_.push_back(found->second.id);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
        const std::string& value) override
    {
        YamlTree::Kind kind = YamlTree::Kind::text;
        if (tag == "?")
            kind = plain_kind(value);
        else if (tag != "!" && tag != "tag:yaml.org,2002:str")
            kind = tagged_kind(mark, tag, value);
        const auto begin = static_cast<std::uint32_t>(tree_.arena_.size());
        tree_.arena_ += value;
        add({kind, line_of(mark), begin, static_cast<std::uint32_t>(value.size())}, anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/) override
    {
        open(YamlTree::Kind::sequence, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/) override
    {
        open(YamlTree::Kind::mapping, mark, anchor);
    }
    void OnMapEnd() override { close(); }

    bool finish()
    {
        if (pending_.empty()) return false;
        tree_.root_ = pending_.front();
        return true;
    }

private:
    struct Anchored {
        YamlTree::Id id;
        std::uint64_t weight;
    };
    struct Open {
        YamlTree::Id id;
        std::size_t first_pending;
        std::uint64_t weight_before;
        YAML::anchor_t anchor;
    };

    static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

    // Counts elements as if every alias were written out.
    void charge(std::uint64_t elements, int line)
    {
        weight_ += elements;
        if (weight_ > most_elements)
            throw InputError(file_, line, "the document has too many elements (aliases counted in full)",
                "at most " + std::to_string(most_elements));
    }

    YamlTree::Id add(YamlTree::Node node, YAML::anchor_t anchor)
    {
        charge(1, node.line);
        const auto id = static_cast<YamlTree::Id>(tree_.nodes_.size());
        tree_.nodes_.push_back(node);
        pending_.push_back(id);
        if (anchor != YAML::NullAnchor) anchors_[anchor] = {id, 1};
        return id;
    }

    void open(YamlTree::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor)
    {
        if (open_.size() >= deepest)
            throw InputError(file_, line_of(mark), "the document is nested too deeply",
                "at most " + std::to_string(deepest) + " levels");
        const std::uint64_t before = weight_;
        const YamlTree::Id id = add({kind, line_of(mark), 0, 0}, YAML::NullAnchor);
        open_.push_back({id, pending_.size(), before, anchor});
    }

    void close()
    {
        const Open top = open_.back();
        open_.pop_back();
        if (tree_.nodes_[top.id].kind == YamlTree::Kind::mapping) merge(top.first_pending);
        YamlTree::Node& node = tree_.nodes_[top.id];
        node.begin = static_cast<std::uint32_t>(tree_.children_.size());
        node.count = static_cast<std::uint32_t>(pending_.size() - top.first_pending);
        tree_.children_.insert(tree_.children_.end(), pending_.begin() + static_cast<std::ptrdiff_t>(top.first_pending),
            pending_.end());
        pending_.resize(top.first_pending);
        if (top.anchor != YAML::NullAnchor) anchors_[top.anchor] = {top.id, weight_ - top.weight_before};
    }

    // "<<: *base" adds the entries of `base` that the mapping itself does not have.
    void merge(std::size_t first)
    {
        std::vector<YamlTree::Id> own;
        std::vector<YamlTree::Id> sources;
        for (std::size_t i = first; i + 1 < pending_.size(); i += 2) {
            const YamlTree::Id key = pending_[i];
            const YamlTree::Id value = pending_[i + 1];
            if (tree_.kind(key) == YamlTree::Kind::text && tree_.text(key) == "<<") {
                if (tree_.kind(value) == YamlTree::Kind::sequence)
                    for (std::uint32_t k = 0; k < tree_.size(value); ++k) sources.push_back(tree_.item(value, k));
                else
                    sources.push_back(value);
            }
        }
        if (sources.empty()) return;
        std::unordered_map<std::string_view, bool> present;
        for (std::size_t i = first; i + 1 < pending_.size(); i += 2) {
            const YamlTree::Id key = pending_[i];
            if (tree_.kind(key) == YamlTree::Kind::text && tree_.text(key) == "<<") continue;
            own.push_back(key);
            own.push_back(pending_[i + 1]);
            present[tree_.text_or_empty(key)] = true;
        }
        for (const YamlTree::Id source : sources) {
            if (tree_.kind(source) != YamlTree::Kind::mapping)
                throw InputError(file_, tree_.line(source), "'<<' merges " + tree_.describe(source), "a mapping");
            for (std::uint32_t i = 0; i < tree_.size(source); ++i) {
                const YamlTree::Id key = tree_.key(source, i);
                if (!present.emplace(tree_.text_or_empty(key), true).second) continue;
                charge(1, tree_.line(source));
                own.push_back(key);
                own.push_back(tree_.value(source, i));
            }
        }
        pending_.resize(first);
        pending_.insert(pending_.end(), own.begin(), own.end());
    }

    YamlTree::Kind tagged_kind(const YAML::Mark& mark, const std::string& tag, const std::string& value) const
    {
        using Kind = YamlTree::Kind;
        const Kind plain = plain_kind(value);
        if (tag == "tag:yaml.org,2002:int" && plain == Kind::integer) return plain;
        if (tag == "tag:yaml.org,2002:float" && (plain == Kind::integer || plain == Kind::number)) return Kind::number;
        if (tag == "tag:yaml.org,2002:bool" && plain == Kind::boolean) return plain;
        if (tag == "tag:yaml.org,2002:null") return Kind::null;
        throw InputError(file_, line_of(mark), "the tag " + in_quotes(tag) + " does not fit " + in_quotes(value),
            "plain YAML without tags");
    }

    YamlTree& tree_;
    const std::string& file_;
    std::vector<YamlTree::Id> pending_;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, Anchored> anchors_;
    std::uint64_t weight_ = 0;
};

namespace {

// No text has control characters in UTF-8; UTF-16 and UTF-32 begin with a mark.
void refuse_binary(const std::string& file, const std::string& text)
{
    for (const char* mark : {"\xff\xfe", "\xfe\xff"})
        if (text.compare(0, 2, mark) == 0) return;
    if (text.compare(0, 4, std::string("\0\0\xfe\xff", 4)) == 0) return;
    const auto control =
        std::find_if(text.begin(), text.end(), [](unsigned char c) { return c < '\t' || (c > '\r' && c < ' '); });
    if (control == text.end()) return;
    throw InputError(file, static_cast<int>(1 + std::count(text.begin(), control, '\n')),
        "is no text: it has the control character " + std::to_string(static_cast<unsigned char>(*control)),
        "a document in YAML or JSON");
}

}  // namespace

YamlTree::YamlTree(const std::string& file, const std::string& text)
{
    if (text.size() > longest_text)
        throw InputError(file, 0, "is larger than " + std::to_string(longest_text) + " bytes", "a smaller document");
    refuse_binary(file, text);
    YamlTreeBuilder builder(*this, file);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder) || !builder.finish())
            throw InputError(file, 0, "is empty", "a document in YAML or JSON");
        YamlTree rest;
        YamlTreeBuilder second(rest, file);
        if (parser.HandleNextDocument(second) && second.finish())
            throw InputError(file, rest.line(rest.root()), "a second YAML document follows",
                "one document in the file");
    } catch (const YAML::Exception& error) {
        throw InputError(file, error.mark.line >= 0 ? error.mark.line + 1 : 0,
            "is not readable as YAML or JSON: " + error.msg, "well-formed YAML or JSON");
    }
}

std::string YamlTree::packed() const
{
    std::string bytes;
    const auto put = [&bytes](std::uint32_t number) {
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
    };
    put(root_);
    put(static_cast<std::uint32_t>(nodes_.size()));
    put(static_cast<std::uint32_t>(children_.size()));
    for (const Node& node : nodes_) {
        put(static_cast<std::uint32_t>(node.kind));
        put(static_cast<std::uint32_t>(node.line));
        put(node.begin);
        put(node.count);
    }
    for (const Id child : children_) put(child);
    return bytes + arena_;
}

YamlTree YamlTree::unpacked(std::string_view bytes)
{
    const auto take = [&bytes] {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < 4; ++i)
            number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes.at(i))) << 8 * i;
        bytes.remove_prefix(4);
        return number;
    };
    YamlTree tree;
    tree.root_ = take();
    tree.nodes_.resize(take());
    tree.children_.resize(take());
    for (Node& node : tree.nodes_) {
        node.kind = static_cast<Kind>(take());
        node.line = static_cast<int>(take());
        node.begin = take();
        node.count = take();
    }
    for (Id& child : tree.children_) child = take();
    tree.arena_ = bytes;
    return tree;
}

std::string YamlTree::describe(Id id) const
{
    switch (kind(id)) {
    case Kind::null: return "nothing (null)";
    case Kind::boolean: return "the boolean " + in_quotes(text(id));
    case Kind::integer: return "the integer " + in_quotes(text(id));
    case Kind::number: return "the number " + in_quotes(text(id));
    case Kind::ambiguous: return "the number " + in_quotes(text(id)) + " in an unusual notation";
    case Kind::text: return text(id).empty() ? "an empty text" : "the text " + in_quotes(text(id));
    case Kind::sequence: return "a list";
    case Kind::mapping: return "a mapping";
    }
    return "";
}

}  // namespace weft
