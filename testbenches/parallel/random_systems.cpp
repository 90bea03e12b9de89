#include "testbenches/parallel/random_systems.h"

#include <utility>
#include <vector>

#include "testbenches/parallel/same_bytes.h"

namespace parts_test {

using namespace weft::testing;

RunSetup random_setup(unsigned seed, std::string& what)
{
    Random random(seed);
    RunSetup setup;
    const unsigned gpus = 3 + random.below(6);
    const unsigned kind = random.below(4);
    if (kind == 0) setup.document = star_document(gpus);
    if (kind == 1) setup.document = mesh_document(gpus);
    if (kind == 2)
        setup.document = pods_document(2 + random.below(3), 2 + random.below(2), 1 + random.below(2),
            40 + random.below(60), 90 + random.below(300));
    if (kind == 3) setup.document = example("dgx_h100");
    const std::vector<std::pair<std::string, std::vector<std::string>>> operations{
        {"all_reduce", {"ring", "direct", "tree"}}, {"all_gather", {"ring", "direct"}},
        {"reduce_scatter", {"ring", "direct"}}, {"all_to_all", {"direct"}}, {"broadcast", {"tree"}}};
    const auto& [operation, algorithms] = random.one_of(operations);
    const std::string algorithm = random.one_of(algorithms);
    const unsigned bytes = 4 * (1 + random.below(kind == 3 ? 60'000 : 15'000));
    setup.lines = collective_lines(operation, algorithm, std::to_string(bytes));
    setup.sets.push_back("engine.channels=" + std::to_string(1 + random.below(6)));
    if (random.below(2) == 0) setup.sets.push_back("link.request_credits=" + std::to_string(2 + random.below(14)));
    if (random.below(3) == 0) setup.sets.push_back("link.response_credits=" + std::to_string(2 + random.below(14)));
    if (random.below(3) == 0) setup.sets.push_back("link.merge=adjacent");
    if (random.below(3) == 0) setup.sets.push_back("engine.protocol=ll128");
    if (random.below(3) == 0)
        setup.sets.push_back("gpu.wait_policy=" + random.one_of<std::string>({"monitor", "backoff", "waiting_atomic"}));
    if (random.below(4) == 0)
        setup.sets.push_back("engine.mover=" + random.one_of<std::string>({"copy_engine", "bulk"}));
    if (random.below(4) == 0) {
        setup.sets.emplace_back("link.frame=64");
        setup.sets.emplace_back("link.frame_payload=60");
    }
    if (random.below(4) == 0) setup.sets.emplace_back("link.bundle=3");
    if (random.below(4) == 0) setup.sets.emplace_back("routing.path_selection=round_robin");
    if (random.below(4) == 0) setup.sets.emplace_back("gpu.launch_latency=2us");
    if (kind == 3 && random.below(3) == 0)
        setup.lines += "bind:\n- {nodes: {component: nvsw}, kind: nvswitch, model: crossbar}\n";
    if (random.below(6) == 0) setup.options.until = 6'000'000;
    setup.options.data_on = random.below(4) != 0;
    what = "seed " + std::to_string(seed) + ": " + setup.document.substr(0, setup.document.find('\n')) + " " +
        operation + " " + algorithm + " " + std::to_string(bytes) + " B";
    for (const std::string& set : setup.sets) what += " " + set;
    return setup;
}

}  // namespace parts_test
