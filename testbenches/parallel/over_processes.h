// Runs over processes of mpirun compared with the run of one process, byte for byte.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/platform/runs.h"

namespace weft::testing {

// Skips where there is no mpirun, or no module for it.
class OverProcesses : public ::testing::Test {
protected:
    void SetUp() override;
};

// What the command says and writes: exit code, results as text and as JSON, reports. Wall-clock figures are left out.
struct Written {
    int code = 0;
    std::string text;  // all but the code
    std::string err;
};
Written written_by(unsigned processes, const RunSetup& setup, const commands_test::Fixtures& files,
    const std::vector<std::string>& more = {});

// Fails where a run over one of these numbers of processes, by default the first, differs from that of one process, and where that
// is refused.
void expect_same_over(const std::vector<unsigned>& numbers, const RunSetup& setup, const std::string& what,
    const std::vector<std::string>& of_processes = {});

}  // namespace weft::testing
