// Arrays of sockets of one module: sc_vector, whose elements have the names that SystemC gives them ("target_0", "target_1", ..).
//
//     sc_core::sc_vector<LineTargetSocket> targets_{"target", ports, socket_creator<LineTargetSocket>(*this)};
#pragma once

#include <cstddef>

#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

// Element i is a socket of `owner` with the port number `first` + i.
template <class Socket, class Owner>
auto socket_creator(Owner& owner, unsigned first = 0)
{
    return [&owner, first](const char* name, std::size_t i) {
        return new Socket(name, owner, first + static_cast<unsigned>(i));
    };
}

}  // namespace weft
