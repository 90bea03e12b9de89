#include "platform/assembly/models_of_weft.h"

#include <algorithm>

#include "platform/assembly/model_registry.h"

namespace weft {

bool of_weft(const std::string& kind, const std::string& model)
{
    static const std::map<std::string, std::vector<std::string>> names = ModelRegistry().names_by_kind();
    const std::vector<std::string>& known = names.at(kind);
    return std::find(known.begin(), known.end(), model) != known.end();
}

}  // namespace weft
