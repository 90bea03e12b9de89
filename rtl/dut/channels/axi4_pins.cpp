#include <array>
#include <utility>

#include "rtl/dut/channels/axi4.h"

namespace weft {

namespace {

struct Place {
    const char* name;
    Signal& (*of)(Axi4Pins&);
};

constexpr std::size_t count = 31;

const std::array<Place, count>& places()
{
    static const std::array<Place, count> all{{
        {"awvalid", [](Axi4Pins& p) -> Signal& { return p.aw.valid; }},
        {"awready", [](Axi4Pins& p) -> Signal& { return p.aw.ready; }},
        {"awid", [](Axi4Pins& p) -> Signal& { return p.aw.id; }},
        {"awaddr", [](Axi4Pins& p) -> Signal& { return p.aw.addr; }},
        {"awlen", [](Axi4Pins& p) -> Signal& { return p.aw.len; }},
        {"awsize", [](Axi4Pins& p) -> Signal& { return p.aw.size; }},
        {"awburst", [](Axi4Pins& p) -> Signal& { return p.aw.burst; }},
        {"awuser", [](Axi4Pins& p) -> Signal& { return p.aw.user; }},
        {"arvalid", [](Axi4Pins& p) -> Signal& { return p.ar.valid; }},
        {"arready", [](Axi4Pins& p) -> Signal& { return p.ar.ready; }},
        {"arid", [](Axi4Pins& p) -> Signal& { return p.ar.id; }},
        {"araddr", [](Axi4Pins& p) -> Signal& { return p.ar.addr; }},
        {"arlen", [](Axi4Pins& p) -> Signal& { return p.ar.len; }},
        {"arsize", [](Axi4Pins& p) -> Signal& { return p.ar.size; }},
        {"arburst", [](Axi4Pins& p) -> Signal& { return p.ar.burst; }},
        {"aruser", [](Axi4Pins& p) -> Signal& { return p.ar.user; }},
        {"wvalid", [](Axi4Pins& p) -> Signal& { return p.wvalid; }},
        {"wready", [](Axi4Pins& p) -> Signal& { return p.wready; }},
        {"wdata", [](Axi4Pins& p) -> Signal& { return p.wdata; }},
        {"wstrb", [](Axi4Pins& p) -> Signal& { return p.wstrb; }},
        {"wlast", [](Axi4Pins& p) -> Signal& { return p.wlast; }},
        {"bvalid", [](Axi4Pins& p) -> Signal& { return p.b.valid; }},
        {"bready", [](Axi4Pins& p) -> Signal& { return p.b.ready; }},
        {"bid", [](Axi4Pins& p) -> Signal& { return p.b.id; }},
        {"bresp", [](Axi4Pins& p) -> Signal& { return p.b.resp; }},
        {"buser", [](Axi4Pins& p) -> Signal& { return p.b.user; }},
        {"rvalid", [](Axi4Pins& p) -> Signal& { return p.r.valid; }},
        {"rready", [](Axi4Pins& p) -> Signal& { return p.r.ready; }},
        {"rid", [](Axi4Pins& p) -> Signal& { return p.r.id; }},
        {"rdata", [](Axi4Pins& p) -> Signal& { return p.r.data; }},
        {"rresp", [](Axi4Pins& p) -> Signal& { return p.r.resp; }},
    }};
    return all;
}

}  // namespace

const std::vector<std::string>& axi4_signal_names()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const Place& place : places()) out.emplace_back(place.name);
        out.emplace_back("rlast");
        out.emplace_back("ruser");
        return out;
    }();
    return names;
}

Signal& Axi4Pins::signal(const std::string& name)
{
    if (name == "rlast") return r.last;
    if (name == "ruser") return r.user;
    for (const Place& place : places())
        if (name == place.name) return place.of(*this);
    return r.user;
}

bool axi4_forward(const std::string& name)
{
    const bool answer = name.front() == 'b' || name.front() == 'r';
    const bool ready = name.size() > 5 && name.compare(name.size() - 5, 5, "ready") == 0;
    return answer == ready;
}

}  // namespace weft
