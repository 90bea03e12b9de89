// The parameter sets under which block and reference model are compared.
#pragma once

#include "rtl/link/link_params.h"

namespace weft::link_bench {

struct LinkSet {
    LinkParams params;
    unsigned latency;  // of the wire, clocks
};

inline LinkParams link_params(unsigned flit_bytes, unsigned vcs, unsigned replay, unsigned seq_bits, unsigned timeout,
    unsigned batch, unsigned hold)
{
    LinkParams params;
    params.flit_bytes = flit_bytes;
    params.vcs = vcs;
    params.replay = replay;
    params.seq_bits = seq_bits;
    params.timeout = timeout;
    params.batch = batch;
    params.hold = hold;
    return params;
}

inline LinkSet common_link() { return {LinkParams(), 20}; }
// Everything narrow: numbers of packets wrap after eight.
inline LinkSet narrow_link()
{
    LinkSet set{link_params(8, 1, 4, 3, 150, 1, 32), 3};
    set.params.credits[0] = 3;
    return set;
}
// As many packets as there can be, on a wire that holds hundreds of them.
inline LinkSet wide_link()
{
    LinkSet set{link_params(32, 8, 2048, 12, 3000, 9, 100), 600};
    set.params.credits = {400, 1, 80, 2, 1600, 30, 5, 1};
    return set;
}
// One packet at a time.
inline LinkSet single_link()
{
    LinkSet set{link_params(16, 2, 1, 2, 60, 2, 1), 1};
    set.params.crc_poly = 0x82f63b78;
    return set;
}
// One channel that is not in use, one with as many credits as there can be.
inline LinkSet uneven_link()
{
    LinkSet set{link_params(32, 3, 16, 5, 300, 4, 7), 10};
    set.params.credits = {4095, 0, 2, 0, 0, 0, 0, 0};
    return set;
}

}  // namespace weft::link_bench
