#include "collectives/plans/xml_tree.h"

#include <cstdlib>
#include <utility>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr std::size_t deepest_element = 64;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
        c == '.' || c == ':';
}

class XmlReader {
public:
    XmlReader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

    XmlElement read()
    {
        XmlElement root;
        bool found = false;
        std::vector<XmlElement> open;
        while (to_markup()) {
            if (skipped("<!--", "-->") || skipped("<?", "?>") || skipped("<!", ">")) continue;
            if (starts("</")) {
                close(open);
                if (!open.empty()) continue;
                root = std::move(closed_);
                found = true;
                continue;
            }
            if (found) refuse("a second root element", "one");
            XmlElement element;
            const bool empty = start_tag(element);
            if (open.size() >= deepest_element) refuse("elements nested more than 64 deep", "a plan");
            open.push_back(std::move(element));
            if (!empty) continue;
            finish(open);
            if (open.empty()) {
                root = std::move(closed_);
                found = true;
            }
        }
        if (!open.empty())
            refuse("<" + open.back().name + "> of line " + std::to_string(open.back().line) + " is never closed",
                "</" + open.back().name + ">");
        if (!found) refuse("the document has no element", "an XML document");
        return root;
    }

private:
    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const
    {
        throw InputError(file_, line_, what, expected);
    }

    bool starts(const char* prefix) const
    {
        return text_.compare(at_, std::char_traits<char>::length(prefix), prefix) == 0;
    }

    void advance(std::size_t to)
    {
        for (; at_ < to; ++at_)
            if (text_[at_] == '\n') ++line_;
    }

    // Plans have no text of their own: what stands between elements is damage.
    bool to_markup()
    {
        spaces();
        if (at_ < text_.size() && text_[at_] != '<') refuse("text between elements", "elements and comments");
        return at_ < text_.size();
    }

    bool skipped(const char* begin, const char* end)
    {
        if (!starts(begin)) return false;
        const std::size_t found = text_.find(end, at_);
        if (found == std::string::npos) refuse(std::string(begin) + " without an end", end);
        advance(found + std::char_traits<char>::length(end));
        return true;
    }

    void spaces()
    {
        std::size_t to = at_;
        while (to < text_.size() && is_space(text_[to])) ++to;
        advance(to);
    }

    std::string name()
    {
        std::size_t to = at_;
        while (to < text_.size() && is_name(text_[to])) ++to;
        if (to == at_) refuse("a name is missing", "a name");
        std::string out = text_.substr(at_, to - at_);
        at_ = to;
        return out;
    }

    void expect(char wanted)
    {
        if (at_ >= text_.size() || text_[at_] != wanted)
            refuse(at_ >= text_.size() ? "the file ends inside an element"
                                       : std::string("'") + printable(text_[at_]) + "' inside an element",
                std::string("'") + wanted + "'");
        ++at_;
    }

    static char printable(char c) { return c > ' ' && c < 127 ? c : '?'; }

    // True for an element without contents.
    bool start_tag(XmlElement& element)
    {
        expect('<');
        element.line = line_;
        element.name = name();
        while (true) {
            spaces();
            if (at_ >= text_.size()) refuse("<" + element.name + "> does not end", "'>'");
            if (text_[at_] == '>') {
                ++at_;
                return false;
            }
            if (text_[at_] == '/') {
                ++at_;
                expect('>');
                return true;
            }
            XmlAttribute attribute;
            attribute.name = name();
            if (element.attribute(attribute.name) != nullptr)
                refuse("attribute '" + attribute.name + "' twice", "once");
            spaces();
            expect('=');
            spaces();
            attribute.value = quoted();
            element.attributes.push_back(std::move(attribute));
        }
    }

    std::string quoted()
    {
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '"' && quote != '\'') refuse("an attribute without quotes", "name=\"value\"");
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string::npos) refuse("a value without an end", std::string(1, quote));
        const std::string raw = text_.substr(at_ + 1, end - at_ - 1);
        advance(end + 1);
        return decoded(raw);
    }

    std::string decoded(const std::string& raw) const
    {
        static const std::pair<const char*, char> entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'},
            {"&quot;", '"'}, {"&apos;", '\''}};
        std::string out;
        for (std::size_t i = 0; i < raw.size();) {
            if (raw[i] != '&') {
                out += raw[i++];
                continue;
            }
            bool known = false;
            for (const auto& [name, letter] : entities)
                if (raw.compare(i, std::char_traits<char>::length(name), name) == 0) {
                    out += letter;
                    i += std::char_traits<char>::length(name);
                    known = true;
                    break;
                }
            if (known) continue;
            const std::size_t end = raw.find(';', i);
            const bool number = raw.compare(i, 2, "&#") == 0 && end != std::string::npos;
            const bool hex = number && raw.size() > i + 2 && raw[i + 2] == 'x';
            const long code = number ? std::strtol(raw.c_str() + i + (hex ? 3 : 2), nullptr, hex ? 16 : 10) : 0;
            if (code <= 0 || code > 127) refuse("an unknown entity", "&amp; &lt; &gt; &quot; &apos;");
            out += static_cast<char>(code);
            i = end + 1;
        }
        return out;
    }

    void close(std::vector<XmlElement>& open)
    {
        at_ += 2;
        const std::string what = name();
        spaces();
        expect('>');
        if (open.empty() || open.back().name != what)
            refuse("</" + what + "> closes no open element",
                open.empty() ? "an element" : "</" + open.back().name + ">");
        finish(open);
    }

    void finish(std::vector<XmlElement>& open)
    {
        closed_ = std::move(open.back());
        open.pop_back();
        if (!open.empty()) open.back().children.push_back(std::move(closed_));
    }

    const std::string& text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
    XmlElement closed_;
};

}  // namespace

const std::string* XmlElement::attribute(const std::string& wanted) const
{
    for (const XmlAttribute& attribute : attributes)
        if (attribute.name == wanted) return &attribute.value;
    return nullptr;
}

XmlElement read_xml(const std::string& text, const std::string& file) { return XmlReader(text, file).read(); }

}  // namespace weft
