// Small documents of every kind of fabric, as texts of InfraGraph files, with what routes on them need.
#pragma once

#include <string>
#include <vector>

namespace weft::testing {

struct Place {
    std::string name;
    std::string document;  // text, or a path
    std::vector<std::string> sets;
};

Place ring_place(unsigned n);
Place mesh_place(unsigned n);
Place torus_place(unsigned width, unsigned height);
Place grid_place(unsigned width, unsigned height);
Place switch_place(unsigned n);
// Two stages of switches: `leaves` with `each` accelerators, all linked to `spines`.
Place fat_tree_place(unsigned leaves, unsigned each, unsigned spines);
Place dgx_place();

}  // namespace weft::testing
