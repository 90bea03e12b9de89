#include "collectives/workload/model_reader.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/text_file.h"
#include "infragraph/fields.h"
#include "collectives/workload/parameters.h"

namespace weft::workload {

namespace {

using Need = Fields::Need;

// The keys of one mapping of a model.
class ModelFields {
public:
    ModelFields(const YamlTree& tree, YamlTree::Id id, const char* what, Findings& findings)
        : tree_(tree), findings_(findings), fields_(tree, id, what, findings)
    {
    }

    std::uint64_t count(const char* key, Need need, std::uint64_t least = 1, std::uint64_t otherwise = 0)
    {
        const auto value = fields_.int32(key, need);
        if (!value) return otherwise;
        return checked(*value, key, least, tree_.line(*fields_.get(key)));
    }

    bool flag(const char* key, bool otherwise)
    {
        const auto id = fields_.get(key);
        if (!id) return otherwise;
        const std::string_view text = tree_.text_or_empty(*id);
        if (text != "true" && text != "false")
            findings_.refuse(tree_.line(*id), "'" + std::string(key) + "' is " + tree_.describe(*id), "true or false");
        return text == "true";
    }

    std::vector<std::uint64_t> counts(const char* key, std::uint64_t least)
    {
        std::vector<std::uint64_t> out;
        for (const YamlTree::Id id : fields_.list(key, Need::required)) {
            const std::string text(tree_.text_or_empty(id));
            const bool digits =
                !text.empty() && text.size() <= 10 && text.find_first_not_of("0123456789") == std::string::npos;
            if (!digits)
                findings_.refuse(tree_.line(id), "an item of '" + std::string(key) + "' is " + tree_.describe(id),
                    "a whole number");
            else
                out.push_back(checked(std::stoll(text), key, least, tree_.line(id)));
        }
        return out;
    }

    Fields& fields() { return fields_; }
    int line() const { return fields_.line(); }

private:
    std::uint64_t checked(long long value, const std::string& key, std::uint64_t least, int line)
    {
        constexpr std::uint64_t most = 1'000'000'000;
        if (value < 0 || static_cast<std::uint64_t>(value) < least || static_cast<std::uint64_t>(value) > most) {
            findings_.refuse(line, "'" + key + "' is " + std::to_string(value),
                std::to_string(least) + " to 1000000000");
            return least;
        }
        return static_cast<std::uint64_t>(value);
    }

