#include "testbenches/synthesis/documents.h"

#include <fmt/format.h>

#include "testbenches/platform/runs.h"

namespace weft::testing {

namespace {

std::string document(unsigned n, const std::string& switches, const std::vector<std::string>& edges, unsigned gigabytes)
{
    std::string text = fmt::format("name: bench\ndevices:\n- name: box\n  components:\n"
                                   "  - {{name: xpu, choice: xpu, count: {}, description: accelerator}}\n{}  links:\n"
                                   "  - {{name: wire, description: Ethernet, physical: {{bandwidth: "
                                   "{{gigabytes_per_second: {}}}, latency: {{ns: 70}}}}}}\n"
                                   "  edges:\n",
        n, switches, gigabytes);
    for (const std::string& edge : edges) text += "  - " + edge + "\n";
    return text + "instances:\n- {name: b, device: box, count: 1}\n";
}

std::string edge(const std::string& a, const std::string& b, const char* scheme = "one2one")
{
    return fmt::format("{{ep1: {{component: '{}'}}, ep2: {{component: '{}'}}, scheme: {}, link: wire}}", a, b, scheme);
}

std::string xpu(unsigned i) { return fmt::format("xpu[{}]", i); }

Place lattice(const std::string& name, unsigned width, unsigned height, bool wraps)
{
    std::vector<std::string> edges;
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            const unsigned at = y * width + x;
            if (x + 1 < width || (wraps && width > 2)) edges.push_back(edge(xpu(at), xpu(y * width + (x + 1) % width)));
            if (y + 1 < height || (wraps && height > 2))
                edges.push_back(edge(xpu(at), xpu((y + 1) % height * width + x)));
        }
    Place place{name, document(width * height, "", edges, 25), {"routing.policy=dimension_order", "link.vc_sets=2"}};
    place.sets.push_back(fmt::format("routing.size_x={}", width));
    if (height > 1) place.sets.push_back(fmt::format("routing.size_y={}", height));
    return place;
}

}  // namespace

Place ring_place(unsigned n) { return lattice("ring", n, 1, true); }
Place torus_place(unsigned width, unsigned height) { return lattice("torus", width, height, true); }
Place grid_place(unsigned width, unsigned height) { return lattice("grid", width, height, false); }

Place mesh_place(unsigned n) { return {"mesh", document(n, "", {edge("xpu", "xpu", "many2many")}, 25), {}}; }

Place switch_place(unsigned n)
{
    return {"switch",
        document(n, "  - {name: sw, choice: switch, count: 1, description: switch}\n", {edge("xpu", "sw", "many2many")},
            100),
        {}};
}

Place fat_tree_place(unsigned leaves, unsigned each, unsigned spines)
{
    std::vector<std::string> edges;
    for (unsigned leaf = 0; leaf < leaves; ++leaf)
        edges.push_back(edge(fmt::format("xpu[{}:{}]", leaf * each, (leaf + 1) * each), fmt::format("leaf[{}]", leaf),
            "many2many"));
    edges.push_back(edge("leaf", "spine", "many2many"));
    return {"fat tree",
        document(leaves * each,
            fmt::format("  - {{name: leaf, choice: switch, count: {}, description: leaf}}\n"
                        "  - {{name: spine, choice: switch, count: {}, description: spine}}\n",
                leaves, spines),
            edges, 50),
        {}};
}

Place dgx_place() { return {"DGX", example("dgx_h100"), {}}; }

}  // namespace weft::testing
