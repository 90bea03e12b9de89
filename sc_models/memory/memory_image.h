// The contents of one GPU's memory.
//
// Data live in pages that appear when first touched, in a table indexed directly by page number, so
// that the access of a line is no map look-up. With data off nothing is stored: reads and writes
// of data do nothing, and only flags exist.
//
// Flags are 64-bit words in a region of their own (flag_base and up): synchronisation needs their
// values whether or not data are carried. For the same reason it is kept of packets (base/packet_format.h) which have
// come: a mark for every 16 bytes, apart from the bytes themselves.
//
// Where caches hold contents of their own (l2.contents = cached) the bytes stored here are those of DRAM (stored_read(),
// stored_write()), and read() and write() go through the caches: memory as everybody outside sees it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace weft {

// A cache that keeps contents of its own: told of a range that changes or is forgotten without it, while its contents are
// still there.
class MemoryWatcher {
public:
    virtual ~MemoryWatcher() = default;
    virtual void on_bypass(std::uint64_t local, std::uint64_t bytes) = 0;
};

// The caches in front of a memory: an access through them without time.
class MemoryPath {
public:
    virtual ~MemoryPath() = default;
    virtual void read_through(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) = 0;
    virtual void write_through(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes) = 0;
};

class MemoryImage {
public:
    static constexpr std::uint64_t flag_base = std::uint64_t{1} << 46;  // local address
    static constexpr std::uint64_t page_bytes = std::uint64_t{1} << 16;

    explicit MemoryImage(bool data_on) : data_on_(data_on) {}

    bool data_on() const { return data_on_; }
    static bool is_flag(std::uint64_t local) { return local >= flag_base; }

    // Ranges may cross lines and pages. Memory never written reads as zero.
    void read(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) const
    {
        if (path_ == nullptr) {
            stored_read(local, out, bytes);
        } else {
            path_->read_through(local, out, bytes);
        }
    }
    void write(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes)
    {
        if (path_ == nullptr) {
            stored_write(local, in, bytes);
        } else {
            path_->write_through(local, in, bytes);
        }
    }
    // What DRAM holds, whatever is in caches.
    void stored_read(std::uint64_t local, std::uint8_t* out, std::uint64_t bytes) const;
    void stored_write(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes);
    // From now on caches hold contents of their own: read() and write() go through `path`.
    void set_path(MemoryPath& path) { path_ = &path; }

    // `local` is the word's address in the flag region, 8-byte aligned. Stays where it is until another flag is asked for.
    std::uint64_t& flag(std::uint64_t local);
    // Of its table of flags: a word for each flag, which are flag_stride apart.
    std::size_t flag_bytes() const { return flags_.capacity() * sizeof(flags_[0]); }

    // Packets: from now on the range is expected; it has come; whether all of it has. Multiples of 16 bytes. A range that
    // was never expected has not come.
    static constexpr std::uint64_t packet_grain = 16;
    void expect_packets(std::uint64_t local, std::uint64_t bytes) { mark(local, bytes, false); }
    void packets_came(std::uint64_t local, std::uint64_t bytes) { mark(local, bytes, true); }
    bool packets_there(std::uint64_t local, std::uint64_t bytes) const;

    // A write of somebody who is no cache and no request at one.
    void write_past_caches(std::uint64_t local, const std::uint8_t* in, std::uint64_t bytes)
    {
        tell(local, bytes);
        write(local, in, bytes);
    }

    // Forgets the pages of a range that is no longer in use, so that memory follows what is live.
    void discard(std::uint64_t local, std::uint64_t bytes);
    void watch(MemoryWatcher& watcher) { watchers_.push_back(&watcher); }

private:
    using Page = std::unique_ptr<std::uint8_t[]>;
    static constexpr std::uint64_t marks_of_word = 64;
    using Marks = std::array<std::uint64_t, page_bytes / packet_grain / marks_of_word>;

    void mark(std::uint64_t local, std::uint64_t bytes, bool come);
    void tell(std::uint64_t local, std::uint64_t bytes)
    {
        for (MemoryWatcher* watcher : watchers_) watcher->on_bypass(local, bytes);
    }

    bool data_on_;
    std::vector<Page> pages_;
    std::vector<std::unique_ptr<Marks>> marks_;           // by page
    std::vector<std::uint64_t> flags_;                    // the first word of each flag_stride,
    std::map<std::uint64_t, std::uint64_t> other_words_;  // and the others, by number
    std::vector<MemoryWatcher*> watchers_;
    MemoryPath* path_ = nullptr;  // null: the image is all that there is
};

}  // namespace weft
