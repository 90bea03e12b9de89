// GPUs of a resolved system in which sets of programs run one after another, and how long each set takes.
//
// One simulation per process. Caches keep what one set leaves to the next; only kernels (Shape::acquires) begin with
// empty L1s. Unless a unit is named, workgroups go to units round robin, from unit 0 on.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "platform/applications/probe/measure.h"
#include "platform/assembly/system.h"

namespace weft {

class ProbeBench : private WorkgroupListener {
public:
    struct Shape {
        std::uint32_t wavefronts = 1;
        std::uint32_t unroll = 1;
        std::uint32_t vector_bytes = 16;
        bool acquires = true;
        std::int64_t unit = -1;  // that takes it; -1: the next one
    };

    // `endpoints`: how many of the system's accelerators take part. Throws InputError where one is no full GPU, and for
    // what plan_fabric() refuses.
    ProbeBench(const ResolvedSystem& system, const ModelRegistry& registry, std::size_t endpoints, bool data_on,
        bool check_protocol);

    std::uint32_t size() const { return static_cast<std::uint32_t>(gpus_.size()); }
    Gpu& gpu(std::uint32_t rank) { return *gpus_[rank]; }
    std::uint32_t units(std::uint32_t rank = 0) const
    {
        return static_cast<std::uint32_t>(gpus_[rank]->spec().compute_units);
    }

    // A workgroup of the next set; `done` is called when it has ended, and may start() further ones.
    void add(std::uint32_t rank, Program program, const Shape& shape, std::uint64_t* results = nullptr,
        std::function<void()> done = {});
    // As add(), at once: for `done` functions.
    void start(std::uint32_t rank, Program program, const Shape& shape, std::uint64_t* results = nullptr,
        std::function<void()> done = {});
    // The set from its common start to the last end, ps. Throws ProbeStuck.
    Time run();
    // The same up to the instant from which on nothing moves: with write-backs that nobody waits for.
    Time run_until_quiet();
    // As run(), and what `count` finds at each of the times after the start, in order, or when nothing moves any more before.
    struct Count {
        Time at = 0;
        double value = 0;
    };
    std::vector<Count> run_counted(const std::vector<Time>& times, const std::function<double()>& count);
    // Lets time pass.
    void pass(Time time);

private:
    struct Work {
        std::uint32_t rank;
        Program program;
        Shape shape;
        std::uint64_t* results;
        std::function<void()> done;
    };

    void launch_all();
    void finish();
    void launch(Work& work, std::uint64_t token);
    void on_workgroup_done(std::uint64_t token) override;
    void catch_up();

    FabricPlan plan_;
    std::unique_ptr<System> system_;
    std::vector<Gpu*> gpus_;
    std::vector<std::uint64_t> launched_;  // by GPU
    std::deque<Work> works_;               // of the present set, by token
    std::size_t left_ = 0;
    Time ended_ = 0;
    Program nothing_;
};

}  // namespace weft
