#include "platform/applications/probe/probe_bench.h"

#include "base/diagnostic.h"

namespace weft {

namespace {

FabricPlan plan_of(const ResolvedSystem& system, std::size_t endpoints)
{
    std::vector<NodeId> members = system.endpoints();
    members.resize(std::min(members.size(), endpoints));
    return plan_fabric(system, std::move(members));
}

constexpr std::uint64_t no_token = ~std::uint64_t{0};

}  // namespace

ProbeBench::ProbeBench(const ResolvedSystem& system, const ModelRegistry& registry, std::size_t endpoints, bool data_on,
    bool check_protocol)
    : plan_(plan_of(system, endpoints))
{
    system_ = std::make_unique<System>(system, plan_, registry, data_on, check_protocol);
    gpus_ = system_->gpus();
    for (std::size_t rank = 0; rank < gpus_.size(); ++rank)
        if (gpus_[rank] == nullptr)
            throw InputError(system.file, 0, plan_.fabric.nodes[plan_.members[rank]].name + " is not a full GPU",
                "accelerators of model 'gpu': programs run on their compute units");
    launched_.assign(gpus_.size(), 0);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void ProbeBench::add(std::uint32_t rank, Program program, const Shape& shape, std::uint64_t* results,
    std::function<void()> done)
{
    works_.push_back({rank, std::move(program), shape, results, std::move(done)});
}

void ProbeBench::start(std::uint32_t rank, Program program, const Shape& shape, std::uint64_t* results,
    std::function<void()> done)
{
    add(rank, std::move(program), shape, results, std::move(done));
    ++left_;
    launch(works_.back(), works_.size() - 1);
}

void ProbeBench::launch(Work& work, std::uint64_t token)
{
    ComputeUnits& units = gpus_[work.rank]->units();
    std::uint64_t& launched = launched_[work.rank];
    ComputeUnits::Launch launch;
    // Workgroups without operations, which end at once, move the dispatcher on to the unit that is wanted.
    launch.program = &nothing_;
    launch.acquires = false;
    launch.listener = this;
    launch.token = no_token;
    for (; work.shape.unit >= 0 && launched % this->units(work.rank) != static_cast<std::uint64_t>(work.shape.unit);
         ++launched)
        units.launch(launch);
    launch.program = &work.program;
    launch.wavefronts = work.shape.wavefronts;
    launch.unroll = work.shape.unroll;
    launch.vector_bytes = work.shape.vector_bytes;
    launch.acquires = work.shape.acquires;
    launch.results = work.results;
    launch.token = token;
    ++launched;
    units.launch(launch);
}

void ProbeBench::on_workgroup_done(std::uint64_t token)
{
    if (token == no_token) return;
    ended_ = system_->event_queue().now();
    --left_;
    if (works_[token].done) works_[token].done();
}

void ProbeBench::launch_all()
{
    ended_ = system_->event_queue().now();
    left_ = works_.size();
    for (std::size_t i = 0, count = works_.size(); i < count; ++i) launch(works_[i], i);
}

void ProbeBench::finish()
{
    sc_core::sc_start();
    if (const std::vector<std::string> problems = system_->problems(); !problems.empty())
        throw ProbeStuck(problems.front());
    if (left_ > 0) throw ProbeStuck("programs of the probe wait for each other: no progress is possible");
    works_.clear();
    catch_up();
}

Time ProbeBench::run()
{
    const Time begun = system_->event_queue().now();
    launch_all();
    finish();
    return ended_ - begun;
}

std::vector<ProbeBench::Count> ProbeBench::run_counted(const std::vector<Time>& times,
    const std::function<double()>& count)
{
    EventQueue& queue = system_->event_queue();
    const Time begun = queue.now();
    launch_all();
    std::vector<Count> out;
    for (const Time time : times) {
        queue.run_kernel(begun + time);
        out.push_back({queue.idle() ? queue.last() - begun : time, count()});
    }
    queue.set_end(~Time{0});
    finish();
    return out;
}

Time ProbeBench::run_until_quiet()
{
    const Time begun = system_->event_queue().now();
    run();
    return system_->event_queue().last() - begun;
}

// The event queue runs ahead of the kernel's time; what is launched between sets is launched at the kernel's.
void ProbeBench::catch_up()
{
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    const Time last = system_->event_queue().last();
    if (last > kernel) pass(last - kernel);
}

void ProbeBench::pass(Time time)
{
    if (time > 0) sc_core::sc_start(to_sc_time(time), sc_core::SC_RUN_TO_TIME);
}

}  // namespace weft
