#include "collectives/plans/mscclpp_gpu.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/plans/plan_limits.h"

namespace weft {

namespace {

constexpr std::uint64_t any_number = ~std::uint64_t{0};

struct PlanCollective {
    const char* name;
    CollectiveOp op;
};
// What sendrecv and test leave in the outputs is their authors' affair.
constexpr PlanCollective plan_collectives[] = {{"allreduce", CollectiveOp::all_reduce},
    {"allgather", CollectiveOp::all_gather}, {"reducescatter", CollectiveOp::reduce_scatter},
    {"alltoall", CollectiveOp::all_to_all}, {"sendrecv", CollectiveOp::custom}, {"custom", CollectiveOp::custom},
    {"test", CollectiveOp::custom}};

class PlanReader {
public:
    PlanReader(const std::string& file, std::vector<Diagnostic>& problems)
        : file_(file), fields_(file), problems_(problems)
    {
    }

    MscclppPlan read(const JsonValue& root)
    {
        if (root.kind != JsonValue::Kind::object || root.member("gpus") == nullptr)
            fields_.refuse(root.line, "this is not an execution plan", "an object with 'gpus'");
        MscclppPlan out;
        out.name = fields_.text(root, "name");
        out.collective = fields_.text(root, "collective");
        out.op = collective(root, out.collective);
        out.protocol = fields_.text(root, "protocol");
        if (out.protocol != "Simple" && out.protocol != "LL")
            fields_.refuse(root.member("protocol")->line, "protocol " + shown(out.protocol), "Simple or LL");
        out.in_place = fields_.value(root, "inplace", JsonValue::Kind::boolean).boolean;
        out.alignment = fields_.number(root, "buffer_alignment", 1 << 20, 16);
        if (out.alignment == 0)
            fields_.refuse(root.member("buffer_alignment")->line, "'buffer_alignment' 0", "1 or more");
        out.min_bytes = fields_.number(root, "min_message_size", any_number, 0);
        out.max_bytes = fields_.number(root, "max_message_size", any_number, any_number);
        if (out.min_bytes > out.max_bytes)
            fields_.refuse(root.member("min_message_size")->line,
                fmt::format("'min_message_size' {} above 'max_message_size' {}", out.min_bytes, out.max_bytes),
                "a least size that is not above the largest");
        const JsonValue& gpus = fields_.value(root, "gpus", JsonValue::Kind::list);
        if (gpus.items.empty() || gpus.items.size() > most_plan_ranks)
            fields_.refuse(gpus.line, fmt::format("{} gpus", gpus.items.size()),
                fmt::format("1 to {}", most_plan_ranks));
        ranks_ = static_cast<std::uint32_t>(gpus.items.size());
        for (const JsonValue& entry : gpus.items) {
            const std::uint64_t id = fields_.number(entry, "id", any_number);
            if (id != out.gpus.size())
                problem(entry.line, fmt::format("gpu {} at place {}", id, out.gpus.size()), "entry k with id k");
            out.gpus.push_back(gpu(entry));
        }
        const std::uint32_t inputs = out.gpus[0].chunks[static_cast<unsigned>(Buffer::input)];
        const std::uint32_t outputs = out.gpus[0].chunks[static_cast<unsigned>(Buffer::output)];
        switch (out.op) {
        case CollectiveOp::all_gather: out.chunks = inputs != 0 ? inputs * ranks_ : outputs; break;
        case CollectiveOp::reduce_scatter: out.chunks = inputs != 0 ? inputs : outputs * ranks_; break;
        default: out.chunks = inputs != 0 ? inputs : outputs;
        }
        return out;
    }

private:
    void problem(int line, const std::string& what, const std::string& expected)
    {
        problems_.push_back({file_, line, what, expected});
    }

    CollectiveOp collective(const JsonValue& root, const std::string& name) const
    {
        std::string known;
        for (const PlanCollective& entry : plan_collectives) {
            if (name == entry.name) return entry.op;
            known += std::string(known.empty() ? "" : ", ") + entry.name;
        }
        fields_.refuse(root.member("collective")->line, "collective " + shown(name), "one of " + known);
    }

