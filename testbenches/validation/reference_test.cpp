// Every row of the published tables that are shown is shown, and what is left out stands on docs/validation.md with its reason.
// The published tables lie beside the repository (WEFT_SHARED_DIR); where they are absent, that test is skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/text_file.h"
#include "platform/applications/validation/measured.h"
#include "testbenches/validation/published_tables.h"

namespace reference_test {

using namespace weft;

namespace {

// A published series: the tables that show it, or the line of the page that says why it is left out.
struct Place {
    std::string series;  // begins with this
    std::vector<std::string> tables;
    std::string omission;
    double bytes_factor = 1;  // what is published in elements
    bool algbw = false;       // GB/s of bytes over time, rounded to three figures
};

const std::vector<Place>& places()
{
    static const std::vector<Place> all = {
        {"5.1 us plain", {"mi300x_plain"}, ""},
        {"5.1 us in graph", {"mi300x_all_reduce"}, ""},
        {"5.2 second", {"mi355x_all_to_all"}, ""},
        {"5.2 us", {"mi355x_all_reduce"}, ""},
        {"5.3 algbw", {"h200_all_reduce"}, "", 1, true},
        {"5.3 busbw", {}, "follow from the times"},
        {"5.4 ", {"h100_16_all_reduce"}, ""},
        {"5.5 us (busbw) NVLS", {"h100_nvls_sizes"}, ""},
        {"5.5 us, Torch", {"h100_torch"}, ""},
        {"5.6 ", {"h20_ring"}, ""},
        {"5.7 GB200, all-reduce, 4", {"gb200_all_reduce"}, ""},
        {"5.7 GB200 (a), all-reduce, 64", {"gb200_64_all_reduce"}, ""},
        {"5.7 GB200 NVL72", {"nvl72_all_reduce"}, ""},
        {"5.7 NVL72 class", {"nvl72_32_all_reduce"}, ""},
        {"5.7 GB200, 2 racks", {}, "two and three racks"},
        {"5.7 GB300, 2 racks", {}, "two and three racks"},
        {"5.7 GB300, all-reduce, 4", {"gb300_4_all_reduce"}, ""},
        {"5.7 GB300, all-reduce, 8", {"gb300_all_reduce"}, ""},
        {"5.7 GB300, all-reduce, 64", {"gb300_64_all_reduce"}, ""},
        {"5.7 GB200, all-to-all, 4", {"gb200_4_all_to_all"}, ""},
        {"5.7 GB200, all-to-all, 8", {"gb200_8_all_to_all"}, ""},
        {"5.7 GB200, all-to-all, 64", {"gb200_64_all_to_all"}, ""},
        {"5.7 GB300, all-to-all, 4", {"gb300_4_all_to_all"}, ""},
        {"5.7 GB300, all-to-all, 8", {"gb300_all_to_all"}, ""},
        {"5.7 GB300, all-to-all, 64", {"gb300_64_all_to_all"}, ""},
        {"6.1 vLLM-style TP2 / 4 / 8 #0", {"h100_vllm_stream_tp2"}, "", 4},
        {"6.1 vLLM-style TP2 / 4 / 8 #1", {"h100_vllm_stream_tp4"}, "", 4},
        {"6.1 vLLM-style TP2 / 4 / 8 #2", {"h100_vllm_stream_tp8"}, "", 4},
        {"6.1 TRT-LLM-style TP2 / 4 / 8 #0", {"h100_small_tp2"}, "", 4},
        {"6.1 TRT-LLM-style TP2 / 4 / 8 #1", {"h100_small_tp4"}, "", 4},
        {"6.1 TRT-LLM-style TP2 / 4 / 8 #2", {"h100_small_tp8"}, "", 4},
        {"6.2 H100 TP6 (PR 24111): 1-shot / 2-shot / NCCL / multimem #0", {"h100_vllm_tp6_one_shot"}, ""},
        {"6.2 H100 TP6 (PR 24111): 1-shot / 2-shot / NCCL / multimem #1", {"h100_vllm_tp6_two_shot"}, ""},
        {"6.2 H100 TP6 (PR 24111): 1-shot / 2-shot / NCCL / multimem #2", {"h100_nccl_graph_tp6"}, ""},
        {"6.2 H100 TP6 (PR 24111): 1-shot / 2-shot / NCCL / multimem #3", {"h100_torch_tp6_multimem"}, ""},
        {"6.2 H100 TP4 (PR 24532): 1-shot / 2-shot / NCCL / NCCL symmetric / multimem #0", {"h100_vllm_tp4_one_shot"},
            ""},
        {"6.2 H100 TP4 (PR 24532): 1-shot / 2-shot / NCCL / NCCL symmetric / multimem #1", {"h100_vllm_tp4_two_shot"},
            ""},
        {"6.2 H100 TP4 (PR 24532): 1-shot / 2-shot / NCCL / NCCL symmetric / multimem #2", {"h100_nccl_graph_tp4"}, ""},
        {"6.2 H100 TP4 (PR 24532): 1-shot / 2-shot / NCCL / NCCL symmetric / multimem #3", {"h100_nccl_symmetric_tp4"},
            ""},
        {"6.2 H100 TP4 (PR 24532): 1-shot / 2-shot / NCCL / NCCL symmetric / multimem #4",
            {"h100_torch_tp4_multimem_again"}, ""},
        {"6.2 SM90, probably TP8 (PR 42324): NCCL / multimem / 2-shot #0", {"h100_nccl_graph_tp8"}, ""},
        {"6.2 SM90, probably TP8 (PR 42324): NCCL / multimem / 2-shot #1", {"h100_torch_tp8_multimem"}, ""},
        {"6.2 SM90, probably TP8 (PR 42324): NCCL / multimem / 2-shot #2", {"h100_torch_tp8_two_shot"}, ""},
        {"6.2 B300 class (PR 37756): 1-shot / 2-shot / NCCL / multimem #0", {"b300_one_shot"}, ""},
        {"6.2 B300 class (PR 37756): 1-shot / 2-shot / NCCL / multimem #1", {"b300_two_shot"}, ""},
        {"6.2 B300 class (PR 37756): 1-shot / 2-shot / NCCL / multimem #2", {"b300_nccl"}, ""},
        {"6.2 B300 class (PR 37756): 1-shot / 2-shot / NCCL / multimem #3", {"b300_multimem"}, ""},
        {"6.3 8 x A100, MSCCL++ CI baseline #0", {"a100_all_reduce"}, ""},
        {"6.3 8 x A100, MSCCL++ CI baseline #1", {"a100_all_gather"}, ""},
        {"6.3 8 x A100, MSCCL++ CI baseline #2", {"a100_all_to_all"}, ""},
        {"6.3 8 x H100, MSCCL++ CI baseline #0", {"h100_mscclpp"}, ""},
        {"6.3 8 x H100, MSCCL++ CI baseline #1", {"h100_16_mscclpp"}, ""},
        {"6.3 8 x A100, MSCCL++ target table", {"a100_mscclpp_target"}, ""},
        {"6.3 2 GPUs, MSCCL++ tutorial", {}, "tutorial of MSCCL++"},
        {"6.3 MSCCL++ paper", {}, "paper on MSCCL++"},
        {"6.3 MI300X TP4 custom AR", {"mi300x_tp4"}, ""},
        {"6.3 same, quick-reduce FP16 #0", {"mi300x_quick_reduce"}, ""},
        {"6.3 same, quick-reduce FP16 #1", {}, "quick-reduce in INT4"},
        {"6.3 8 GPUs, symmetric-memory recipes", {"recipes_nccl", "recipes_one_shot", "recipes_multimem"}, ""},
        {"6.3 8 x H100 AG", {"h100_all_gather", "h100_all_gather_default"}, ""},
        {"6.3 8 x H100 RS", {"h100_reduce_scatter", "h100_reduce_scatter_default"}, ""},
        {"6.3 NVSHMEM reduction on stream", {}, "NVSHMEM"},
        {"6.3 GB200 NVL72 device-initiated", {}, "device-initiated all-reduce"},
        {"6.3 H100/H800 send-recv small", {}, "send and receive"},
        {"6.3 MI250X", {}, "MI250X"},
    };
    return all;
}

MeasuredTable table_of(const std::string& name)
{
    const std::string file = std::string(WEFT_SOURCE_DIR) + "/examples/validation/" + name + ".yaml";
    return read_measured(file, read_text_file(file));
}

bool shows(const MeasuredTable& table, const PublishedRow& row, const Place& place)
{
    const double bytes = static_cast<double>(row.bytes) * place.bytes_factor;
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const MeasuredRow& shown) {
        if (row.bytes > 0 && static_cast<double>(shown.number) != bytes) return false;
        if (place.algbw)
            return std::abs(shown.value / (bytes / row.value * 1e-3) - 1) < 0.006;  // 0.82 is 0.815 to 0.825
        return std::abs(shown.value - row.value) < 1e-9 * row.value;
    });
}

