#include "collectives/plans/json_tree.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"

namespace weft {

namespace {

using Json = nlohmann::json;

constexpr std::size_t deepest = 64;

// Counts the lines that the parser has taken.
class CountingIterator {
public:
    using difference_type = std::ptrdiff_t;
    using value_type = char;
    using pointer = const char*;
    using reference = const char&;
    using iterator_category = std::input_iterator_tag;

    CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++()
    {
        if (*at_ == '\n') ++*line_;
        ++at_;
        return *this;
    }
    CountingIterator operator++(int)
    {
        CountingIterator old = *this;
        ++*this;
        return old;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    int* line_;
};

class TreeBuilder : public nlohmann::json_sax<Json> {
public:
    TreeBuilder(const std::string& file, const int& line) : file_(file), line_(line) {}

    JsonValue root;

    bool null() override { return add({}); }
    bool boolean(bool value) override
    {
        JsonValue out;
        out.kind = JsonValue::Kind::boolean;
        out.boolean = value;
        return add(std::move(out));
    }
    bool number_integer(number_integer_t value) override { return number(std::to_string(value), false, 0); }
    bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value), true, value); }
    bool number_float(number_float_t, const string_t& text) override { return number(text, false, 0); }
    bool string(string_t& value) override
    {
        JsonValue out;
        out.kind = JsonValue::Kind::text;
        out.text = std::move(value);
        return add(std::move(out));
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
    bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
    bool key(string_t& name) override
    {
        JsonValue& object = *open_.back();
        if (object.member(name) != nullptr) throw InputError(file_, line_, "key " + shown(name) + " twice", "once");
        object.members.emplace_back(std::move(name), JsonValue());
        return true;
    }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception&) override
    {
        throw InputError(file_, line_, "this is not JSON: " + shown(token), "a JSON object");
    }

private:
    bool number(const std::string& text, bool whole, std::uint64_t value)
    {
        JsonValue out;
        out.kind = JsonValue::Kind::number;
        out.text = text;
        out.whole = whole;
        out.number = value;
        return add(std::move(out));
    }

    JsonValue& place()
    {
        if (open_.empty()) return root;
        JsonValue& parent = *open_.back();
        if (parent.kind == JsonValue::Kind::object) return parent.members.back().second;
        parent.items.emplace_back();
        return parent.items.back();
    }

    bool add(JsonValue value)
    {
        value.line = line_;
        place() = std::move(value);
        return true;
    }

    // A parent does not grow while a child of it is open, so the pointers hold.
    bool open(JsonValue::Kind kind)
    {
        if (open_.size() >= deepest)
            throw InputError(file_, line_, "values nested more than 64 deep", "a plan or a result of Weft");
        JsonValue& value = place();
        value.kind = kind;
        value.line = line_;
        open_.push_back(&value);
        return true;
    }

    bool close()
    {
        open_.pop_back();
        return true;
    }

    const std::string& file_;
    const int& line_;
    std::vector<JsonValue*> open_;
};

}  // namespace

const JsonValue* JsonValue::member(const std::string& name) const
{
    const auto found =
        std::find_if(members.begin(), members.end(), [&name](const auto& member) { return member.first == name; });
    return found == members.end() ? nullptr : &found->second;
}

const char* name_of(JsonValue::Kind kind)
{
    switch (kind) {
    case JsonValue::Kind::null: return "null";
    case JsonValue::Kind::boolean: return "a boolean";
    case JsonValue::Kind::number: return "a number";
    case JsonValue::Kind::text: return "a text";
    case JsonValue::Kind::list: return "a list";
    case JsonValue::Kind::object: return "an object";
    }
    return "?";
}

JsonValue read_json(const std::string& text, const std::string& file)
{
    int line = 1;
    TreeBuilder builder(file, line);
    Json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), &builder);
    return std::move(builder.root);
}

std::string shown(const std::string& text)
{
    std::string out = "'";
    for (const char c : text.substr(0, 40)) out += c >= ' ' && c < 127 ? c : '?';
    return out + "'";
}

}  // namespace weft
