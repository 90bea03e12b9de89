// Two GPUs joined by one link: the smallest system in which every path of a line exists.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/link.h"

namespace weft::testing {

struct TwoGpus : WorkgroupListener {
    explicit TwoGpus(bool data_on = true, const GpuSpec& gpu = {}, const L2Spec& l2 = {}, const HbmSpec& hbm = {},
        const LinkSpec& link_spec = {}, const MemorySideSpec& memory_side = {}, bool check = false,
        const L1Spec& l1 = {}, const NetworkSpec& network = {}, const CopySpec& copy = {}, const BulkSpec& bulk = {})
        : event_queue("event_queue"), link("link", event_queue, link_spec), checkers(event_queue, check)
    {
        for (std::uint32_t g = 0; g < 2; ++g) {
            // Bytes where hardware keeps them, so that a wrong fill is a wrong result.
            L2Spec cache = l2;
            cache.contents = ContentsPolicy::cached;
            Gpu::Wiring wiring;
            wiring.path = "gpu" + std::to_string(g);
            wiring.endpoint = g;
            wiring.ports = 1;
            wiring.routes = RouteTable({{0}, {0}});
            wiring.data_on = data_on;
            wiring.checkers = check ? &checkers : nullptr;
            gpus.push_back(std::make_unique<Gpu>(wiring.path.c_str(), event_queue, pool, progress, gpu, l1, cache, hbm,
                wiring, memory_side, network, copy, bulk));
            gpus[g]->output(0).set_credits(buffer_space(link_spec));
            gpus[g]->link_out(0).bind(link.target(g));
            link.initiator(g).bind(gpus[g]->link_in(0));
        }
    }

    void on_workgroup_done(std::uint64_t token) override
    {
        if (done.size() <= token) done.resize(token + 1, 0);
        done[token] = event_queue.now();
    }

    // Launches before time starts; tokens count up from 0.
    void launch(unsigned gpu, const Program& program, std::uint32_t wavefronts = 1, std::uint32_t unroll = 1,
        std::uint64_t* results = nullptr, std::uint32_t poll_lanes = 1)
    {
        ComputeUnits::Launch launch;
        launch.program = &program;
        launch.wavefronts = wavefronts;
        launch.unroll = unroll;
        launch.results = results;
        launch.poll_lanes = poll_lanes;
        launch.listener = this;
        launch.token = tokens++;
        gpus[gpu]->units().launch(launch);
    }

    // The same on a copy engine.
    void launch_copies(unsigned gpu, const Program& program)
    {
        gpus[gpu]->dma_engines().launch({&program, this, tokens++});
    }

    EventQueue event_queue;
    LinePool pool;
    Progress progress;
    Link link;
    Checkers checkers;
    std::vector<std::unique_ptr<Gpu>> gpus;
    std::vector<Time> done;  // by token
    std::uint64_t tokens = 0;
};

}  // namespace weft::testing
