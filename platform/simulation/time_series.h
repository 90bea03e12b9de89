// The statistics of links for each window of simulated time, as comma-separated values.
//
// A line counts in the window in which its sender hands it to the wire, with all its bytes; the time it takes there is that of each
// window. The windows of a link add up to its totals.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "platform/assembly/link_results.h"

namespace weft {

class TimeSeries {
public:
    // `room`: bytes that its rows may take.
    TimeSeries(const FabricModules& fabric, const Graph& graph, Time window, std::uint64_t room);

    // The virtual channels of all links, which are columns. A process knows those of its own links; before the first window it
    // is told those of all.
    struct Channels {
        std::set<std::uint8_t> vcs;
        unsigned sets = 1;
    };
    const Channels& channels() const { return channels_; }
    void set_channels(const Channels& channels);

    Time window() const { return window_; }
    // End of the present window.
    Time next() const { return next_; }
    // Closes it. A window in which a link sent nothing, had no queue and no credit in use makes no row. Throws InputError where
    // the rows take more than the room, or are more than `most_rows`.
    void close(Time now);
    // Closes all windows that end by `due`, before which nothing happens: idle ones take no time.
    void pass(Time due);

    // One row per window and link direction: start_ps, length_ps, link, from, to, lines, wire_bytes, payload_bytes,
    // busy_ps, utilisation, credit_stall_ps, then for each channel: lines, mean queue, mean credits in use,
    // credit_stall_ps, arbitration_wait_ps.
    // Afterwards there are no rows.
    std::string take_csv();

    // Of one window and link direction.
    struct Row {
        Time begin;
        std::uint64_t link;    // number of the direction
        std::uint64_t length;  // of its text
    };
    const std::vector<Row>& rows() const { return rows_; }
    // Of all rows, in their order.
    const std::string& text() const { return text_; }
    // Adds those of links that other processes have.
    void add(const std::vector<Row>& rows, const std::string& text);

    static constexpr std::uint64_t most_rows = 20'000'000;

private:
    void check_room(Time now) const;
    void sort();

    const FabricModules& fabric_;
    const Graph& graph_;
    Time window_;
    std::uint64_t room_;
    Time begin_ = 0;
    Time next_;
    std::vector<LinkResult> last_;
    bool booked_ = false;  // some wire is taken beyond the last window
    Channels channels_;
    std::vector<std::string> names_;  // of the channels, in order
    std::vector<Row> rows_;
    std::string text_;
};

}  // namespace weft
