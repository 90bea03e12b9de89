#include "collectives/workload/data_parallel.h"

#include <numeric>

#include "collectives/workload/parameters.h"

namespace weft::workload {

using chakra::CollectiveType;

namespace {

// Gradients of parts that come last to first, reduced in buckets beside what is still to be computed.
class GradientBuckets {
public:
    GradientBuckets(RankTrace& trace, const Options& options, const Membership& group)
        : trace_(trace), options_(options), group_(group)
    {
    }

    void add(std::uint64_t parameters, const std::string& name)
    {
        waiting_ += parameters;
        if (waiting_ * options_.gradient_bytes >= options_.bucket_bytes) flush(name);
    }
    void flush(const std::string& name)
    {
        if (waiting_ == 0) return;
        const NodeIds ids = trace_.beside("reduce_gradients " + name,
            {"data", CollectiveType::all_reduce, options_.gradient_bytes * waiting_, group_}, trace_.tail());
        reduced_.insert(reduced_.end(), ids.begin(), ids.end());
        waiting_ = 0;
    }
    void join() { trace_.join(reduced_); }

private:
    RankTrace& trace_;
    const Options& options_;
    const Membership& group_;
    std::uint64_t waiting_ = 0;
    NodeIds reduced_;
};

Kernel product_of(const char* name, std::uint64_t m, std::uint64_t k, std::uint64_t n, std::uint64_t element)
{
    return {name, {m, n, k, 1}, 2 * m * n * k, element * k * n, element * m * (k + n)};
}

void update(RankTrace& trace, std::uint64_t parameters, const Options& options)
{
    // Plain descent with a momentum: gradient, momentum and weight are read, the last two written.
    Kernel descent;
    descent.operations = 4 * parameters;
    descent.other_bytes = parameters * (options.gradient_bytes + 4 * options.element_bytes);
    trace.compute("optimizer", descent, Work::optimizer);
}

void backward_pair(RankTrace& trace, const std::string& name, const Kernel& kernel, bool first)
{
    Kernel input = kernel;
    std::swap(input.product.n, input.product.k);
    // Nothing lies before the first.
    if (!first) trace.compute(name + " backward", input, Work::backward);
    Kernel weights = kernel;
    weights.product = {kernel.product.k, kernel.product.n, kernel.product.m, kernel.product.count};
    trace.compute(name + " weights", weights, Work::backward);
}

class DlrmWriter {
public:
    DlrmWriter(const Dlrm& model, const Options& options, const RankGrid& grid, std::uint32_t rank)
        : model_(model), options_(options), trace_(rank), group_(grid.group(GroupKind::data, rank)),
          buckets_(trace_, options, group_), batch_(options.microbatch), vectors_(model.rows.size() + 1),
          wide_(model.cross_layers > 0 ? vectors_ * model.width : model.width + vectors_ * (vectors_ - 1) / 2)
    {
        top_.push_back(wide_);
        top_.insert(top_.end(), model.top.begin(), model.top.end());
    }

