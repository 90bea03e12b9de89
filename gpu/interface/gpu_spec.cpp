#include "gpu/interface/gpu_spec.h"

namespace weft {

const ParameterTable<GpuSpec>& GpuSpec::parameters()
{
    constexpr std::uint64_t ms = 1'000'000'000;
    static const ParameterTable<GpuSpec> table(
        {"gpu", BlockOwner::endpoint, "compute units, on-die paths and fabric ports"},
        {
            {{"compute_units", Unit::count, 1, 1024, "compute units (SMs, CUs)", {}}, &GpuSpec::compute_units},
            {{"clock", Unit::frequency, 1'000'000, 100'000'000'000,
                 "clock of the compute units; a unit issues one request in each cycle", {}},
                &GpuSpec::clock},
            {{"lanes", Unit::count, 1, 64, "threads of a wavefront: an instruction covers lanes x engine.vector", {}},
                &GpuSpec::lanes},
            {{"coalesce", Unit::bytes, 64, 128, "bytes of one request of a unit, 64 or 128", {}}, &GpuSpec::coalesce},
            {{"outstanding", Unit::count, 1, 65535, "requests in flight for each compute unit", {}},
                &GpuSpec::outstanding},
            {{"workgroups_per_unit", Unit::count, 1, 64, "workgroups resident on a unit at once", {}},
                &GpuSpec::workgroups_per_unit},
            {{"wavefronts_per_unit", Unit::count, 1, 64, "wavefronts resident on a unit at once", {}},
                &GpuSpec::wavefronts_per_unit},
            {{"barrier_latency", Unit::time, 0, ms,
                 "barrier of a workgroup: latency from the last arrival to the continuation of all", {}},
                &GpuSpec::barrier_latency},
            {{"unit_to_l2", Unit::time, 1, ms, "latency from a compute unit to an L2 slice, one way", {}},
                &GpuSpec::unit_to_l2},
            {{"l2_to_unit", Unit::time, 1, ms, "latency from an L2 slice to a compute unit, one way", {}},
                &GpuSpec::l2_to_unit},
            {{"unit_to_port", Unit::time, 1, ms, "latency from a compute unit to a fabric port", {}},
                &GpuSpec::unit_to_port},
            {{"port_to_l2", Unit::time, 1, ms, "latency from a fabric port to the home L2 slice", {}},
                &GpuSpec::port_to_l2},
            {{"l2_to_port", Unit::time, 1, ms, "latency from the home L2 slice to a fabric port", {}},
                &GpuSpec::l2_to_port},
            {{"port_to_unit", Unit::time, 1, ms, "latency from a fabric port to a compute unit", {}},
                &GpuSpec::port_to_unit},
            {{"port_arbiter", Unit::choice, 0, 3, "order of service at a fabric port",
                 {"round_robin", "age", "weighted", "arrival"}},
                &GpuSpec::port_arbiter},
            {{"port_control_weight", Unit::count, 1, 1024, "weighted: control packets in a row while data wait", {}},
                &GpuSpec::port_control_weight},
            {{"port_data_weight", Unit::count, 1, 1024, "weighted: data packets in a row while control packets wait",
                 {}},
                &GpuSpec::port_data_weight},
            {{"fence_latency", Unit::time, 0, ms,
                 "fence of system scope, that of a signal included: latency from the last acknowledge to the next "
                 "instruction",
                 {}},
                &GpuSpec::fence_latency},
            {{"launch_latency", Unit::time, 0, 1000 * ms,
                 "latency from the launch command to the first instruction of a kernel", {}},
                &GpuSpec::launch_latency},
            {{"wait_policy", Unit::choice, 0, 3, "how a workgroup waits for a flag",
                 {"spin", "backoff", "monitor", "waiting_atomic"}},
                &GpuSpec::wait_policy},
            {{"spin_interval", Unit::time, 1, ms, "time from the response of one poll to the issue of the next", {}},
                &GpuSpec::spin_interval},
            {{"backoff_limit", Unit::time, 1, ms, "largest interval of backoff, which doubles up to it", {}},
                &GpuSpec::backoff_limit},
            {{"peak_flops", Unit::flops, 1'000'000, 1'000'000'000'000'000'000,
                 "peak rate of operations, for the roofline of compute nodes", {}},
                &GpuSpec::peak_flops},
            {{"compute_model", Unit::choice, 0, 3,
                 "time of compute nodes with a matrix product: roofline, or the cycles of systolic arrays that hold "
                 "this operand",
                 {"roofline", "output_stationary", "weight_stationary", "input_stationary"}},
                &GpuSpec::compute_model},
            {{"array_rows", Unit::count, 1, 65536, "rows of a systolic array", {}}, &GpuSpec::array_rows},
            {{"array_columns", Unit::count, 1, 65536, "columns of a systolic array", {}}, &GpuSpec::array_columns},
            {{"arrays", Unit::count, 1, 4096, "systolic arrays that share a matrix product", {}}, &GpuSpec::arrays},
            {{"array_clock", Unit::frequency, 1'000'000, 10'000'000'000, "clock of the systolic arrays", {}},
                &GpuSpec::array_clock},
            {{"replay_in_flight", Unit::count, 1, 1'000'000,
                 "requests of a replay GPU in flight; at this limit the rows of the profile are delayed", {}, "replay"},
                &GpuSpec::replay_in_flight},
        });
    return table;
}

}  // namespace weft
