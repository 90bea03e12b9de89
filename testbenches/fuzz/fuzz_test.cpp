// Mutated documents, system files and traces, together: whatever they say, each ends as a system that could
// run or as InputError, in seconds and in little memory. WEFT_FUZZ_ROUNDS=N multiplies the number of
// inputs.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "collectives/chakra/validate.h"
#include "infragraph/load.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/model_registry.h"
#include "platform/configuration/resolution/resolve.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/fuzz/mutate.h"
#include "testbenches/fuzz/seeds.h"
#include "testbenches/support/thorough.h"

namespace fuzz_test {

using namespace weft;
using namespace weft::fuzz;
using weft::chakra::testing::Folder;

namespace {

constexpr unsigned seconds_per_input = 20;  // generous: the machine may be busy

std::string current;  // the input at work, for the report of a hang

// Nothing but the calls that are allowed in a signal handler.
extern "C" void on_alarm(int)
{
    const char text[] = "\nan input took too long:\n";
    (void)!write(2, text, sizeof text - 1);
    (void)!write(2, current.data(), current.size());
    _exit(1);
}

class Fuzz : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::signal(SIGALRM, on_alarm);
#if WEFT_LIMIT_MEMORY
        // Of address space; what blows up fails with bad_alloc, which is no InputError.
        const rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
        ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif
    }

    // Runs `action` on `count` inputs that `input` makes.
    template <class Input, class Action>
    void each(std::size_t count, std::uint64_t seed, Input input, Action action, std::size_t share = 50)
    {
        if (!weft::test::thorough()) count = (count + 11) / 12;
        if (const char* asked = std::getenv("WEFT_FUZZ_ROUNDS"))
            count *= static_cast<std::size_t>(std::max(1, std::atoi(asked)));
        Random random(seed);
        std::size_t accepted = 0;
        for (std::size_t i = 0; i < count; ++i) {
            current = input(random);
            alarm(seconds_per_input);
            try {
                accepted += action(current) ? 1 : 0;
            } catch (const InputError& error) {
                ASSERT_FALSE(error.diagnostics().empty()) << current;
                ASSERT_FALSE(error.diagnostics().front().what.empty()) << current;
                ASSERT_GE(error.diagnostics().front().line, 0) << current;
            } catch (const std::exception& error) {
                FAIL() << "input " << i << " ended as " << error.what() << ":\n" << current;
            }
            alarm(0);
        }
        std::cout << count << " inputs, " << accepted << " accepted, " << count - accepted << " refused\n";
        // Neither all harmless nor all fatal, or the mutations test little: at least one in `share` each.
        EXPECT_GT(accepted, count / share);
        EXPECT_LT(accepted, count - count / share);
    }
};

LoadedGraph load_text(const std::string& text, bool lenient)
{
    LoadOptions options;
    options.lenient = lenient;
    options.limits = {5000, 50000};
    return load_infrastructure_text("doc.yaml", text, options);
}

KnownNames known_names()
{
    KnownNames known;
    known.models = ModelRegistry().names_by_kind();
    known.collectives = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "barrier"};
    known.algorithms = {"ring", "direct"};
    return known;
}

// From the two texts to the plan of a run; what comes after is the simulation itself.
bool plan(const std::string& document, const std::string& system, bool lenient)
{
    SystemDescription description = read_system_text("system.yaml", system);
    LoadedGraph loaded = load_text(document, lenient || description.lenient);
    const ResolvedSystem resolved =
        resolve(description, std::make_shared<Graph>(std::move(loaded.graph)), known_names());
    const FabricPlan fabric = plan_fabric(resolved, members_of(resolved));
    return !fabric.members.empty() && !explained_parameters(resolved, fabric.used).empty();
}

std::shared_ptr<const Graph> seed_graph() { return std::make_shared<Graph>(load_text(infrastructure, false).graph); }

bool validate_traces(const std::string& prefix)
{
    const chakra::TraceSet set = chakra::TraceSet::open(prefix);
    chakra::validate(set).require_runnable();
    return true;
}

