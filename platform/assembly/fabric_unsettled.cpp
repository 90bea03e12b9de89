// Whether a fabric is as it was before a run: every credit is back at the module that sends with it.
#include <fmt/format.h>

#include "platform/assembly/fabric_modules.h"
#include "platform/assembly/models_of_weft.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft {

namespace {

constexpr Time all_arrived = ~Time{0};  // credits on their way count as back

}  // namespace

const FabricModules::SwitchPlace* FabricModules::switch_behind(const LinkPlace& place, unsigned end) const
{
    const Edge& edge = resolved_.graph().edge(place.edge);
    const int number = switch_of_[end == 0 ? edge.a : edge.b];
    return number < 0 ? nullptr : &switches_[static_cast<std::size_t>(number)];
}

std::string FabricModules::port_name(const LinkPlace& place, unsigned end) const
{
    const Edge& edge = resolved_.graph().edge(place.edge);
    const NodeId node = end == 0 ? edge.a : edge.b;
    const auto number = static_cast<std::size_t>(&place - links_.data());
    std::size_t port = 0;
    while (at_port_[node][port].link != number || at_port_[node][port].end != end) ++port;
    const SwitchPlace* const at = switch_behind(place, end);
    return fmt::format("{} port {}", at == nullptr ? resolved_.graph().node(node).name : at->path, port);
}

// Of what the module at `end` sends: credits that it has used and not got back.
std::uint32_t FabricModules::credits_out(const LinkPlace& place, unsigned end, std::uint8_t vc) const
{
    std::uint32_t out = 0;
    for (const CreditAccount* account : place.holders[end]->accounts()) out += account->used(vc, all_arrived);
    const SwitchPlace* const at = switch_behind(place, end);
    if (at == nullptr || at->module == nullptr) return out;
    const Edge& edge = resolved_.graph().edge(place.edge);
    const NodeId node = end == 0 ? edge.a : edge.b;
    const auto number = static_cast<std::size_t>(&place - links_.data());
    for (unsigned port = 0; port < at_port_[node].size(); ++port) {
        if (at_port_[node][port].link != number || at_port_[node][port].end != end) continue;
        out += at->module->credits_out(port, vc);
    }
    return out;
}

// Our own senders count what comes back; the receiver has not given it. Otherwise the sender is the stranger.
std::string FabricModules::who_lost(const LinkPlace& place, unsigned end) const
{
    const SwitchPlace* const from = switch_behind(place, end);
    const SwitchPlace* const to = switch_behind(place, 1 - end);
    // What other processes have is ours: a run with models of others has one process.
    const auto ours = [](const SwitchPlace* at) {
        return at == nullptr || at->module == nullptr || at->module->accounts_for_credits();
    };
    const bool sender_ours = ours(from);
    const bool receiver_ours = ours(to);
    const std::string sender = port_name(place, end);
    const std::string receiver = port_name(place, 1 - end);
    if (sender_ours) return receiver + " holds or lost them";
    if (receiver_ours) return sender + " lost them";
    return receiver + " holds them, or " + sender + " lost them";
}

std::vector<std::string> FabricModules::unsettled() const
{
    std::vector<std::string> out;
    for (const LinkPlace& place : links_)
        for (unsigned end = 0; end < 2; ++end)
            for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
                const std::uint32_t missing = credits_out(place, end, vc);
                if (missing == 0) continue;
                const BufferSpace space = buffer_space(place.link->spec());
                out.push_back(fmt::format("{} -> {}, {}: {} of {} credits did not come back: {}", port_name(place, end),
                    port_name(place, 1 - end), vc_name(vc, space.vc_sets()), missing, space.lines[vc] + space.shared,
                    who_lost(place, end)));
            }
    const auto add = [&out](std::vector<std::string> lines) {
        for (std::string& line : lines) out.push_back(std::move(line));
    };
    for (const SwitchPlace& place : switches_)
        if (place.module != nullptr) add(place.module->unsettled());
    for (const LinkPlace& place : links_)
        if (place.link != nullptr) add(place.link->unsettled());
    if (!watches_others_) add_impossible(out);
    return out;
}

void FabricModules::add_impossible(std::vector<std::string>& out) const
{
    for (const LinkPlace& place : links_) {
        if (place.link == nullptr || of_weft("link", model_of(place)) || BlockHost::of(place.link.get()) != nullptr)
            continue;
        for (unsigned end = 0; end < 2; ++end) {
            if (!place.ends[end].peak) continue;
            const LinkModel::Direction counts = place.link->direction(end);
            const auto wrong = [&](const std::string& what, const std::string& expected) {
                const Edge& edge = resolved_.graph().edge(place.edge);
                out.push_back(fmt::format("{} (link model {}): its statistics of what {} sends have {}; expected {}",
                    edge_name(resolved_.graph(), place.edge), model_of(place),
                    resolved_.graph().node(end == 0 ? edge.a : edge.b).name, what, expected));
            };
            if (counts.payload_bytes > counts.wire_bytes)
                wrong(fmt::format("{} payload_bytes in {} wire_bytes", counts.payload_bytes, counts.wire_bytes),
                    "no more than pass the wire");
            if (place.passage == nullptr) continue;
            const Time latest = place.passage->latest();
            if (const Time busy = place.link->busy_until(end, latest); busy > latest)
                wrong(fmt::format("a wire that was busy for {} ps of {} ps", busy, latest),
                    "no more than all of the time");
        }
    }
}

}  // namespace weft
