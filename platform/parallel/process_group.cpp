#include "platform/parallel/process_group.h"

#include <csignal>
#include <new>

#include <sys/mman.h>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr int refused = 2;  // exit code of bad input

std::vector<Diagnostic> diagnostics_of(const std::exception_ptr& error, std::uint32_t rank)
{
    if (error == nullptr) return {};
    const std::string who = fmt::format("process {}: ", rank);
    try {
        std::rethrow_exception(error);
    } catch (const InputError& input) {
        return input.diagnostics();
    } catch (const std::bad_alloc&) {
        return {{"weft", 0, who + "not enough memory", "a smaller system or message, more processes, or --no-data"}};
    } catch (const std::exception& other) {
        return {{"weft", 0, who + "internal error: " + other.what(), ""}};
    }
}

Bytes bytes_of(const std::vector<Diagnostic>& diagnostics)
{
    ByteWriter out;
    out.list(diagnostics, [&out](const Diagnostic& each) {
        out.put(each.file);
        out.put(each.line);
        out.put(each.what);
        out.put(each.expected);
    });
    return out.bytes();
}

std::vector<Diagnostic> diagnostics_in(const Bytes& bytes)
{
    ByteReader in(bytes);
    return in.list([&in] {
        Diagnostic out;
        out.file = in.text();
        out.line = in.take<int>();
        out.what = in.text();
        out.expected = in.text();
        return out;
    });
}

constexpr std::size_t spare_bytes = std::size_t{32} << 20;

}  // namespace

ProcessGroup::Spare::Spare()
    : begin_(::mmap(nullptr, spare_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
{
}

void ProcessGroup::Spare::give_up()
{
    if (begin_ == MAP_FAILED) return;
    ::munmap(begin_, spare_bytes);
    begin_ = MAP_FAILED;
}

void ProcessGroup::agree(const std::exception_ptr& error)
{
    for (const Bytes& each : processes_->share(bytes_of(diagnostics_of(error, rank())))) {
        std::vector<Diagnostic> diagnostics = diagnostics_in(each);
        if (diagnostics.empty()) continue;
        failed_ = true;
        throw InputError(std::move(diagnostics));
    }
}

void ProcessGroup::end_all(const std::exception_ptr& error, const std::function<void(const std::exception_ptr&)>& print)
{
    print(std::make_exception_ptr(InputError(diagnostics_of(error, rank()))));
    processes_->abort(refused);
    std::terminate();  // the compiler does not know that a virtual function does not return
}

int ProcessGroup::carry_out(const std::function<int()>& action,
    const std::function<void(const std::exception_ptr&)>& print)
{
    int code = refused;
    std::exception_ptr error;
    try {
        code = action();
    } catch (...) {
        error = std::current_exception();
        spare_.give_up();
    }
    if (phase_ == Phase::starting && !failed_) {
        try {
            agree(error);
        } catch (...) {
            error = std::current_exception();
            code = refused;
        }
    }
    if (error != nullptr && phase_ == Phase::simulating && !failed_) end_all(error, print);
    if (error != nullptr && first()) print(error);
    // Nobody ends before process 0 has said why. A launcher ends all processes when the first of them ends with a code that is not 0:
    // nothing is lost then, and nobody need say so.
    std::signal(SIGTERM, SIG_IGN);
    ByteWriter own;
    own.put(code);
    const std::vector<Bytes> codes = processes_->share(own.bytes());
    return ByteReader(codes.front()).take<int>();
}

}  // namespace weft
