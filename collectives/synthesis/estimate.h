// The estimated time of a schedule on a cost graph: its steps are simulated once, by events, with whole transfers instead of lines.
//
// - Threads run their steps in order. A move loads its sources (`load`, and `cold` more for an input that is read for the first time;
//   from a peer a round trip and the links from there), then stores. Stores are not waited for, but by signals (a fence), by what
//   depends on the step, and at the end.
// - A thread issues no faster than its unit (issue slots for every operand), and no more at a time than its registers hold and its
//   unit may have without an answer: all its moves together, and what they load together with what they store (request_places.h).
// - A transfer passes the stages of its path one after the other, first come first served at every link, and occupies each for its
//   share; the head goes on at once (cut-through). What goes back for it occupies the other direction. Behind network cards a step
//   of a thread is a message, with its headers, the rest of its last packet and its answer.
// - A signal waits for signals only: lines of different threads mix on a wire, so what is behind the data of one thread is not behind
//   that of all. Data wait for its wire. A wait is over `notice` after the signal and takes a look at the flag beyond that: of the
//   many threads that look now and then the last counts, and a wait for a flag that is set looks as well. Up to `poll_lanes` waits
//   in a row for different flags are one look, a slot longer for every flag but one that is missing.
// - Moves that need not wait for each other take turns at the registers: as many at once as there are sets.
// - Packets (base/packet_format.h) need no signal: who reads a slot goes on when the first of them have come (`look`), and ends no
//   earlier than with the last. A step in packets does not hold up the next one, but for registers. What a link carries is the
//   packets.
// - What a switch does for a group (switch_routes.h): a load asks all members, whose operands pass their links and the adders, and
//   goes on to the reader with the first lines that all have brought; a store passes the contexts and is copied to all members; what
//   is pushed is added up and then copied. Their packets on links are those of groups.
// - Where a path passes ranks, meets what comes from elsewhere and more waits for a link than its buffer holds, what waits takes half
//   as long again (slowed_by_ranks): in the simulation such links are idle at times, for want of credits.
//
// Left out: other back pressure, caches and refreshes, units that several threads share beyond their limits of lines in flight.
// docs/synthesis.md has the error against simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/packet_format.h"
#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct Estimate {
    std::uint64_t time_ps = 0;
    std::uint32_t steps = 0;     // longest chain of dependent transfers between ranks
    std::uint64_t alpha_ps = 0;  // the slowest of the steps that occur, without payload
    std::int64_t busiest = -1;   // link; -1: none
    double busiest_ps = 0;       // how long it is occupied
    double busiest_bytes = 0;    // payload that passes it
    std::uint32_t switches = 0;  // that combine or copy for it
    bool runs = true;            // false: some thread waits for ever, or no switch can do what it should

    // steps x alpha or the busiest link, whichever takes longer.
    bool bound_by_latency() const { return static_cast<double>(steps) * static_cast<double>(alpha_ps) > busiest_ps; }
};

struct EstimateOptions {
    std::uint64_t bytes = 0;  // of the message (layout.h)
    // Threads that each thread of the schedule stands for: it is issued that much faster.
    std::uint32_t threads_each = 1;
    PacketFormat format = PacketFormat::ll;        // of packets, if there are any
    bool fenced = false;                           // a fence precedes every step that stores packets
    const std::function<void()>* watch = nullptr;  // called every `events_of_a_call` events, for who waits
    // The limit of requests in flight holds for every move by itself, and of one that loads for the parts of its registers, as flow
    // fidelity has it where requests find no places one by one (docs/models/flow.md).
    bool places_by_move = false;
};

constexpr std::uint64_t events_of_a_call = 1 << 15;

// Steps of data in a schedule: what an estimate costs.
std::uint64_t data_steps(const Schedule& schedule);

// The schedule must pass verify() and have as many ranks as the graph.
Estimate estimate(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options);

}  // namespace weft