    const YamlTree& tree_;
    Findings& findings_;
    Fields fields_;
};

Transformer read_transformer(ModelFields& in, const YamlTree& tree, Findings& findings)
{
    Transformer model;
    model.layers = in.count("layers", Need::required);
    model.hidden = in.count("hidden", Need::required);
    model.heads = in.count("heads", Need::required);
    const bool widths_known = !findings.failed();
    model.kv_heads = in.count("kv_heads", Need::optional, 1, model.heads);
    model.head_width = in.count("head_width", Need::optional, 1, model.heads > 0 ? model.hidden / model.heads : 0);
    model.gated = in.flag("gated", true);
    model.biases = in.flag("biases", false);
    model.experts = in.count("experts", Need::optional, 2);
    const Need of_experts = model.experts > 0 ? Need::required : Need::optional;
    model.top_k = in.count("top_k", of_experts);
    model.expert_ffn = in.count("expert_ffn", of_experts);
    model.shared_experts = in.count("shared_experts", Need::optional, 0);
    model.dense_layers = in.count("dense_layers", Need::optional, 0);
    const bool any_dense = model.experts == 0 || model.dense_layers > 0;
    model.ffn = in.count("ffn", any_dense ? Need::required : Need::optional);
    model.vocabulary = in.count("vocabulary", Need::required);
    model.tied = in.flag("tied", false);
    model.positions = in.count("positions", Need::optional, 0);
    model.sequence = in.count("sequence", Need::required);
    if (const auto id = in.fields().get("latent")) {
        ModelFields latent(tree, *id, "latent attention", findings);
        model.latent.query_rank = latent.count("query_rank", Need::optional, 0);
        model.latent.kv_rank = latent.count("kv_rank", Need::required);
        model.latent.nope_width = latent.count("nope_width", Need::required);
        model.latent.rope_width = latent.count("rope_width", Need::required);
        model.latent.value_width = latent.count("value_width", Need::required);
        latent.fields().finish();
    }
    // Latent attention states the widths of its heads.
    if (widths_known && !in.fields().get("head_width") && !model.latent.used() && model.hidden % model.heads != 0)
        findings.refuse(tree.line(*in.fields().get("hidden")),
            "hidden " + std::to_string(model.hidden) + " is not a multiple of heads " + std::to_string(model.heads),
            "a multiple, or head_width");
    if (model.heads % std::max<std::uint64_t>(1, model.kv_heads) != 0)
        findings.refuse(in.line(),
            std::to_string(model.heads) + " heads share " + std::to_string(model.kv_heads) + " heads of keys",
            "'heads' a multiple of 'kv_heads'");
    if (model.experts > 0 && model.top_k > model.experts)
        findings.refuse(in.line(),
            "'top_k' is " + std::to_string(model.top_k) + " of " + std::to_string(model.experts) + " experts",
            "at most 'experts'");
    if (model.experts == 0 && model.top_k + model.expert_ffn + model.shared_experts + model.dense_layers > 0)
        findings.refuse(in.line(), "keys of experts without 'experts'",
            "'experts', or none of top_k, expert_ffn, shared_experts, dense_layers");
    if (model.dense_layers > model.layers)
        findings.refuse(in.line(), "more 'dense_layers' than 'layers'", "at most " + std::to_string(model.layers));
    return model;
}

Dlrm read_dlrm(ModelFields& in, Findings& findings)
{
    Dlrm model;
    model.rows = in.counts("rows", 1);
    model.lookups = in.counts("lookups", 1);
    model.width = in.count("width", Need::required);
    model.bottom = in.counts("bottom", 1);
    model.top = in.counts("top", 1);
    model.cross_layers = in.count("cross_layers", Need::optional, 0);
    model.cross_rank = in.count("cross_rank", model.cross_layers > 0 ? Need::required : Need::optional, 1);
    if (model.lookups.size() != model.rows.size())
        findings.refuse(in.line(),
            std::to_string(model.lookups.size()) + " 'lookups' for " + std::to_string(model.rows.size()) + " tables",
            "one for each of 'rows'");
    if (!model.bottom.empty() && model.bottom.back() != model.width)
        findings.refuse(in.line(), "the last width of 'bottom' is " + std::to_string(model.bottom.back()),
            "that of the embeddings, " + std::to_string(model.width));
    return model;
}

Cnn read_cnn(ModelFields& in, const YamlTree& tree, Findings& findings)
{
    Cnn model;
    for (const YamlTree::Id id : in.fields().list("convolutions", Need::required)) {
        ModelFields each(tree, id, "convolution", findings);
        Convolution layer;
        layer.name = each.fields().text("name", Need::required).value_or("");
        layer.repeat = each.count("repeat", Need::optional, 1, 1);
        layer.out_size = each.count("out_size", Need::required);
        layer.kernel = each.count("kernel", Need::required);
        layer.in = each.count("in", Need::required);
        layer.out = each.count("out", Need::required);
        each.fields().finish();
        model.convolutions.push_back(layer);
    }
    model.features = in.count("features", Need::required);
    model.classes = in.count("classes", Need::required);
    return model;
}

void read_published(Model& model, ModelFields& in, const YamlTree& tree, Findings& findings)
{
    for (const YamlTree::Id id : in.fields().list("published")) {
        ModelFields each(tree, id, "published figure", findings);
        Published figure;
        figure.quantity = each.fields().text("quantity", Need::required).value_or("");
        figure.source = each.fields().text("source", Need::required).value_or("");
        figure.grade = each.fields().text("grade", Need::required).value_or("");
        if (const auto value = each.fields().get("value", Need::required)) {
            figure.value = std::string(tree.text_or_empty(*value));
            if (!printed_number(figure.value))
                findings.refuse(tree.line(*value), "a published value is " + tree.describe(*value),
                    "digits, followed by K, M, B or T");
        }
        if (!figure.quantity.empty() && !quantity(model, figure.quantity))
            findings.refuse(each.line(), "unknown quantity " + in_quotes(figure.quantity),
                "parameters, active_parameters (transformer), embedding_rows or dense_parameters (dlrm)");
        each.fields().finish();
        model.published.push_back(figure);
    }
}

}  // namespace

Model read_model(const std::string& file, const std::string& text)
{
    const YamlTree tree(file, text);
    Findings findings(file, false);
    ModelFields in(tree, tree.root(), "model", findings);
    Model model;
    model.name = in.fields().text("model", Need::required).value_or("");
    model.text = in.fields().text("text").value_or("");
    const std::string kind = in.fields().text("kind", Need::required).value_or("");
    if (kind == "transformer") {
        model.transformer = read_transformer(in, tree, findings);
    } else if (kind == "dlrm") {
        model.kind = ModelKind::dlrm;
        model.dlrm = read_dlrm(in, findings);
    } else if (kind == "cnn") {
        model.kind = ModelKind::cnn;
        model.cnn = read_cnn(in, tree, findings);
    } else if (!kind.empty()) {
        findings.refuse(tree.line(*in.fields().get("kind")), "unknown kind " + in_quotes(kind),
            "transformer, dlrm or cnn");
    }
    findings.throw_if_failed();
    read_published(model, in, tree, findings);
    in.fields().finish();
    findings.throw_if_failed();
    return model;
}

const std::vector<Model>& named_models()
{
    static const std::vector<Model> models = [] {
        std::vector<Model> all;
        for (const ModelFile& file : model_files()) all.push_back(read_model(file.name, file.text));
        return all;
    }();
    return models;
}

Model load_model(const std::string& name)
{
    const bool is_file =
        name.find('/') != std::string::npos || (name.size() > 5 && name.compare(name.size() - 5, 5, ".yaml") == 0);
    if (is_file) return read_model(name, read_text_file(name, std::size_t{1} << 24));
    std::vector<std::string> known;
    for (const Model& model : named_models()) {
        if (model.name == name) return model;
        known.push_back(model.name);
    }
    const std::string nearest = nearest_name(name.substr(0, 64), known);
    throw InputError("weft", 0, "unknown model '" + name.substr(0, 64) + "'",
        "a name that 'weft workload --list' shows, or a file NAME.yaml" +
            (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

}  // namespace weft::workload
