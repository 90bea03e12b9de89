// A timeline in the Trace Event Format, which Perfetto and chrome://tracing read. Times in us, exact to the picosecond.
//
// Process 0 is the critical path: track 0 that of a whole trace, the others those of collectives. Process r + 1 is rank r: its nodes
// in tracks by kind, as many as run at once, then a track for each workgroup. Slices of a track never overlap. Arrows lead from a
// send to its receive. What was under way when a run was stopped ends with it, as `unfinished`.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "collectives/engine/paths/trace_path.h"

namespace weft {

class Timeline {
public:
    struct Slice {
        std::uint32_t process = 0;
        std::uint32_t thread = 0;
        std::string name;
        Time begin = 0;
        Time end = 0;
        std::string arguments;  // members of a JSON object
        std::string category{};
    };

    static constexpr std::uint32_t path_process = 0;
    // The argument of a slice that the end of the run cut off.
    static constexpr const char* unfinished = "\"unfinished\":true";

    void name_process(std::uint32_t process, const std::string& name);
    void name_thread(std::uint32_t process, std::uint32_t thread, const std::string& name);
    void add(const Slice& slice);
    // An arrow from a slice that is open at `begin` to one that is open at `end`, which is not before it.
    void arrow(std::uint32_t from_process, std::uint32_t from_thread, Time begin, std::uint32_t to_process,
        std::uint32_t to_thread, Time end);
    // The first of the process's tracks from `first` on that is free in [begin, end); it is then taken.
    std::uint32_t free_track(std::uint32_t process, std::uint32_t first, Time begin, Time end);

    // The nodes of a trace, their critical path if it `ended`, and the arrows between them. Times of one track have to come in order.
    void add_nodes(const NodeLog& log, bool ended);

    std::string text() const;

private:
    std::vector<std::string> events_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Time>>
        tracks_;  // by process and first track: until when
    std::uint64_t arrows_ = 0;
};

}  // namespace weft
