#include "platform/console/command_line.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/units.h"
#include "platform/console/messages.h"

namespace weft {

CommandLine::CommandLine(std::string command, std::string text) : command_(std::move(command)), text_(std::move(text))
{
}

void CommandLine::positional(const std::string& label, std::string& target, const std::string& text, bool required)
{
    Entry entry{Entry::Kind::positional, label, label, text, "", required, &target, nullptr, nullptr, {}};
    entries_.push_back(std::move(entry));
}

void CommandLine::positionals(const std::string& label, std::vector<std::string>& target, const std::string& text)
{
    entries_.push_back({Entry::Kind::positional, label, label, text, "", true, nullptr, &target, nullptr, {}});
}

void CommandLine::value(const std::string& names, const std::string& label, std::string& target,
    const std::string& text)
{
    entries_.push_back({Entry::Kind::value, names, label, text, section_, false, &target, nullptr, nullptr, {}});
}

void CommandLine::values(const std::string& names, const std::string& label, std::vector<std::string>& target,
    const std::string& text)
{
    entries_.push_back({Entry::Kind::values, names, label, text, section_, false, nullptr, &target, nullptr, {}});
}

void CommandLine::flag(const std::string& names, bool& target, const std::string& text)
{
    entries_.push_back({Entry::Kind::flag, names, "", text, section_, false, nullptr, nullptr, &target, {}});
}

void CommandLine::section(const std::string& title) { section_ = title; }

std::string CommandLine::Entry::short_name() const
{
    const std::size_t comma = names.rfind(',');
    return comma == std::string::npos ? names : names.substr(comma + 1);
}

std::string CommandLine::Entry::shown() const
{
    std::string out;
    for (const char c : names) out += c == ',' ? std::string(", ") : std::string(1, c);
    return kind == Kind::positional || label.empty() ? out : out + " " + label;
}

std::vector<std::string> CommandLine::option_names() const
{
    std::vector<std::string> names{"--help"};
    for (const Entry& entry : entries_)
        if (entry.kind != Entry::Kind::positional) names.push_back(entry.short_name());
    return names;
}

bool CommandLine::parse(const Arguments& arguments)
{
    if (std::any_of(arguments.begin(), arguments.end(),
            [](const std::string& a) { return a == "-h" || a == "--help"; })) {
        print(help());
        return false;
    }
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<CLI::Option*> options;
    for (Entry& entry : entries_) {
        if (entry.kind == Entry::Kind::flag)
            options.push_back(app.add_flag(entry.names, *entry.set)->disable_flag_override());
        else
            options.push_back(app.add_option(entry.names, entry.given)
                                  ->allow_extra_args(entry.kind == Entry::Kind::positional && entry.many != nullptr));
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
        const std::string text = error.what();
        // CLI11 starts with the name, of flags without its dashes.
        const std::string name = text.substr(0, text.find_first_of(": ="));
        for (const Entry& entry : entries_) {
            const std::string names = "," + entry.names + ",";
            const bool meant =
                names.find("," + name + ",") != std::string::npos || names.find("-" + name + ",") != std::string::npos;
            if (name.empty() || !meant) continue;
            if (entry.kind == Entry::Kind::flag)
                throw usage_error("option '" + entry.short_name() + "' takes no value",
                    "'" + entry.short_name() + "' alone");
            throw usage_error("option '" + name + "' has no value", "'" + name + " " + entry.label + "'");
        }
        throw usage_error(text, "what 'weft " + command_ + " --help' lists");
    }
    for (const std::string& word : app.remaining())
        if (word != "--") refuse_unknown(word);
    for (Entry& entry : entries_) store(entry);
    return true;
}

void CommandLine::refuse_unknown(const std::string& word) const
{
    if (word.size() > 1 && word[0] == '-') {
        const std::string name = word.substr(0, word.find('='));
        const std::vector<std::string> known = option_names();
        if (std::find(known.begin(), known.end(), name) != known.end())
            throw usage_error("option " + quoted_word(name) + " stands behind '--'", "options before it");
        throw usage_error("unknown option " + quoted_word(name),
            with_nearest("an option that 'weft " + command_ + " --help' lists", name, known));
    }
    std::string expected;
    for (const Entry& entry : entries_)
        if (entry.kind == Entry::Kind::positional) expected += (expected.empty() ? "one " : " and one ") + entry.label;
    throw usage_error("unexpected argument " + quoted_word(word), expected.empty() ? "options only" : expected);
}

void CommandLine::store(Entry& entry)
{
    if (entry.kind == Entry::Kind::flag) return;
    for (const std::string& given : entry.given) {
        if (entry.kind == Entry::Kind::positional && given.compare(0, 2, "--") == 0) refuse_unknown(given);
        // "--json --quiet": CLI11 takes the next word whatever it is.
        if (given.compare(0, 2, "--") == 0)
            throw usage_error("option '" + entry.short_name() + "' has no value",
                "'" + entry.short_name() + " " + entry.label + "'");
        if (given.empty()) throw usage_error("the value of '" + entry.short_name() + "' is empty", entry.label);
    }
    if (entry.many != nullptr && !(entry.required && entry.given.empty())) {
        *entry.many = entry.given;
        return;
    }
    if (entry.given.size() > 1) {
        if (entry.kind == Entry::Kind::positional) refuse_unknown(entry.given[1]);
        throw usage_error(
            "option '" + entry.short_name() + "' is given " + std::to_string(entry.given.size()) + " times", "it once");
    }
    if (!entry.given.empty())
        *entry.one = entry.given.front();
    else if (entry.required)
        throw usage_error(entry.label + " is missing", "'weft " + command_ + " " + entry.label + " ...'");
}

std::string CommandLine::help() const
{
    std::string usage = "usage: weft " + command_;
    bool options = false;
    for (const Entry& entry : entries_) {
        if (entry.kind == Entry::Kind::positional)
            usage +=
                (entry.required ? " " + entry.label : " [" + entry.label + "]") + (entry.many != nullptr ? "..." : "");
        else
            options = true;
    }
    std::string out = usage + (options ? " [OPTIONS]" : "") + "\n\n";
    for (std::size_t start = 0; start < text_.size();) {
        const std::size_t end = std::min(text_.find('\n', start), text_.size());
        // Lines that start with a space are laid out by hand.
        const std::string line = text_.substr(start, end - start);
        out += (line.empty() || line[0] == ' ' ? line : wrapped(line, 0, 0)) + "\n";
        start = end + 1;
    }
    constexpr std::size_t column = 26;
    std::string section = "?";
    const auto list = [&](const std::string& name, const std::string& text) {
        out += "  " + name;
        if (name.size() + 4 > column)
            out += "\n" + std::string(column, ' ');
        else
            out += std::string(column - 2 - name.size(), ' ');
        out += wrapped(text, column, column) + "\n";
    };
    for (const Entry& entry : entries_) {
        if (entry.section != section) out += "\n" + (entry.section.empty() ? "arguments" : entry.section) + ":\n";
        section = entry.section;
        list(entry.shown(), entry.text);
    }
    if (section == "?" || section.empty()) out += "\noptions:\n";
    list("-h, --help", "print this text");
    return out;
}

Arguments CommandLine::given(const std::vector<std::string>& except) const
{
    Arguments out;
    for (const Entry& entry : entries_) {
        if (std::find(except.begin(), except.end(), entry.short_name()) != except.end()) continue;
        if (entry.kind == Entry::Kind::flag && *entry.set) out.push_back(entry.short_name());
        for (const std::string& value : entry.given)
            out.push_back(entry.kind == Entry::Kind::positional ? value : entry.short_name() + "=" + value);
    }
    return out;
}

std::uint64_t number_option(const std::string& option, const std::string& value, std::uint64_t low, std::uint64_t high)
{
    std::uint64_t number = 0;
    bool good = !value.empty() && value.size() <= 20;
    for (const char c : value) {
        if (!good || c < '0' || c > '9') {
            good = false;
            break;
        }
        const auto digit = static_cast<std::uint64_t>(c - '0');
        good = number <= (UINT64_MAX - digit) / 10;
        number = number * 10 + digit;
    }
    if (!good || number < low || number > high)
        throw usage_error("the value " + quoted_word(value) + " of '" + option + "' is out of range",
            "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return number;
}

std::uint64_t bytes_option(const std::string& option, const std::string& value)
{
    const auto bytes = parse_bytes(value);
    if (!bytes)
        throw usage_error("the value " + quoted_word(value) + " of '" + option + "' is not a size",
            "whole bytes, such as 4096, 64KiB, 1MiB, 1.5GB");
    return *bytes;
}

std::uint64_t time_option(const std::string& option, const std::string& value)
{
    const auto time = parse_time_ps(value);
    if (!time)
        throw usage_error("the value " + quoted_word(value) + " of '" + option + "' is not a time",
            "whole picoseconds, such as 250ns, 1.5us, 2ms");
    return *time;
}

std::uint64_t window_option(const std::string& value)
{
    if (value.empty()) return 1'000'000;
    const std::uint64_t window = time_option("--window", value);
    if (window == 0) throw usage_error("--window " + value + " is not a length of time", "at least 1 ps");
    return window;
}

void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    throw usage_error("unknown value " + quoted_word(value) + " of '" + option + "'",
        with_nearest(one_of(known), value, known));
}

}  // namespace weft
