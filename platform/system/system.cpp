#include "platform/system/system.h"

#include <cctype>

namespace weft {

namespace {

// SystemC names must not hold dots, brackets or spaces; the number keeps them unique.
std::string module_name(const std::string& kind, const std::string& path, std::size_t number)
{
    std::string out = kind + std::to_string(number) + "_";
    for (const char c : path) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return out;
}

// Ports of a node are numbered over the edges that are used.
std::vector<std::vector<int>> used_ports(const FabricPlan& plan)
{
    const std::vector<std::vector<Fabric::Port>> all = plan.fabric.ports();
    std::vector<std::vector<int>> out(all.size());
    for (std::size_t node = 0; node < all.size(); ++node) {
        int next = 0;
        for (const Fabric::Port& port : all[node]) out[node].push_back(plan.used.edges[port.edge] ? next++ : -1);
    }
    return out;
}

// The route table of a node in terms of used ports; `own` is the port for the node's own endpoint, or -1.
RouteTable table_of(const FabricPlan& plan, NodeId node, const std::vector<int>& ports, int own)
{
    std::vector<std::vector<std::uint16_t>> table(plan.fabric.endpoints);
    for (std::uint32_t d = 0; d < plan.fabric.endpoints; ++d) {
        const std::vector<std::uint16_t>& choice = plan.routing.ports_to(node, d);
        for (unsigned i = 0; i < choice.size(); ++i)
            if (ports[choice[i]] >= 0)
                table[d].push_back(RouteTable::entry(
                    static_cast<unsigned>(ports[choice[i]]), plan.routing.lane(node, d, i)));
        if (plan.fabric.nodes[node].endpoint == static_cast<int>(d) && own >= 0)
            table[d] = {static_cast<std::uint16_t>(own)};
    }
    return RouteTable(table);
}

}  // namespace

struct System::End {
    LineInitiatorSocket* initiator;
    LineTargetSocket* target;
    std::function<void(const BufferSpace&)> set_credits;
    std::function<std::uint32_t()> peak;
};

System::System(sc_core::sc_module_name name, const ResolvedSystem& resolved, const FabricPlan& plan,
    const ModelRegistry& registry, bool data_on, bool check_protocol)
    : sc_module(name), agenda_("agenda"), checkers_(agenda_, check_protocol), gpu_of_(plan.fabric.nodes.size(), -1),
      switch_of_(plan.fabric.nodes.size(), -1)
{
    const RunContext context{agenda_, pool_, progress_};
    const std::vector<std::vector<int>> ports = used_ports(plan);
    const auto port_count = [&](NodeId node) {
        unsigned count = 0;
        for (const int port : ports[node]) count += port >= 0 ? 1 : 0;
        return count;
    };
    const auto add_switch = [&](NodeId node, const std::string& path, const std::string& model, unsigned extra) {
        SwitchRequest request;
        request.module_name = module_name("switch", path, switches_.size());
        request.path = path;
        request.spec = resolved.switch_of(node);
        request.ports = port_count(node) + extra;
        request.routes = table_of(plan, node, ports[node], extra > 0 ? static_cast<int>(port_count(node)) : -1);
        switch_of_[node] = static_cast<int>(switches_.size());
        switches_.push_back({node, path, model, registry.switch_factory(model)(context, request)});
    };

    for (std::uint32_t rank = 0; rank < plan.members.size(); ++rank) {
        const NodeId node = plan.members[rank];
        const std::string& path = plan.fabric.nodes[node].name;
        const bool transit = plan.used.transit[node];
        GpuRequest request;
        request.module_name = module_name("gpu", path, rank);
        request.gpu = resolved.gpu(node);
        request.l2 = resolved.l2(node);
        request.hbm = resolved.hbm(node);
        request.wiring.path = path;
        request.wiring.endpoint = rank;
        request.wiring.data_on = data_on;
        request.wiring.checkers = check_protocol ? &checkers_ : nullptr;
        request.wiring.spread = static_cast<SpreadMode>(resolved.routing().spread);
        request.wiring.ports = transit ? 1 : port_count(node);
        request.wiring.routes =
            transit ? RouteTable(std::vector<std::vector<std::uint16_t>>(plan.fabric.endpoints, {0}))
                    : table_of(plan, node, ports[node], -1);
        gpu_of_[node] = static_cast<int>(rank);
        gpus_.push_back(registry.gpu_factory(resolved.model(node))(context, request));
    }
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node) {
        if (!plan.used.nodes[node]) continue;
        const std::string& path = plan.fabric.nodes[node].name;
        if (plan.used.transit[node]) {
            const bool member = gpu_of_[node] >= 0;
            add_switch(node, path + ".router", "switch", member ? 1 : 0);
            if (!member) continue;
            // On the die: no wire, and room for everything a GPU can have in flight.
            Gpu& gpu = *gpus_[static_cast<std::size_t>(gpu_of_[node])];
            SwitchModel& router = *switches_.back().module;
            const unsigned local = port_count(node);
            checkers_.bind(gpu.link_out(0), router.target(local));
            checkers_.bind(router.initiator(local), gpu.link_in(0));
            gpu.output(0).set_credits(BufferSpace::ample());
            router.set_credits(local, BufferSpace::ample());
        } else if (gpu_of_[node] < 0) {
            add_switch(node, path, resolved.model(node), 0);
        }
    }

