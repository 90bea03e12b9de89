// Tests that need Verilator: skipped without it; what they verilate is kept in the build tree.
#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

#include "rtl/verilated/block_library.h"

namespace weft {

class RtlTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_CACHE", WEFT_BINARY_DIR "/rtl_cache", 0);
        // Blocks are built for a short run: twice as fast that way, three times the large ones.
        ::setenv("WEFT_RTL_OPTIMISE", "-O1", 0);
        if (!verilator_available()) GTEST_SKIP() << "Verilator is not installed";
    }
};

}  // namespace weft
