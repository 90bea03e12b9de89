// Which peers the threads of a program store to first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "collectives/flow/programs/flow_program.h"

namespace weft {

struct FirstPeers {
    // By rank: it stores to others; or it stores to them or loads from them.
    std::vector<bool> stores;
    std::vector<bool> moves;
    // By rank: it stores to several others, and all its threads that store begin with the same one.
    std::vector<bool> alike;
    // Most ranks are so and begin with one and the same rank.
    bool crowded = false;
};

FirstPeers first_peers_of(const FlowProgram& program);

// Keeps those of programs that are in use: a collective that is carried out again has the program of before.
class FirstPeersOfPrograms {
public:
    std::shared_ptr<const FirstPeers> find(const std::shared_ptr<const FlowProgram>& program);
    // Programs that have been gone through.
    std::uint64_t made() const { return made_; }

private:
    std::map<std::weak_ptr<const FlowProgram>, std::shared_ptr<const FirstPeers>, std::owner_less<>> known_;
    std::uint64_t made_ = 0;
};

}  // namespace weft
