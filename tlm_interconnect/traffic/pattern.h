// Traffic patterns: the destination of each source.
//
// Endpoints are numbered 0..n-1; b is the number of bits of n - 1.
//   uniform            any other endpoint with equal chance; oneself too where `self` is set
//   permutation        a fixed random permutation without fixed points, from the seed
//   transpose          the halves of the number's bits exchanged (n a power of 4)
//   bit_complement     every bit inverted (n a power of 2)
//   nearest_neighbour  i + 1, round the ring of all; with `side`, one further in both directions of a square torus
//   tornado            i + ceil(n / 2) - 1 round the ring; with `side`, i + ceil(side / 2) - 1 in both directions
//   hot_spot           endpoint 0 with chance `fraction`, otherwise uniform
//   incast             1.. `sources` all to endpoint 0; the others are silent
//   all_to_all         i + 1, i + 2, ... in turn, oneself left out
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/kernel/random_stream.h"

namespace weft {

enum class PatternKind : std::uint8_t {
    uniform,
    permutation,
    transpose,
    bit_complement,
    nearest_neighbour,
    tornado,
    hot_spot,
    incast,
    all_to_all
};

const std::vector<std::string>& pattern_names();  // in the order of PatternKind

struct PatternSpec {
    PatternKind kind = PatternKind::uniform;
    double fraction = 0.5;      // hot_spot, 0..1
    std::uint32_t sources = 0;  // incast; 0: all others
    bool self = false;          // uniform and hot_spot: sources send to themselves too
    std::uint32_t side = 0;     // nearest_neighbour, tornado: endpoint y * side + x of side^2; 0: a ring
};

class Pattern {
public:
    // Throws InputError when the pattern does not exist for so many endpoints.
    Pattern(const PatternSpec& spec, std::uint32_t endpoints, std::uint64_t seed);

    bool sends(std::uint32_t source) const;
    // The same to anybody but itself.
    bool sends_to_others(std::uint32_t source) const;
    // Whether it sends or receives anything.
    bool takes_part(std::uint32_t endpoint) const;
    // `count` numbers the messages of the source. Where a map says so the destination is the source itself.
    std::uint32_t destination(std::uint32_t source, std::uint64_t count, RandomStream& random) const;

private:
    std::uint32_t shifted(std::uint32_t source, std::uint32_t ring_shift, std::uint32_t side_shift) const;

    PatternSpec spec_;
    std::uint32_t endpoints_;
    unsigned bits_ = 0;
    std::vector<std::uint32_t> table_;  // permutation
};

}  // namespace weft