    RankTrace write()
    {
        // The tables are shared out evenly by bytes; each rank looks up its part for all ranks' samples.
        trace_.compute("look_up", lookups(1), Work::forward);
        const std::uint64_t pooled = options_.element_bytes * batch_ * model_.rows.size() * model_.width;
        const NodeIds arrived =
            trace_.beside("exchange", {"embedding", CollectiveType::all_to_all, pooled, group_}, trace_.tail());
        layers("bottom", model_.bottom);
        trace_.join(arrived);
        trace_.compute("interaction", interaction(), Work::forward);
        layers("top", top_);
        layers_backward("top", top_, false);
        backward_pair(trace_, "interaction", interaction(), false);
        buckets_.add(model_.cross_layers * (2 * wide_ * model_.cross_rank + wide_), "interaction");
        const NodeIds returned = trace_.beside("exchange backward",
            {"embedding", CollectiveType::all_to_all, pooled, group_}, trace_.tail());
        layers_backward("bottom", model_.bottom, true);
        buckets_.flush("rest");
        trace_.join(returned);
        trace_.compute("look_up backward", lookups(3), Work::backward);
        buckets_.join();
        update(trace_, parameters(model_), options_);
        trace_.ledger().parameters = parameters(model_) + embedding_rows(model_) * model_.width / group_.size();
        return std::move(trace_);
    }

private:
    // `times`: how often each row is read or written.
    Kernel lookups(std::uint64_t times) const
    {
        const std::uint64_t rows = std::accumulate(model_.lookups.begin(), model_.lookups.end(), std::uint64_t{0});
        Kernel out;
        out.operations = batch_ * rows * model_.width;
        out.other_bytes = options_.element_bytes * batch_ * model_.width * (times * rows + model_.rows.size());
        return out;
    }
    Kernel interaction() const
    {
        Kernel out;
        const std::uint64_t q = options_.element_bytes;
        if (model_.cross_layers > 0) {
            out.operations = batch_ * model_.cross_layers * 4 * wide_ * model_.cross_rank;
            out.weight_bytes = q * model_.cross_layers * 2 * wide_ * model_.cross_rank;
        } else {
            out.operations = batch_ * 2 * vectors_ * vectors_ * model_.width;
        }
        out.other_bytes = q * batch_ * (vectors_ * model_.width + wide_);
        return out;
    }
    void layers(const char* part, const std::vector<std::uint64_t>& widths)
    {
        for (std::size_t i = 1; i < widths.size(); ++i)
            trace_.compute(part + std::to_string(i),
                product_of(part, batch_, widths[i - 1], widths[i], options_.element_bytes), Work::forward);
    }
    void layers_backward(const char* part, const std::vector<std::uint64_t>& widths, bool from_data)
    {
        for (std::size_t i = widths.size() - 1; i > 0; --i) {
            const std::string name = part + std::to_string(i);
            backward_pair(trace_, name, product_of(part, batch_, widths[i - 1], widths[i], options_.element_bytes),
                from_data && i == 1);
            buckets_.add(widths[i - 1] * widths[i] + widths[i], name);
        }
    }

    const Dlrm& model_;
    const Options& options_;
    RankTrace trace_;
    Membership group_;
    GradientBuckets buckets_;
    std::uint64_t batch_;
    std::uint64_t vectors_;
    std::uint64_t wide_;
    std::vector<std::uint64_t> top_;
};

}  // namespace

RankTrace dlrm_trace(const Dlrm& model, const Options& options, const RankGrid& grid, std::uint32_t rank)
{
    return DlrmWriter(model, options, grid, rank).write();
}

RankTrace cnn_trace(const Cnn& model, const Options& options, const RankGrid& grid, std::uint32_t rank)
{
    RankTrace trace(rank);
    const Membership group = grid.group(GroupKind::data, rank);
    const std::uint64_t q = options.element_bytes;
    struct Layer {
        std::string name;
        Kernel kernel;
        std::uint64_t parameters;
    };
    std::vector<Layer> layers;
    for (const Convolution& convolution : model.convolutions)
        for (std::uint64_t i = 0; i < convolution.repeat; ++i) {
            const std::uint64_t pixels = options.microbatch * convolution.out_size * convolution.out_size;
            const std::uint64_t area = convolution.kernel * convolution.kernel;
            Kernel kernel = product_of("convolution", pixels, area * convolution.in, convolution.out, q);
            kernel.other_bytes =
                q * pixels * (convolution.in + convolution.out);  // each pixel once, not once for each filter tap
            layers.push_back({convolution.name + (convolution.repeat > 1 ? "." + std::to_string(i) : ""), kernel,
                area * convolution.in * convolution.out + 2 * convolution.out});
        }
    layers.push_back({"classes", product_of("classes", options.microbatch, model.features, model.classes, q),
        model.features * model.classes + model.classes});
    for (const Layer& layer : layers) trace.compute(layer.name, layer.kernel, Work::forward);
    GradientBuckets buckets(trace, options, group);
    for (std::size_t i = layers.size(); i-- > 0;) {
        backward_pair(trace, layers[i].name, layers[i].kernel, i == 0);
        buckets.add(layers[i].parameters, layers[i].name);
    }
    buckets.flush("rest");
    buckets.join();
    update(trace, parameters(model), options);
    trace.ledger().parameters = parameters(model);
    return trace;
}

}  // namespace weft::workload
