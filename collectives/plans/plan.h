// Plans of others: files in which other tools say how one collective is carried out, read into a Schedule.
//
// Formats: MSCCL XML (msccl_xml), MSCCL++ execution plans (mscclpp_json), one Chakra trace per rank
// (chakra). A file that cannot be read at all throws InputError; a plan that can be read and is wrong comes back
// with its problems, each with its place in the file. Whether a plan without problems does what its
// collective promises is said by judge() or verify() (collectives/schedule/verification/verify.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/schedule/order.h"
#include "collectives/schedule/schedule.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

struct PlanOptions {
    // MSCCL XML: messages go to packet slots of the receiver, whose reads wait for them; otherwise to scratch slots, with
    // a signal behind them.
    bool packets = false;
    // Size of the message as in collectives/schedule/layout.h. MSCCL++: pipelines are unrolled for it; 0 = two rounds
    // each. MSCCL XML: chunks that it leaves empty move nothing.
    std::uint64_t bytes = 0;
    std::uint32_t element_bytes = 1;
};

// Where a step of the schedule comes from.
struct PlanOrigin {
    int line = 0;            // 0 = not known
    std::uint32_t step = 0;  // of its thread block in the file
};

// Scratch or packet slots that the file does not name, where a message arrives.
struct PlanArrival {
    std::uint32_t slot = 0;  // the first
    std::uint32_t from = 0;
    std::int64_t channel = 0;
    std::uint32_t message = 0;  // of this connection, from 0
};

struct Plan {
    std::string file;
    std::string format;  // msccl_xml, mscclpp_json, chakra
    std::string name;
    std::string collective;  // as the file spells it
    std::string protocol;    // likewise; empty where the format has none
    std::uint64_t min_bytes = 0;
    std::uint64_t max_bytes = ~std::uint64_t{0};
    std::uint64_t bytes = 0;      // the one size that the plan is for; 0 = any
    std::uint64_t alignment = 1;  // chunks are whole multiples of it
    bool own_reduction = false;   // the file says which; otherwise it is the caller's choice

    std::map<std::string, std::uint64_t> operations;  // steps of the file by type; those in pipelines once
    std::uint64_t blocks = 0;                         // thread blocks of all ranks
    std::uint64_t connections = 0;                    // distinct (source, destination, channel)
    std::uint64_t moved = 0;                          // chunks that go from one rank to another
    std::uint64_t most_moved = 0;                     // most that one rank sends

    // Not to be used when there are problems.
    Schedule schedule;
    // Where messages arrive that the file names no place for: scratch slots from this number on, by rank, or packet slots
    // from 0 on. Empty: everywhere the file names the place.
    std::vector<std::uint32_t> first_arrival;
    std::vector<std::vector<PlanArrival>> arrivals;  // by rank, in the order of slots; empty where none is known
    std::vector<std::vector<std::vector<PlanOrigin>>> origins;  // by rank, thread, step of the schedule
    std::vector<StepAt> relaxed;                                // signals and waits that order no data
    std::vector<Diagnostic> problems;
    std::vector<Diagnostic> notices;  // what a runtime would stumble over, though the plan is right

    std::uint64_t steps() const;  // all operations
};

// `path` is a file of one of the formats, or the prefix of Chakra traces. What it is is seen from its text. Throws
// InputError.
Plan read_plan(const std::string& path, const PlanOptions& options = {});

// The verdict on a plan: its own problems where there are any, else those of verify(), with their lines; else those that it
// has without what relaxed signals order (relaxed.h).
struct Judgement {
    bool ok = false;
    std::vector<Diagnostic> problems;
    std::vector<Diagnostic> notices;  // beside those of the plan
    Verification verification;
};
Judgement judge(const Plan& plan, const VerifyOptions& options = {});

// Why a message of `bytes` bytes does not suit the plan, though it may run; empty when it does.
std::string size_remark(const Plan& plan, std::uint64_t bytes);

}  // namespace weft
