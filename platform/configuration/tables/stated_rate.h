// Speeds that a link's description states: generation and lanes of PCI Express in any order, ports of Ethernet and InfiniBand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// Words of a description of PCI Express, its generation behind the name of the protocol and no lanes: "Gen4 x8 PCIe" as
// "pcie gen 4". Other descriptions as they are.
std::vector<std::string> words_in_order(const std::string& description);

// Lanes of "x8" or "8 lanes"; 0: none are stated that a link can have.
std::uint64_t lanes_in(const std::string& description);

// Bytes per second of a port: "800G", "200 Gb/s", "50 GB/s", of InfiniBand "HDR". Nothing where none is stated, or several differ.
std::optional<std::uint64_t> port_rate_in(const std::string& description);

// What looks like a speed and is understood as none, in the words of the description; empty: nothing does.
std::string unread_lanes(const std::string& description);
std::string unread_generation(const std::string& description);
std::string unread_port_rate(const std::string& description);

}  // namespace weft
