// The paths of a mixed run that begin or end at its border, as numbers of the path book.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/flow/links/path_book.h"
#include "platform/choice/cost_graph_of.h"

namespace weft {

class BorderPaths {
public:
    // A port of the border: the link between a node outside and one at lines.
    struct Port {
        EdgeId edge = 0;
        NodeId outer = 0;
        NodeId inner = 0;
    };
    struct Way {
        std::uint32_t there = 0;
        std::uint32_t signals = 0;  // the same for signals
        std::uint32_t back = 0;
        bool message = false;  // a network card has made messages of what crosses
        struct Exit {
            unsigned port = 0;
            double until = 1;  // sum of the shares so far
            unsigned vc_set = 0;
            std::vector<unsigned> inputs;  // of the node there, as PartialPath has them
        };
        std::vector<Exit> exits;
        std::vector<unsigned> answers;  // inputs that answers come by
        bool even = true;               // all have the same share
    };

    // `lines`: by node, whether it is at lines.
    BorderPaths(CostPaths& paths, PathBook& book, std::vector<bool> lines, std::size_t endpoints)
        : paths_(paths), book_(book), lines_(std::move(lines)), endpoints_(endpoints)
    {
    }

    unsigned add_port(const Port& port)
    {
        ports_.push_back(port);
        in_.emplace_back(endpoints_);
        return static_cast<unsigned>(ports_.size() - 1);
    }
    const std::vector<Port>& ports() const { return ports_; }
    // From an endpoint outside to one at lines, as far as the border.
    const Way& out(std::uint32_t from, std::uint32_t to);
    // From a port on to an endpoint outside, or as far as the border where it is at lines.
    const Way& in(unsigned port, std::uint32_t to);
    bool at_lines(NodeId node) const { return lines_[node]; }
    PathBook& book() { return book_; }

private:
    Way made(const PartialPath& path);

    CostPaths& paths_;
    PathBook& book_;
    std::vector<bool> lines_;  // by node
    std::size_t endpoints_;
    std::vector<Port> ports_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Way> out_;
    struct Known {
        bool made = false;
        Way way;
    };
    std::vector<std::vector<Known>> in_;  // by port and endpoint
};

}  // namespace weft
