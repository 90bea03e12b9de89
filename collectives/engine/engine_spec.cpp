#include "collectives/engine/engine_spec.h"

namespace weft {

const ParameterTable<EngineSpec>& EngineSpec::parameters()
{
    static const ParameterTable<EngineSpec> table({
        {{"mover", Unit::choice, 0, 2, "who moves what has one source; reductions are done by units",
             {"units", "copy_engine", "bulk"}},
            &EngineSpec::mover},
        {{"channel", Unit::choice, 0, 3,
             "what puts and signals go through: units, requests to a proxy, switches; any: what a plan names, or else memory",
             {"any", "memory", "port", "switch"}},
            &EngineSpec::channel},
        {{"channels", Unit::count, 1, 256, "workgroups per rank that share every chunk", {}},
            &EngineSpec::channels},
        {{"channel_bytes", Unit::bytes, 0, std::uint64_t{1} << 30,
             "least bytes of a message for each channel, fewer channels for smaller ones; 0: always all", {}},
            &EngineSpec::channel_bytes},
        {{"wavefronts", Unit::count, 1, 64, "wavefronts per workgroup", {}}, &EngineSpec::wavefronts},
        {{"unroll", Unit::count, 1, 16, "load instructions in flight per wavefront", {}}, &EngineSpec::unroll},
        {{"vector", Unit::bytes, 1, 16, "bytes per lane and instruction", {}}, &EngineSpec::vector},
        {{"flag_home", Unit::choice, 0, 1, "whose memory the flags of signals lie in", {"waiter", "signaller"}},
            &EngineSpec::flag_home},
        {{"protocol", Unit::choice, 0, 2, "how receivers know of data: flags behind them, or packets with flags in them",
             {"simple", "ll", "ll128"}},
            &EngineSpec::protocol},
        {{"ll128_fence", Unit::choice, 0, 1, "ll128: a fence of system scope before every step that stores packets",
             {"off", "on"}},
            &EngineSpec::ll128_fence},
        {{"slices", Unit::count, 1, 64, "simple: parts of a step, each moved and signalled by itself", {}}, &EngineSpec::slices},
        {{"staging", Unit::choice, 0, 1,
             "simple: puts go where the schedule has them, or through a FIFO of the receiver in each connection", {"none", "fifo"}},
            &EngineSpec::staging},
        {{"steps_in_flight", Unit::count, 1, 1024, "slots of such a FIFO, which the receiver hands back", {}},
            &EngineSpec::steps_in_flight},
        {{"step_bytes", Unit::bytes, 64, std::uint64_t{1} << 40, "most that a slot of such a FIFO takes", {}},
            &EngineSpec::step_bytes},
        {{"compute_in_flight", Unit::count, 1, 1024, "compute nodes of a trace running at once on a rank", {}},
            &EngineSpec::compute_in_flight},
        {{"communication_in_flight", Unit::count, 1, 1024,
             "collective, send and memory nodes of a trace running at once on a rank", {}},
            &EngineSpec::communication_in_flight},
        {{"collective_order", Unit::choice, 0, 2,
             "which communication nodes of a trace come first; with lifo and priority ranks agree on it",
             {"fifo", "lifo", "priority"}},
            &EngineSpec::collective_order},
        {{"channel_share", Unit::choice, 0, 1,
             "channels of a trace's collectives: all for each, or divided by communication_in_flight", {"each", "split"}},
            &EngineSpec::channel_share},
        {{"memory_nodes", Unit::choice, 0, 1,
             "memory nodes of a trace use the rank's own memory, or nodes of type memory that the fabric reaches",
             {"local", "remote"}},
            &EngineSpec::memory_nodes},
        {{"compute", Unit::choice, 0, 1, "what compute nodes of a trace are: time, or workgroups on the units",
             {"time", "kernel"}},
            &EngineSpec::compute},
        {{"compute_workgroups", Unit::count, 0, 65536, "workgroups of such a kernel; 0: two for each compute unit", {}},
            &EngineSpec::compute_workgroups},
    });
    return table;
}

}  // namespace weft
