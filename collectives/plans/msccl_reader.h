// MSCCL XML into a Schedule.
//
// A connection is (source, destination, channel); the k-th send on it meets the k-th receive. Every message gets
// slots of its own at the receiver, behind the scratch that the plan declares, so that a sender never waits for
// room. As Simple: the sender stores and signals, the receiver waits and reads; one semaphore for each connection. As
// packets: the slots are packet slots, whose reads wait by themselves. What is received and sent on in one step (rcs,
// rrs, rrcs) is read from the slot once and stored to all its places.
#pragma once

#include <string>

#include "collectives/plans/plan.h"

namespace weft {

Plan read_msccl_xml(const std::string& text, const std::string& file, const PlanOptions& options = {});

}  // namespace weft
