// The table of blocks of parameters: those of Weft, in the order of reports, and those that models of plug-ins bring.
//
// A block of Weft is one Spec struct that declares itself (`Spec::parameters()`) and one line in blocks.cpp. While a system is
// being resolved the values of a block are a vector in the order of the Spec's table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter_block.h"

namespace weft {

// A block by its place in the table. Those of Weft have the same place in every table.
enum class Block : std::uint16_t {};

class BlockTable {
public:
    static const std::shared_ptr<const BlockTable>& built_in();

    // Models that declare which parameters of Weft's blocks they read, by path.
    using Reads = std::map<std::string, std::set<std::string>>;
    // The same with blocks of models. Throws InputError for a declaration that is wrong, for a name that is taken, and for a
    // model that reads what is no parameter.
    std::shared_ptr<const BlockTable> with(const std::vector<std::shared_ptr<const BlockInfo>>& more,
        Reads reads = {}) const;

    // Whether a module of `model` reads a parameter of a block of Weft: the model has declared it or, where it declares nothing, may read it.
    bool reads(Block block, std::size_t parameter, const std::string& model) const;
    // Whether it counts for such a module: the model reads it or, of a link, what is around it does.
    bool counts(Block block, std::size_t parameter, const std::string& model) const;

    const BlockInfo& operator[](Block block) const { return *infos_.at(static_cast<std::size_t>(block)); }
    const std::shared_ptr<const BlockInfo>& shared(Block block) const
    {
        return infos_.at(static_cast<std::size_t>(block));
    }
    std::size_t size() const { return infos_.size(); }
    const std::vector<Block>& all() const { return all_; }
    std::vector<Block> of(BlockOwner owner) const;
    std::optional<Block> find(std::string_view name) const;
    std::vector<std::string> names() const;
    // Of a Spec's type, which is there.
    Block of_type(std::type_index type) const;

private:
    void add(std::shared_ptr<const BlockInfo> info);

    std::vector<std::shared_ptr<const BlockInfo>> infos_;
    std::vector<Block> all_;
    Reads reads_;
};

// The block of Weft that a Spec is.
template <class Spec>
Block block_of()
{
    static const Block block = BlockTable::built_in()->of_type(typeid(Spec));
    return block;
}

// Of a block of Weft.
inline const BlockInfo& info_of(Block block) { return (*BlockTable::built_in())[block]; }

// A kind of models of parts of an accelerator: a parameter chooses among them (l2.model, hbm.model).
inline bool is_part(const std::string& kind) { return kind == "slice" || kind == "memory"; }

inline bool on_nodes(const BlockInfo& info)
{
    return info.title.owner == BlockOwner::endpoint || info.title.owner == BlockOwner::forwarder;
}

// Which nodes have which blocks, for messages: "gpu, l2, switch on an xpu; switch on nodes that forward".
std::string blocks_of_nodes(const BlockTable& table);

// Text to a value within the parameter's range, or a sentence about what is wrong and what was expected.
struct ValueProblem {
    std::string what;
    std::string expected;
};
std::optional<std::uint64_t> checked_value(const BlockInfo& block, std::size_t parameter, std::string_view text,
    ValueProblem& problem);

// A value as text; sizes and times without loss: "50000001 B" where the usual form would round.
std::string value_text(const ParameterInfo& info, std::uint64_t value);

// The same with as many digits as tell a value from the bounds of the parameter, which it is beyond.
std::string refused_text(const ParameterInfo& info, std::uint64_t value);

// "a, b or c"
std::string joined_names(const std::vector<std::string>& names, const char* last = " or ");

}  // namespace weft
