// Turns among equal paths: they count lines, so that a stripe has as many bytes with wide transactions as without.
#include <gtest/gtest.h>

#include "gpu/network/path_chooser.h"
#include "tlm_interconnect/protocol/line_pool.h"

namespace path_chooser_test {

using namespace weft;

namespace {

// The path hashes of transactions of these sizes to endpoint 1 where 8 lines in a row take one path.
std::vector<std::uint32_t> turns_of(const std::vector<std::uint32_t>& sizes)
{
    LinePool pool;
    pool.hold_wide(most_transaction_bytes);
    PathChooser paths(0, PathSelection::round_robin, 3, 2);
    std::vector<std::uint32_t> out;
    std::uint64_t local = 0;
    for (const std::uint32_t size : sizes) {
        Line& line = pool.take();
        paths.route(line.begin(LineOp::write, global_address(1, local), size));
        out.push_back(line.path_hash);
        local += size;
        pool.give(line);
    }
    return out;
}

}  // namespace

TEST(PathChooser, AWideTransactionIsAsManyLinesOfItsStripe)
{
    EXPECT_EQ(turns_of({512, 512, 512}), (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(turns_of({256, 256, 256, 256, 256}), (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
    // A signal between blocks is one more.
    EXPECT_EQ(turns_of({8, 512, 512}), (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(PathChooser, LinesTakeAPathForAStripe)
{
    EXPECT_EQ(turns_of(std::vector<std::uint32_t>(17, 64)),
        (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2}));
}

}  // namespace path_chooser_test
