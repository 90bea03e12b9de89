// A memory of somebody else that breaks the rules: the run ends and names the connection, also without --check-protocol. So does a
// factory that makes nothing, and a node whose model takes no part is told.
#include <gtest/gtest.h>

#include "platform/assembly/model_registry.h"
#include "platform/result/report.h"
#include "testbenches/platform/runs.h"

namespace foreign_memory_test {

using namespace weft;
using namespace weft::testing;

namespace {

enum class Fault : std::uint8_t { none, lost, twice, status };

// Answers everything 100 ns after it has come, and does something wrong with the third.
class OwnMemory final : public sc_core::sc_module, public TimedComponent, public LineTarget, public MemoryModel {
public:
    OwnMemory(EventQueue& queue, const MemoryRequest& request, Fault fault)
        : sc_module(sc_core::sc_module_name(request.module_name.c_str())), TimedComponent(queue, request.path),
          fault_(fault)
    {
        for (unsigned slice = 0; slice < request.slices; ++slice)
            targets_.push_back(
                std::make_unique<LineTargetSocket>(("target" + std::to_string(slice)).c_str(), *this, slice));
    }
    LineTargetSocket& target(unsigned slice) override { return *targets_[slice]; }
    std::uint64_t responses(unsigned slice) const override { return targets_[slice]->responses(); }
    void hold_contents(MemoryImage&) override {}
    Time on_request(unsigned slice, Line& line, Time delay) override
    {
        event_queue().schedule(line, *this, event_queue().now() + delay + 100'000, slice);
        return 0;
    }
    void run(ScheduledItem& item) override
    {
        Line& line = Line::of(item);
        const unsigned slice = line.input;
        const bool wrong = ++count_ == 3;
        if (wrong && fault_ == Fault::lost) return;
        line.set_response_status(
            wrong && fault_ == Fault::status ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
        targets_[slice]->send_response(line, 0);
        if (wrong && fault_ == Fault::twice) targets_[slice]->send_response(line, 0);
    }
    std::vector<Statistic> statistics() const override { return {}; }
    void reset_statistics() override {}

private:
    Fault fault_;
    std::vector<std::unique_ptr<LineTargetSocket>> targets_;
    std::uint64_t count_ = 0;
};

using Factory = ModelRegistrar::MemoryFactory;

Factory memory_with(Fault fault)
{
    return [fault](const RunContext& context, const MemoryRequest& request) {
        return std::make_unique<OwnMemory>(context.event_queue, request, fault);
    };
}

Json outcome_of(const Factory& factory, const std::vector<std::string>& sets, std::uint32_t parts = 1)
{
    return Json::parse(in_timed_child(
        [&] {
            ModelRegistry registry;
            registry.add_memory(ModelDeclaration("own", "a memory of a test").without_kernel(), factory);
            RunOptions options;
            options.progress = false;
            options.partitions = parts;
            try {
                const ResolvedSystem system =
                    star_of_four(registry, sets, collective_lines("all_reduce", "ring", "8192"));
                return result_json(run_system(system, registry, options), false);
            } catch (const std::exception& error) {
                return Json{{"error", error.what()}}.dump();
            }
        },
        100));
}

const std::vector<std::string> one{"*.xpu.1.hbm.model=own"};

}  // namespace

TEST(ForeignMemory, ThatKeepsTheRulesTakesItsTime)
{
    const Json whole = outcome_of(memory_with(Fault::none), one);
    EXPECT_EQ(whole["stop"], "finished") << whole;
    EXPECT_FALSE(whole.contains("protocol"));
    EXPECT_EQ(outcome_of(memory_with(Fault::none), one, 2)["simulated_ps"], whole["simulated_ps"]);
}

TEST(ForeignMemory, ThatAnswersTwiceIsNamed)
{
    for (const std::uint32_t parts : {1U, 2U}) {
        const Json outcome = outcome_of(memory_with(Fault::twice), one, parts);
        EXPECT_EQ(outcome["stop"], "wrong") << outcome;
        const std::string text = outcome.dump();
        EXPECT_NE(text.find("xpu.1.hbm"), std::string::npos) << text;
        EXPECT_NE(text.find("is a response to no live request"), std::string::npos) << text;
    }
}

TEST(ForeignMemory, ThatAnswersWithAnErrorIsNamed)
{
    const Json outcome = outcome_of(memory_with(Fault::status), one);
    EXPECT_EQ(outcome["stop"], "wrong") << outcome;
    EXPECT_NE(outcome.dump().find("a response with TLM_GENERIC_ERROR_RESPONSE"), std::string::npos) << outcome;
}

TEST(ForeignMemory, ThatLosesARequestIsNamed)
{
    const Json outcome = outcome_of(memory_with(Fault::lost), one);
    EXPECT_EQ(outcome["stop"], "deadlock") << outcome;
    EXPECT_NE(outcome.dump().find(": 1 request without an answer, the first a read of 64 B at "), std::string::npos)
        << outcome;
}

TEST(ForeignMemory, ThatIsNotMadeIsNamed)
{
    const Json null = outcome_of([](const RunContext&, const MemoryRequest&) { return nullptr; }, one);
    EXPECT_NE(null.dump().find("model own of "), std::string::npos) << null;
    EXPECT_NE(null.dump().find("xpu.1.hbm was not made: the factory has returned no module"), std::string::npos)
        << null;
    const Json thrown = outcome_of(
        [](const RunContext&, const MemoryRequest&) -> std::unique_ptr<MemoryModel> {
            throw std::runtime_error("no licence");
        },
        one);
    EXPECT_NE(thrown.dump().find("xpu.1.hbm was not made: no licence"), std::string::npos) << thrown;
}

// Nothing is made of it: its factory is not called.
TEST(ForeignMemory, AModelOfNodesThatTakeNoPartIsTold)
{
    const auto notices_with = [](const std::string& bind) {
        return Json::parse(in_timed_child(
            [&] {
                ModelRegistry registry;
                registry.add_gpu("spare", "an accelerator of a test",
                    [](const RunContext&, const GpuRequest&) -> std::unique_ptr<Accelerator> { return nullptr; });
                RunOptions options;
                options.progress = false;
                const ResolvedSystem system = star_of_four(registry, {},
                    collective_lines("all_reduce", "ring", "8192", "ranks: 2") + "bind: [" + bind + "]\n");
                return result_json(run_system(system, registry, options), false);
            },
            100))["notices"]
            .dump();
    };
    const std::string spare = notices_with("{nodes: '*.xpu.3', model: spare}");
    EXPECT_NE(spare.find("model spare of "), std::string::npos) << spare;
    EXPECT_NE(spare.find("xpu.3 changes nothing: it takes no part in this run"), std::string::npos) << spare;
    EXPECT_EQ(notices_with("{nodes: '*.xpu.3', model: gpu}").find("changes nothing"), std::string::npos);
}

}  // namespace foreign_memory_test