    std::uint32_t rank(std::uint64_t value, int line, const char* what)
    {
        if (value < ranks_) return static_cast<std::uint32_t>(value);
        problem(line, fmt::format("{} {} of {}", what, value, ranks_), "an existing rank");
        return 0;
    }

    MscclppGpu gpu(const JsonValue& entry)
    {
        MscclppGpu out;
        out.line = entry.line;
        out.chunks[static_cast<unsigned>(Buffer::input)] = chunks(entry, "input_chunks");
        out.chunks[static_cast<unsigned>(Buffer::output)] = chunks(entry, "output_chunks");
        out.chunks[static_cast<unsigned>(Buffer::scratch)] = chunks(entry, "scratch_chunks");
        for (const JsonValue& group : fields_.value(entry, "channels", JsonValue::Kind::list).items)
            channels(group, out);
        for (const JsonValue& remote : fields_.value(entry, "remote_buffers", JsonValue::Kind::list).items)
            out.remotes.push_back(
                {rank(fields_.number(remote, "rank", any_number), remote.line, "remote buffer of rank"),
                    fields_.buffer(remote, "type")});
        if (const JsonValue* semaphores = fields_.optional(entry, "semaphores", JsonValue::Kind::list))
            for (const JsonValue& semaphore : semaphores->items)
                out.semaphores.push_back(fields_.number(semaphore, "init_value", most_plan_chunks));
        for (const JsonValue& block : fields_.value(entry, "threadblocks", JsonValue::Kind::list).items)
            out.blocks.push_back(this->block(block, out));
        return out;
    }

    std::uint32_t chunks(const JsonValue& entry, const char* key) const
    {
        return static_cast<std::uint32_t>(fields_.number(entry, key, most_plan_chunks));
    }

    void channels(const JsonValue& group, MscclppGpu& out)
    {
        const MscclppChannel type = fields_.channel(group, "channel_type");
        if (type != MscclppChannel::multimem) {
            fields_.value(group, "connected_to", JsonValue::Kind::list);
            for (const std::uint32_t peer : fields_.numbers(group, "connected_to"))
                out.peers[static_cast<unsigned>(type)].push_back(rank(peer, group.line, "channel to rank"));
            return;
        }
        const Buffer buffer = fields_.buffer(group, group.member("buffer_type") != nullptr ? "buffer_type" : "buff");
        for (const JsonValue& entry : fields_.value(group, "rank_groups", JsonValue::Kind::list).items) {
            MscclppGroup members{buffer, {}};
            for (const std::uint32_t member : fields_.numbers(entry, "ranks"))
                members.ranks.push_back(rank(member, entry.line, "group with rank"));
            if (members.ranks.empty()) problem(entry.line, "a group of no ranks", "'ranks'");
            const std::uint64_t size = fields_.number(entry, "size", any_number, members.ranks.size());
            if (size != members.ranks.size())
                problem(entry.line, fmt::format("a group of size {} has {} ranks", size, members.ranks.size()),
                    "as many");
            out.groups.push_back(std::move(members));
        }
    }

    MscclppBlock block(const JsonValue& entry, const MscclppGpu& gpu)
    {
        MscclppBlock out;
        out.line = entry.line;
        out.id = fields_.number(entry, "id", any_number);
        out.operations = &fields_.value(entry, "ops", JsonValue::Kind::list);
        for (const JsonValue& channel : fields_.value(entry, "channels", JsonValue::Kind::list).items) {
            const MscclppChannel type = fields_.channel(channel, "channel_type");
            const auto t = static_cast<unsigned>(type);
            const std::size_t declared = type == MscclppChannel::multimem ? gpu.groups.size() : gpu.peers[t].size();
            append(out.channels[t], fields_.numbers(channel, "channel_ids"), declared, channel.line,
                fmt::format("{} channel", name_of(type)));
        }
        if (const JsonValue* references = fields_.optional(entry, "remote_buffer_refs", JsonValue::Kind::list))
            for (const JsonValue& reference : references->items)
                append(out.buffers[static_cast<unsigned>(fields_.channel(reference, "access_channel_type"))],
                    fields_.numbers(reference, "remote_buffer_ids"), gpu.remotes.size(), reference.line,
                    "remote buffer");
        return out;
    }

