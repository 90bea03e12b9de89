// The puts of a schedule: what one rank stores at another, which signal tells of it, which wait is for that signal, and
// who reads it. Ways of carrying a put out otherwise (protocol.h, staging.h) begin with this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/order.h"

namespace weft {

// One remote destination of a step.
struct Put {
    StepAt at;
    unsigned destination = 0;  // of the step
    ChunkRef where;
    std::uint32_t part = 0;
    std::uint32_t parts = 1;
    std::optional<StepAt> wait;  // for the signal behind it
    struct Reader {
        StepAt at;
        unsigned source = 0;
    };
    std::vector<Reader> readers;  // of the same part of the same chunks
    bool in_memory = false;       // needed where it was put, when the wait is over
    bool stays = true;            // is there when all is over
};

// A signal behind puts and the wait for it.
struct Message {
    StepAt signal;
    StepAt wait;
    std::vector<std::size_t> puts;
    bool mixed = false;  // its semaphore is signalled by several threads, not always behind puts
};

struct Puts {
    std::vector<Put> puts;          // in a legal order
    std::vector<Message> messages;  // by semaphore, in the order of its signals
};

// Throws InputError for a schedule that loads from a peer or leaves something to a switch: "..., which WHO cannot do", with
// `otherwise` as what can.
Puts find_puts(const Schedule& schedule, const Numbering& numbering, const char* who, const char* otherwise);

// The operand of a data step that says how long what it moves is; nothing if it moves whole slots.
std::optional<ChunkRef> size_of_move(const Step& step);

}  // namespace weft
