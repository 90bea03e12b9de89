// What a FlowCore is made with, by which rules, and the jobs that it carries out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/packet_format.h"
#include "collectives/flow/links/flow_links.h"
#include "collectives/flow/programs/flow_program.h"
#include "collectives/schedule/analysis/shared_lines.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

// How transfers are simplified beyond the parameters of the ranks: what other simulators assume.
struct FlowProfile {
    LinkRules links;
    std::uint32_t most_parts =
        4;  // in which a transfer comes to a link: lines of several threads that issue at once mix there
    // The same of long stores by a link of two ranks, whose parts have at least 512 B: threads end as close to each other as their last
    // parts. 0: as others.
    std::uint32_t most_fine_parts = 0;
    bool signals_with_data = false;  // a signal is there as soon as the data before it
    double memory_ps_per_byte = 0;   // of the local memory, which a reduction passes
    std::uint32_t reduction_passes = 0;
    // Registers that loads hold are freed in the order in which they were taken, as a wavefront has them: what a far peer has not
    // answered keeps those of near ones.
    bool registers_in_order = false;
    // Where one thread of a rank at most has data, flags are found by the first poll behind them, and polls follow each other from the
    // beginning of the wait. Other flags are found half a polling period late: their threads get out of step.
    bool poll_phases = false;
    bool last_flags =
        false;  // the last of several flags is found a whole period late, as by the slowest of many threads
    // A thread of which its rank has no second one (FlowTemplate::lone) stores while it loads, and goes on with the poll that finds a flag.
    bool lone_threads = false;
    // In runs with kernels these and collectives share units, caches and memories (flow_devices.h).
    bool devices = false;
    bool places = false;              // workgroups wait for a place on their accelerator (flow_places.h)
    bool polls_dependencies = false;  // flags of steps that a wait depends on are polled together with its own
    bool signal_slots = false;  // each signal of a row of them takes an issue slot, so those of several threads mix
};

// Each channel of a memory stands still for `takes_ps` every `every_ps`, one channel after the other. 0: a memory without refreshes.
struct FlowRefresh {
    std::uint64_t takes_ps = 0;
    std::uint64_t every_ps = 0;
};

// Ranks of one kind share a CostRank: a GPU takes two bytes.
struct FlowRanks {
    std::vector<CostRank> kinds;
    std::vector<FlowRefresh> refreshes{};  // of the kinds; empty: none
    std::vector<double> memory_line_ps{};  // of the kinds: 64 B at the rate that their memory sustains; empty: no limit
    std::vector<double> memory_channels{};  // of the kinds, each of which serves a line by itself; empty: one
    std::vector<std::uint16_t> kind_of;

    const CostRank& of(std::uint32_t endpoint) const { return kinds[kind_of[endpoint]]; }
    FlowRefresh refresh(std::uint32_t endpoint) const
    {
        return refreshes.empty() ? FlowRefresh{} : refreshes[kind_of[endpoint]];
    }
    double line_from_memory_ps(std::uint32_t endpoint) const
    {
        return memory_line_ps.empty() ? 0 : memory_line_ps[kind_of[endpoint]];
    }
    double channels_of_memory(std::uint32_t endpoint) const
    {
        return memory_channels.empty() ? 1 : memory_channels[kind_of[endpoint]];
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(kind_of.size()); }
};
FlowRanks ranks_of(const CostGraph& graph);

// What carries out moves of one source: units, copy engines whose lists the threads are, or the bulk copy engine of each unit.
enum class FlowMover : std::uint8_t { units, copy, bulk };

// Latencies of a line: to a rank, and of the answer. ps
struct FlowWay {
    std::uint64_t there = 0;
    std::uint64_t back = 0;
};

struct FlowJob {
    std::shared_ptr<const FlowProgram> program;
    std::uint64_t bytes = 0;             // of the message (layout.h)
    std::vector<std::uint32_t> members;  // endpoint of each rank
    std::uint32_t threads_each = 1;      // that each thread of the program stands for
    PacketFormat format = PacketFormat::ll;
    std::string name;          // for reports
    bool one_for_all = false;  // only rank 0 is run, on a book with folded links (rank_symmetry.h)
    std::uint32_t number = 0;  // for the border
    FlowMover mover = FlowMover::units;
    std::vector<bool> cached{};  // by rank: its input is in its cache; empty: none is
    // Stores that wait for memory, and reads that do not, because of lines that chunks share; null: none.
    std::shared_ptr<const SharedLines> shared_lines{};
    // Bytes of a step, of data and in packets of `format`, by rank, thread and operation, where threads do not have equal
    // parts: each has whole lines, and of a small message some have none. Null: equal parts.
    struct StepBytes {
        std::uint64_t data = 0;
        std::uint64_t packed = 0;
    };
    std::function<StepBytes(std::uint32_t, std::uint32_t, std::uint32_t)> step_bytes{};
    // Lines and parts of lines that an engine loads for a copy, by the same numbers: each takes its time of a whole line. Null: whole lines.
    std::function<std::uint64_t(std::uint32_t, std::uint32_t, std::uint32_t)> copied_lines{};
};

}  // namespace weft
