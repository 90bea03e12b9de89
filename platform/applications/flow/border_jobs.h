// The open jobs of a mixed run, as its border needs them: which lines a share of a step is, and whose a flag is.
//
// The core counts shares as fractions of an operand; here they become whole lines, in order, of the addresses that the line model
// has for the operand. The executor of lines knows the addresses of all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "collectives/flow/flow_border.h"
#include "collectives/flow/flow_core.h"
#include "collectives/schedule/layout.h"
#include "platform/applications/flow/border_memory.h"

namespace weft {

class BorderJobs {
public:
    // `outside`: endpoints at flow. `core` is null where another process has them.
    BorderJobs(const LineExecutor& lines, FlowCore* core, std::vector<bool> outside);

    // `schedule` is what is carried out, with all threads in `whole`.
    void open(std::uint32_t number, FlowCore::JobId core, const std::shared_ptr<const Schedule>& schedule,
        std::shared_ptr<const Schedule> whole, std::uint64_t bytes, std::uint32_t element_bytes,
        std::vector<std::uint32_t> members);
    void close(std::uint32_t number);

    struct Range {
        std::uint64_t address;
        std::uint64_t bytes;
        std::uint64_t first_line;  // of the operand
    };
    // One operand of a step, of which shares come one after the other.
    struct Operand {
        std::vector<Range> ranges;
        std::uint64_t lines = 0;
        std::uint64_t done = 0;
        double fraction = 0;         // that has come
        std::uint32_t endpoint = 0;  // where it lies
        std::uint32_t transfer = 0;  // number, for cards
    };
    // The operand of the share, and its lines [begin, end).
    struct Lines {
        std::shared_ptr<const Operand> operand;
        std::uint64_t begin;
        std::uint64_t end;
    };
    Lines take(const FlowBorder::Share& share, bool loads);
    static Range line(const Operand& operand, std::uint64_t number);

    BorderMemory& memory() { return *memory_; }
    const std::vector<std::uint32_t>& members(std::uint32_t job) const { return jobs_.at(job).members; }
    std::uint64_t flag(std::uint32_t job, std::uint32_t rank, std::uint32_t semaphore) const;
    struct Flag {
        FlowCore::JobId core = 0;
        std::uint32_t rank = 0;
        std::uint32_t semaphore = 0;
    };
    std::optional<Flag> flag_at(std::uint64_t address) const;

private:
    struct Job {
        std::uint32_t number = 0;
        FlowCore::JobId core = 0;
        std::shared_ptr<const Schedule> whole;
        std::unique_ptr<Layout> layout;
        std::vector<std::uint32_t> members;
        // By rank, thread, step, operand and whether it is loaded; gone when it is complete.
        std::map<std::array<std::uint32_t, 5>, std::shared_ptr<Operand>> operands;
        static std::array<std::uint32_t, 5> key(const FlowBorder::Share& share, bool loads)
        {
            return {share.rank, share.thread, share.step, share.operand, loads ? 1U : 0U};
        }
    };
    struct Flags {
        std::uint32_t job = 0;
        std::uint32_t rank = 0;
        std::uint32_t count = 0;
    };
    std::shared_ptr<Operand> made(Job& job, const FlowBorder::Share& share, bool loads);

    std::vector<Range> ranges(const Job& job, const Step& step, bool loads, std::size_t at) const;
    void find_memory(std::uint32_t number, const Job& job);

    const LineExecutor& lines_;
    FlowCore* core_;
    std::vector<bool> outside_;
    std::optional<BorderMemory> memory_;
    std::map<std::uint32_t, Job> jobs_;
    std::map<std::uint64_t, Flags> flags_;  // by the address of the first
    std::uint32_t transfers_ = 0;
};

}  // namespace weft
