#include "gpu/network/fabric_port.h"

#include <fmt/format.h>

#include "gpu/network/network_statistics.h"
#include "tlm_interconnect/kernel/module_tree.h"

namespace weft {

FabricPort::FabricPort(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
    std::uint32_t endpoint)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), link_out("link_out", *this, link_side),
      link_in("link_in", *this, link_side), die_in("die_in", *this, die_side), die_out("die_out", *this, die_side),
      endpoint_(endpoint), output_(event_queue, *this, *this, 0, 1, link_out, link_in,
                               {spec.port_arbiter, static_cast<std::uint32_t>(spec.port_control_weight),
                                   static_cast<std::uint32_t>(spec.port_data_weight)})
{
    request_prefetch({&output_.packets(), &output_});
}

Time FabricPort::on_request(unsigned side, Line& line, Time delay)
{
    if (side == link_side) {
        if (__builtin_expect(line.destination != endpoint_, 0)) {
            refuse(line, "a request that is for another endpoint");
            return 0;
        }
        die_out.send_request(line, enter_die(line, LineClass::request, delay));
    } else {
        line.mark(LineHeader::awaited_mark);
        line.kind = kind_of(LineClass::request, DieStage::leaving);
        line.issued = event_queue().now() + delay;
        event_queue().schedule(line, *this, event_queue().now() + delay);
    }
    return 0;
}

Time FabricPort::on_response(unsigned side, Line& line, Time delay)
{
    if (side == link_side) {
        if (__builtin_expect(!is_answer(line), 0)) return 0;
        link_out.return_response_credit(line, delay);
        die_in.send_response(line, enter_die(line, LineClass::response, delay));
    } else {
        line.kind = kind_of(LineClass::response, DieStage::leaving);
        event_queue().schedule(line, *this, event_queue().now() + delay);
    }
    return 0;
}

// Whether `line` answers a request of this GPU that has no answer yet. An answer with an error ends the run, too.
inline bool FabricPort::is_answer(Line& line)
{
    if (!line.marked(LineHeader::awaited_mark) || line.source != endpoint_) {
        refuse(line, "an answer that nobody here waits for, sent twice or to the wrong place");
        return false;
    }
    line.unmark(LineHeader::awaited_mark);
    if (line.marked(LineHeader::shared_mark) && line.get_response_status() != tlm::TLM_OK_RESPONSE)
        refuse(line, ("an answer with " + name_of(line.get_response_status())).c_str());
    return true;
}

void FabricPort::refuse(const Line& line, const char* what)
{
    event_queue().fail(fmt::format("{}: {}: {} of {} B from rank {} for rank {}", path(), what, name_of(line.op),
        std::uint32_t{line.size}, std::uint16_t{line.source}, std::uint16_t{line.destination}));
}

void FabricPort::on_request_credit(unsigned side, Line& line, Time delay)
{
    if (side == link_side) {
        output_.add_credit(line.vc, event_queue().now() + delay, line.lines());
    } else {
        link_in.return_request_credit(line, delay);
    }
}

void FabricPort::on_response_credit(unsigned side, Line& line, Time delay)
{
    if (side == link_side) output_.add_credit(line.vc, event_queue().now() + delay, line.lines());
}

unsigned FabricPort::debug(unsigned side, Line& line)
{
    return side == link_side ? die_out.debug(line) : link_out.debug(line);
}

// Whether a line from the die is through the network. If not, it comes again.
bool FabricPort::try_arrive(Line& line)
{
    auto stage = static_cast<DieStage>(line.kind >> 1U);
    if (stage == DieStage::through) return true;
    const Time now = event_queue().now();
    const auto cls = static_cast<LineClass>(line.kind & 1U);
    DiePorts* const exits = cls == LineClass::response ? exits_ : nullptr;
    const Time start = pass(line, cls, exits, to_link_[static_cast<unsigned>(cls)], 0, stage, now);
    if (start == now) return true;
    line.kind = kind_of(cls, stage);
    event_queue().schedule(line, *this, start);
    return false;
}

void FabricPort::run(ScheduledItem& item)
{
    if (item.kind < OutputPort::wake_kind && (!admits() || try_arrive(Line::of(item))))
        output_.enqueue(Line::of(item), static_cast<LineClass>(item.kind & 1U), 0, vc_set_of(Line::of(item).vc));
    request_arbitration();
}

void FabricPort::prefetch(const ScheduledItem& item) const
{
    if (item.kind < OutputPort::wake_kind) {
        output_.prefetch(Line::of(item).address);
    } else {
        output_.prefetch_next();
    }
}

void FabricPort::arbitrate() { output_.serve(event_queue().now()); }

std::vector<Statistic> FabricPort::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(fabric_port_statistics(), out);
    write("lines", output_.sent());
    write("peak_queue", output_.peak_queue());
    write("credit_stall", output_.credit_stall());
    return out;
}

void make_ports(sc_core::sc_vector<FabricPort>& ports, ModuleTree& tree, const std::string& gpu, unsigned count,
    EventQueue& event_queue, const std::string& path, const GpuSpec& spec, std::uint32_t endpoint)
{
    ports.init(count, [&](const char*, std::size_t p) {
        const std::string place = ".port." + std::to_string(p);
        return tree.at(gpu + place, [&](const std::string& last) {
            return new FabricPort(last.c_str(), event_queue, path + place, spec, endpoint);
        });
    });
}

}  // namespace weft
