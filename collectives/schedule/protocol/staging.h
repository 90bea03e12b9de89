// Data through FIFOs at their receivers: the Simple protocol where peers may not write each other's buffers.
//
// Every connection, what one thread signals to one thread of another rank by one semaphore, has `steps` slots at the
// receiver. What stood behind one signal takes a slot: the sender waits until the slot has been handed back, stores there and
// signals; the receiver combines or copies from the slot, in the step that reads it anyhow if one of its thread does, and
// hands it back by a signal of its own. A slot that nobody will fill again is not handed back.
//
// Chunks go in rounds: every thread goes through its steps once for each, with a part of each chunk, so that a slot takes
// no more than `step_bytes` and the slots of a connection steps x step_bytes.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"

namespace weft {

struct StagingShape {
    std::uint32_t steps = 8;                // slots of a connection
    std::uint64_t step_bytes = 512 * 1024;  // of a slot
};

// The schedule for a message of `bytes` bytes with a FIFO for every connection. It must pass verify(), and so should
// the result be made to: rounds that mix signals of several threads, and slots too few for what a thread sends before it
// receives, are found there. Throws InputError for a schedule that loads from a peer, leaves something to a switch, puts what
// nobody waits for, cuts a chunk otherwise where it is read, or sends more chunks behind one signal than lines fit into a
// slot.
Schedule in_fifos(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes,
    const StagingShape& shape);

}  // namespace weft
