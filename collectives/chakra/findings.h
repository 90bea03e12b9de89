// A bounded list of diagnostics: a broken trace of a million nodes must not print a million lines, nor
// one kind of problem hide the others. What is expected tells the kinds apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace weft::chakra {

class Findings {
public:
    void add(std::string file, int line, std::string what, std::string expected = "")
    {
        if (list_.size() < most_listed && ++of_kind_[expected] <= most_of_a_kind)
            list_.push_back({std::move(file), line, std::move(what), std::move(expected)});
        else
            ++unlisted_;
    }

    bool empty() const { return list_.empty(); }

    // The list, with a last line for what did not fit.
    std::vector<Diagnostic> list(const std::string& file) const
    {
        std::vector<Diagnostic> all = list_;
        if (unlisted_ > 0) all.push_back({file, 0, "and " + std::to_string(unlisted_) + " more problems", ""});
        return all;
    }

private:
    static constexpr std::size_t most_listed = 50;
    static constexpr std::size_t most_of_a_kind = 10;
    std::vector<Diagnostic> list_;
    std::map<std::string, std::size_t> of_kind_;
    std::uint64_t unlisted_ = 0;
};

}  // namespace weft::chakra
