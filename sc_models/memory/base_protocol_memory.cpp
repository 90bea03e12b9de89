#include "sc_models/memory/base_protocol_memory.h"

namespace weft {

const StatisticTable& base_protocol_memory_statistics()
{
    static const StatisticTable table{{"reads", "lines", "accesses that read"},
        {"writes", "lines", "accesses that write"},
        {"mean_latency", "ps", "of an access, from its arrival to its response"}};
    return table;
}

BaseProtocolMemory::BaseProtocolMemory(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    unsigned slices, Mode mode, std::uint32_t threads)
    : sc_module(name), event_queue_(event_queue), path_(std::move(path)),
      targets_("target", slices, socket_creator<LineTargetSocket>(*this))
{
    spec_.mode = mode;
    spec_.threads = threads;
    spec_.buffer = 0xffff;  // what slices have open bounds it
}

void BaseProtocolMemory::join(std::unique_ptr<LineToBaseCore> entry)
{
    const auto number = static_cast<unsigned>(entries_.size());
    to_entries_.push_back(
        std::make_unique<LineInitiatorSocket>(("to_entry" + std::to_string(number)).c_str(), *this, number));
    to_entries_.back()->bind(entry->in);
    entries_.push_back(std::move(entry));
}

void BaseProtocolMemory::before_end_of_elaboration()
{
    if (entries_.empty())
        SC_REPORT_FATAL("/weft/base_protocol_memory",
            (path_ + " has no socket of the memory; expected a call of connect()").c_str());
}

Time BaseProtocolMemory::on_request(unsigned slice, Line& line, Time delay)
{
    if (free_.empty()) {
        if (accesses_.size() > 0xffff)
            SC_REPORT_FATAL("/weft/base_protocol_memory", (path_ + ": more than 65536 accesses in it").c_str());
        free_.push_back(static_cast<std::uint16_t>(accesses_.size()));
        accesses_.emplace_back();
    }
    const std::uint16_t number = free_.back();
    free_.pop_back();
    accesses_[number] = {slice, event_queue_.now() + delay};
    line.push_port(number);
    return to_entries_[entry_of(slice)]->send_request(line, delay);
}

Time BaseProtocolMemory::on_response(unsigned, Line& line, Time delay)
{
    const std::uint16_t number = line.pop_port();
    const Access access = accesses_[number];
    free_.push_back(number);
    ++(line.op == LineOp::read ? reads_ : writes_);
    waited_ += event_queue_.now() + delay - access.arrived;
    if (line.get_response_status() != tlm::TLM_OK_RESPONSE)
        SC_REPORT_ERROR("/weft/base_protocol_memory",
            (path_ + ": the memory answered a " + name_of(line.op) + " of address " +
                std::to_string(local_of(line.address)) + " with " + line.payload().get_response_string())
                .c_str());
    targets_[access.slice].send_response(line, delay);
    return 0;
}

unsigned BaseProtocolMemory::debug(unsigned slice, Line& line)
{
    if (!holds_contents_) return 0;  // what is in front has the bytes
    return to_entries_[entry_of(slice)]->debug(line);
}

std::vector<Statistic> BaseProtocolMemory::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(base_protocol_memory_statistics(), out);
    const std::uint64_t accesses = reads_ + writes_;
    write("reads", reads_);
    write("writes", writes_);
    write("mean_latency", accesses == 0 ? 0 : static_cast<double>(waited_) / static_cast<double>(accesses));
    return out;
}

void BaseProtocolMemory::reset_statistics()
{
    reads_ = 0;
    writes_ = 0;
    waited_ = 0;
}

}  // namespace weft
