// Mutated traces end in a verdict or in InputError, never otherwise.
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collectives/chakra/validate.h"
#include "testbenches/chakra/trace_writer.h"

namespace fuzz_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

constexpr int mutations = 1000;

std::string seed_trace(int rank)
{
    const int peer = 1 - rank;
    return framed({NodeText(1, 1).inputs(R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])"),
        comp(2).data({1}).integer("num_ops", 9).integer("tensor_size", 64),
        collective(3, 0, 1024, "1").data({2}).control({1}), NodeText(4, 2).integer("tensor_size", 64).data({3, 3}),
        send(5, peer, 3, 128).data({4}), recv(6, peer, 3, 128), NodeText(7, 7).flag("is_cpu_op", true).data({5, 6}),
        comp(200).data({7})});
}

std::string seed_json()
{
    return R"({"ngpus": 2, "workload_graph": [)"
           R"({"Id": 1, "Name": "a", "NodeType": 4, "runtime": 5, "data_deps": []},)"
           R"({"Id": 2, "NodeType": 7, "comm_type": 0, "comm_size": 64, "data_deps": [1]}]})";
}

std::string mutated(std::string bytes, std::mt19937_64& random)
{
    const std::uint64_t edits = 1 + random() % 4;
    for (std::uint64_t i = 0; i < edits && !bytes.empty(); ++i) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 6) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        case 1: bytes[at] = static_cast<char>(random()); break;
        case 2: bytes.erase(at, 1 + random() % 8); break;
        case 3: bytes.insert(at, 1 + random() % 8, static_cast<char>(random())); break;
        case 4: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64)); break;
        default: bytes.resize(at);
        }
    }
    return bytes;
}

// Validates under every dependency policy and runs what is runnable; true when it ran.
bool survive(const std::string& prefix)
{
    bool ran = false;
    try {
        const TraceSet set = TraceSet::open(prefix);
        for (const Dependencies dependencies :
            {Dependencies::automatic, Dependencies::data, Dependencies::data_and_control}) {
            Policy policy;
            policy.dependencies = dependencies;
            const Verdict verdict = validate(set, policy);
            if (!verdict.runnable()) continue;
            for (std::uint32_t rank = 0; rank < set.ranks(); ++rank) {
                Feeder feeder = make_feeder(set, verdict, rank);
                Node node;
                while (feeder.next(node)) feeder.finish(node.id);
                EXPECT_TRUE(feeder.done());
            }
            ran = true;
        }
    } catch (const weft::InputError& error) {
        EXPECT_FALSE(error.diagnostics().empty());
        EXPECT_FALSE(error.diagnostics().front().file.empty());
    }
    return ran;
}

}  // namespace

TEST(ChakraFuzz, MutatedMessagesEndInAVerdictOrARefusal)
{
    const Folder folder;
    std::mt19937_64 random(2026);
    folder.write("t.1.et", seed_trace(1));
    folder.write("t.0.et", seed_trace(0));
    ASSERT_TRUE(survive(folder.path() + "t"));
    int ran = 0;
    for (int i = 0; i < mutations; ++i) {
        folder.write("t.0.et", mutated(seed_trace(0), random));
        ran += survive(folder.path() + "t") ? 1 : 0;
    }
    EXPECT_GT(ran, 0);
    EXPECT_LT(ran, mutations);
}

TEST(ChakraFuzz, MutatedJsonEndsInAVerdictOrARefusal)
{
    const Folder folder;
    std::mt19937_64 random(2027);
    folder.write("j.0.json", seed_json());
    ASSERT_TRUE(survive(folder.path() + "j"));
    for (int i = 0; i < mutations; ++i) {
        folder.write("j.0.json", mutated(seed_json(), random));
        survive(folder.path() + "j");
    }
}

TEST(ChakraFuzz, MutatedGzipEndsInAVerdictOrARefusal)
{
    const Folder folder;
    std::mt19937_64 random(2028);
    const std::string path = folder.write_gzip("z.0.et", framed({comp(1), comp(2).data({1})}));
    std::string packed;
    {
        std::ifstream file(path, std::ios::binary);
        packed.assign(std::istreambuf_iterator<char>(file), {});
    }
    for (int i = 0; i < mutations; ++i) {
        folder.write("z.0.et", mutated(packed, random));
        survive(folder.path() + "z");
    }
}

}  // namespace fuzz_test
