// Tests that need Verilator: skipped without it; what they verilate is kept in the build tree.
#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "rtl/verilated/block_library.h"
#include "testbenches/support/thorough.h"

namespace weft {

// What a program says on stderr beside that it verilates, which depends on what is in the cache.
inline std::string without_notices(std::string err)
{
    for (std::size_t at = 0; (at = err.find("weft: verilating ")) != std::string::npos;)
        err.erase(at, err.find('\n', at) + 1 - at);
    return err;
}

class RtlTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_CACHE", WEFT_BINARY_DIR "/rtl_cache", 0);
        // Blocks are built for a short run: twice as fast that way, three times the large ones. With fewer clocks by default it is
        // the compiler that takes long, and it takes half of that without optimisation.
        ::setenv("WEFT_RTL_OPTIMISE", test::thorough() ? "-O1" : "-O0", 0);
        if (!verilator_available()) GTEST_SKIP() << "Verilator is not installed";
    }
};

// Tests of the rates of blocks. Only with --all: one more level is also one more precompiled header and run-time library.
class LongRtlTest : public RtlTest {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_OPTIMISE", "-O1", 0);
        RtlTest::SetUp();
    }
};

// Tests that run a block for so few clocks that compiling it is what takes time.
class ShortRtlTest : public RtlTest {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_OPTIMISE", "-O0", 0);
        RtlTest::SetUp();
    }
};

}  // namespace weft
