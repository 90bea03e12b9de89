// Which points of a sweep a process runs when several share them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace weft {

struct SweepShard {
    std::size_t number = 1;  // 1 .. count
    std::size_t count = 1;
    std::string source;  // who says so: "--shard", "Open MPI"; empty: nobody, all points are ours

    // Every count-th point, the number-th first: neighbours, which take about as long as each other, are shared out.
    bool has(std::size_t point) const { return point % count == number - 1; }
    std::size_t size(std::size_t points) const { return points / count + (number - 1 < points % count ? 1 : 0); }
};

using Environment = std::function<std::optional<std::string>(const char* variable)>;
std::optional<std::string> process_environment(const char* variable);

// "3/8": the third of eight. "auto": what the launcher of this process says in its environment: Open MPI
// (OMPI_COMM_WORLD_RANK and _SIZE), MPICH (PMI_RANK, PMI_SIZE), srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS) or a Slurm job
// array (SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT). Empty: as "auto", but for a job array, which may be one of sweeps.
// Throws InputError for another text, for "auto" without such a launcher, and for an array whose numbers have gaps.
SweepShard parse_shard(const std::string& text, const Environment& environment = process_environment);

}  // namespace weft
