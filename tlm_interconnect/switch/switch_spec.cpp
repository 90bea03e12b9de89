#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

const ParameterTable<SwitchSpec>& SwitchSpec::parameters()
{
    static const ParameterTable<SwitchSpec> table({"switch", BlockOwner::forwarder, "nodes that pass lines on"}, {
        {{"latency", Unit::time, 1, 1'000'000'000, "input buffer to arbitration, for every line", {}},
            &SwitchSpec::latency},
        {{"arbiter", Unit::choice, 0, 3, "who goes first at an output", {"round_robin", "age", "weighted", "arrival"}, "switch"},
            &SwitchSpec::arbiter},
        {{"control_weight", Unit::count, 1, 1024, "weighted: control lines in a row while data wait", {}},
            &SwitchSpec::control_weight},
        {{"data_weight", Unit::count, 1, 1024, "weighted: data lines in a row while control lines wait", {}},
            &SwitchSpec::data_weight},
        {{"multicast_groups", Unit::count, 0, 1023, "groups that the switch can know", {}, "switch"},
            &SwitchSpec::multicast_groups},
        {{"group_contexts", Unit::count, 1, 4095, "operations on groups in progress at a time", {}, "switch"},
            &SwitchSpec::group_contexts},
        {{"waiting_contributions", Unit::count, 1, 1 << 20,
             "contributions to pushes that wait for a context inside the switch; others keep their slots of input buffers", {}, "switch"},
            &SwitchSpec::waiting_contributions},
        {{"reduce_rate", Unit::rate, 1'000'000, 1'000'000'000'000'000, "operands through the adder, all ports together",
             {}, "switch"},
            &SwitchSpec::reduce_rate},
        {{"reduce_timeout", Unit::time, 0, 1'000'000'000'000,
             "a push reduce that lacks a member for so long while all others wait is given up; 0: never", {}, "switch"},
            &SwitchSpec::reduce_timeout},
        {{"message", Unit::bytes, 0, 1 << 30, "network card: bytes of a message at most, longer transfers are cut; 0: no messages are made", {}, "switch"},
            &SwitchSpec::message},
        {{"message_overhead", Unit::time, 0, 1'000'000'000, "network card: start of a message to its first line", {}, "switch"},
            &SwitchSpec::message_overhead},
        {{"message_interval", Unit::time, 0, 1'000'000'000, "network card: from the start of a message to the next", {}, "switch"},
            &SwitchSpec::message_interval},
        {{"message_hold", Unit::time, 0, 1'000'000'000,
             "network card: so long a message is collected before it starts; 0: it starts with its first line", {}, "switch"},
            &SwitchSpec::message_hold},
        {{"message_streams", Unit::count, 1, 4095, "network card: transfers that it remembers; one that it has forgotten starts a message anew", {}, "switch"},
            &SwitchSpec::message_streams},
        {{"clock", Unit::time, 1, 1'000'000'000, "crossbar: time from one matching to the next", {}, "crossbar"}, &SwitchSpec::clock},
        {{"queues", Unit::choice, 0, 2, "crossbar: an input queues by output and channel, by channel, or in one line",
             {"voq", "channel", "fifo"}, "crossbar"},
            &SwitchSpec::queues},
        {{"allocator", Unit::choice, 0, 4, "crossbar: how inputs and outputs are matched",
             {"islip", "input_first", "round_robin", "age", "weighted"}, "crossbar"},
            &SwitchSpec::allocator},
        {{"iterations", Unit::count, 1, 64, "crossbar: rounds of one matching", {}, "crossbar"}, &SwitchSpec::iterations},
        {{"vc_stage", Unit::choice, 0, 1, "crossbar: channels are allocated with the crossbar or a clock before it",
             {"combined", "separate"}, "crossbar"},
            &SwitchSpec::vc_stage},
        {{"traversal", Unit::time, 0, 1'000'000'000, "crossbar: match to first bit at the output", {}, "crossbar"},
            &SwitchSpec::traversal},
        {{"credit_delay", Unit::time, 0, 1'000'000'000, "crossbar: arrival of a credit to its use", {}, "crossbar"},
            &SwitchSpec::credit_delay},
        {{"input_speedup", Unit::count, 1, 4, "crossbar: its inputs per port; channels are dealt out to them", {}, "crossbar"},
            &SwitchSpec::input_speedup},
        {{"transfer", Unit::time, 0, 1'000'000'000,
             "crossbar: time a line holds its input and output; 0: as long as the wire. Less than the wire's is speed-up "
             "and needs an output buffer",
             {}, "crossbar"},
            &SwitchSpec::transfer},
        {{"output_buffer", Unit::count, 0, 4096, "crossbar: lines between it and the wire", {}, "crossbar"},
            &SwitchSpec::output_buffer},
    });
    return table;
}

}  // namespace weft
