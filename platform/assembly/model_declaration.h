// The declaration of a model: name, text, ports, parameters of its own, statistics. `weft models`, `weft explain`,
// --set, messages, results and the reference page read it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/parameter_block.h"
#include "base/statistic_table.h"

namespace weft {

class ModelDeclaration {
public:
    // Modules of one kind that results list: an accelerator has several.
    struct Module {
        std::string kind;  // of results: "l2"
        std::string name;  // "NODE.l2", "NODE.port.N"
        StatisticTable statistics;
        std::vector<std::string> models;  // what stands for the module; empty: the model itself
    };

    ModelDeclaration(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

    // A block of parameters of the model's own; its values come with the request. Several models may share one.
    template <class Spec>
    ModelDeclaration& with_parameters()
    {
        parameters_ = std::make_shared<const BlockInfo>(block_info<Spec>());
        return *this;
    }
    // For a switch, a link, an accelerator or a part of one. `paths`: the parameters of Weft's own blocks that the model reads, by path
    // ("switch.latency"). Only these are listed for it, and of a link those that Weft itself reads around it: link.model, bandwidth, latency,
    // request_credits, response_credits, pool_credits, vcs, vc_sets, merge, max_payload and group_payload. Without it the model may read all of them.
    ModelDeclaration& with_reads(std::vector<std::string> paths)
    {
        reads_ = std::move(paths);
        return *this;
    }
    // All that the model writes. Without it results show what it writes, and nothing is checked.
    ModelDeclaration& with_statistics(StatisticTable table)
    {
        statistics_ = std::move(table);
        return *this;
    }
    ModelDeclaration& with_module(Module module)
    {
        modules_.push_back(std::move(module));
        return *this;
    }
    // The module acts only when the event queue of its request is due for it or a neighbour calls it: it has no process, event or
    // time of the SystemC kernel. It may then be in a run that is cut into parts, in one part with its neighbours.
    ModelDeclaration& without_kernel()
    {
        needs_kernel_ = false;
        return *this;
    }
    // No block of RTL is in it, so there is no waveform of it.
    ModelDeclaration& without_rtl()
    {
        has_rtl_ = false;
        return *this;
    }
    // Its sockets.
    ModelDeclaration& with_ports(std::string text)
    {
        ports_ = std::move(text);
        return *this;
    }

    const std::string& name() const { return name_; }
    const std::string& text() const { return text_; }
    const std::string& ports() const { return ports_; }
    bool needs_kernel() const { return needs_kernel_; }
    bool has_rtl() const { return has_rtl_; }
    const std::shared_ptr<const BlockInfo>& parameters() const { return parameters_; }
    const std::optional<std::vector<std::string>>& reads() const { return reads_; }
    const std::optional<StatisticTable>& statistics() const { return statistics_; }
    const std::vector<Module>& modules() const { return modules_; }

private:
    std::string name_;
    std::string text_;
    std::string ports_;
    bool needs_kernel_ = true;
    bool has_rtl_ = true;  // or may have
    std::shared_ptr<const BlockInfo> parameters_;
    std::optional<std::vector<std::string>> reads_;
    std::optional<StatisticTable> statistics_;
    std::vector<Module> modules_;
};

}  // namespace weft
