// Latencies of single lines in a resolved system, without load: what the alpha-beta figure and the prices of schedules are made of.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

constexpr std::uint64_t ps_per_s = 1'000'000'000'000;
constexpr std::uint32_t signal_bytes = 8;  // payload of a signal

// For a single line on a wire, of a bundle on one of its links; `by_card`: one that a network card sends.
Time wire_time(const LinkSpec& link, LineOp op, std::uint32_t size, LineClass cls, bool by_card = false);

// From the last bit at a node to its first bit on the next wire, without load: `switch.latency`. In models with a clock (`crossbar`,
// `reference_switch` and the RTL behind it) it ends with `switch.traversal` behind a clock edge, so that it depends on when in its clock
// the line comes. A foreign model is what its `switch` values say.
struct PassTimes {
    Time least = 0;
    Time mean = 0;  // of lines that come at any time of a clock
    Time most = 0;
};
PassTimes pass_times(const std::string& model, const SwitchSpec& spec);
PassTimes pass_times(const ResolvedSystem& system, NodeId node);
// The mean.
Time pass_time(const ResolvedSystem& system, NodeId node);

// Nodes of the path between two endpoints, both included; of several that lines spread over, the one with the largest latency: a
// transfer has ended when its last line has come.
std::vector<std::uint32_t> slowest_path(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from,
    std::uint32_t to);

// Time of one line over all links and switches of that path, one way; waits for frames not counted. By a network card it is a
// message by itself.
Time path_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size, LineClass cls);

// The same over these nodes from one endpoint to another, both included: of a path, or back over it.
Time way_time(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& nodes, LineOp op,
    std::uint32_t size, LineClass cls);

// Of the answer to a request that `from` has sent to `to`: the way of the request back.
Time back_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size);

// The same over these nodes, both ends included; `transit`: whether the first and the last node pass the line on like a switch.
Time path_time(const ResolvedSystem& system, const std::vector<std::uint32_t>& nodes, std::pair<bool, bool> transit,
    LineOp op, std::uint32_t size, LineClass cls);

// A part of a path, for a line that is on its way already.
struct PathPart {
    std::vector<std::uint32_t> nodes;
    bool first_passes = false;  // the first node passes the line on, and so does the last one
    bool last_passes = false;
    bool to_wire = false;     // the wire of the last link is not counted, nor the node behind it
    bool in_network = false;  // the link before the part makes packets by destination
    bool message = false;     // a card has made a message of the line
};
// `part` has what holds behind it.
Time path_time(const ResolvedSystem& system, PathPart& part, LineOp op, std::uint32_t size, LineClass cls);

// A request of a peer at the point of coherence: the home slice, or the memory side of private partitions.
Time home_time(const ResolvedSystem& system, NodeId node);

// A unit's read of a flag of its own GPU at that point, on average over the partitions.
Time flag_time(const ResolvedSystem& system, NodeId node);

}  // namespace weft
