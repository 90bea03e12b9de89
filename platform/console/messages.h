// The output of commands: results on stdout, problems and notices on stderr.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace weft {

constexpr std::size_t page_width = 100;

// From now on nothing of the below is printed, or again: of the processes of one run the first one speaks for all.
void keep_silent(bool silent = true);

// Wrong use of the command line: "weft: what; expected ...".
InputError usage_error(std::string what, std::string expected);

// One line per problem on stderr. Those that name no file start with "weft:".
void print_problems(const InputError& error);

// "notice: ..." on stderr, one line each.
void print_notices(const std::vector<std::string>& notices);

void print(std::string_view text);  // to stdout
bool output_is_good();              // all of it could be written

// 'word', with control characters replaced.
std::string quoted_word(std::string_view word);
// "one of a, b, c"
std::string one_of(const std::vector<std::string>& names);
// `expected`, with the nearest of `known` when there is one.
std::string with_nearest(std::string expected, std::string_view word, const std::vector<std::string>& known);

// `text` wrapped at `page_width`; every line after the first starts with `indent` spaces, and `column`
// characters of the first are taken already.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent);

}  // namespace weft
