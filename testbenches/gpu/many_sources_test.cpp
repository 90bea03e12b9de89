// Moves of more sources than the tag of a load once had room for: every term reaches the sum, in every register set.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace many_sources_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bytes = 8192;  // several instructions, so that several register sets are in use
constexpr std::uint64_t output = std::uint64_t{1} << 28;

std::uint32_t term(std::uint32_t source, std::uint64_t element)
{
    return source * 2654435761U + static_cast<std::uint32_t>(element) * 40503U;
}

}  // namespace

TEST(ManySources, EveryOneIsAdded)
{
    for (const std::uint32_t sources : {255U, 256U, 257U, 300U, 1024U})
        for (const std::uint32_t unroll : {1U, 16U})
            in_child([sources, unroll] {
                TwoGpus system;
                std::vector<std::uint64_t> addresses;
                for (std::uint32_t source = 0; source < sources; ++source) {
                    const std::uint64_t offset = (std::uint64_t{1} << 20) + source * bytes;
                    const unsigned gpu =
                        source % 16 == 0 ? 1 : 0;  // most are near, or the link would be all that is timed
                    addresses.push_back(global_address(gpu, offset));
                    std::vector<std::uint32_t> data(bytes / 4);
                    for (std::size_t i = 0; i < data.size(); ++i) data[i] = term(source, i);
                    system.gpus[gpu]->image().write(offset, reinterpret_cast<const std::uint8_t*>(data.data()), bytes);
                }
                Program program;
                program.add_move(addresses, {output}, bytes, ElementType::int32, ReduceOp::sum);
                system.launch(0, program, 2, unroll);
                sc_core::sc_start();
                std::vector<std::uint32_t> sum(bytes / 4);
                system.gpus[0]->image().read(output, reinterpret_cast<std::uint8_t*>(sum.data()), bytes);
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    std::uint32_t expected = 0;
                    for (std::uint32_t source = 0; source < sources; ++source) expected += term(source, i);
                    if (sum[i] != expected) {
                        ADD_FAILURE() << sources << " sources, unroll " << unroll << ", element " << i;
                        break;
                    }
                }
                EXPECT_EQ(system.pool.live(), 0U);
                return std::string();
            });
}

}  // namespace many_sources_test