// What is neither shown nor left out with a reason that stands in `omissions`.
std::vector<std::string> missing(const std::vector<PublishedRow>& rows,
    const std::map<std::string, MeasuredTable>& tables, const std::string& omissions)
{
    std::vector<std::string> out;
    for (const PublishedRow& row : rows) {
        const auto place = std::find_if(places().begin(), places().end(),
            [&](const Place& known) { return row.series.rfind(known.series, 0) == 0; });
        const std::string text = row.series + ", " + std::to_string(row.bytes) + " B: " + std::to_string(row.value);
        if (place == places().end()) {
            out.push_back(text + " has no place");
        } else if (place->tables.empty()) {
            if (omissions.find(place->omission) == std::string::npos)
                out.push_back(text + " is left out without a reason");
        } else if (row.value > 0 &&
            std::none_of(place->tables.begin(), place->tables.end(),
                [&](const std::string& name) { return shows(tables.at(name), row, *place); })) {
            out.push_back(text + " is not shown");
        }
    }
    return out;
}

std::map<std::string, MeasuredTable> all_tables()
{
    std::map<std::string, MeasuredTable> out;
    for (const Place& place : places())
        for (const std::string& name : place.tables) out.emplace(name, table_of(name));
    return out;
}

std::string omissions_of_page()
{
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/validation.md");
    const std::size_t begin = page.find("\n### Published results that are left out\n");
    return begin == std::string::npos ? "" : page.substr(begin, page.find("\n## ", begin) - begin);
}

