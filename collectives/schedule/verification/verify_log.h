// The messages of a verification, up to a number of problems; further ones are counted.
#pragma once

#include <string>

#include <fmt/format.h>

#include "collectives/schedule/verification/verify.h"

namespace weft {

class VerifyLog {
public:
    VerifyLog(Verification& result, std::size_t most_problems) : result_(result), most_problems_(most_problems) {}

    void problem(const std::string& text)
    {
        if (spelled_out())
            result_.problems.push_back(text);
        else
            suppress();
    }
    void remark(const std::string& text)
    {
        if (result_.remarks.size() < most_problems_) result_.remarks.push_back(text);
    }
    void late_switch_store(const std::string& text)
    {
        if (result_.late_switch_stores++ == 0) result_.late_switch_store = text;
    }
    // Whether a further problem would be told, not only counted.
    bool spelled_out() const { return result_.problems.size() < most_problems_; }
    void suppress() { ++suppressed_; }
    // Behind the last problem.
    void finish()
    {
        if (suppressed_ > 0) result_.problems.push_back(fmt::format("and {} further problems", suppressed_));
    }

private:
    Verification& result_;
    std::size_t most_problems_;
    std::size_t suppressed_ = 0;
};

}  // namespace weft
