#include "platform/workload/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace weft {

namespace {

// 0 where there is no number: "max", or no such file.
std::uint64_t number_in(const std::string& file)
{
    std::uint64_t number = 0;
    std::ifstream(file) >> number;
    return number;
}

void restrict_to(MachineMemory& memory, std::uint64_t limit, std::uint64_t used)
{
    if (limit == 0 || limit >= memory.total) return;
    memory.total = limit;
    memory.available = std::min(memory.available, limit - std::min(limit, used));
}

// A group and all above it: each may have a limit.
void restrict_to_groups(MachineMemory& memory, const std::string& root, std::string path, const char* limit,
    const char* used)
{
    for (;;) {
        restrict_to(memory, number_in(root + path + "/" + limit), number_in(root + path + "/" + used));
        const std::size_t slash = path.rfind('/');
        if (slash == std::string::npos) return;
        path.erase(slash);
    }
}

}  // namespace

MachineMemory machine_memory()
{
    MachineMemory out;
    std::ifstream meminfo("/proc/meminfo");
    for (std::string line; std::getline(meminfo, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t kib = 0;
        words >> name >> kib;
        if (name == "MemTotal:") out.total = kib << 10;
        if (name == "MemAvailable:") out.available = kib << 10;
    }
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "4:memory:/path" (version 1), "0::/path" (version 2)
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers == "memory")
            restrict_to_groups(out, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes");
        if (controllers.empty()) restrict_to_groups(out, "/sys/fs/cgroup", path, "memory.max", "memory.current");
    }
    return out;
}

}  // namespace weft
