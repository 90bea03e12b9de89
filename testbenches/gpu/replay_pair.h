// A GPU and a replay GPU joined by one link: endpoints 0 and 1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/replay/replay_gpu.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/link.h"

namespace weft::testing {

struct ReplayPair : WorkgroupListener {
    explicit ReplayPair(const GpuSpec& gpu = {}, const L2Spec& l2 = {}, const LinkSpec& link_spec = {})
        : event_queue("event_queue"), link("link", event_queue, link_spec)
    {
        full = std::make_unique<Gpu>("gpu0", event_queue, pool, progress, gpu, L1Spec{}, l2, HbmSpec{}, wiring(0));
        replay =
            std::make_unique<ReplayGpu>("gpu1", event_queue, pool, progress, gpu, l2, HbmSpec{}.capacity, wiring(1));
        const std::vector<Accelerator*> both{full.get(), replay.get()};
        for (unsigned e = 0; e < 2; ++e) {
            both[e]->output(0).set_credits(buffer_space(link_spec));
            both[e]->link_out(0).bind(link.target(e));
            link.initiator(e).bind(both[e]->link_in(0));
        }
    }

    static Accelerator::Wiring wiring(std::uint32_t endpoint)
    {
        Accelerator::Wiring out;
        out.path = "gpu" + std::to_string(endpoint);
        out.endpoint = endpoint;
        out.ports = 1;
        out.routes = RouteTable({{0}, {0}});
        return out;
    }

    void on_workgroup_done(std::uint64_t token) override
    {
        if (done.size() <= token) done.resize(token + 1, 0);
        done[token] = event_queue.now();
    }

    // On the GPU, before time starts; tokens count up from 0.
    void launch(const Program& program, std::uint32_t wavefronts = 1)
    {
        ComputeUnits::Launch launch;
        launch.program = &program;
        launch.wavefronts = wavefronts;
        launch.listener = this;
        launch.token = tokens++;
        full->units().launch(launch);
    }

    EventQueue event_queue;
    LinePool pool;
    Progress progress;
    Link link;
    std::unique_ptr<Gpu> full;
    std::unique_ptr<ReplayGpu> replay;
    std::vector<Time> done;  // by token
    std::uint64_t tokens = 0;
};

}  // namespace weft::testing
