#include "collectives/chakra/node_check.h"

#include <algorithm>
#include <utility>

#include "collectives/chakra/groups.h"

namespace weft::chakra {

namespace {

class NodeCheck {
public:
    NodeCheck(const Node& node, const NodeContext& context, Findings& findings)
        : node_(node), context_(context), findings_(findings)
    {
    }

    void run()
    {
        if (!is_known(node_.type)) {
            problem("has the unknown type " + name_of(node_.type), "a node type from 0 to 7");
            return;
        }
        if (node_.foreign_field != 0) {
            problem("has field " + std::to_string(node_.foreign_field) + " of another type",
                "Chakra 0.0.4 or later; traces of mid 2023 (0.0.1 to 0.0.3) have to be made anew");
            return;
        }
        if (is_launcher(node_)) return;
        if (is_communication(node_)) check_communication();
        if (is_memory(node_) && !node_.tensor_size) missing("tensor_size");
        check_product();
        if (node_.type == NodeType::comp && context_.policy.roofline && !node_.on_cpu) {
            if (!node_.num_ops) missing("num_ops");
            if (!node_.tensor_size) missing("tensor_size");
        }
    }

private:
    void problem(const std::string& what, const std::string& expected)
    {
        findings_.add(context_.file, node_.line, label_of(node_) + ": " + what, expected);
    }

    void missing(const std::string& attribute)
    {
        problem(name_of(node_.type) + " without attribute " + attribute, attribute + " on every such node");
    }

    void check_product()
    {
        const MatrixProduct& product = node_.product;
        if (product.stated() || (product.m == 0 && product.n == 0 && product.k == 0 && product.count == 1)) return;
        std::string lacks;
        for (const auto& [name, size] : {std::pair{"gemm_m", product.m}, {"gemm_n", product.n}, {"gemm_k", product.k}})
            if (size == 0) lacks += (lacks.empty() ? "" : ", ") + std::string(name);
        problem("states a product of matrices without attribute " + lacks,
            "gemm_m, gemm_n and gemm_k, or none of them");
    }

    void check_communication()
    {
        if (node_.on_cpu) problem("attribute is_cpu_op is true on a communication node", "false");
        if (node_.type == NodeType::coll)
            check_collective();
        else
            check_transfer();
    }

    void check_collective()
    {
        check_dimensions();
        const bool barrier = node_.comm_type == CollectiveType::barrier;
        if (!node_.comm_size && !barrier) missing("comm_size");
        check_size();
        if (!node_.comm_type) {
            missing("comm_type");
            return;
        }
        const auto& executable = context_.policy.collectives;
        if (std::find(executable.begin(), executable.end(), *node_.comm_type) != executable.end()) return;
        std::string names;
        for (const CollectiveType type : executable) names += (names.empty() ? "" : " ") + name_of(type);
        const bool known = is_known(*node_.comm_type);
        problem("attribute comm_type is " + name_of(*node_.comm_type) +
                (known ? ", which cannot be simulated" : ", which is not a collective"),
            "one of " + names);
    }

    void check_dimensions()
    {
        const std::size_t known = context_.policy.dimensions.size();
        const std::size_t given = node_.involved_dim.size();
        if (known == 0 || given == 0) return;
        if (given != known)
            problem("attribute involved_dim has " + std::to_string(given) + (given == 1 ? " entry" : " entries"),
                std::to_string(known) + ", one for each dimension");
        else if (known > most_dimensions && left_out(node_, context_.policy.dimensions) != 0)
            problem("attribute involved_dim leaves out some of " + std::to_string(known) + " dimensions",
                "at most " + std::to_string(most_dimensions) + " dimensions");
    }

    void check_size()
    {
        constexpr std::uint64_t most = std::uint64_t{1} << 48;  // of a message, as collectives have it
        if (node_.comm_size.value_or(0) > most)
            problem("attribute comm_size is " + std::to_string(*node_.comm_size), "at most 2^48 bytes");
    }

    void check_transfer()
    {
        const bool send = node_.type == NodeType::send;
        const std::optional<std::uint32_t>& own = send ? node_.src : node_.dst;
        const std::optional<std::uint32_t>& peer = send ? node_.dst : node_.src;
        const char* own_name = send ? "comm_src" : "comm_dst";
        const char* peer_name = send ? "comm_dst" : "comm_src";
        if (own && *own != context_.rank)
            problem(std::string("attribute ") + own_name + " is " + std::to_string(*own),
                std::to_string(context_.rank) + ", the rank whose trace it is");
        if (!peer)
            missing(peer_name);
        else if (*peer >= context_.ranks)
            problem(std::string("attribute ") + peer_name + " is " + std::to_string(*peer),
                "a rank from 0 to " + std::to_string(context_.ranks - 1));
        if (!node_.comm_size) missing("comm_size");
        check_size();
        if (!node_.tag) missing("comm_tag");
    }

    const Node& node_;
    const NodeContext& context_;
    Findings& findings_;
};

}  // namespace

void check_node(const Node& node, const NodeContext& context, Findings& findings)
{
    NodeCheck(node, context, findings).run();
}

bool is_matchable_transfer(const Node& node, const NodeContext& context)
{
    if (node.type != NodeType::send && node.type != NodeType::recv) return false;
    const bool send = node.type == NodeType::send;
    const auto& own = send ? node.src : node.dst;
    const auto& peer = send ? node.dst : node.src;
    return node.comm_size && node.tag && peer && *peer < context.ranks && own.value_or(context.rank) == context.rank;
}

}  // namespace weft::chakra
