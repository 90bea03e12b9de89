// Systems and workloads at random, for runs that are compared with themselves over processes.
#pragma once

#include <string>

#include "testbenches/platform/runs.h"

namespace parts_test {

// Always the same one for a seed; `what` says which one it is.
weft::testing::RunSetup random_setup(unsigned seed, std::string& what);

}  // namespace parts_test
