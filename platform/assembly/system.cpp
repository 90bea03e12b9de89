#include "platform/assembly/system.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/interface/absent_accelerator.h"
#include "platform/assembly/part_sockets.h"

namespace weft {

namespace {

constexpr int circle_looks = 2;

std::vector<std::unique_ptr<System::Share>> make_shares(const Division* division)
{
    std::vector<std::unique_ptr<System::Share>> out;
    const std::uint32_t first = division == nullptr ? 0 : division->first;
    for (std::uint32_t part = first; part < first + (division == nullptr ? 1 : division->count); ++part) {
        out.push_back(std::make_unique<System::Share>("event_queue" + (part == 0 ? "" : "_" + std::to_string(part))));
        if (division != nullptr) out.back()->event_queue.make_part(division->device_of);
    }
    return out;
}

}  // namespace

System::System(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry, bool data_on,
    bool check_protocol, TrafficRecorder* recorders, const Division* division, const Elsewhere* elsewhere)
    : plan_(plan), division_(division), shares_(make_shares(division)), checkers_(event_queue(), check_protocol),
      fabric_(resolved, plan, tree_), polls_pass_links_(resolved.engine().flag_home == FlagHome::signaller)
{
    checkers_.keep_problems();
    const std::uint64_t grain = resolved.engine().grain;
    for (const auto& share : shares_) {
        if (data_on) {
            share->pool.hold_wide(static_cast<std::uint32_t>(grain));
        } else {
            share->pool.hold_no_data();
        }
    }
    watchers_.resize(plan.members.size());
    std::vector<RunContext> of_parts;
    for (const auto& share : shares_)
        of_parts.push_back({share->event_queue, share->pool, share->progress, &registry.waves, resolved.seed});
    RunContexts contexts =
        division == nullptr ? RunContexts(of_parts.front()) : RunContexts(of_parts, *division, data_on);
    if (elsewhere != nullptr) contexts.set_beyond(elsewhere->nodes);
    for (std::uint32_t rank = 0; rank < plan.members.size(); ++rank) {
        const NodeId node = plan.members[rank];
        const std::string& path = plan.fabric.nodes[node].name;
        if (!contexts.here(node)) {
            const AbsentAccelerator::Size size{resolved.hbm(node).capacity, resolved.hbm(node).bandwidth,
                resolved.gpu(node), resolved.model(node) == "replay"};
            accelerators_.push_back(tree_.at(path, [&](const std::string& name) {
                return std::make_unique<AbsentAccelerator>(name.c_str(), path, rank, size);
            }));
            continue;
        }
        GpuRequest request;
        request.parameters = resolved.parameters(node);
        const bool memory = resolved.role(node) == NodeRole::memory;
        // What a memory has in front of its DRAM is that of a GPU; nobody launches anything there.
        if (memory) {
            GpuSpec gpu = resolved.gpu(node);
            gpu.compute_units = resolved.l2(node).partitions;
            request.parameters.replace(gpu);
        }
        request.wiring.path = path;
        request.wiring.endpoint = rank;
        request.wiring.data_on = data_on;
        request.wiring.checkers = check_protocol ? &checkers_ : nullptr;
        if (!check_protocol && (!resolved.l2(node).of_weft() || !resolved.hbm(node).ours())) {
            std::unique_ptr<Checkers>& watchers = watchers_[rank];
            watchers = std::make_unique<Checkers>(contexts.of(node).event_queue);
            watchers->keep_problems();
            request.wiring.watchers = watchers.get();
        }
        request.wiring.recorder = recorders == nullptr ? nullptr : recorders + contexts.part(node);
        request.wiring.path_selection = resolved.routing().path_selection;
        // A wide transaction takes one path, and is at home in one slice.
        request.wiring.grain = static_cast<std::uint32_t>(grain);
        if (grain > line_bytes) {
            L2Spec l2 = resolved.l2(node);
            l2.grain = grain;
            request.parameters.replace(l2);
        }
        while ((std::uint64_t{line_bytes} << request.wiring.stripe_shift) < std::max(resolved.routing().stripe, grain))
            ++request.wiring.stripe_shift;
        request.wiring.ports = fabric_.ports(rank);
        request.wiring.routes = fabric_.routes(rank);
        request.wiring.make_slice = [&context = contexts.of(node),
                                        &make = registry.slice_factory(resolved.slice_model(node)), &path,
                                        &model = resolved.slice_model(node),
                                        parameters = request.parameters](EventQueue&, const SliceRequest& slice) {
            SliceRequest with_parameters = slice;
            with_parameters.parameters = parameters;
            with_parameters.parameters.replace(slice.spec);
            std::unique_ptr<SliceModel> made = make(context, with_parameters);
            require_sockets(path, model, *made, with_parameters);
            return made;
        };
        request.wiring.make_memory = [&context = contexts.of(node),
                                         &make = registry.memory_factory(resolved.memory_model(node)), &path,
                                         &model = resolved.memory_model(node),
                                         parameters = request.parameters](EventQueue&, const MemoryRequest& memory) {
            MemoryRequest with_parameters = memory;
            with_parameters.parameters = parameters;
            std::unique_ptr<MemoryModel> made = make(context, with_parameters);
            require_sockets(path, model, *made, with_parameters);
            return made;
        };
        accelerators_.push_back(tree_.at(path, [&](const std::string& name) {
            request.module_name = name;
            return registry.gpu_factory(memory ? "gpu" : resolved.model(node))(contexts.of(node), request);
        }));
    }
    const auto member = [this](std::uint32_t rank, unsigned port) {
        Accelerator& accelerator = *accelerators_[rank];
        return FabricModules::End::of(accelerator.link_out(port), accelerator.link_in(port), accelerator.output(port));
    };
    if (!check_protocol) fabric_.watch_others();
    fabric_.build(registry, contexts, checkers_, member,
        elsewhere == nullptr ? FabricModules::Border() : elsewhere->border);
    if (division != nullptr) return;
    // Who spins for what such a module holds would do so for ever.
    progress().set_watch(look_every, [this](Time now) { return overdue(now); });
}

bool System::overdue(Time now)
{
    const bool moves = anything_moves(now);
    const bool still = stands_still(moves);
    return circle_stands(fabric_.standing_circle()) || anything_overdue(now, !moves) || still;
}

// Who waits in a circle that is the same look after look, without a credit on its way, waits for ever.
bool System::circle_stands(const std::string& circle)
{
    circle_looks_ = !circle.empty() && circle == circle_ ? circle_looks_ + 1 : 0;
    circle_ = circle;
    return circle_looks_ >= circle_looks;
}

bool System::anything_moves(Time now)
{
    std::uint64_t changes = 0;
    bool far = false;
    for (const auto& share : shares_) {
        changes += share->progress.changes();
        far |= share->event_queue.far_after(now + look_every);
    }
    if (!polls_pass_links_) changes += fabric_.line_hops();
    const bool changed = changes != changes_;
    changes_ = changes;
    return changed || far || fabric_.any_block([now](const BlockHost& block) { return block.may_move(now); });
}

bool System::stands_still(bool moves)
{
    still_looks_ = moves ? 0 : still_looks_ + 1;
    // Where polls pass links, a transaction that passes one more does not show, but only its response: it may have a long way.
    return still_looks_ >= (polls_pass_links_ ? 10 : 3);
}

bool System::anything_overdue(Time now, bool alone) const
{
    const std::vector<SwitchPlace>& switches = fabric_.switches();
    const std::vector<FabricModules::LinkPlace>& links = fabric_.links();
    const auto in_switch = [now](const SwitchPlace& place) {
        return place.module != nullptr && (place.module->overdue(now) || place.module->stuck(now));
    };
    return std::any_of(switches.begin(), switches.end(), in_switch) ||
        std::any_of(links.begin(), links.end(),
            [now](const FabricModules::LinkPlace& place) { return place.link != nullptr && place.link->stuck(now); }) ||
        fabric_.any_block([now, alone](const BlockHost& block) { return block.stands(now, alone); });
}

bool System::idle() const
{
    return std::all_of(shares_.begin(), shares_.end(), [](const auto& share) { return share->event_queue.idle(); });
}

Time System::last() const
{
    Time out = 0;
    for (const auto& share : shares_) out = std::max(out, share->event_queue.last_effect());
    return out;
}

bool System::stopped() const
{
    return std::any_of(shares_.begin(), shares_.end(), [](const auto& share) { return share->event_queue.stopped(); });
}

std::vector<Accelerator*> System::accelerators() const
{
    std::vector<Accelerator*> out;
    for (const auto& accelerator : accelerators_) out.push_back(accelerator.get());
    return out;
}

std::vector<Gpu*> System::gpus() const
{
    std::vector<Gpu*> out;
    for (const auto& accelerator : accelerators_) out.push_back(accelerator->gpu());
    return out;
}

std::vector<ReplayGpu*> System::replays() const
{
    std::vector<ReplayGpu*> out;
    for (const auto& accelerator : accelerators_) out.push_back(accelerator->replay());
    return out;
}

std::uint64_t System::lines() const
{
    std::uint64_t total = 0;
    for (const auto& accelerator : accelerators_) total += accelerator->lines();
    return total;
}

std::uint64_t System::line_hops() const
{
    std::uint64_t total = fabric_.line_hops();
    for (const auto& accelerator : accelerators_) total += accelerator->line_hops();
    return total;
}

bool System::cannot_progress() const
{
    for (const Gpu* gpu : gpus())
        if (gpu != nullptr && gpu->cannot_progress()) return true;
    return false;
}

// A failure names the port of an accelerator that has seen it; what is at the other end of its link is nearer to the cause.
std::string System::behind_port_of(const std::string& failure) const
{
    for (const NodeId node : plan_.members)
        for (unsigned port = 0; port < fabric_.port_count(node); ++port) {
            const std::string at = fmt::format("{}.port.{}:", plan_.fabric.nodes[node].name, port);
            if (failure.rfind(at, 0) == 0)
                return fmt::format(" (its link leads to {})", fabric_.behind_port(node, port));
        }
    return {};
}

std::vector<std::string> System::problems() const
{
    std::vector<std::string> out = checkers_.kept();
    for (const auto& watchers : watchers_)
        if (watchers != nullptr) out.insert(out.end(), watchers->kept().begin(), watchers->kept().end());
    for (const auto& share : shares_)
        for (const std::string& failure : share->event_queue.failures())
            out.push_back(failure + behind_port_of(failure));
    for (std::string& problem : fabric_.problems()) out.push_back(std::move(problem));
    for (const Gpu* gpu : gpus())
        for (std::size_t s = 0; gpu != nullptr && s < gpu->slices().size(); ++s)
            for (std::string& problem : gpu->slices()[s]->problems()) out.push_back(std::move(problem));
    return out;
}

std::optional<BlockFault> System::fault() const
{
    std::optional<BlockFault> first = fabric_.fault();
    for (const Gpu* gpu : gpus())
        for (std::size_t s = 0; gpu != nullptr && s < gpu->slices().size(); ++s)
            BlockHost::look(*gpu->slices()[s], first);
    return first;
}

std::vector<std::string> System::blocked() const
{
    std::vector<std::string> out = fabric_.blocked();
    for (const Gpu* gpu : gpus())
        for (std::size_t s = 0; gpu != nullptr && s < gpu->slices().size(); ++s)
            for (std::string& line : gpu->slices()[s]->blocked()) out.push_back(std::move(line));
    return out;
}

void System::check_contents()
{
    for (const Gpu* gpu : gpus())
        for (std::size_t s = 0; gpu != nullptr && s < gpu->slices().size(); ++s) gpu->slices()[s]->check_contents();
}

std::vector<std::string> System::unsettled() const
{
    std::vector<std::string> out = fabric_.unsettled();
    std::uint64_t live = 0;
    for (const auto& share : shares_) live += share->pool.live();
    if (live == 0) return out;
    out.push_back(std::to_string(live) +
        " transactions were never returned to their pool: a buffer holds them, or a module lost them");
    for (std::string& line : blocked()) out.push_back(std::move(line));
    return out;
}

void System::finish_checkers()
{
    checkers_.finish();
    for (const auto& watchers : watchers_)
        if (watchers != nullptr) watchers->finish();
}

std::vector<std::string> System::unanswered(std::uint32_t endpoint) const
{
    return watchers_[endpoint] == nullptr ? std::vector<std::string>() : watchers_[endpoint]->unanswered();
}

std::uint64_t System::protocol_problems() const { return checkers_.problems(); }

}  // namespace weft
