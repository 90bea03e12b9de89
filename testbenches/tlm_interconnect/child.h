// Several simulations in one test: SystemC elaborates once per process, so each runs in a child.
#pragma once

#include <functional>
#include <string>

namespace weft::testing {

// Runs `body` in a forked process and returns its text. A failed expectation, an exception or a crash in
// there fails the test here.
std::string in_child(const std::function<std::string()>& body);

}  // namespace weft::testing
