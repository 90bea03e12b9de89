#include "platform/run/run_estimate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/theory.h"
#include "platform/run/chosen_schedule.h"

namespace weft {

namespace {

// Measured as peak resident memory with the profiles generic, h100, a100 and mi300x, 2 to 128 GPUs, x86-64, GCC 12, -O2
// (docs/commands.md#what-a-run-will-take). Differences of pairs of runs, so that each is for one kind.
constexpr double process_bytes = 20e6;
constexpr double bytes_of_tag = 4;       // a word of TagArray
constexpr double bytes_of_miss = 40;     // an entry of a slice's misses
constexpr double bytes_of_unit = 22e3;   // compute unit with its contexts, L1 tags and network ends
constexpr double bytes_of_slice = 8e3;
constexpr double bytes_of_gpu = 0.4e6;   // the rest
constexpr double bytes_of_replay = 0.8e6;  // a replay GPU
constexpr double bytes_of_step = 250;    // Step with its vectors, its place in the proof, its operations
constexpr double bytes_of_operand = 16;  // a ChunkRef beyond the first two of a step
constexpr double bytes_of_line = 512;    // a transaction with its data
constexpr double share_in_flight = 0.5;  // of what units may have outstanding
// A transaction's operand takes about 10 hops, and a core does some 3 million hops a second (2.1 to 4.2 measured).
constexpr double operands_per_second = 0.3e6;
constexpr double seconds_of_gpu = 0.012;  // to build
constexpr double schedule_bytes_per_second = 250e6;

constexpr std::uint32_t most_ranks_built = 128;

// Of one channel.
struct Shape {
    double steps = 0;
    double operands = 0;        // of data steps
    double spare_operands = 0;  // beyond two of a step
    double moved = 0;           // bytes, of all operands
    double buffer_bytes = 0;    // of all ranks
    double threads = 0;         // of a rank
    double most_sources = 1;
};

Shape shape_of(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
{
    Shape out;
    const Layout layout(schedule, bytes, element_bytes);
    const double chunk = static_cast<double>(bytes) / std::max(1U, schedule.chunks);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        for (const Buffer buffer : all_buffers) out.buffer_bytes += static_cast<double>(layout.memory_bytes(rank, buffer));
        out.threads = std::max(out.threads, static_cast<double>(schedule.ranks[rank].threads.size()));
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                out.steps += 1;
                if (!is_data(step.kind)) continue;
                const std::size_t operands = step.sources.size() + step.destinations.size();
                if (!in_switch(step.kind)) out.most_sources = std::max(out.most_sources, static_cast<double>(step.sources.size()));
                out.operands += static_cast<double>(operands);
                out.spare_operands += operands > 2 ? static_cast<double>(operands - 2) : 0;
                std::uint32_t count = 1;
                for (const ChunkRef& ref : step.sources) count = std::max(count, ref.count);
                out.moved += chunk * count * static_cast<double>(operands) / step.parts;
            }
    }
    return out;
}

// Messages of a rank, in the round: the longest chain of them and the number of partners.
double messages(const TheoryCase& theory)
{
    double partners = 0;
    for (std::uint32_t to = 1; to < theory.ranks; ++to) partners += theory_bytes_between(theory, 0, to) > 0 ? 1 : 0;
    return theory_steps(theory) + partners;
}

Shape shape_of(const CollectiveRequest& request, const std::string& algorithm, std::uint32_t ranks)
{
    const auto element = static_cast<std::uint32_t>(size_of(request.type));
    AlgorithmOptions options = request.options;
    options.channels = 1;
    if (ranks <= most_ranks_built)
        return shape_of(make_schedule(algorithm, request.op, ranks, options), request.bytes, element);
    const TheoryCase all = theory_case(request.op, algorithm, ranks, request.bytes, element, options);
    options.dimensions.clear();
    options.orders.clear();
    options.root = 0;
    const TheoryCase few = theory_case(request.op, algorithm, most_ranks_built, request.bytes, element, options);
    Shape out = shape_of(make_schedule(algorithm, request.op, most_ranks_built, options), request.bytes, element);
    const double more = static_cast<double>(ranks) / most_ranks_built;
    const double longer = std::max(1.0, messages(all) / messages(few));
    const double operands_of_step = out.operands / std::max(1.0, out.steps);
    out.steps *= more * longer;
    out.spare_operands *= more * (operands_of_step > most_ranks_built / 4.0 ? more : longer);
    out.moved *= more;
    out.buffer_bytes *= more;
    if (out.most_sources > most_ranks_built / 2.0) out.most_sources *= more;
    return out;
}

// Nobody knows yet which algorithm it will be: the shape of the one with the fewest steps. Returns the bytes of the
// largest schedule that is priced, with one channel.
double choice_of(const CollectiveRequest& request, const std::vector<std::string>& names, std::uint32_t ranks, Shape& shape)
{
    double most = 0;
    for (const std::string& name : names) {
        try {
            const Shape one = shape_of(request, name, ranks);
            most = std::max(most, one.steps * bytes_of_step);
            if (shape.steps == 0 || one.steps < shape.steps) shape = one;
        } catch (const InputError&) {  // not for so many ranks or with these options: it has no price either
        }
    }
    return most;
}

double bytes_of(const ResolvedSystem& system, NodeId node)
{
    const GpuSpec& gpu = system.gpu(node);
    const bool memory = system.role(node) == NodeRole::memory;  // without units
    const L2Spec& l2 = system.l2(node);
    const MemorySideSpec& side = system.memory_side(node);
    double out = bytes_of_gpu + (memory ? 0 : bytes_of_unit * static_cast<double>(gpu.compute_units));
    out += static_cast<double>(l2.slices) * (bytes_of_slice + bytes_of_miss * static_cast<double>(l2.outstanding_misses));
    out += bytes_of_tag * static_cast<double>(l2.size / std::max<std::uint64_t>(1, l2.line));
    out += bytes_of_tag * static_cast<double>(side.size / std::max<std::uint64_t>(1, side.line));
    return out;
}

std::string gigabytes(double bytes) { return fmt::format(bytes < 0.95e9 ? "{:.2f} GB" : "{:.1f} GB", bytes * 1e-9); }

}  // namespace

