// The parameters that a path selects:
//   l2.size                          of every node or edge that has the block; engine.channels
//   dgx.0.xpu.3.l2.size              of one node
//   dgx.0.nvsw.1~dgx.0.xpu.3.link.latency   of one edge, either end first
//   dgx.*.xpu.?.l2.*                 glob over such full paths
//   links.xpu_fabric.bandwidth       of every edge with this link name
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/configuration/parameters/blocks.h"

namespace weft {

struct Selector {
    enum class Scope : std::uint8_t {
        every,      // block and parameter
        link_name,  // parameter, target = link name
        exact,      // block and parameter, target = node or "a~b"
        targets,    // block and parameter, target = glob over nodes or "a~b"
        paths       // target = glob over full paths
    };
    Scope scope = Scope::every;
    Block block{};
    std::size_t parameter = 0;
    std::string target;
};

// Names of blocks and parameters are checked here, nodes and links by whoever knows them. Without `link_names` a path that begins with
// "links." is that of a node.
std::optional<Selector> parse_selector(std::string_view path, ValueProblem& problem,
    const BlockTable& blocks = *BlockTable::built_in(), bool link_names = true);

// Whether a path speaks of the protocol of links, which is a name rather than a parameter: link.protocol,
// links.NAME.protocol, A~B.link.protocol (either may be a pattern).
bool names_protocol(std::string_view path);

}  // namespace weft
