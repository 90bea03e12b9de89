// The properties of a model that determine its traffic and its operations. Read from YAML: model_reader.h. No SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::workload {

enum class ModelKind : std::uint8_t { transformer, dlrm, cnn };

// Compressed attention (multi-head latent attention). All 0: grouped-query attention.
struct LatentAttention {
    std::uint64_t query_rank = 0;
    std::uint64_t kv_rank = 0;
    std::uint64_t nope_width = 0;   // of a head, without position
    std::uint64_t rope_width = 0;   // of a head, with position; shared by the heads of the keys
    std::uint64_t value_width = 0;  // of a head

    bool used() const { return kv_rank > 0; }
};

struct Transformer {
    std::uint64_t layers = 0;
    std::uint64_t hidden = 0;
    std::uint64_t heads = 0;
    std::uint64_t kv_heads = 0;
    std::uint64_t head_width = 0;
    LatentAttention latent;
    std::uint64_t ffn = 0;      // width of a dense feed-forward part
    bool gated = true;          // three matrices in place of two
    bool biases = false;        // of every matrix of a layer and of its norms, as GPT
    std::uint64_t experts = 0;  // routed; 0: every layer is dense
    std::uint64_t top_k = 0;    // routed experts of a token
    std::uint64_t shared_experts = 0;
    std::uint64_t expert_ffn = 0;    // width of one expert
    std::uint64_t dense_layers = 0;  // the first layers, which have no experts
    std::uint64_t vocabulary = 0;
    bool tied = false;            // one table for input and output
    std::uint64_t positions = 0;  // learned position embeddings
    std::uint64_t sequence = 0;   // usual length, tokens

    bool has_experts(std::uint64_t layer) const { return experts > 0 && layer >= dense_layers; }
};

struct Dlrm {
    std::vector<std::uint64_t> rows;     // of each table
    std::vector<std::uint64_t> lookups;  // of each table and sample
    std::uint64_t width = 0;             // of an embedding
    std::vector<std::uint64_t> bottom;   // widths, the dense features first
    std::vector<std::uint64_t> top;      // widths of the layers behind the interaction
    std::uint64_t cross_layers = 0;      // low-rank crosses (DCNv2); 0: dot interaction
    std::uint64_t cross_rank = 0;
};

// A convolution without bias and the batch norm behind it, `repeat` times.
struct Convolution {
    std::string name;
    std::uint64_t repeat = 1;
    std::uint64_t out_size = 0;  // height and width of what comes out
    std::uint64_t kernel = 0;    // height and width of the filter
    std::uint64_t in = 0;        // channels
    std::uint64_t out = 0;
};

struct Cnn {
    std::vector<Convolution> convolutions;
    std::uint64_t features = 0;  // of the fully connected layer, with biases
    std::uint64_t classes = 0;
};

// A figure that others state of the model, to hold ours against.
struct Published {
    std::string quantity;  // parameters, active_parameters, embedding_rows, dense_parameters
    std::string value;     // as printed: "174.6 B", "25557032"
    std::string source;
    std::string grade;
};

struct Model {
    std::string name;
    std::string text;
    ModelKind kind = ModelKind::transformer;
    Transformer transformer;
    Dlrm dlrm;
    Cnn cnn;
    std::vector<Published> published;
};

}  // namespace weft::workload
