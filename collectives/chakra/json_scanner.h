// Cuts a JSON file into values without holding more than one of them: enough structure to find the
// elements of a long array. What a value means, and whether it is well formed, the JSON library says.
#pragma once

#include <string>

#include "collectives/chakra/byte_source.h"

namespace weft::chakra {

class JsonScanner {
public:
    explicit JsonScanner(const std::string& path) : source_(path) {}

    void pass_byte_order_mark();  // at the start of a document: some editors write one
    // The next character that is not white space, left in place; -1 at the end.
    int peek();
    // Takes the next character that is not white space. Throws InputError unless it is `wanted`.
    void expect(char wanted);
    // The text of the next value: a balanced object or array, a string, or a bare word. Throws
    // InputError when the file ends inside it or it exceeds 64 MiB.
    const std::string& value();

    int line() const { return line_; }
    const std::string& path() const { return source_.path(); }

private:
    int get();
    void skip_string();
    void take(int byte);

    ByteSource source_;
    std::string text_;
    int line_ = 1;
};

}  // namespace weft::chakra
