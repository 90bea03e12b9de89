// Built-in profiles: complete, their parts add up to the published plateaus, users' files work.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/configuration/tables/embedded_files.h"
#include "platform/configuration/tables/link_table.h"
#include "platform/configuration/tables/profile.h"
#include "sc_models/memory/hbm_timing.h"
#include "testbenches/config/support.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::profile_test {
namespace {

std::uint64_t figure(const Profile& profile, Block block, const char* name)
{
    return profile.of(block).at(*info_of(block).find(name)).value;
}

std::uint64_t local_hit(const Profile& p)
{
    return figure(p, block_of<GpuSpec>(), "unit_to_l2") + figure(p, block_of<L2Spec>(), "latency") +
        figure(p, block_of<GpuSpec>(), "l2_to_unit");
}

// A dependent load from a peer across one switch, without serialisation.
std::uint64_t peer_load(const Profile& p)
{
    const LinkKind& link = *LinkTable::built_in().by_name(p.scale_up.link);
    const std::uint64_t wire = link.figures.at(*info_of(block_of<LinkSpec>()).find("latency")).value;
    return figure(p, block_of<GpuSpec>(), "unit_to_port") + 4 * wire +
        2 * figure(p, block_of<SwitchSpec>(), "latency") + figure(p, block_of<GpuSpec>(), "port_to_l2") +
        figure(p, block_of<L2Spec>(), "latency") + figure(p, block_of<GpuSpec>(), "l2_to_port") +
        figure(p, block_of<GpuSpec>(), "port_to_unit");
}

TEST(Profiles, PartsAddUpToTheLatencyPlateaus)
{
    ProfileStore store;
    const auto get = [&](const char* name) -> const Profile& { return *store.get(name, "", 0); };
    EXPECT_EQ(local_hit(get("h100")), 142'000U);
    EXPECT_EQ(local_hit(get("a100")), 146'000U);
    EXPECT_EQ(local_hit(get("mi300x")), 102'000U);
    EXPECT_EQ(local_hit(get("b200")), 154'000U);
    EXPECT_EQ(local_hit(get("v100")), 154'000U);
    const auto far_hit = [&](const char* name) {
        return local_hit(get(name)) + 2 * figure(get(name), block_of<L2Spec>(), "far_latency") +
            figure(get(name), block_of<L2Spec>(), "latency");
    };
    EXPECT_EQ(far_hit("h100"), 250'000U);
    EXPECT_EQ(far_hit("a100"), 283'000U);
    EXPECT_EQ(far_hit("b200"), 273'000U);  // 200 to 311 ns
    const std::uint64_t memory_side = local_hit(get("mi300x")) +
        2 * figure(get("mi300x"), block_of<MemorySideSpec>(), "hop") +
        figure(get("mi300x"), block_of<MemorySideSpec>(), "latency");
    EXPECT_EQ(memory_side, 217'000U);
    // A chase over more than the caches hold opens a row for every load and meets a refresh now and then.
    const auto miss = [&](const char* name) {
        const HbmSpec hbm = resolved(std::string("profile: ") + name + "\n").hbm(0);
        EXPECT_NE(hbm.refresh, RefreshMode::none);
        const std::uint64_t refresh = hbm.t_rfc * hbm.t_rfc / hbm.t_refi / 2;
        return static_cast<double>(local_hit(get(name)) + idle_read(hbm) + refresh);
    };
    EXPECT_NEAR(miss("h100"), 330'000, 500);
    EXPECT_NEAR(miss("h200"), 330'000, 500);
    EXPECT_NEAR(miss("h20"), 330'000, 500);
    EXPECT_NEAR(miss("a100"), 375'000, 500);
    EXPECT_NEAR(miss("mi300x") + memory_side - local_hit(get("mi300x")), 415'000, 1000);
    EXPECT_NEAR(miss("b200"), 388'000, 500);
    EXPECT_NEAR(miss("v100"), 312'000, 500);
    EXPECT_EQ(peer_load(get("h100")), 824'000U);    // 826 ns measured, 2 ns of it serialisation
    EXPECT_EQ(peer_load(get("b200")), 1'716'000U);  // 1710 to 1727 ns measured
}

TEST(Profiles, EveryFigureHasSourceAndGradeAndEveryPhysicalParameterIsStated)
{
    ProfileStore store;
    // What is physical; parameters that choose how a model works keep their defaults.
    const std::vector<std::pair<Block, std::vector<const char*>>> physical{
        {block_of<GpuSpec>(),
            {"compute_units", "clock", "outstanding", "workgroups_per_unit", "unit_to_l2", "l2_to_unit", "unit_to_port",
                "port_to_l2", "l2_to_port", "port_to_unit", "peak_flops"}},
        {block_of<L2Spec>(), {"size", "ways", "slices", "bandwidth", "latency"}},
        {block_of<HbmSpec>(),
            {"bandwidth", "channels", "capacity", "banks", "request_latency", "response_latency", "t_ccd_l", "t_rfc",
                "t_refi"}}};
    for (const Profile& profile : store.profiles()) {
        for (const auto& [block, names] : physical)
            for (const char* name : names)
                EXPECT_EQ(profile.of(block).count(*info_of(block).find(name)), 1U) << profile.name << " " << name;
        for (const Block block : BlockTable::built_in()->all()) {
            for (const auto& [parameter, figure] : profile.of(block)) {
                EXPECT_FALSE(figure.grade.empty()) << profile.name << " " << info_of(block).path_of(parameter);
                EXPECT_EQ(figure.source.find(".yaml:"), std::string::npos) << profile.name << " " << figure.source;
            }
        }
        EXPECT_TRUE(profile.scale_up.links && profile.scale_up.rate) << profile.name;
        EXPECT_NE(LinkTable::built_in().by_name(profile.scale_up.link), nullptr) << profile.name;
    }
    EXPECT_EQ(store.names().size(), 8U);
}

TEST(Profiles, DescriptionsCallForThePartThatTheyNameFirst)
{
    ProfileStore store;
    const auto name = [&](const char* text) {
        const Profile* profile = store.matching(text);
        return profile == nullptr ? std::string("none") : profile->name;
    };
    EXPECT_EQ(name("NVIDIA H100 / H200 SXM5"), "h100");
    EXPECT_EQ(name("NVIDIA HGX H200 141GB 700W SXM5"), "h200");
    EXPECT_EQ(name("NVIDIA HGX H20 96GB"), "h20");
    EXPECT_EQ(name("AMD INSTINCT MI300X OAM"), "mi300x");
    EXPECT_EQ(name("NVIDIA Grace Blackwell Superchip"), "b200");
    EXPECT_EQ(name("NVIDIA Tesla V100 SXM2"), "v100");
    EXPECT_EQ(name("Intel Gaudi3"), "none");
}

TEST(Profiles, UnknownNamesNameTheNearestAndThePlace)
{
    const std::string error = error_of([] { resolved("profile: h10\n"); });
    EXPECT_EQ(error, "system.yaml:2: unknown profile 'h10'; expected a profile (did you mean 'h100'?)");
    const std::string none = error_of([] { resolved("profile: nope\n"); });
    EXPECT_NE(none.find("unknown profile 'nope'; expected a profile: a100, b200, "), std::string::npos) << none;
    const std::string file = error_of([] { resolved("profile: ./nowhere.yaml\n"); });
    EXPECT_NE(file.find("system.yaml:2: profile './nowhere.yaml' cannot be read"), std::string::npos) << file;
}

struct TemporaryProfile {
    test::ScratchFolder folder;
    std::string path = folder.file("profile.yaml");
    explicit TemporaryProfile(const std::string& text) { std::ofstream(path) << text; }
};

TEST(Profiles, AFileMayBuildOnABuiltInOne)
{
    const TemporaryProfile file("profile: mine\nbase: h100\nl2:\n  size: 60 MiB\nhbm:\n"
                                "  capacity: {value: 96 GB, source: data sheet, grade: vendor specification}\n");
    const ResolvedSystem system = resolved("profile: " + file.path + "\n");
    EXPECT_EQ(explained(system, "box.0.xpu.0", "l2.size"), "60 MiB | profile mine: " + file.path + ":4");
    EXPECT_NE(explained(system, "box.0.xpu.0", "hbm.capacity").find("profile mine: data sheet (vendor specification)"),
        std::string::npos);
    EXPECT_EQ(system.hbm(0).capacity, 96'000'000'000U);
    EXPECT_EQ(system.gpu(0).compute_units, 132U);
    EXPECT_EQ(system.profile(0), "mine");
}

// Another part's source is no source of this one: it is said whose it is.
TEST(Profiles, WhatComesFromTheBaseSaysSo)
{
    const TemporaryProfile file("profile: mine\nbase: h200\nscale_up:\n  links: 9\nhbm:\n  bandwidth: 6 TB/s\n");
    const ResolvedSystem system = resolved("profile: " + file.path + "\n");
    const auto source = [&](const char* parameter) { return explained(system, "box.0.xpu.0", parameter); };
    EXPECT_EQ(source("hbm.bandwidth"), "6000 GB/s | profile mine: " + file.path + ":6");
    EXPECT_EQ(source("hbm.capacity"),
        "141 GB | profile mine: inherited from h200: NVIDIA H200 datasheet (vendor specification)");
    // Of the base's own base: the profile that states it.
    EXPECT_EQ(source("gpu.unit_to_l2"),
        "41 ns | profile mine: inherited from h100: gpu-benches, GH200: share of the 142 ns near L2 hit (inferred)");
    const std::string link = explained(system, "box.0.xpu.0~box.0.nvsw.0", "link.bandwidth");
    EXPECT_NE(link.find("profile mine: 9 x 25 GB/s over 2 edges: inherited from h100: NVIDIA H100 whitepaper"),
        std::string::npos)
        << link;
    EXPECT_EQ(explained(resolved("profile: h100\n"), "box.0.xpu.0", "hbm.capacity").find("inherited"),
        std::string::npos);
}

TEST(Profiles, MistakesInAFileHaveItsLine)
{
    const TemporaryProfile file("profile: mine\ngpu:\n  clok: 2 GHz\nl2:\n  size: 1 B\nhbm:\n"
                                "  channels: {value: 8, grade: guessed}\nscale_up:\n  links: 0\n  link: nvlink_44\n"
                                "  family: nvlnk\n");
    const std::string error = error_of([&] { resolved("profile: " + file.path + "\n"); });
    EXPECT_NE(error.find(file.path + ":3: unknown key 'clok' in 'gpu'; expected 'clock'"), std::string::npos) << error;
    EXPECT_NE(error.find(":5: l2.size = 1 B is out of range; expected 64 B to 64 GiB"), std::string::npos) << error;
    EXPECT_NE(error.find(":7: unknown grade 'guessed'"), std::string::npos) << error;
    EXPECT_NE(error.find(":9: '0' is not a value of scale_up.links"), std::string::npos) << error;
    EXPECT_NE(
        error.find(":10: 'nvlink_44' is not a link of the link table; expected a link (did you mean 'nvlink_4'?)"),
        std::string::npos)
        << error;
    EXPECT_NE(
        error.find(
            ":11: 'nvlnk' is not a family of the link table; expected a family of links (did you mean 'nvlink'?)"),
        std::string::npos)
        << error;
}

// Edges of a link of another family would not share out the links of the profile.
TEST(Profiles, TheOwnLinkIsOfTheOwnFamily)
{
    const auto refusal = [](const std::string& lines) {
        const TemporaryProfile file("profile: mine\n" + lines);
        const std::string error = error_of([&] { resolved("profile: " + file.path + "\n"); });
        return error.substr(0, file.path.size()) == file.path ? error.substr(file.path.size()) : error;
    };
    const std::string is_nvlink = "scale_up.link = nvlink_4 is of family nvlink, but scale_up.family is ";
    EXPECT_EQ(refusal("scale_up:\n  family: xgmi\n  link: nvlink_4\n  links: 4\n  rate: 10 GB/s\n"),
        ":4: " + is_nvlink + "xgmi; expected a link of that family: xgmi");
    EXPECT_EQ(refusal("scale_up:\n  link: nvlink_4\n  family: ualink\n"),
        ":4: " + is_nvlink + "ualink; expected a link of that family: ualink");
    // The other one may be that of the base.
    EXPECT_EQ(refusal("base: h100\nscale_up:\n  family: sue\n"),
        ":4: " + is_nvlink + "sue; expected a link of that family: ethernet_sue");
    EXPECT_EQ(refusal("base: mi300x\nscale_up:\n  link: nvlink_4\n"),
        ":4: " + is_nvlink + "xgmi; expected a link of that family: xgmi");
    EXPECT_EQ(refusal("base: h100\nscale_up:\n  link: pcie_gen5\n"),
        ":4: scale_up.link = pcie_gen5 is of no family, but scale_up.family is nvlink; expected a link of that family: "
        "nvlink, nvlink_1, nvlink_2, nvlink_3, nvlink_4 or nvlink_5");
    for (const char* good : {"base: h100\nscale_up:\n  link: nvlink_5\n", "scale_up: {family: osfp, link: osfp_link}\n",
             "scale_up: {family: c2c, link: nvlink_c2c}\n", "base: mi300x\nscale_up:\n  link: xpu_fabric\n"})
        EXPECT_EQ(refusal(good), "") << good;
    ProfileStore store;
    for (const Profile& profile : store.profiles())
        EXPECT_TRUE(profile.scale_up.has(LinkTable::built_in().by_name(profile.scale_up.link)->family)) << profile.name;
}

// What is compiled in is what the files say, line by line.
TEST(Profiles, BuiltInTreesAreThoseOfTheFiles)
{
    EXPECT_EQ(embedded_files().size(), 11u);
    for (const EmbeddedFile& file : embedded_files()) {
        const std::string path = std::string(WEFT_SOURCE_DIR) + "/platform/profiles/" + file.name;
        EXPECT_EQ(file.tree.packed(), YamlTree(file.name, read_text_file(path)).packed()) << file.name;
    }
}

}  // namespace
}  // namespace weft::profile_test
