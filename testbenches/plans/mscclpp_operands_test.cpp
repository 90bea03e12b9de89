// Operations of MSCCL++ plans with operands that their names do not allow.
#include <gtest/gtest.h>

#include "collectives/plans/mscclpp_reader.h"
#include "testbenches/plans/fixtures.h"

namespace mscclpp_operands_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

// l: local, r: remote, g: of a switch channel.
std::string operands(const std::string& kinds)
{
    std::string out;
    for (const char kind : kinds)
        out += std::string(out.empty() ? "" : ", ") +
            (kind == 'l'          ? R"({"type": "s", "index": 0, "size": 1})"
                    : kind == 'r' ? R"({"buffer_id": 0, "index": 0, "size": 1})"
                                  : R"({"switch_channel_id": 0, "index": 0, "size": 1})");
    return "[" + out + "]";
}

// The plan with this operation in place of that of rank 0, in line 9.
std::string refusal(const std::string& name, const std::string& sources, const std::string& destinations)
{
    const std::size_t begin = pair_json.find("{\"name\": \"rres\"");
    const std::string last = "\"sum\"}";
    const std::size_t end = pair_json.find(last, begin) + last.size();
    return refusal_of_json(pair_json.substr(0, begin) + "{\"name\": \"" + name +
        "\", \"src_buff\": " + operands(sources) + ", \"dst_buff\": " + operands(destinations) +
        ", \"channel_type\": \"memory\"}" + pair_json.substr(end));
}

// The plan with this operation in place of that of rank 0, in line 9.
std::string problems_with(const std::string& operation)
{
    const std::size_t begin = pair_json.find("{\"name\": \"rres\"");
    const std::string last = "\"sum\"}";
    const std::size_t end = pair_json.find(last, begin) + last.size();
    return problems_of(
        read_mscclpp_json(pair_json.substr(0, begin) + operation + pair_json.substr(end), "plan.json", {}));
}

struct Form {
    const char* name;
    const char* sources;
    const char* destinations;
};

}  // namespace

TEST(MscclppOperands, WhatANameAllowsIsRead)
{
    const Form forms[] = {{"put", "l", "r"}, {"put", "ll", "rr"}, {"pws", "l", "r"}, {"pwsf", "l", "r"},
        {"get", "r", "l"}, {"get", "rr", "ll"}, {"copy", "l", "l"}, {"re", "ll", "l"}, {"re", "lll", "l"},
        {"res", "ll", "lr"}, {"res", "lll", "lrr"}, {"rre", "lr", "l"}, {"rre", "lrr", "l"}, {"rres", "lr", "lr"},
        {"rres", "lrr", "lrr"}, {"ppkt", "l", "r"}, {"ppkt", "ll", "rr"}, {"cpkt", "l", "l"}, {"upkt", "l", "l"},
        {"rppkt", "l", "rr"}, {"repkt", "lll", "l"}, {"respkt", "lll", "lrr"}, {"recpkt", "ll", "ll"},
        {"recspkt", "ll", "llrr"}, {"glres", "g", "g"}, {"gstore", "l", "g"}, {"gstorepkt", "l", "g"},
        {"glre", "g", "l"}};
    for (const Form& form : forms) EXPECT_EQ(refusal(form.name, form.sources, form.destinations), "") << form.name;
}