std::string RunEstimate::memory_text() const
{
    std::string out = fmt::format("about {} of memory ({} GPU{} {}", gigabytes(bytes()), gpus, gpus == 1 ? "" : "s",
        gigabytes(gpu_bytes));
    if (content_bytes > 0) out += ", contents of memories " + gigabytes(content_bytes);
    if (schedule_bytes > 0) out += ", schedule " + gigabytes(schedule_bytes);
    if (flight_bytes > 0) out += ", transactions in flight " + gigabytes(flight_bytes);
    return out + ")";
}

std::string RunEstimate::time_text() const
{
    if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
    if (seconds < 7200) return fmt::format("about {:.0f} min", seconds / 60);
    if (seconds < 172800) return fmt::format("about {:.0f} h", seconds / 3600);
    return fmt::format("about {:.0f} days", seconds / 86400);
}

RunEstimate estimate_run(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request, bool data_on)
{
    RunEstimate out;
    out.gpus = request == nullptr ? plan.members.size() : request->members.size();
    out.gpu_bytes = process_bytes;
    for (std::size_t member = 0; member < plan.members.size(); ++member) {
        const NodeId node = plan.members[member];
        if (system.role(node) != NodeRole::memory && system.model(node) == "replay")
            out.gpu_bytes += bytes_of_replay;
        else if (member < out.gpus || system.role(node) == NodeRole::memory)
            out.gpu_bytes += bytes_of(system, node);
    }
    if (request == nullptr || out.gpus < 2) return out;

    const auto ranks = static_cast<std::uint32_t>(out.gpus);
    double channels = request->options.channels;
    Shape shape;
    if (request->schedule) {
        shape = shape_of(*request->schedule, request->bytes, static_cast<std::uint32_t>(size_of(request->type)));
        channels = 1;
    } else {
        const std::vector<std::string> names = algorithm_names(request->op);
        if (names.empty()) return out;
        if (is_choice(request->algorithm))
            out.schedule_bytes = choice_of(*request, names, ranks, shape);
        else
            shape = shape_of(*request, request->algorithm.empty() ? names.front() : request->algorithm, ranks);
    }
    const EngineSpec& engine = system.engine();
    const GpuSpec& gpu = system.gpu(plan.members.front());
    const double threads = shape.threads * channels;
    const double units = std::min(threads, static_cast<double>(gpu.compute_units));
    const double instruction = static_cast<double>(gpu.lanes * engine.vector);
    const double windows = static_cast<double>(engine.wavefronts * engine.unroll);
    const double resident = std::min(threads, static_cast<double>(gpu.compute_units * gpu.workgroups_per_unit));
    const double loads = std::min(static_cast<double>(gpu.outstanding),
        windows * shape.most_sources * instruction / line_bytes * resident / std::max(1.0, units));
    out.transactions = shape.moved / line_bytes;
    out.schedule_bytes += (shape.steps * bytes_of_step + shape.spare_operands * bytes_of_operand) * channels;
    out.flight_bytes = bytes_of_line * std::min(ranks * units * loads * share_in_flight, out.transactions);
    if (data_on) {
        out.content_bytes = shape.buffer_bytes;
        out.flight_bytes += ranks * resident * windows * shape.most_sources * instruction;
    }
    out.seconds = out.transactions / operands_per_second + ranks * seconds_of_gpu + out.schedule_bytes / schedule_bytes_per_second;
    return out;
}

}  // namespace weft
