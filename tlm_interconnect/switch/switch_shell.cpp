#include "tlm_interconnect/switch/switch_shell.h"

namespace weft {

void report_no_route(const std::string& path, std::uint32_t endpoint)
{
    SC_REPORT_ERROR("/weft/switch", (path + ": no route to endpoint " + std::to_string(endpoint)).c_str());
}

void report_extra_credit(const std::string& path)
{
    SC_REPORT_ERROR("/weft/credit", (path + ": more credits came back than were given").c_str());
}

}  // namespace weft
