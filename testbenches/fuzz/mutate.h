// Mutations of texts at three levels: bytes, tokens, and the tree that indentation and brackets make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::fuzz {

// A stream of numbers that is the same with every standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(next() % limit); }

private:
    std::uint64_t state_;
};

std::string mutate_bytes(std::string text, Random& random);
// Words, numbers and punctuation are swapped, doubled, left out, or replaced by others and by extreme values.
std::string mutate_tokens(const std::string& text, Random& random);
// Lines with what is indented below them, and bracketed parts, are moved, doubled, nested or left out.
std::string mutate_tree(const std::string& text, Random& random);

// One of the three, or two in a row.
std::string mutate_text(const std::string& text, Random& random);

// The same for the messages of a binary trace: whole messages, their fields, single bytes. Framed.
std::string mutate_trace(std::vector<std::string> messages, Random& random);

}  // namespace weft::fuzz
