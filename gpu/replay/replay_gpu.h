// A GPU reduced to its traffic: fabric ports, and instead of everything behind them a list of rows with times.
//
// Sockets: link_out(p) and link_in(p) of fabric port p, for links.
//
// Parameters: of GpuSpec the four paths between units, slices and ports, and `replay_in_flight`; of L2Spec
// `slices`, `bandwidth` and `latency`.
//
// Issue: line k of a row leaves the (absent) units at start + k x gap. The start is the row's time plus a draw from
// 0..jitter, counted from start() or from the instant in which a flag of this GPU reached a value. At most
// `replay_in_flight` lines have no response; beyond that rows fall behind.
//
// Answers: whatever arrives is served by the slice of its address, one line per slice and 64 B / (bandwidth / slices), and
// answered `latency` later: every access is a hit. Flags have values, data have none.
//
// Not modelled here: compute units, tags, DRAM. Rows do not slow down when the fabric does, save by
// `replay_in_flight`.
//
// Statistics: lines issued and answered, flag additions, time by which lines left late, rows done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/divider.h"
#include "base/statistic.h"
#include "gpu/interface/accelerator.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/interface/workgroup_listener.h"
#include "gpu/network/fabric_port.h"
#include "gpu/network/path_chooser.h"
#include "gpu/units/progress.h"
#include "sc_models/l2/l2_spec.h"
#include "tlm_interconnect/kernel/module_tree.h"
#include "tlm_interconnect/kernel/rate_servers.h"
#include "tlm_interconnect/protocol/socket_array.h"

namespace weft {

class ReplayGpu :
    public Accelerator,
    public TimedComponent,
    public LineTarget,
    public LineInitiator,
    public StatisticsProvider {
public:
    ReplayGpu(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, Progress& progress,
        const GpuSpec& spec, const L2Spec& l2, std::uint64_t capacity, const Wiring& wiring);

    LineInitiatorSocket& link_out(unsigned port) override { return ports_[port].link_out; }
    LineTargetSocket& link_in(unsigned port) override { return ports_[port].link_in; }
    OutputPort& output(unsigned port) override { return ports_[port].output(); }
    const std::string& path() const override { return name_; }
    std::uint32_t endpoint() const override { return endpoint_; }
    std::uint64_t capacity() const override { return capacity_; }
    MemoryImage& image() override { return image_; }
    std::uint64_t lines() const override { return issued_; }
    ReplayGpu* replay() override { return this; }
    std::uint64_t line_hops() const override;
    const sc_core::sc_vector<FabricPort>& ports() const { return ports_; }

    static constexpr std::uint64_t no_flag = ~std::uint64_t{0};

    struct Row {
        Time time = 0;
        Time gap = 0;
        Time jitter = 0;
        std::uint64_t address = 0;  // global
        std::uint64_t bytes = 8;
        std::uint64_t value = 1;        // add
        std::uint64_t after = no_flag;  // local address of an own flag
        std::uint64_t after_value = 1;
        std::uint64_t offset = 0;    // issued of the present repetition
        std::uint32_t left = 1;      // repetitions
        std::uint32_t transfer = 0;  // number of the present repetition
        int line = 0;                // of the file
        LineOp op = LineOp::write;
    };
    // Once, at the present instant. `file` is where the rows come from, `seed` decides the jitter.
    void start(std::string file, std::vector<Row> rows, std::uint64_t seed);

    // All rows are issued and have their responses.
    bool finished() const { return finished_; }
    Time finish_time() const { return finish_time_; }
    // Calls `listener` then, or now.
    void when_finished(WorkgroupListener& listener, std::uint64_t token);

    // "dgx.0.xpu.3: ring.csv:17 waits for 2 at flag 5, which has 1", for a run that cannot progress.
    std::vector<std::string> blocked();

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    struct Due {  // the next line of a row
        Time at;
        std::uint32_t row;
    };
    static bool later(const Due& a, const Due& b) { return a.at != b.at ? a.at > b.at : a.row > b.row; }

    static constexpr std::uint8_t request_kind = 0;
    static constexpr std::uint8_t wake_kind = 1;
    static constexpr std::uint8_t end_kind = 2;

    // Target and initiator ports: p = fabric port p.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void run(ScheduledItem& item) override;

    void serve(Line& line);
    bool serve_flag(Line& line, Time ready);
    void answer(Line& line, Time at);
    void release(std::uint64_t flag, std::uint64_t value);

    void issue_due();
    void issue(Row& row);
    void wake_at(Time due);
    void settle_progress();

    std::string name_;
    std::uint32_t endpoint_;
    std::uint64_t capacity_;
    GpuSpec spec_;
    Time latency_;
    Divider slices_;
    RouteTable routes_;
    PathChooser paths_;
    bool data_on_;
    LinePool& pool_;
    Progress& progress_;
    MemoryImage image_;
    ModuleTree tree_;
    sc_core::sc_vector<FabricPort> ports_;
    sc_core::sc_vector<LineInitiatorSocket> to_ports_;
    sc_core::sc_vector<LineTargetSocket> from_ports_;

    RateServers slice_rates_;
    ScheduledItem* awaiting_ = nullptr;  // lines of others that wait for a flag

    std::string file_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> timed_;  // rows that wait for no flag, by time
    std::size_t next_timed_ = 0;
    std::vector<std::uint32_t> waiting_;  // rows that wait for a flag, by flag
    std::vector<Due> due_;                // heap: rows under way
    // Wake-ups on the event queue, the earliest last, and items for more of them.
    std::vector<std::unique_ptr<TimedItem>> wakes_;
    std::vector<std::unique_ptr<TimedItem>> spare_wakes_;
    ScheduledItem end_;
    bool started_ = false;
    bool finished_ = false;
    bool busy_ = false;  // counted in Progress
    bool throttled_ = false;
    std::uint64_t in_flight_ = 0;
    Time last_answer_ = 0;
    Time finish_time_ = 0;
    WorkgroupListener* listener_ = nullptr;
    std::uint64_t token_ = 0;

    std::uint64_t issued_ = 0;
    std::uint64_t additions_ = 0;
    std::uint64_t answered_ = 0;
    std::uint64_t rows_done_ = 0;
    std::uint32_t transfers_ = 0;  // rows begun, repetitions counted
    Time late_ = 0;
};

}  // namespace weft
