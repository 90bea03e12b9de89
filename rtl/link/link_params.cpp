#include "rtl/link/link_params.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/link/link_packet.h"

namespace weft {

namespace {

void demand(bool right, const char* name, std::uint64_t value, const std::string& expected)
{
    if (!right) throw InputError("", 0, fmt::format("link endpoint: {} is {}", name, value), expected);
}

}  // namespace

void LinkParams::check() const
{
    demand(flit_bytes == 8 || flit_bytes == 16 || flit_bytes == 32, "flit_bytes", flit_bytes, "8, 16 or 32");
    demand(vcs >= 1 && vcs <= max_vcs, "vcs", vcs, "1 to 8");
    demand(seq_bits >= 2 && seq_bits <= link_number_bits, "seq_bits", seq_bits, "2 to 12");
    demand(replay >= 1 && replay <= 1U << (seq_bits - 1), "replay", replay,
        fmt::format("1 to {}, half of the sequence numbers", 1U << (seq_bits - 1)));
    demand(timeout >= 1 && timeout <= 1U << 30, "timeout", timeout, "1 to 2^30 clocks");
    demand(batch >= 1 && batch <= 255, "batch", batch, "1 to 255");
    demand(hold >= 1 && hold <= 1U << 30, "hold", hold, "1 to 2^30 clocks");
    for (unsigned v = 0; v < vcs; ++v)
        demand(credits[v] <= link_credit_mask, "credits of a channel", credits[v], "0 to 4095");
    demand(crc_poly >> 31 != 0, "crc_poly", crc_poly, "a reflected polynomial of degree 32, its highest bit set");
}

}  // namespace weft
