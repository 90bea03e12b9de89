// The schedule that is carried out for a schedule, by `engine.protocol`, `engine.slices`, `engine.staging` and
// `engine.channel`.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/schedule.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

// "simple", "ll" or "ll128": how a schedule that is carried out tells of its data.
const char* protocol_of(const Schedule& schedule, const EngineSpec& spec);

// Whether steps of the schedule that is carried out go through port channels.
bool has_ports(const Schedule& schedule);

class ProtocolChoice {
public:
    // Of a message of `bytes` bytes. The same one under `simple` in one slice without staging, and when it has packets of its
    // own, as long as its steps keep their channels. Of no bytes, a schedule of nothing but pushes is signals and waits, as pushes of nothing have
    // nobody wait. Made once, and verified for each message that it is carried out with. Throws InputError when it cannot be done in packets, or not in so many slices, or not
    // through FIFOs of that size, or not by who moves the data, or not through such channels.
    std::shared_ptr<const Schedule> carried_out(std::shared_ptr<const Schedule> schedule, const EngineSpec& spec,
        std::uint64_t bytes, std::uint32_t element_bytes);

private:
    static Schedule make(const Schedule& schedule, const EngineSpec& spec, std::uint64_t bytes,
        std::uint32_t element_bytes);
    void require_right(const Schedule& schedule, const Schedule& made, const EngineSpec& spec, VerifyOptions message);

    // By schedule, channel, protocol and slices; through FIFOs by their slots, the message and its elements too.
    using Key = std::tuple<std::shared_ptr<const Schedule>, EngineChannel, Protocol, std::array<std::uint64_t, 5>>;
    std::map<Key, std::shared_ptr<const Schedule>> made_;
    // Schedules that were found right, each with the bytes of the message and of its elements; 0 bytes: any that divides evenly.
    std::set<std::tuple<const Schedule*, std::uint64_t, std::uint32_t>> right_;
};

}  // namespace weft
