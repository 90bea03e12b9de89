// The short way to name a network by its dimensions, `Ring(8)_Switch(4)_FullyConnected(16)`, innermost first, and the InfraGraph
// document that it stands for.
//
//   Ring            every accelerator has a link to the next one along the dimension, the last one to the first
//   FullyConnected  to all others along the dimension
//   Switch          to one switch that all accelerators along the dimension share
//
// Accelerator r has coordinate r / (product of the sizes before) % size along a dimension.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

enum class DimensionKind : std::uint8_t { ring, fully_connected, switched };

struct NotationDimension {
    DimensionKind kind = DimensionKind::ring;
    std::uint32_t size = 0;
    std::uint64_t bandwidth = 0;   // B/s of a link, each way
    std::uint64_t latency_ps = 0;  // of a link
};

constexpr std::uint32_t most_notation_accelerators = 65535;

// Kinds and sizes. Throws InputError that shows what it takes.
std::vector<NotationDimension> parse_notation(const std::string& text);

// The document, in YAML. The sizes multiply to at most `most_notation_accelerators`.
std::string notation_document(const std::string& text, const std::vector<NotationDimension>& dimensions);

}  // namespace weft