void write_file(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_F(Fuzz, TheSeedsAreAccepted)
{
    EXPECT_TRUE(plan(infrastructure, system_file, false));
    EXPECT_GT(load_text(infrastructure_json, false).graph.node_count(), 3u);
    const Folder folder;
    folder.write_set({trace_messages(0), trace_messages(1)});
    EXPECT_TRUE(validate_traces(folder.path() + "t"));
    folder.write("j.0.json", trace_json);
    EXPECT_TRUE(validate_traces(folder.path() + "j"));
}

TEST_F(Fuzz, Documents)
{
    bool lenient = false;
    each(
        7000, 20260101, [](Random& random) { return mutate_text(infrastructure, random); },
        [&](const std::string& text) {
            lenient = !lenient;
            return plan(text, "infrastructure: doc.yaml\nworkload: {collective: barrier}\nrouting: {cycles: allow}\n",
                lenient);
        });
}

TEST_F(Fuzz, JsonDocuments)
{
    each(
        2000, 20260102, [](Random& random) { return mutate_text(infrastructure_json, random); },
        [](const std::string& text) {
            return plan(text, "infrastructure: doc.yaml\nworkload: {collective: barrier}\n", false);
        });
}

TEST_F(Fuzz, SystemFiles)
{
    const std::shared_ptr<const Graph> graph = seed_graph();
    const KnownNames known = known_names();
    each(
        6000, 20260103, [](Random& random) { return mutate_text(system_file, random); },
        [&](const std::string& text) {
            const ResolvedSystem resolved = resolve(read_system_text("system.yaml", text), graph, known);
            plan_fabric(resolved, members_of(resolved));
            return true;
        });
}

TEST_F(Fuzz, DocumentAndSystemFileTogether)
{
    // The two halves of one input are parted by a line that neither writes.
    const std::string part = "\n=====\n";
    each(
        2000, 20260104,
        [&](Random& random) {
            const std::size_t which = random.below(3);  // one, the other, or both
            return (which == 1 ? infrastructure : mutate_tokens(infrastructure, random)) + part +
                (which == 2 ? system_file : mutate_tokens(system_file, random));
        },
        [&](const std::string& text) {
            const std::size_t at = text.rfind(part);
            return plan(text.substr(0, at), text.substr(at + part.size()), true);
        });
}

TEST_F(Fuzz, Options)
{
    const std::shared_ptr<const Graph> graph = seed_graph();
    const std::vector<std::string> options{"l2.size=40 MiB", "b.*.xpu.?.gpu.clock=1755 MHz", "links.trunk.latency=1 us",
        "gpu.workgroups_per_unit=4", "routing.path_selection=none", "hbm.capacity=80 GB", "*.link.request_credits=9"};
    each(
        2000, 20260105, [&](Random& random) { return mutate_tokens(options[random.below(options.size())], random); },
        [&](const std::string& text) {
            SystemDescription description = read_system_text("system.yaml", system_file);
            description.sets.push_back(parse_set(text));
            const ResolvedSystem resolved = resolve(description, graph);
            plan_fabric(resolved, members_of(resolved));
            return true;
        });
}

TEST_F(Fuzz, Traces)
{
    const Folder folder;
    folder.write_set({trace_messages(0), trace_messages(1)});
    each(
        4000, 20260106, [](Random& random) { return mutate_trace(trace_messages(0), random); },
        [&](const std::string& bytes) {
            write_file(folder.path() + "t.0.et", bytes);
            return validate_traces(folder.path() + "t");
        });
}

TEST_F(Fuzz, JsonTraces)
{
    const Folder folder;
    each(
        2000, 20260107, [](Random& random) { return mutate_text(trace_json, random); },
        [&](const std::string& text) {
            write_file(folder.path() + "j.0.json", text);
            return validate_traces(folder.path() + "j");
        });
}

TEST_F(Fuzz, GroupFiles)
{
    const Folder folder;
    folder.write_set({trace_messages(0), trace_messages(1)});
    each(
        1000, 20260108, [](Random& random) { return mutate_text(R"({"1": [0, 1], "2": [1, 0], "7": []})", random); },
        [&](const std::string& text) {
            write_file(folder.path() + "groups.json", text);
            chakra::TraceSetOptions options;
            options.group_file = folder.path() + "groups.json";
            chakra::validate(chakra::TraceSet::open(folder.path() + "t", options)).require_runnable();
            return true;
        },
        500);  // one short line: nearly every mutation breaks it
}

}  // namespace fuzz_test
