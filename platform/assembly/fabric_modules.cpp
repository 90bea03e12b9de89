#include "platform/assembly/fabric_modules.h"

#include <algorithm>
#include <cctype>

#include "platform/assembly/models_of_weft.h"
#include "platform/assembly/packet_paths.h"
#include "platform/configuration/parameter_place.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/packetiser.h"
#include "tlm_interconnect/switch/output_port.h"

namespace weft {

FabricModules::FabricModules(const ResolvedSystem& resolved, const FabricPlan& plan, ModuleTree& tree)
    : resolved_(resolved), plan_(plan), tree_(tree), switch_of_(plan.fabric.nodes.size(), -1)
{
    ports_ = used_ports_of(plan);
}

std::vector<std::vector<int>> FabricModules::used_ports_of(const FabricPlan& plan)
{
    const std::vector<std::vector<Fabric::Port>> all = plan.fabric.ports();
    std::vector<std::vector<int>> out(all.size());
    for (std::size_t node = 0; node < all.size(); ++node) {
        int next = 0;
        for (const Fabric::Port& port : all[node]) out[node].push_back(plan.used.edges[port.edge] ? next++ : -1);
    }
    return out;
}

unsigned FabricModules::used_ports(NodeId node) const
{
    unsigned count = 0;
    for (const int port : ports_[node]) count += port >= 0 ? 1 : 0;
    return count;
}

unsigned FabricModules::ports(std::uint32_t rank) const
{
    const NodeId node = plan_.members[rank];
    return plan_.used.transit[node] ? 1 : used_ports(node);
}

RouteTable FabricModules::routes(std::uint32_t rank) const
{
    const NodeId node = plan_.members[rank];
    if (plan_.used.transit[node])
        return RouteTable(std::vector<std::vector<std::uint16_t>>(plan_.fabric.endpoints, {0}));
    return table_of(node, -1);
}

// In terms of used ports; `own` is the port for the node's own endpoint, or -1.
RouteTable FabricModules::table_of(NodeId node, int own) const { return plan_.routing.table(node, ports_[node], own); }

std::size_t FabricModules::stated_switches() const
{
    return static_cast<std::size_t>(std::count_if(switches_.begin(), switches_.end(),
        [this](const SwitchPlace& place) { return resolved_.role(place.node) == NodeRole::forwarder; }));
}

void FabricModules::add_switch(const ModelRegistry& registry, const RunContexts& contexts, NodeId node,
    const std::string& path, const std::string& model, unsigned extra)
{
    switch_of_[node] = static_cast<int>(switches_.size());
    if (!contexts.here(node)) {
        switches_.push_back({node, path, model, nullptr, nullptr});
        return;
    }
    SwitchRequest request;
    request.path = path;
    request.parameters = resolved_.parameters(node);
    request.ports = used_ports(node) + extra;
    request.routes = table_of(node, extra > 0 ? static_cast<int>(used_ports(node)) : -1);
    switches_.push_back({node, path, model,
        tree_.at(path,
            [&](const std::string& name) {
                request.module_name = name;
                return registry.switch_factory(model)(contexts.of(node), request);
            }),
        nullptr});
    if (!of_weft("switch", model) && BlockHost::of(switches_.back().module.get()) == nullptr)
        switches_.back().passage = new_passage(contexts.of(node), path, "switch model " + model);
}

Passage* FabricModules::new_passage(const RunContext& context, const std::string& path, const std::string& model)
{
    passages_.push_back(std::make_unique<Passage>(context.event_queue, path + " (" + model + ")"));
    return passages_.back().get();
}

Passage* FabricModules::passage_of(NodeId node) const
{
    return switch_of_[node] < 0 ? nullptr : switches_[static_cast<std::size_t>(switch_of_[node])].passage;
}

void FabricModules::join(Checkers& checkers, LineInitiatorSocket& from, Passage* of_from, LineTargetSocket& to,
    Passage* of_to, const ProtocolChecker::Rules& rules)
{
    if (!watches_others_ || (of_from == nullptr && of_to == nullptr)) {
        checkers.bind(from, to, rules);
    } else {
        joints_.push_back(
            std::make_unique<PassageJoint>(sc_core::sc_gen_unique_name("passage"), from, of_from, to, of_to));
    }
}

void FabricModules::build(const ModelRegistry& registry, const RunContexts& contexts, Checkers& checkers,
    const std::function<End(std::uint32_t rank, unsigned port)>& member, const Border& border)
{
    const auto transaction = static_cast<std::uint32_t>(resolved_.engine().grain / line_bytes);
    for (NodeId node = 0; node < plan_.fabric.nodes.size(); ++node) {
        if (!plan_.used.nodes[node]) continue;
        const std::string& path = plan_.fabric.nodes[node].name;
        const int rank = plan_.fabric.nodes[node].endpoint;
        if (plan_.used.transit[node]) {
            add_switch(registry, contexts, node, path + ".router", "switch", rank >= 0 ? 1 : 0);
            if (rank < 0 || !contexts.here(node)) continue;
            // On the die: no wire, and room for everything a member can have in flight.
            SwitchModel& router = *switches_.back().module;
            const unsigned local = used_ports(node);
            const End end = member(static_cast<std::uint32_t>(rank), 0);
            checkers.bind(*end.initiator, router.target(local));
            checkers.bind(router.initiator(local), *end.target);
            BufferSpace space = BufferSpace::ample();
            space.transaction = transaction;
            end.set_credits(space);
            router.set_credits(local, space);
        } else if (rank < 0) {
            add_switch(registry, contexts, node, path, resolved_.model(node), 0);
        }
    }

    at_port_.resize(plan_.fabric.nodes.size());
    const std::uint32_t path_lines = path_lines_of_network(resolved_, plan_);
    for (EdgeId edge = 0; edge < plan_.fabric.edges.size(); ++edge) {
        if (!plan_.used.edges[edge]) continue;
        const LinkSpec& spec = resolved_.link(edge);
        LinkPlace place{edge, make_link(registry, contexts, edge), {}, {}, {}, nullptr};
        const NodeId nodes[2] = {plan_.fabric.edges[edge].a, plan_.fabric.edges[edge].b};
        const std::string& model = resolved_.link_model(edge);
        // Of a cut one the halves carry on copies of what comes in.
        if (place.link != nullptr && !of_weft("link", model) && BlockHost::of(place.link.get()) == nullptr &&
            dynamic_cast<CutLink*>(place.link.get()) == nullptr)
            place.passage =
                new_passage(contexts.of(nodes[0]), edge_name(resolved_.graph(), edge), "link model " + model);
        for (unsigned e = 0; e < 2; ++e) {
            const NodeId node = nodes[e];
            const auto port = static_cast<unsigned>(at_port_[node].size());
            at_port_[node].push_back({links_.size(), e});
            place.holders[e] = std::make_shared<CreditHolders>();
            const bool at_border = contexts.beyond(node);
            if (!contexts.in_part_here(node) || place.link == nullptr) continue;
            End end = at_border         ? border(contexts.of(node), edge, node, nodes[1 - e])
                : switch_of_[node] >= 0 ? switch_end(node, port)
                                        : member(static_cast<std::uint32_t>(plan_.fabric.nodes[node].endpoint), port);
            Passage* const of_node = at_border ? nullptr : passage_of(node);
            join(checkers, *end.initiator, of_node, place.link->target(e), place.passage,
                ProtocolChecker::Rules::of(buffer_space(spec)));
            join(checkers, place.link->initiator(e), place.passage, *end.target, of_node,
                ProtocolChecker::Rules::of(buffer_space(spec), spec.bundle == 1));
            BufferSpace space = buffer_space(spec);
            space.transaction = transaction;
            if (carries_messages(spec)) {
                space.path_lines = path_lines;
                space.paths = packet_paths(resolved_, path_lines);
            }
            space.holders = place.holders[e];
            end.set_credits(space);
            place.ends[e] = std::move(end);
        }
        links_.push_back(std::move(place));
    }
}

const std::string& FabricModules::behind_port(NodeId node, unsigned port) const
{
    const Place& place = at_port_[node][port];
    const auto& edge = plan_.fabric.edges[links_[place.link].edge];
    return plan_.fabric.nodes[edge.a == node ? edge.b : edge.a].name;
}

std::unique_ptr<LinkModel> FabricModules::make_link(const ModelRegistry& registry, const RunContexts& contexts,
    EdgeId edge)
{
    const std::string path = edge_name(resolved_.graph(), edge);
    const std::array<NodeId, 2> nodes{plan_.fabric.edges[edge].a, plan_.fabric.edges[edge].b};
    ParameterSet parameters = resolved_.link_parameters(edge);
    if (LinkSpec spec = resolved_.link(edge); spec.bundle > 1) {
        spec.paths_by_lines = resolved_.routing().path_selection == PathSelection::lines;
        parameters.replace(spec);
    }
    const auto made = [&](const std::string& name, unsigned end) {
        try {
            return registry.link_factory(
                resolved_.link_model(edge))(contexts.of(nodes[end]), {name, path, parameters, resolved_.seed});
        } catch (const InputError& error) {
            Diagnostic wrong = error.diagnostics().front();
            if (!wrong.file.empty()) throw;
            const InputError placed =
                at_its_parameter(InputError("", 0, wrong.what + ", at " + path, wrong.expected), resolved_, edge);
            wrong = placed.diagnostics().front();
            if (wrong.file.empty()) wrong.file = resolved_.file.empty() ? resolved_.infrastructure : resolved_.file;
            throw InputError(wrong);
        }
    };
    const bool is_cut = contexts.part(nodes[0]) != contexts.part(nodes[1]);
    if (contexts.beyond(nodes[0]) && contexts.beyond(nodes[1])) return nullptr;
    if (!contexts.in_part_here(nodes[0]) && !contexts.in_part_here(nodes[1])) {
        if (is_cut) cut_links_.push_back(nullptr);
        return nullptr;
    }
    return tree_.at("links." + ModuleTree::part(path), [&](const std::string& name) -> std::unique_ptr<LinkModel> {
        if (!is_cut) return made(name, 0);
        const auto side = [&](unsigned end) {
            if (!contexts.in_part_here(nodes[end]))
                return CutLink::Side{contexts.part(nodes[end]), nullptr, nullptr, false};
            const RunContext& context = contexts.of(nodes[end]);
            return CutLink::Side{contexts.part(nodes[end]), &context.event_queue, &context.pool, contexts.data_on()};
        };
        auto cut = std::make_unique<CutLink>(
            name.c_str(), path, static_cast<std::uint32_t>(cut_links_.size()), std::array{side(0), side(1)},
            [&made](unsigned end, const std::string& half) { return made(half, end); }, contexts.transport());
        cut_links_.push_back(cut.get());
        return cut;
    });
}

FabricModules::End FabricModules::switch_end(NodeId node, unsigned port) const
{
    SwitchModel& module = *switches_[static_cast<std::size_t>(switch_of_[node])].module;
    return {&module.initiator(port), &module.target(port),
        [&module, port](const BufferSpace& space) { module.set_credits(port, space); },
        [&module, port] { return module.peak_queue(port); }, [&module, port] { return module.credit_stall(port); },
        [&module, port](PortWatch& watch) { return module.attach(port, watch); }, nullptr};
}

FabricModules::End FabricModules::End::of(LineInitiatorSocket& out, LineTargetSocket& in, OutputPort& output)
{
    return {&out, &in, [&output](const BufferSpace& space) { output.set_credits(space); },
        [&output] { return output.peak_queue(); }, [&output] { return output.credit_stall(); },
        [&output](PortWatch& watch) {
            output.attach(watch);
            return true;
        },
        [&output] { return output.waits(); }};
}

void FabricModules::watch()
{
    for (LinkPlace& place : links_)
        for (unsigned end = 0; end < 2; ++end) {
            auto watch = std::make_unique<PortWatch>();
            if (place.ends[end].attach && place.ends[end].attach(*watch)) place.watch[end] = std::move(watch);
        }
}

// The buffer at the far end of what `end` of a link sends.
std::string FabricModules::buffer_name(std::size_t link, unsigned end, std::uint8_t vc) const
{
    const LinkPlace& place = links_[link];
    const Edge& edge = resolved_.graph().edge(place.edge);
    const std::string& from = resolved_.graph().node(end == 0 ? edge.a : edge.b).name;
    const std::string& to = resolved_.graph().node(end == 0 ? edge.b : edge.a).name;
    return "the " + vc_name(vc, static_cast<unsigned>(place.link->spec().vc_sets)) + " buffer of " + from + " -> " + to;
}

std::vector<std::pair<std::uint64_t, BufferWait>> FabricModules::buffer_waits() const
{
    std::vector<std::pair<std::uint64_t, BufferWait>> waits;
    for (std::size_t number = 0; number < switches_.size(); ++number) {
        const SwitchPlace& place = switches_[number];
        if (place.module == nullptr) continue;
        const std::vector<Place>& ports = at_port_[place.node];
        for (const SwitchModel::Wait& wait : place.module->waits()) {
            if (wait.output >= ports.size()) continue;
            const Place& out = ports[wait.output];
            BufferWait entry{"", place.path, buffer_name(out.link, out.end, wait.wanted), wait.lines};
            if (wait.input < ports.size()) {
                const Place& in = ports[wait.input];
                entry.held = buffer_name(in.link, 1 - in.end, wait.held);
            }
            waits.emplace_back(number, std::move(entry));
        }
    }
    for (std::size_t link = 0; link < links_.size(); ++link)
        for (unsigned end = 0; end < 2; ++end) {
            if (!links_[link].ends[end].waits) continue;
            const Edge& edge = resolved_.graph().edge(links_[link].edge);
            for (const OutputPort::Wait& wait : links_[link].ends[end].waits())
                waits.emplace_back(switches_.size() + 2 * link + end,
                    BufferWait{"", resolved_.graph().node(end == 0 ? edge.a : edge.b).name,
                        buffer_name(link, end, wait.wanted), wait.lines});
        }
    return waits;
}

std::vector<std::pair<std::uint64_t, BufferWait>> FabricModules::silent_switches() const
{
    std::vector<std::pair<std::uint64_t, BufferWait>> out;
    for (std::size_t number = 0; number < switches_.size(); ++number) {
        const SwitchPlace& place = switches_[number];
        if (place.module != nullptr && place.module->waits().empty() && !place.module->blocked().empty())
            out.emplace_back(number, BufferWait{"", place.path, "", 0});
    }
    return out;
}

std::vector<std::string> FabricModules::blocked_chain() const
{
    std::vector<BufferWait> waits;
    for (auto& [number, wait] : buffer_waits()) waits.push_back(std::move(wait));
    for (auto& [number, wait] : silent_switches()) waits.push_back(std::move(wait));
    return weft::blocked_chain(waits);
}

std::string FabricModules::standing_circle() const
{
    std::vector<BufferWait> waits;
    for (auto& [number, wait] : buffer_waits()) waits.push_back(std::move(wait));
    std::string circle = circle_of(waits);
    return circle.empty() || moves(circle) ? "" : circle;
}

std::string FabricModules::circle_of(const std::vector<BufferWait>& waits)
{
    std::string text;
    for (const std::string& line : weft::blocked_chain(waits)) text += line + "\n";
    return text.rfind("circular wait:", 0) == 0 ? text : "";
}

bool FabricModules::moves(const std::string& circle) const
{
    constexpr Time any_time = CreditAccount::no_time - 1;
    const auto transaction = static_cast<std::uint32_t>(resolved_.engine().grain / line_bytes);
    for (std::size_t link = 0; link < links_.size(); ++link)
        for (unsigned end = 0; end < 2; ++end)
            for (std::uint8_t vc = 0; links_[link].link != nullptr && vc < max_vcs; ++vc) {
                if (circle.find(buffer_name(link, end, vc)) == std::string::npos) continue;
                for (const CreditAccount* account : links_[link].holders[end]->accounts())
                    if (transaction == 1 ? account->available(vc, any_time)
                                         : account->available(vc, any_time, credits_needed(vc, transaction)))
                        return true;
            }
    return false;
}

std::vector<std::string> FabricModules::blocked() const
{
    std::vector<std::string> out;
    for (const SwitchPlace& place : switches_)
        if (place.module != nullptr)
            for (std::string& line : place.module->blocked()) out.push_back(std::move(line));
    for (const LinkPlace& place : links_)
        if (place.link != nullptr)
            for (std::string& line : place.link->blocked()) out.push_back(std::move(line));
    return out;
}

std::optional<BlockFault> FabricModules::fault() const
{
    std::optional<BlockFault> first;
    for (const SwitchPlace& place : switches_)
        if (place.module != nullptr) BlockHost::look(*place.module, first);
    for (const LinkPlace& place : links_)
        if (place.link != nullptr) BlockHost::look(*place.link, first);
    return first;
}

bool FabricModules::any_block(const std::function<bool(const BlockHost& block)>& test) const
{
    const auto holds = [&test](const BlockHost* block) { return block != nullptr && test(*block); };
    return std::any_of(switches_.begin(), switches_.end(),
               [&holds](const SwitchPlace& place) { return holds(BlockHost::of(place.module.get())); }) ||
        std::any_of(links_.begin(), links_.end(),
            [&holds](const LinkPlace& place) { return holds(BlockHost::of(place.link.get())); });
}

std::vector<std::string> FabricModules::problems() const
{
    std::vector<std::string> out;
    for (const SwitchPlace& place : switches_)
        if (place.module != nullptr)
            for (std::string& problem : place.module->problems()) out.push_back(std::move(problem));
    for (const LinkPlace& place : links_)
        if (place.link != nullptr)
            for (std::string& problem : place.link->problems()) out.push_back(std::move(problem));
    if (watches_others_) add_impossible(out);
    return out;
}

std::uint64_t FabricModules::line_hops() const
{
    std::uint64_t total = 0;
    for (const SwitchPlace& place : switches_) total += place.module == nullptr ? 0 : place.module->line_hops();
    for (const LinkPlace& place : links_) total += place.link == nullptr ? 0 : place.link->line_hops();
    return total;
}

}  // namespace weft
