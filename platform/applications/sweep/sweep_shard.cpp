#include "platform/applications/sweep/sweep_shard.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

std::optional<std::size_t> whole_number(const std::string& text)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return number;
}

std::optional<std::size_t> number_in(const Environment& environment, const char* variable)
{
    const std::optional<std::string> text = environment(variable);
    if (!text) return std::nullopt;
    const std::optional<std::size_t> number = whole_number(*text);
    if (!number) throw usage_error(fmt::format("{} has the value {}", variable, quoted_word(*text)), "a whole number");
    return number;
}

struct Launcher {
    const char* name;
    const char* rank;
    const char* size;
};

constexpr Launcher launchers[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE"}, {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

std::optional<SweepShard> of_processes(const Environment& environment)
{
    for (const Launcher& launcher : launchers) {
        const auto rank = number_in(environment, launcher.rank);
        const auto size = number_in(environment, launcher.size);
        if (!rank || !size || *size < 2) continue;
        if (*rank >= *size)
            throw usage_error(fmt::format("{}={} beside {}={}", launcher.rank, *rank, launcher.size, *size),
                "a rank below the number of processes");
        return SweepShard{*rank + 1, *size, launcher.name};
    }
    return std::nullopt;
}

std::optional<SweepShard> of_array(const Environment& environment)
{
    const auto task = number_in(environment, "SLURM_ARRAY_TASK_ID");
    const auto count = number_in(environment, "SLURM_ARRAY_TASK_COUNT");
    if (!task || !count) return std::nullopt;
    const std::size_t first = number_in(environment, "SLURM_ARRAY_TASK_MIN").value_or(0);
    const std::size_t step = number_in(environment, "SLURM_ARRAY_TASK_STEP").value_or(1);
    const std::size_t last = number_in(environment, "SLURM_ARRAY_TASK_MAX").value_or(first + step * (*count - 1));
    if (step == 0 || *task < first || (*task - first) % step != 0 || last != first + step * (*count - 1))
        throw usage_error(
            fmt::format("the Slurm job array has {} tasks from {} to {}, which leaves gaps", *count, first, last),
            "an array of consecutive tasks, such as --array=1-8, or --shard I/N");
    return SweepShard{(*task - first) / step + 1, *count, "Slurm job array"};
}

}  // namespace

std::optional<std::string> process_environment(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

SweepShard parse_shard(const std::string& text, const Environment& environment)
{
    if (text.empty()) return of_processes(environment).value_or(SweepShard{});
    if (text == "auto") {
        if (const auto shard = of_processes(environment)) return *shard;
        if (const auto shard = of_array(environment)) return *shard;
        throw usage_error("--shard auto finds no launcher: neither Open MPI, MPICH nor Slurm started this process",
            "mpirun, srun, sbatch --array or --shard I/N");
    }
    const std::size_t slash = text.find('/');
    const auto number = whole_number(text.substr(0, slash));
    const auto count = slash == std::string::npos ? std::nullopt : whole_number(text.substr(slash + 1));
    if (!number || !count || *number == 0 || *number > *count)
        throw usage_error("option '--shard' has the value " + quoted_word(text),
            "I/N, the I-th of N parts, such as 1/8 to 8/8, or auto");
    return SweepShard{*number, *count, "--shard"};
}

}  // namespace weft
