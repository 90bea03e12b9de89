#include "collectives/chakra/json_scanner.h"

#include "base/diagnostic.h"
#include "collectives/chakra/node.h"

namespace weft::chakra {

namespace {

constexpr std::size_t longest_value = std::size_t{64} << 20;

bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

bool ends_word(int byte)
{
    return byte < 0 || is_space(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':';
}

}  // namespace

int JsonScanner::get()
{
    const int byte = source_.get();
    if (byte == '\n') ++line_;
    return byte;
}

void JsonScanner::pass_byte_order_mark()
{
    for (const int byte : {0xef, 0xbb, 0xbf})
        if (source_.peek() == byte) get();
}

int JsonScanner::peek()
{
    while (is_space(source_.peek())) get();
    return source_.peek();
}

void JsonScanner::expect(char wanted)
{
    const int byte = peek();
    if (byte != wanted)
        throw InputError(path(), line_,
            byte < 0 ? "the file ends early" : "found '" + printable(std::string(1, static_cast<char>(byte))) + "'",
            "'" + std::string(1, wanted) + "'");
    get();
}

void JsonScanner::take(int byte)
{
    if (byte < 0) throw InputError(path(), line_, "the file ends inside a value", "a whole JSON document");
    if (text_.size() >= longest_value)
        throw InputError(path(), line_, "a value longer than 64 MiB", "a node of moderate size");
    text_ += static_cast<char>(byte);
}

void JsonScanner::skip_string()
{
    for (;;) {
        const int byte = get();
        take(byte);
        if (byte == '"') return;
        if (byte == '\\') take(get());
    }
}

const std::string& JsonScanner::value()
{
    text_.clear();
    const int first = peek();
    if (first != '{' && first != '[' && first != '"') {
        while (!ends_word(source_.peek())) take(get());
        return text_;
    }
    std::size_t depth = 0;
    do {
        const int byte = get();
        take(byte);
        if (byte == '"') skip_string();
        if (byte == '{' || byte == '[') ++depth;
        if (byte == '}' || byte == ']') --depth;
    } while (depth > 0);
    return text_;
}

}  // namespace weft::chakra
