// Parameters of a GPU's compute units and on-die paths.
#pragma once

#include "base/parameter.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

enum class WaitPolicy : std::uint8_t { spin, backoff, monitor, waiting_atomic };

// How long a product of matrices takes: operations and bytes at their rates, or cycles of systolic arrays (gpu/kernels/systolic.h).
enum class ComputeModel : std::uint8_t { roofline, output_stationary, weight_stationary, input_stationary };

struct GpuSpec {
    std::uint64_t compute_units = 132;
    std::uint64_t clock = 1'980'000'000;                  // Hz; a unit issues at most one line per cycle
    std::uint64_t lanes = 32;                             // threads of a wavefront
    std::uint64_t coalesce = 64;                          // B that one request covers at most: 64 or 128
    std::uint64_t outstanding = 512;                      // lines in flight per compute unit
    std::uint64_t workgroups_per_unit = 4;                // resident at once
    std::uint64_t wavefronts_per_unit = 64;               // resident at once
    std::uint64_t barrier_latency = 0;                    // ps, last wavefront's arrival to all going on
    std::uint64_t unit_to_l2 = 41'000;                    // ps, one way
    std::uint64_t l2_to_unit = 41'000;                    // ps
    std::uint64_t unit_to_port = 100'000;                 // ps, compute unit to fabric port
    std::uint64_t port_to_l2 = 120'000;                   // ps, fabric port to home L2 slice
    std::uint64_t l2_to_port = 60'000;                    // ps
    std::uint64_t port_to_unit = 66'000;                  // ps
    ArbiterKind port_arbiter = ArbiterKind::round_robin;  // of fabric ports
    std::uint64_t port_control_weight = 1;                // weighted: lines in a row while data wait
    std::uint64_t port_data_weight = 1;                   // weighted: lines in a row while control lines wait
    std::uint64_t fence_latency = 0;                      // ps, of a fence of system scope, beyond the last acknowledge
    std::uint64_t launch_latency = 0;                     // ps, command to first instruction of a kernel
    WaitPolicy wait_policy = WaitPolicy::spin;
    std::uint64_t spin_interval = 20'000;                 // ps, response of one poll to issue of the next
    std::uint64_t backoff_limit = 1'000'000;              // ps, what the interval doubles up to
    std::uint64_t peak_flops = 989'000'000'000'000;       // FLOP/s, for compute nodes without a duration
    ComputeModel compute_model = ComputeModel::roofline;  // of compute nodes that state their product of matrices
    std::uint64_t array_rows = 128;                       // of a systolic array
    std::uint64_t array_columns = 128;
    std::uint64_t arrays = 1;
    std::uint64_t array_clock = 940'000'000;  // Hz
    std::uint64_t replay_in_flight = 16384;   // lines of a replay GPU without a response

    static const ParameterTable<GpuSpec>& parameters();
};

}  // namespace weft
