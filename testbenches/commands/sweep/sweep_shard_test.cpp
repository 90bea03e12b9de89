// Which points of a sweep a process runs, by option and by launcher.
#include <map>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/applications/sweep/sweep_shard.h"

namespace sweep_shard_test {

using namespace weft;

namespace {

Environment environment(std::map<std::string, std::string> values)
{
    return [values = std::move(values)](const char* variable) -> std::optional<std::string> {
        const auto found = values.find(variable);
        return found == values.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
}

std::string text_of(const std::string& option, std::map<std::string, std::string> values)
{
    try {
        const SweepShard shard = parse_shard(option, environment(std::move(values)));
        return std::to_string(shard.number) + "/" + std::to_string(shard.count) + " " + shard.source;
    } catch (const InputError& error) {
        return error.what();
    }
}

}  // namespace

TEST(SweepShard, PartsHaveEveryPointOnce)
{
    for (std::size_t count = 1; count <= 9; ++count) {
        for (std::size_t points = 0; points <= 20; ++points) {
            std::vector<int> seen(points);
            for (std::size_t number = 1; number <= count; ++number) {
                const SweepShard shard{number, count, ""};
                std::size_t own = 0;
                for (std::size_t point = 0; point < points; ++point)
                    if (shard.has(point)) ++seen[point], ++own;
                EXPECT_EQ(shard.size(points), own);
                EXPECT_LE(own, (points + count - 1) / count);
            }
            EXPECT_EQ(seen, std::vector<int>(points, 1));
        }
    }
}

TEST(SweepShard, IsThatOfTheOptionOrOfTheLauncher)
{
    EXPECT_EQ(text_of("3/8", {}), "3/8 --shard");
    EXPECT_EQ(text_of("", {}), "1/1 ");
    const std::map<std::string, std::string> mpi{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
    EXPECT_EQ(text_of("", mpi), "1/4 Open MPI");
    EXPECT_EQ(text_of("auto", mpi), "1/4 Open MPI");
    EXPECT_EQ(text_of("2/2", mpi), "2/2 --shard");
    EXPECT_EQ(text_of("", {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}), "1/1 ");
    EXPECT_EQ(text_of("", {{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}}), "8/8 MPICH");
    EXPECT_EQ(text_of("", {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), "2/2 srun");
    // The script of a batch job is no step: all of the sweep is its own.
    EXPECT_EQ(text_of("", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), "1/1 ");
}

TEST(SweepShard, OfAJobArrayHasToBeAskedFor)
{
    std::map<std::string, std::string> array{{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_COUNT", "4"},
        {"SLURM_ARRAY_TASK_MIN", "10"}, {"SLURM_ARRAY_TASK_MAX", "16"}, {"SLURM_ARRAY_TASK_STEP", "2"}};
    EXPECT_EQ(text_of("", array), "1/1 ");
    EXPECT_EQ(text_of("auto", array), "2/4 Slurm job array");
    array["SLURM_ARRAY_TASK_MAX"] = "20";
    EXPECT_EQ(text_of("auto", array),
        "weft: the Slurm job array has 4 tasks from 10 to 20, which leaves gaps; expected an array of consecutive "
        "tasks, such as --array=1-8, or --shard I/N");
}

TEST(SweepShard, RefusesWhatIsNoPart)
{
    for (const std::string text : {"0/2", "3/2", "1", "1/0", "a/2", "1/2/3", "-1/2", "/", "1/"})
        EXPECT_EQ(text_of(text, {}),
            "weft: option '--shard' has the value '" + text +
                "'; expected I/N, the I-th of N parts, such as 1/8 to 8/8, or auto");
    EXPECT_EQ(text_of("auto", {}),
        "weft: --shard auto finds no launcher: neither Open MPI, MPICH nor Slurm started this process; expected "
        "mpirun, srun, sbatch --array or --shard I/N");
    EXPECT_EQ(text_of("", {{"PMI_RANK", "two"}, {"PMI_SIZE", "8"}}),
        "weft: PMI_RANK has the value 'two'; expected a whole number");
    EXPECT_EQ(text_of("", {{"PMI_RANK", "8"}, {"PMI_SIZE", "8"}}),
        "weft: PMI_RANK=8 beside PMI_SIZE=8; expected a rank below the number of processes");
}

}  // namespace sweep_shard_test