    std::vector<unsigned> next_port(plan.fabric.nodes.size(), 0);
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge) {
        if (!plan.used.edges[edge]) continue;
        const LinkSpec& spec = resolved.link(edge);
        const std::string path = edge_name(resolved.graph(), edge);
        LinkPlace place{edge, std::make_unique<Link>(module_name("link", path, links_.size()).c_str(), agenda_, spec), {}};
        const NodeId nodes[2] = {plan.fabric.edges[edge].a, plan.fabric.edges[edge].b};
        for (unsigned e = 0; e < 2; ++e) {
            const End end = end_of(nodes[e], next_port[nodes[e]]++);
            checkers_.bind(*end.initiator, place.link->target(e), ProtocolChecker::Rules::of(spec));
            checkers_.bind(place.link->initiator(e), *end.target, ProtocolChecker::Rules::of(spec, true));
            end.set_credits(buffer_space(spec));
            place.peak[e] = end.peak;
        }
        links_.push_back(std::move(place));
    }
}

System::End System::end_of(NodeId node, unsigned port)
{
    if (switch_of_[node] >= 0) {
        SwitchModel& module = *switches_[static_cast<std::size_t>(switch_of_[node])].module;
        return {&module.initiator(port), &module.target(port),
            [&module, port](const BufferSpace& space) { module.set_credits(port, space); },
            [&module, port] { return module.peak_queue(port); }};
    }
    Gpu& gpu = *gpus_[static_cast<std::size_t>(gpu_of_[node])];
    return {&gpu.link_out(port), &gpu.link_in(port),
        [&gpu, port](const BufferSpace& space) { gpu.output(port).set_credits(space); },
        [&gpu, port] { return gpu.output(port).peak_queue(); }};
}

std::vector<Gpu*> System::gpus() const
{
    std::vector<Gpu*> out;
    for (const auto& gpu : gpus_) out.push_back(gpu.get());
    return out;
}

std::uint64_t System::lines() const
{
    std::uint64_t total = 0;
    for (const auto& gpu : gpus_) total += gpu->units().lines();
    return total;
}

std::uint64_t System::line_hops() const
{
    std::uint64_t total = 0;
    for (const auto& gpu : gpus_) total += gpu->line_hops();
    for (const SwitchPlace& place : switches_) total += place.module->line_hops();
    for (const LinkPlace& place : links_) total += place.link->line_hops();
    return total;
}

bool System::cannot_progress() const
{
    for (const auto& gpu : gpus_)
        if (gpu->units().cannot_progress()) return true;
    return false;
}

std::uint64_t System::protocol_problems(bool ended)
{
    if (ended) checkers_.finish();
    return checkers_.problems();
}

}  // namespace weft
