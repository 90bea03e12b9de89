// The operations of an MSCCL++ plan as steps of a schedule (see mscclpp_reader.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/plans/mscclpp_forms.h"
#include "collectives/plans/mscclpp_gpu.h"

namespace weft {

class MscclppLowering {
public:
    // Fills schedule, origins, counts and problems of `plan`.
    MscclppLowering(const MscclppPlan& source, const PlanOptions& options, Plan& plan);

    // Throws InputError for what is no operation.
    void lower();

private:
    // The part that one round of a pipeline handles; a single round outside.
    struct Round {
        std::uint64_t index = 0;
        std::uint64_t unit = 0;   // bytes; 0 = outside
        std::uint64_t chunk = 0;  // bytes
        bool first() const { return index == 0; }
    };

    void declare();
    void block();
    void operation(const JsonValue& op, const Round& round);
    void pipeline(const JsonValue& op);
    void synchronise(const JsonValue& op, const std::string& name);
    void data(const JsonValue& op, const MscclppForm& form, const Round& round);
    void check_channels(const JsonValue& op);
    void in_switch(const JsonValue& op, const MscclppForm& form, const Round& round);
    void semaphores(const JsonValue& op, bool acquire);
    void signals(const JsonValue& op, bool wait);
    void flush();

    std::vector<ChunkRef> operands(const JsonValue& op, const char* key);
    std::optional<ChunkRef> operand(const JsonValue& op, const JsonValue& entry);
    std::vector<ChunkRef> group(const JsonValue& op, const char* key);
    std::optional<std::uint32_t> resolved(const std::vector<std::uint32_t>& table, std::uint64_t index, int line,
        const std::string& what);
    ChunkRef in_packets(ChunkRef ref, int line);
    void reduction(const JsonValue& op);
    void move(const JsonValue& op, const Round& round, StepKind kind, std::vector<ChunkRef> sources,
        std::vector<ChunkRef> destinations);
    bool joins_run(const Step& step) const;
    void add(Step step);
    // An operation that exists on port channels only is on others.
    void only_on_ports(const JsonValue& op, const std::string& name);
    void problem(int line, const std::string& what, const std::string& expected);
    void unequal_signals();
    void unused_tokens();

    // Semaphores of a rank: its channels, then those between its blocks, then its barriers.
    std::uint32_t channel_semaphore(std::uint32_t rank, MscclppChannel type, std::uint32_t channel) const;
    std::uint32_t block_semaphore(std::uint64_t index) const;
    std::uint32_t barrier_semaphore(std::uint64_t id);

    const MscclppPlan& source_;
    const PlanOptions& options_;
    Plan& plan_;
    Schedule& schedule_;
    MscclppFields fields_;
    std::uint32_t rank_ = 0;
    std::uint32_t thread_ = 0;
    const MscclppGpu* gpu_ = nullptr;
    const MscclppBlock* block_ = nullptr;
    PlanOrigin origin_;
    bool counting_ = true;     // the first round of a pipeline
    std::uint64_t moved_ = 0;  // of the rank
    std::size_t unrolled_ = 0;
    std::map<std::uint64_t, std::uint32_t> barriers_;  // of the rank: semaphore by id
    std::map<std::uint64_t, std::uint64_t> initial_;   // of the rank: acquires that need no release
    std::map<std::uint64_t, std::uint32_t> acquirer_;  // of those: the block that acquires
    std::optional<ReduceOp> reduction_;
    std::vector<Step> run_;  // data steps that the next one may join
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>>
        balance_;  // signals and waits by rank and channel semaphore
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> tokens_;  // of the rank: releases and acquires
};

}  // namespace weft
