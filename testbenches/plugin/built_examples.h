// The package installed, and the examples built against it.
#pragma once

#include <string>
#include <vector>

#include "testbenches/process/process.h"

namespace weft::plugin_test {

struct BuiltExamples {
    std::string folder;
    std::string my_switch;
    std::string base_router;
    std::string lt_memory;
    std::string problem;  // of installing or building; empty: none
};

// Does what is not done yet; the tests that run at the same time wait.
const BuiltExamples& built_examples();

// Runs `words` in a shell's place; its output goes to `log`.
int command(const std::vector<std::string>& words, const std::string& log);

// The installed weft, once there is one.
commands_test::Outcome weft(const std::vector<std::string>& arguments);

}  // namespace weft::plugin_test