const std::string small_page =
    "## 5. Measured\n\n### 5.4 Sixteen\n\n| Size | us (busbw) | Size | us (busbw) |\n|---|---|---|---|\n"
    "| 8 B | 24.70 | 512M | 2355.1 (427.43) |\n\n### 5.7 Domain\n\n| System | Collective | GPUs | 4G us (busbw) "
    "|\n|---|---|---|---|\n"
    "| GB200, 2 racks / 3 racks | all-reduce | 128 / 192 | 11311 (754) / 12154 (703) |\n\n"
    "### 6.3 Others\n\n| System | Points (us) | Source |\n|---|---|---|\n| MI250X RCCL ring, 16 GCD, small | ~25 | "
    "pull request |\n";

}  // namespace

TEST(Reference, EveryPublishedRowIsShownOrLeftOutWithAReason)
{
    const std::string file = std::string(WEFT_SHARED_DIR) + "/reference/collectives.md";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published tables beside the repository";
    const std::vector<PublishedRow> rows = published_rows(read_text_file(file));
    EXPECT_GT(rows.size(), 330U);
    EXPECT_EQ(missing(rows, all_tables(), omissions_of_page()), std::vector<std::string>());
}

TEST(Reference, RowsAreReadFromTablesOfEachForm)
{
    const std::vector<PublishedRow> rows = published_rows(small_page);
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].series, "5.4 us (busbw)");
    EXPECT_EQ(rows[0].bytes, 8U);
    EXPECT_EQ(rows[0].value, 24.7);
    EXPECT_EQ(rows[1].bytes, 512ULL << 20);
    EXPECT_EQ(rows[1].value, 2355.1);
    EXPECT_EQ(rows[3].series, "5.7 GB200, 2 racks / 3 racks, all-reduce, 192");
    EXPECT_EQ(rows[3].bytes, 4ULL << 30);
    EXPECT_EQ(rows[3].value, 12154);
    EXPECT_EQ(rows[4].value, 25);
    EXPECT_EQ(published_bytes("1.5M"), 3U << 19);
}

// A row of the table that is missing, one with another value, and a reason that is not on the page.
TEST(Reference, WhatIsMissingIsFound)
{
    const std::vector<PublishedRow> rows = published_rows(small_page);
    std::map<std::string, MeasuredTable> tables;
    tables.emplace("h100_16_all_reduce", table_of("h100_16_all_reduce"));
    const std::string reasons = "two and three racks, MI250X";
    EXPECT_EQ(missing(rows, tables, reasons), std::vector<std::string>());
    std::vector<MeasuredRow>& shown = tables.at("h100_16_all_reduce").rows;
    shown.front().value += 0.01;
    EXPECT_EQ(missing(rows, tables, reasons), std::vector<std::string>{"5.4 us (busbw), 8 B: 24.700000 is not shown"});
    shown.erase(shown.begin());
    EXPECT_EQ(missing(rows, tables, reasons).size(), 1U);
    EXPECT_EQ(missing(rows, tables, "two and three racks"),
        (std::vector<std::string>{"5.4 us (busbw), 8 B: 24.700000 is not shown",
            "6.3 MI250X RCCL ring, 16 GCD, small #0, 0 B: 25.000000 is left out without a reason"}));
    EXPECT_EQ(missing({{"5.9 new", 8, 1}}, tables, reasons),
        std::vector<std::string>{"5.9 new, 8 B: 1.000000 has no place"});
}

}  // namespace reference_test
