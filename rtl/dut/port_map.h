// The port map of a user's block: the stream, clock or reset bits of each pin.
//
// docs/rtl/port_map.md describes the file. Nothing here knows a simulator; check_map() holds a map against the pins of
// the block.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rtl/dut/line_layout.h"
#include "rtl/verilated/verilated_block.h"

namespace weft {

// Bits of a pin, for each port.
struct MapSignal {
    std::string name;     // of the protocol, for messages
    std::string pin;      // {p}: number of the port
    unsigned at = 0;      // bit of port 0
    unsigned stride = 0;  // bits from port to port; 0: the width
    unsigned width = 0;   // bits; 0: what the pin has for a port
    int line = 0;
};

enum class StreamProtocol : std::uint8_t { valid_ready, credit, axi_stream, axi4 };
const char* name_of(StreamProtocol protocol);

enum class StreamLines : std::uint8_t { all, requests, responses };

struct MapStream {
    bool in = true;  // into the block
    StreamProtocol protocol = StreamProtocol::valid_ready;
    StreamLines lines = StreamLines::all;
    std::string clock;      // pin
    unsigned credits = 0;   // beats that the receiving side holds; of each channel if `credit` has a bit for each
    unsigned port_at = 48;  // of axi4: bit of an address from which on it names the output
    // By the names of valid/ready: valid, ready (or credit), data, keep, last, dest, vc, id. Of axi4 by its own.
    std::map<std::string, MapSignal> signals;
    LineLayout layout;                             // of what goes over `data`
    std::map<LineField, MapSignal> field_signals;  // fields with pins of their own
    int line = 0;

    const MapSignal* signal(const std::string& name) const
    {
        const auto found = signals.find(name);
        return found == signals.end() ? nullptr : &found->second;
    }
    bool carries(LineField field) const { return layout.has(field) || field_signals.count(field) != 0; }
};

struct MapClock {
    std::string pin;
    std::uint64_t period = 0;  // ps; 0: switch.clock
    int line = 0;
};

struct MapReset {
    std::string pin;  // empty: none
    bool active_low = true;
    unsigned clocks = 4;
    int line = 0;
};

struct MapPin {
    std::string pin;
    std::uint64_t value = 0;
    int line = 0;
};

// What the block stands for.
enum class BlockRole : std::uint8_t { switch_, link };
const char* name_of(BlockRole role);

struct PortMap {
    std::string file;
    std::string name;  // of the model
    std::string text;  // what it is, in a line
    BlockRole role = BlockRole::switch_;
    std::string top;
    int top_line = 0;
    unsigned ports =
        4;  // 2 of a link, its ends; of the block when it is checked, and always unless parameters name {ports}
    unsigned vcs = 4;                               // of the block when it is checked
    std::map<std::string, std::string> parameters;  // values may hold {ports}, {vcs}
    std::map<std::string, int> parameter_lines;
    std::vector<std::string> include_folders;
    std::vector<std::string> defines;
    std::vector<MapClock> clocks;
    MapReset reset;
    MapPin idle;                 // no pin: never says so; value: what it says while nothing is inside
    unsigned quiet = 1024;       // clocks in which nothing moves, and after which nothing will (dut_module.h)
    unsigned output_buffer = 8;  // lines of a channel between an output and its wire
    std::vector<MapPin> ties;
    std::vector<MapStream> streams;

    bool scales() const;  // parameters name {ports}
    unsigned block_ports(unsigned ports_of_node) const { return scales() ? ports_of_node : ports; }
    std::map<std::string, std::string> parameters_for(unsigned ports_of_node, unsigned vcs_of_node) const;
};

// A signal of one port.
struct PinSlice {
    std::string pin;
    unsigned at = 0;
    unsigned width = 0;
};

// Where `signal` lies for `port`, in a block with these pins that has passed check_map().
PinSlice slice_of(const MapSignal& signal, unsigned port, unsigned ports, const std::vector<PinInfo>& pins);

// Throws InputError with everything that does not fit: pins that are not there, point the other way, are too narrow,
// serve twice, or are inputs that nothing drives.
void check_map(const PortMap& map, const std::vector<PinInfo>& pins, unsigned ports);

}  // namespace weft
