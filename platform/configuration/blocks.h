// The blocks that parameters belong to: `gpu`, `network`, `l1`, `l2`, `memory_side`, `hbm`, `copy`, `bulk` of an accelerator,
// `switch` of a node that forwards, `link` of an edge, `engine` and `routing` of the system. One block is one Spec struct;
// while a system is being resolved its values are a vector in the order of the Spec's table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.h"

namespace weft {

enum class Block : std::uint8_t { gpu, network, l1, l2, memory_side, hbm, copy, bulk, switch_, link, engine, routing };
constexpr std::size_t block_count = 12;
constexpr std::array<Block, block_count> all_blocks{Block::gpu, Block::network, Block::l1, Block::l2,
    Block::memory_side, Block::hbm, Block::copy, Block::bulk, Block::switch_, Block::link, Block::engine,
    Block::routing};
constexpr std::size_t node_block_count = 9;  // those of nodes come first
static_assert(all_blocks[node_block_count - 1] == Block::switch_ && all_blocks[node_block_count] == Block::link);
constexpr std::array<Block, 8> endpoint_blocks{Block::gpu, Block::network, Block::l1, Block::l2, Block::memory_side,
    Block::hbm, Block::copy, Block::bulk};

struct BlockInfo {
    std::string name;
    std::vector<const ParameterInfo*> parameters;
    std::vector<std::uint64_t> defaults;

    std::optional<std::size_t> find(std::string_view parameter) const;
    std::vector<std::string> parameter_names() const;
};

const BlockInfo& info_of(Block block);
std::optional<Block> block_from_name(std::string_view name);
std::vector<std::string> block_names();

// The Spec that `values` (in the order of its table) stand for.
template <class Spec>
Spec spec_from(const std::vector<std::uint64_t>& values)
{
    Spec spec;
    std::size_t i = 0;
    for (const auto& entry : Spec::parameters().entries()) spec.*entry.member = values[i++];
    return spec;
}

// Text to a value within the parameter's range, or a sentence about what is wrong and what was expected.
struct ValueProblem {
    std::string what;
    std::string expected;
};
std::optional<std::uint64_t> checked_value(Block block, std::size_t parameter, std::string_view text,
    ValueProblem& problem);

// A value as text; sizes and times without loss: "50000001 B" where the usual form would round.
std::string value_text(const ParameterInfo& info, std::uint64_t value);

// "l2.size"
std::string parameter_name(Block block, std::size_t parameter);

}  // namespace weft