TEST(MscclppOperands, WhatANameDoesNotAllowIsRefused)
{
    const Form forms[] = {{"put", "r", "l"}, {"put", "l", "l"}, {"put", "r", "r"}, {"put", "l", "rr"}, {"put", "", ""},
        {"pws", "l", "l"}, {"pwsf", "l", "l"}, {"get", "l", "r"}, {"get", "l", "l"}, {"copy", "l", "r"},
        {"copy", "r", "l"}, {"copy", "ll", "l"}, {"re", "lr", "l"}, {"re", "ll", "r"}, {"re", "ll", "ll"},
        {"res", "lr", "lr"}, {"res", "ll", "l"}, {"res", "ll", "ll"}, {"rre", "lr", "lr"}, {"rre", "ll", "l"},
        {"rre", "l", "l"}, {"rre", "rl", "l"}, {"rres", "lr", "l"}, {"rres", "lr", "rl"}, {"ppkt", "l", "l"},
        {"cpkt", "l", "r"}, {"upkt", "r", "l"}, {"rppkt", "l", "l"}, {"rppkt", "ll", "r"}, {"repkt", "ll", "lr"},
        {"repkt", "lr", "l"}, {"repkt", "l", "l"}, {"respkt", "ll", "l"}, {"respkt", "ll", "ll"},
        {"recpkt", "ll", "lr"}, {"recpkt", "ll", "l"}, {"recspkt", "ll", "lr"}, {"recspkt", "ll", "ll"},
        {"glres", "l", "g"}, {"gstore", "r", "g"}, {"gstorepkt", "l", "r"}, {"glre", "g", "r"}, {"copy", "g", "l"}};
    for (const Form& form : forms) {
        const std::string head = std::string("plan.json:9: ") + form.name + " reads ";
        EXPECT_EQ(refusal(form.name, form.sources, form.destinations).substr(0, head.size()), head)
            << form.name << " " << form.sources << " " << form.destinations;
    }
}

TEST(MscclppOperands, TheMessageHasBoth)
{
    EXPECT_EQ(refusal("rre", "lr", "lr"),
        "plan.json:9: rre reads 1 local, 1 remote and writes 1 local, 1 remote; expected it to read 1 local, 1 or more "
        "remote and to write 1 local");
    EXPECT_EQ(refusal("put", "l", "rr"),
        "plan.json:9: put reads 1 local and writes 2 remote; expected it to read 1 or more local and to write 1 or "
        "more remote, as many as it reads");
    EXPECT_EQ(refusal("recspkt", "", "lg"),
        "plan.json:9: recspkt reads nothing and writes 1 local, 1 of a switch channel; expected it to read 2 or more "
        "local and to write 2 local, 1 or more remote");
}

TEST(MscclppOperands, WhatPortsAloneCanIsWrongElsewhere)
{
    const std::string put =
        ", \"src_buff\": " + operands("l") + ", \"dst_buff\": " + operands("r") + ", \"channel_ids\": [0]";
    for (const std::string name : {"pws", "pwsf", "flush"}) {
        const std::string where = name == "flush" ? ", \"channel_ids\": [0]" : put;
        EXPECT_NE(problems_with("{\"name\": \"" + name + "\"" + where + ", \"channel_type\": \"memory\"}")
                      .find("plan.json:9: " + name + " on memory channels; expected port channels\n"),
            std::string::npos)
            << name;
    }
}

TEST(MscclppOperands, AReductionOfWhatAddsNothingIsANotice)
{
    const std::string both =
        R"("src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}],)";
    const std::string text = with(pair_json, "{\"name\": \"wait\"",
        "{\"name\": \"put\", " + both +
            " \"channel_ids\": [0], \"channel_type\": \"memory\", \"reduce_op\": \"prod\"},\n{\"name\": \"wait\"");
    const std::vector<Diagnostic> notices = read_mscclpp_json(text, "plan.json", {}).notices;
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_NE(notices[0].text().find("'reduce_op' of a put that adds nothing is not read"), std::string::npos);
}

TEST(MscclppOperands, SizesThatCannotBeAreRefused)
{
    const auto refusal_with = [](const std::string& keys) {
        return refusal_of_json(with(pair_json, "\"inplace\": true", keys + ", \"inplace\": true"));
    };
    EXPECT_EQ(refusal_with("\"buffer_alignment\": 0"), "plan.json:2: 'buffer_alignment' 0; expected 1 or more");
    EXPECT_EQ(refusal_with("\"min_message_size\": 9, \"max_message_size\": 8"),
        "plan.json:2: 'min_message_size' 9 above 'max_message_size' 8; expected a least size that is not above the "
        "largest");
}

}  // namespace mscclpp_operands_test
