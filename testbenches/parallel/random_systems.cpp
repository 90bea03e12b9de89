#include "testbenches/parallel/random_systems.h"

#include <utility>
#include <vector>

#include "testbenches/parallel/same_bytes.h"

namespace weft::testing {

using namespace weft::chakra::testing;

namespace {

using Ranks = std::vector<std::vector<std::string>>;

// Nodes that come in one order on all ranks, each after some of its rank's before: such a trace has an end.
Ranks random_trace(Random& random, unsigned ranks)
{
    Ranks out(ranks);
    const auto after = [&random](NodeText node, std::uint64_t id) {
        std::vector<std::uint64_t> parents;
        for (std::uint64_t parent = 1; parent < id; ++parent)
            if (parent + 3 >= id && random.one_in(2)) parents.push_back(parent);
        return parents.empty() ? node : node.data(parents);
    };
    const auto id_of = [&out](unsigned rank) { return out[rank].size() + 1; };
    for (unsigned step = 4 + random.below(8); step > 0; --step) {
        const unsigned kind = random.below(6);
        const std::int64_t bytes = 4 * (1 + random.below(3000));
        const std::int64_t type = random.one_of<std::int64_t>({0, 2, 5, 6, 7});
        const unsigned from = random.below(ranks);
        const unsigned to = (from + 1 + random.below(ranks - 1)) % ranks;
        for (unsigned rank = 0; rank < ranks; ++rank) {
            const std::uint64_t id = id_of(rank);
            if (kind <= 1) {
                out[rank].push_back(after(collective(id, type, bytes * ranks), id));
            } else if (kind == 2) {
                out[rank].push_back(after(collective(id, 0, bytes, rank < ranks / 2 ? "1" : "2"), id));
            } else if (kind == 3) {
                out[rank].push_back(after(comp(id, 1 + random.below(4)), id));
            } else if (kind == 4) {
                out[rank].push_back(after(
                    NodeText(id, 2 + random.below(3), "m").integer("num_ops", 100'000).integer("tensor_size", bytes),
                    id));
            } else if (rank == from) {
                out[rank].push_back(after(send(id, static_cast<int>(to), 7, bytes), id));
            } else if (rank == to) {
                out[rank].push_back(after(recv(id, static_cast<int>(from), 7, bytes), id));
            }
        }
    }
    return out;
}

std::string groups_of(unsigned ranks)
{
    std::string halves[2];
    for (unsigned rank = 0; rank < ranks; ++rank) {
        std::string& half = halves[rank < ranks / 2 ? 0 : 1];
        half += (half.empty() ? "" : ", ") + std::to_string(rank);
    }
    return "{\"1\": [" + halves[0] + "], \"2\": [" + halves[1] + "]}";
}

}  // namespace

RunSetup random_setup(unsigned seed, const Folder& folder, std::string& what)
{
    Random random(seed);
    RunSetup setup;
    unsigned gpus = 3 + random.below(6);
    const unsigned kind = random.below(5);
    if (kind == 0) setup.document = star_document(gpus);
    if (kind == 1) setup.document = mesh_document(gpus);
    if (kind == 2) {
        const unsigned pods = 2 + random.below(3);
        const unsigned each = 2 + random.below(2);
        gpus = pods * each;
        setup.document = pods_document(pods, each, 1 + random.below(2), 40 + random.below(60), 90 + random.below(300));
        if (random.one_in(3)) {
            setup.sets = {"links.wire.retry=" + random.one_of<std::string>({"go_back_n", "timeout"}),
                "links.wire.bit_error_rate=1e-6"};
        }
    }
    if (kind >= 3) {
        gpus = 8;
        setup.document = example(kind == 3 ? "dgx_h100" : "two_tier_8");
    }
    const std::vector<std::pair<std::string, std::vector<std::string>>> operations{
        {"all_reduce", {"ring", "direct", "tree", "nvls", "push_reduce"}}, {"all_gather", {"ring", "direct"}},
        {"reduce_scatter", {"ring", "direct"}}, {"all_to_all", {"direct"}}, {"broadcast", {"tree"}}};
    const auto& [operation, algorithms] = random.one_of(operations);
    const std::string algorithm = random.one_of(algorithms);
    const unsigned bytes = 4 * (1 + random.below(kind >= 3 ? 20'000 : 6'000));
    const bool trace = random.one_in(3);
    if (trace) {
        setup.lines = trace_lines(folder.write_set(random_trace(random, gpus)),
            "groups: \"" + folder.write("groups.json", groups_of(gpus)) + "\"");
        setup.sets.push_back("engine.communication_in_flight=" + std::to_string(1 + random.below(3)));
        if (random.one_in(3)) setup.sets.emplace_back("engine.compute=kernel");
        if (random.one_in(8))
            setup.sets.push_back("engine.collective_order=" + random.one_of<std::string>({"lifo", "priority"}));
    } else {
        setup.lines = collective_lines(operation, algorithm, std::to_string(bytes),
            random.one_in(4) ? "delay: {" + std::to_string(random.below(gpus)) + ": 1700ns}" : "");
    }
    setup.sets.push_back("engine.channels=" + std::to_string(1 + random.below(6)));
    if (random.one_in(2)) setup.sets.push_back("link.request_credits=" + std::to_string(2 + random.below(14)));
    if (random.one_in(3)) setup.sets.push_back("link.response_credits=" + std::to_string(2 + random.below(14)));
    if (random.one_in(3)) setup.sets.push_back("link.merge=adjacent");
    if (random.one_in(3)) setup.sets.push_back("engine.protocol=ll128");
    if (random.one_in(3))
        setup.sets.push_back("gpu.wait_policy=" + random.one_of<std::string>({"monitor", "backoff", "waiting_atomic"}));
    if (random.one_in(4)) setup.sets.push_back("engine.mover=" + random.one_of<std::string>({"copy_engine", "bulk"}));
    if (random.one_in(4)) {
        setup.sets.emplace_back("link.frame=64");
        setup.sets.emplace_back("link.frame_payload=60");
    }
    if (random.one_in(4)) setup.sets.emplace_back("link.bundle=3");
    if (random.one_in(4)) setup.sets.emplace_back("routing.path_selection=round_robin");
    if (random.one_in(4)) setup.sets.emplace_back("gpu.launch_latency=2us");
    if (kind == 3 && random.one_in(3))
        setup.lines += "bind:\n- {nodes: {component: nvsw}, kind: nvswitch, model: crossbar}\n";
    if (random.one_in(6)) setup.options.until = 6'000'000;
    setup.options.data_on = !random.one_in(4);
    if (random.one_in(4)) setup.options.follow = true;
    if (random.one_in(4)) setup.options.window = 900'000;
    what = "seed " + std::to_string(seed) + ": " + setup.document.substr(0, setup.document.find('\n')) + " " +
        (trace ? "trace" : operation + " " + algorithm) + " " + std::to_string(bytes) + " B";
    for (const std::string& set : setup.sets) what += " " + set;
    what += (setup.options.until ? " until" : "") + std::string(setup.options.data_on ? "" : " no data") +
        (setup.options.follow ? " followed" : "") + (setup.options.window > 0 ? " series" : "") + "\n" + setup.lines;
    return setup;
}

}  // namespace weft::testing
