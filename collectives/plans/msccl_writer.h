// A schedule as MSCCL XML.
//
// One-sided stores and loads become sends and receives. Order is taken from the data: every step waits for the steps
// of its gpu that wrote what it reads, or touched what it writes; signals, waits and barriers vanish. What arrives in
// a slot and is read once is received where it is read (rrc, rrs, rrcs, rcs). Shares of chunks (`parts`) become chunks
// of their own: nchunksperloop is `chunks` times the least common multiple of `parts`. Sums may be
// formed in another order. gather, scatter and send_receive have no name there and become custom. What they are is an
// attribute `op` of gather and scatter, and a root other than 0 an attribute `root`: other readers know neither.
#pragma once

#include <string>

#include "collectives/schedule/schedule.h"

namespace weft {

// The schedule must pass verify(). Throws InputError for what has no counterpart: barriers as a collective, steps
// that a switch carries out, more than 2^20 chunks.
std::string write_msccl_xml(const Schedule& schedule, const std::string& protocol = "Simple");

}  // namespace weft
