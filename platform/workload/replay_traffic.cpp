#include "platform/workload/replay_traffic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "infragraph/findings.h"

namespace weft {

namespace {

// "7": a rank; "+1", "-1": so many ranks further, from the one that says it, around.
std::optional<std::uint64_t> small_number(const std::string& text)
{
    if (text.empty() || text.size() > 6 ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    return std::stoull(text);
}

std::optional<std::uint64_t> distance(const std::string& text)
{
    return text.empty() || (text[0] != '+' && text[0] != '-') ? std::nullopt : small_number(text.substr(1));
}

}  // namespace

ReplayTraffic::ReplayTraffic(const ResolvedSystem& system, const FabricPlan& plan)
{
    for (const NodeId node : plan.members) {
        Member member;
        member.node = plan.fabric.nodes[node].name;
        member.replays = system.model(node) == "replay";
        if (member.replays) member.file = system.traffic(node);
        if (member.replays) ++replays_;
        by_node_[member.node] = static_cast<std::uint32_t>(members_.size());
        members_.push_back(std::move(member));
    }
    for (const Member& member : members_)
        if (!member.file.empty() && profiles_.count(member.file) == 0)
            check_names(profiles_[member.file] = read_replay_profile(member.file), system);
}

std::optional<std::uint32_t> ReplayTraffic::endpoint(const std::string& name, std::uint32_t from) const
{
    const auto count = static_cast<std::uint64_t>(members_.size());
    if (const auto rank = small_number(name); rank && *rank < count) return static_cast<std::uint32_t>(*rank);
    if (const auto steps = distance(name)) {
        const std::uint64_t forward = name[0] == '+' ? *steps % count : count - *steps % count;
        return static_cast<std::uint32_t>((from + forward) % count);
    }
    const auto found = by_node_.find(name);
    if (found == by_node_.end()) return std::nullopt;
    return found->second;
}

void ReplayTraffic::check_names(const ReplayProfile& profile, const ResolvedSystem& system) const
{
    std::vector<bool> known(profile.names.size(), false);
    std::vector<std::string> nodes;
    std::vector<Diagnostic> problems;
    const auto check = [&](std::uint32_t index, int line, bool destination) {
        const std::string& name = profile.names[index];
        if (known[index] || endpoint(name, 0)) return;
        // Others may be left out of a run that replays a part of what was recorded.
        const auto node = system.graph().find(name);
        if (node && !destination) return;
        known[index] = true;  // said once
        if (nodes.empty())
            for (const Member& member : members_) nodes.push_back(member.node);
        problems.push_back(
            {profile.file, line, in_quotes(name) + (node ? " takes no part in this run" : " is not a GPU of this run"),
                expected_name(
                    fmt::format("a node name{}, or a rank below {}", destination ? ", +1 or -1" : "", members_.size()),
                    name, nodes)});
    };
    for (const ReplayRow& row : profile.rows) {
        if (problems.size() >= 20) break;
        if (row.gpu != 0) check(row.gpu, row.line, false);
        if (row.gpu != 0 && distance(profile.names[row.gpu])) {
            problems.push_back(
                {profile.file, row.line, "'gpu' is " + in_quotes(profile.names[row.gpu]), "a node name, a rank or *"});
        }
        check(row.to, row.line, true);
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

bool ReplayTraffic::any_of(std::size_t ranks) const
{
    return std::any_of(members_.begin(),
        members_.begin() + static_cast<std::ptrdiff_t>(std::min(ranks, members_.size())),
        [](const Member& member) { return member.replays; });
}

std::vector<std::string> ReplayTraffic::notices(std::size_t ranks) const
{
    if (!any()) return {};
    std::vector<std::string> out;
    const auto among = std::count_if(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(ranks),
        [](const Member& member) { return member.replays; });
    std::string text;
    if (among > 0) text = fmt::format("{} of {} ranks are replay GPUs", among, ranks);
    if (const std::size_t beside = replays_ - static_cast<std::size_t>(among); beside > 0)
        text += fmt::format("{}{} replay GPU{} in addition to the workload", text.empty() ? "" : ", ", beside,
            beside == 1 ? " takes part" : "s take part");
    out.push_back(text + ": they send no data, so the result is not verified");
    return out;
}

void ReplayTraffic::start(const std::vector<Accelerator*>& members, const LineExecutor& executor,
    std::optional<Executor::JobId> job, std::uint64_t seed) const
{
    std::vector<std::vector<ReplayGpu::Row>> rows(members_.size());
    for (const auto& entry : profiles_) {
        const std::string& file = entry.first;
        const ReplayProfile& profile = entry.second;
        std::vector<std::uint32_t> listeners;
        for (std::uint32_t e = 0; e < members_.size(); ++e)
            if (members_[e].file == file) listeners.push_back(e);
        std::vector<std::optional<std::uint32_t>> source(profile.names.size());
        for (std::size_t name = 1; name < source.size(); ++name) source[name] = endpoint(profile.names[name], 0);
        for (const ReplayRow& row : profile.rows) {
            const auto add = [&](std::uint32_t e) {
                rows[e].push_back(row_of(profile, row, e, members, executor, job));
            };
            if (row.gpu == 0) {
                for (const std::uint32_t e : listeners) add(e);
            } else if (const auto e = source[row.gpu]; e && members_[*e].file == file) {
                add(*e);
            }
        }
    }
    for (std::uint32_t e = 0; e < members_.size(); ++e)
        if (auto* replay = members[e]->replay()) replay->start(members_[e].file, std::move(rows[e]), seed);
}

ReplayGpu::Row ReplayTraffic::row_of(const ReplayProfile& profile, const ReplayRow& row, std::uint32_t from,
    const std::vector<Accelerator*>& members, const LineExecutor& executor, std::optional<Executor::JobId> job) const
{
    const std::uint32_t to = *endpoint(profile.names[row.to], from);
    const auto refuse = [&](const std::string& what, const std::string& expected) -> InputError {
        return {profile.file, row.line, what, expected};
    };
    if (to == from)
        throw refuse(members_[from].node + " is the source and the destination of the row",
            "another GPU; traffic inside a GPU is not replayed");
    ReplayGpu::Row out;
    out.time = row.time;
    out.gap = row.gap;
    out.jitter = row.jitter;
    out.left = row.repeat;
    out.line = row.line;
    if (row.after_flag != ReplayRow::no_flag) {
        out.after = MemoryImage::flag_base + row.after_flag * flag_stride;
        out.after_value = row.after_value;
    }
    if (row.kind == ReplayRow::Kind::flag) {
        out.op = LineOp::atomic;
        out.address = global_address(to, MemoryImage::flag_base + row.offset * flag_stride);
        out.value = row.value;
        return out;
    }
    out.op = row.kind == ReplayRow::Kind::write ? LineOp::write : LineOp::read;
    out.bytes = row.bytes;
    if (row.place == ReplayRow::Place::address) {
        const std::uint64_t capacity = members[to]->capacity();
        if (row.offset >= capacity || row.bytes > capacity - row.offset)
            throw refuse(
                fmt::format("{} bytes at {:#x} are beyond the memory of {}", row.bytes, row.offset, members_[to].node),
                "addresses below " + format_bytes(capacity) + " (hbm.capacity)");
        out.address = global_address(to, row.offset);
        return out;
    }
    const Buffer buffer = row.place == ReplayRow::Place::input ? Buffer::input
        : row.place == ReplayRow::Place::output                ? Buffer::output
                                                               : Buffer::scratch;
    const auto first = job ? executor.address(*job, to, buffer, row.offset) : std::nullopt;
    const auto last = job ? executor.address(*job, to, buffer, row.offset + row.bytes - 1) : std::nullopt;
    if (!first || !last)
        throw refuse(fmt::format("{} bytes at {}+{} of {} are in no buffer of the collective", row.bytes,
                         name_of(buffer), row.offset, members_[to].node),
            "a range of its buffer, or an address");
    out.address = *first;
    return out;
}

}  // namespace weft
