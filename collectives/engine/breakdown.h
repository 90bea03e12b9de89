// The time of a rank of a trace by activity: every picosecond belongs to exactly one activity.
//
//   overlap        compute nodes and communication at once
//   compute        compute nodes of the accelerator, no communication
//   communication  sends, collectives that all members have entered, receives that have a sender; no compute
//   memory         memory nodes and none of the above
//   cpu            CPU nodes and none of the above
//   waiting        in a collective that some member has not entered or a receive without a sender, no more
//   idle           no node runs, some are left
//   done           behind the rank's last node
//
// Times in ps from the start of the run; the activities of a rank add up to where they are asked for.
#pragma once

#include <array>
#include <cstdint>

namespace weft {

enum class Activity : std::uint8_t { overlap, compute, communication, memory, cpu, waiting, idle, done };
constexpr unsigned activity_count = 8;
const char* name_of(Activity activity);

// The activity of one node. A rank can have several of each at once.
enum class Doing : std::uint8_t { compute, communication, memory, cpu, waiting };
constexpr unsigned doing_count = 5;

class Breakdown {
public:
    using Times = std::array<std::uint64_t, activity_count>;  // ps, by Activity

    // At `now`, which never goes back.
    void begin(Doing doing, std::uint64_t now);
    void end(Doing doing, std::uint64_t now);
    void finish(std::uint64_t now);  // the last node has ended

    Activity activity() const;
    // From 0 to `end`, which no change is behind.
    Times until(std::uint64_t end) const;

private:
    void pass(std::uint64_t now);

    std::array<std::uint32_t, doing_count> running_{};
    bool done_ = false;
    std::uint64_t since_ = 0;
    Times spent_{};
};

}  // namespace weft
