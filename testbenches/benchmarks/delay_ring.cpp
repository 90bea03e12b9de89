#include "testbenches/benchmarks/delay_ring.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/processor_time.h"
#include "tlm_interconnect/link/delay_line.h"
#include "tlm_interconnect/link/event_delay_line.h"

namespace weft::bench {

namespace {

constexpr Time shortest = 1000;
constexpr Time longest = 1'000'000;

template <class Stage, class Make, class Run>
Measured measure(unsigned components, unsigned lines, std::uint64_t hops, const Make& make, const Run& run)
{
    LinePool pool;
    std::mt19937_64 random(components);
    std::vector<std::unique_ptr<Stage>> ring;
    for (unsigned s = 0; s < components; ++s)
        ring.push_back(make("stage" + std::to_string(s), shortest + random() % (longest - shortest)));
    for (unsigned s = 0; s < components; ++s) ring[s]->out.bind(ring[(s + 1) % components]->in);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (unsigned s = 0; s < lines; ++s) {
        Line& line = pool.take();
        line.begin(LineOp::write, 64 * s, line_bytes);
        ring[s]->out.send_request(line, random() % longest);
    }
    // Every line moves once in the mean latency.
    const Time end = hops / lines * ((shortest + longest) / 2);
    const auto total = [&ring] {
        double sum = 0;
        for (const auto& stage : ring) sum += static_cast<double>(stage->out.requests());
        return sum;
    };
    const double before = total();
    const double start = processor_seconds();
    run(end);
    return {total() - before, processor_seconds() - start};
}

}  // namespace

Measured ring_of_events(unsigned components, unsigned lines, std::uint64_t hops)
{
    const auto make = [](const std::string& name, Time latency) {
        return std::make_unique<EventDelayLine>(name.c_str(), latency);
    };
    return measure<EventDelayLine>(components, lines, hops, make, [](Time end) { sc_core::sc_start(to_sc_time(end)); });
}

Measured ring_under_event_queue(unsigned components, unsigned lines, std::uint64_t hops)
{
    EventQueue event_queue("event_queue");
    const auto make = [&event_queue](const std::string& name, Time latency) {
        return std::make_unique<DelayLine>(name.c_str(), event_queue, name, latency);
    };
    return measure<DelayLine>(components, lines, hops, make, [&event_queue](Time end) {
        event_queue.set_end(end);
        sc_core::sc_start();
    });
}

}  // namespace weft::bench
