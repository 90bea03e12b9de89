// An MSCCL XML file as it stands there: gpus, thread blocks, steps, each with its line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/schedule/schedule.h"

namespace weft {

enum class MscclType : std::uint8_t { s, r, rcs, rrc, rrs, rrcs, cpy, re, nop };

const char* name_of(MscclType type);
bool receives(MscclType type);
bool sends(MscclType type);
bool reads_source(MscclType type);        // srcbuf[srcoff..] is read
bool writes_destination(MscclType type);  // dstbuf[dstoff..] is written

struct MscclStep {
    int line = 0;
    MscclType type = MscclType::nop;
    Buffer source_buffer = Buffer::input;
    Buffer destination_buffer = Buffer::output;
    std::int64_t source = -1;       // first chunk
    std::int64_t destination = -1;  // likewise
    std::int64_t count = 0;
    std::int64_t block = -1;  // that it depends on, by id; -1 = none
    std::int64_t step = -1;   // of that block
    bool has_dependents = false;
};

struct MscclBlock {
    int line = 0;
    std::int64_t id = 0;
    std::int64_t send = -1;
    std::int64_t recv = -1;
    std::int64_t channel = 0;
    std::vector<MscclStep> steps;
};

struct MscclGpu {
    int line = 0;
    std::int64_t id = 0;
    std::uint32_t chunks[3] = {0, 0, 0};  // by Buffer
    std::vector<MscclBlock> blocks;
};

struct MscclAlgo {
    int line = 0;
    std::string name;
    std::string protocol;
    std::string collective;                  // as written
    CollectiveOp op = CollectiveOp::custom;  // of a custom one: an attribute of Weft's own, gather or scatter
    std::uint32_t chunks = 0;                // nchunksperloop
    std::uint32_t ranks = 0;                 // ngpus
    std::uint32_t channels = 0;
    std::uint32_t root = 0;  // likewise an attribute of Weft's own, 0 where it is absent
    bool in_place = false;
    std::uint64_t min_bytes = 0;
    std::uint64_t max_bytes = ~std::uint64_t{0};
    std::vector<MscclGpu> gpus;
    std::vector<Diagnostic> unread;  // attributes that mean nothing
};

// Throws InputError for what is no such file: all that is missing, no number, or of no known name.
MscclAlgo parse_msccl(const std::string& text, const std::string& file);

// Errors in the structure: ranks, peers, offsets, connections, dependencies. `notices` gets what exceeds the
// limits of the runtime.
std::vector<Diagnostic> check_msccl(const MscclAlgo& algo, const std::string& file, std::vector<Diagnostic>& notices);

}  // namespace weft
