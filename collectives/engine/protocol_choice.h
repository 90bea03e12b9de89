// The schedule that is carried out for a schedule, by `engine.protocol` and `engine.slices`.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// "simple", "ll" or "ll128": how a schedule that is carried out tells of its data.
const char* protocol_of(const Schedule& schedule, const EngineSpec& spec);

class ProtocolChoice {
public:
    // The same one under `simple` in one slice, and when it has packets of its own. Made and verified once.
    // Throws InputError when it cannot be done in packets, or not in so many slices, or not by who moves the data.
    std::shared_ptr<const Schedule> carried_out(std::shared_ptr<const Schedule> schedule, const EngineSpec& spec);

private:
    using Key = std::tuple<std::shared_ptr<const Schedule>, std::uint64_t, std::uint64_t>;  // with protocol and slices
    std::map<Key, std::shared_ptr<const Schedule>> made_;
};

}  // namespace weft