    void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& ids, std::size_t declared, int line,
        const std::string& what)
    {
        for (const std::uint32_t id : ids) {
            if (id >= declared) problem(line, fmt::format("{} {} of {}", what, id, declared), "one that the gpu has");
            to.push_back(id < declared ? id : 0);
        }
    }

    const std::string& file_;
    MscclppFields fields_;
    std::vector<Diagnostic>& problems_;
    std::uint32_t ranks_ = 0;
};

}  // namespace

const char* name_of(MscclppChannel type)
{
    switch (type) {
    case MscclppChannel::memory: return "memory";
    case MscclppChannel::port: return "port";
    case MscclppChannel::multimem: return "switch";
    }
    return "?";
}

void MscclppFields::refuse(int line, const std::string& what, const std::string& expected) const
{
    throw InputError(file_, line, what, expected);
}

const JsonValue* MscclppFields::optional(const JsonValue& object, const char* key, JsonValue::Kind kind) const
{
    if (object.kind != JsonValue::Kind::object) refuse(object.line, name_of(object.kind), "an object");
    const JsonValue* found = object.member(key);
    if (found != nullptr && found->kind != kind)
        refuse(found->line, fmt::format("'{}' is {}", key, name_of(found->kind)), name_of(kind));
    return found;
}

const JsonValue& MscclppFields::value(const JsonValue& object, const char* key, JsonValue::Kind kind) const
{
    const JsonValue* found = optional(object, key, kind);
    if (found == nullptr) refuse(object.line, fmt::format("no '{}'", key), name_of(kind));
    return *found;
}

std::uint64_t MscclppFields::number(const JsonValue& object, const char* key, std::uint64_t high) const
{
    const JsonValue& found = value(object, key, JsonValue::Kind::number);
    if (!found.whole || found.number > high)
        refuse(found.line, fmt::format("'{}' is {}", key, found.text), fmt::format("a whole number up to {}", high));
    return found.number;
}

std::uint64_t MscclppFields::number(const JsonValue& object, const char* key, std::uint64_t high,
    std::uint64_t absent) const
{
    return optional(object, key, JsonValue::Kind::number) == nullptr ? absent : number(object, key, high);
}

std::vector<std::uint32_t> MscclppFields::numbers(const JsonValue& object, const char* key) const
{
    std::vector<std::uint32_t> out;
    const JsonValue* list = optional(object, key, JsonValue::Kind::list);
    if (list == nullptr) return out;
    for (const JsonValue& item : list->items) {
        if (!item.whole || item.number > most_plan_chunks)
            refuse(item.line, fmt::format("an entry of '{}'", key), "a whole number");
        out.push_back(static_cast<std::uint32_t>(item.number));
    }
    return out;
}

std::string MscclppFields::text(const JsonValue& object, const char* key) const
{
    return value(object, key, JsonValue::Kind::text).text;
}

Buffer MscclppFields::buffer(const JsonValue& object, const char* key) const
{
    const std::string name = text(object, key);
    if (name == "i") return Buffer::input;
    if (name == "o") return Buffer::output;
    if (name == "s") return Buffer::scratch;
    refuse(object.line, fmt::format("'{}' is {}", key, shown(name)), "i, o or s");
}

MscclppChannel MscclppFields::channel(const JsonValue& object, const char* key) const
{
    const std::string name = text(object, key);
    for (unsigned type = 0; type < mscclpp_channels; ++type)
        if (name == name_of(static_cast<MscclppChannel>(type))) return static_cast<MscclppChannel>(type);
    refuse(object.line, fmt::format("'{}' is {}", key, shown(name)), "memory, port or switch");
}

MscclppPlan read_mscclpp_plan(const JsonValue& root, const std::string& file, std::vector<Diagnostic>& problems)
{
    return PlanReader(file, problems).read(root);
}

}  // namespace weft
