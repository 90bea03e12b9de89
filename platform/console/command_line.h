// The options of one command: a table that is parsed by CLI11, checked here and printed as help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/console/exit_code.h"

namespace weft {

class CommandLine {
public:
    // `text`: what the command does, for its help; paragraphs end in '\n'.
    CommandLine(std::string command, std::string text);

    // Targets must outlive parse(). An option with a value may be given once, one of `values` repeatedly.
    void positional(const std::string& label, std::string& target, const std::string& text, bool required = true);
    // One or more words.
    void positionals(const std::string& label, std::vector<std::string>& target, const std::string& text);
    void value(const std::string& names, const std::string& label, std::string& target, const std::string& text);
    void values(const std::string& names, const std::string& label, std::vector<std::string>& target,
        const std::string& text);
    void flag(const std::string& names, bool& target, const std::string& text);
    // Options added from here on appear under this title.
    void section(const std::string& title);

    // False when help was asked for, and printed. Throws InputError for what the table does not hold.
    bool parse(const Arguments& arguments);

    std::string help() const;

    // What was given, in the order of the table, but for the options named: for a further call of `weft`.
    Arguments given(const std::vector<std::string>& except) const;

private:
    struct Entry {
        enum class Kind : std::uint8_t { positional, value, values, flag };
        Kind kind;
        std::string names;  // "-o,--output"; label of a positional
        std::string label;
        std::string text;
        std::string section;
        bool required = false;
        std::string* one = nullptr;
        std::vector<std::string>* many = nullptr;
        bool* set = nullptr;
        std::vector<std::string> given;

        std::string shown() const;       // "-o, --output FILE"
        std::string short_name() const;  // for messages: the last of its names
    };

    void store(Entry& entry);
    [[noreturn]] void refuse_unknown(const std::string& word) const;
    std::vector<std::string> option_names() const;

    std::string command_;
    std::string text_;
    std::string section_ = "options";
    std::vector<Entry> entries_;
};

// Values of options. Throw InputError that names the option.
std::uint64_t number_option(const std::string& option, const std::string& value, std::uint64_t low, std::uint64_t high);
std::uint64_t bytes_option(const std::string& option, const std::string& value);
std::uint64_t time_option(const std::string& option, const std::string& value);
// Of --window: 1 us unless given, never 0, of which no series could be made.
std::uint64_t window_option(const std::string& value);
void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& known);

}  // namespace weft
