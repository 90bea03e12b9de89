// The declarations of an MSCCL++ execution plan, apart from its operations: gpus, channels, remote buffers,
// and the chain of indices by which operations name them.
//
//   channel_ids of an operation        -> entries of the thread block's channels of that type
//   entries of the thread block        -> the gpu's channels of that type, all groups one after the other
//   buffer_id of an operand            -> the thread block's remote_buffer_ids for the operation's channel type
//   remote_buffer_ids                  -> the gpu's remote_buffers
//   switch_channel_id of an operand    -> as channel_ids, of type switch
// Channels pair up by order: the k-th of a type from a to b is the other end of the k-th of that type from b to a.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/plans/json_tree.h"
#include "collectives/plans/plan.h"

namespace weft {

enum class MscclppChannel : std::uint8_t { memory, port, multimem };  // the last is written `switch`
constexpr unsigned mscclpp_channels = 3;
const char* name_of(MscclppChannel type);

struct MscclppRemote {
    std::uint32_t rank = 0;
    Buffer buffer = Buffer::input;
};

struct MscclppGroup {
    Buffer buffer = Buffer::input;
    std::vector<std::uint32_t> ranks;
};

struct MscclppBlock {
    int line = 0;
    std::uint64_t id = 0;
    const JsonValue* operations = nullptr;
    std::array<std::vector<std::uint32_t>, mscclpp_channels> channels;  // by type: indices into the gpu's
    std::array<std::vector<std::uint32_t>, mscclpp_channels> buffers;   // likewise, into its remote buffers
};

struct MscclppGpu {
    int line = 0;
    std::array<std::vector<std::uint32_t>, 2> peers;  // by type, of each channel
    std::vector<MscclppGroup> groups;                 // of each switch channel
    std::vector<MscclppRemote> remotes;
    std::vector<std::uint64_t> semaphores;  // first values
    std::uint32_t chunks[3] = {0, 0, 0};    // by Buffer
    std::vector<MscclppBlock> blocks;
};

struct MscclppPlan {
    std::string name;
    std::string collective;
    std::string protocol;
    CollectiveOp op = CollectiveOp::custom;
    bool in_place = false;
    std::uint32_t chunks = 0;  // of the message
    std::uint64_t alignment = 16;
    std::uint64_t min_bytes = 0;
    std::uint64_t max_bytes = ~std::uint64_t{0};
    std::vector<MscclppGpu> gpus;
};

// Access to what must be there. Throws InputError.
class MscclppFields {
public:
    explicit MscclppFields(const std::string& file) : file_(file) {}

    [[noreturn]] void refuse(int line, const std::string& what, const std::string& expected) const;
    const JsonValue& value(const JsonValue& object, const char* key, JsonValue::Kind kind) const;
    // Null when there is none; throws when it is of another kind.
    const JsonValue* optional(const JsonValue& object, const char* key, JsonValue::Kind kind) const;
    std::uint64_t number(const JsonValue& object, const char* key, std::uint64_t high) const;
    std::uint64_t number(const JsonValue& object, const char* key, std::uint64_t high, std::uint64_t absent) const;
    std::vector<std::uint32_t> numbers(const JsonValue& object, const char* key) const;  // empty when absent
    std::string text(const JsonValue& object, const char* key) const;
    Buffer buffer(const JsonValue& object, const char* key) const;
    MscclppChannel channel(const JsonValue& object, const char* key) const;

private:
    const std::string& file_;
};

// The tree must outlive the result. Values out of range go to `problems`.
MscclppPlan read_mscclpp_plan(const JsonValue& root, const std::string& file, std::vector<Diagnostic>& problems);

}  // namespace weft
