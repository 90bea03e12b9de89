// One load of open-loop traffic over the fabric of a system: traffic endpoints stand where the accelerators are.
//
// Load 1 is what the links of an endpoint could carry if all endpoints sent the same mix: a slot is the time that the
// mean line of the mix, its answer included, takes on all of the endpoint's links together. Offered and accepted traffic are
// means over the endpoints that send, in the same unit. The narrowest endpoint sets the slot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/applications/fabric/fabric_capacity.h"
#include "platform/applications/fabric/fabric_limit.h"
#include "platform/assembly/model_registry.h"
#include "tlm_interconnect/traffic/measurement.h"
#include "tlm_interconnect/traffic/traffic_spec.h"

namespace weft {

struct FabricOptions {
    TrafficSpec traffic;  // slot and, where 0, duration are filled in
    bool check_protocol = false;
    bool watch = false;  // queues, credits and waits of every link by virtual channel
    Time window = 0;     // ps; not 0: a time series of all links, which are watched
};

struct FabricPoint {
    double load = 0;
    double offered = 0;              // in units of load, of a source that sends
    double accepted = 0;             // the same
    double accepted_half_width = 0;  // of its 95 % confidence interval
    Measurement::Result arrival;     // creation to arrival at the destination
    Measurement::Result round_trip;  // creation to answer; of lines that are answered
    bool answered = false;           // some lines are
    double jain = 1;
    double least = 0;                        // accepted of the sender that has least, in units of load
    unsigned held_up = 0;                    // senders whose backlog keeps growing
    std::optional<double> held_up_accepted;  // their mean; none: none is
    std::optional<FabricLimit> limit;        // of load 1
    std::optional<FabricLimit> busiest;      // of a steady load: the link that is busiest for it
    std::vector<FabricLinkUse> uses;         // of all links
    double created = 0;                      // as `offered`, over the whole run
    double together = 1;                     // lines that come at once
    std::uint64_t lines = 0;
    std::uint64_t hops = 0;
    std::uint64_t protocol_problems = 0;  // of checkers and of modules
    std::vector<std::string> problems;    // of modules, in words
    Time wrong_at = 0;                    // when the run ended, if there are any
    bool interrupted = false;
    std::string links;                 // JSON (link_json.h), if FabricOptions::watch
    std::string series;                // comma-separated, if FabricOptions::window
    std::vector<std::string> blocked;  // not empty: nothing moves any more, and who waits for what
};

struct FabricSetting {
    std::string system;
    std::size_t endpoints = 0;
    std::size_t switches = 0;
    std::size_t links = 0;
    std::string pattern;
    Time slot_ps_x1000 = 0;    // thousandths of a picosecond
    double capacity_GBps = 0;  // payload of one endpoint at load 1
    FabricCapacity capacity;   // where that comes from
    Time duration_ps = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> notices;
    std::size_t senders = 0;  // endpoints that send to others
    bool several = true;      // destinations of a sender
};

struct FabricResult {
    FabricSetting setting;
    FabricPoint point;
};

// One simulation per process. Throws InputError for what cannot be run.
FabricResult run_fabric(const ResolvedSystem& system, const ModelRegistry& registry, const FabricOptions& options);

}  // namespace weft
