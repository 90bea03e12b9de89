// The GPU under test, and what all measurements share: checked calls, buffers, timed launches, one SM out of all.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "testbenches/hardware/report.h"

namespace hardware {

inline void check(cudaError_t error, const char* what, const char* file, int line)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(error));
    std::exit(1);
}
#define HW_CHECK(call) ::hardware::check((call), #call, __FILE__, __LINE__)

// Memory of the device, freed at the end of the measurement.
template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t count) : count_(count)
    {
        HW_CHECK(cudaMalloc(&data_, count * sizeof(T)));
        HW_CHECK(cudaMemset(data_, 0, count * sizeof(T)));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T* get() const { return data_; }
    std::size_t size() const { return count_; }
    void clear() const { HW_CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
    void put(const std::vector<T>& values) const
    {
        HW_CHECK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> all() const
    {
        std::vector<T> values(count_);
        HW_CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

class Device {
public:
    Device();
    int sms() const { return properties_.multiProcessorCount; }
    std::size_t l2_bytes() const { return static_cast<std::size_t>(properties_.l2CacheSize); }
    // ns of one SM cycle, measured by a spin that both clocks see, right before a measurement.
    double cycle_ns() const;
    void facts(Report& report) const;

private:
    cudaDeviceProp properties_{};
};

// ns of a region of work in the default stream, by events around it.
template <class Work>
double timed_ns(Work&& work)
{
    cudaEvent_t begin;
    cudaEvent_t end;
    HW_CHECK(cudaEventCreate(&begin));
    HW_CHECK(cudaEventCreate(&end));
    HW_CHECK(cudaEventRecord(begin));
    work();
    HW_CHECK(cudaGetLastError());
    HW_CHECK(cudaEventRecord(end));
    HW_CHECK(cudaEventSynchronize(end));
    float ms = 0;
    HW_CHECK(cudaEventElapsedTime(&ms, begin, end));
    HW_CHECK(cudaEventDestroy(begin));
    HW_CHECK(cudaEventDestroy(end));
    return static_cast<double>(ms) * 1e6;
}

inline void finish()
{
    HW_CHECK(cudaGetLastError());
    HW_CHECK(cudaDeviceSynchronize());
}

__device__ inline std::uint32_t sm_id()
{
    std::uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__device__ inline std::uint64_t global_ns()
{
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Which SMs work, and the how manieth each is; blocks on the others leave at once.
struct Members {
    std::uint32_t count;
    std::int16_t rank[256];
};
inline Members members_of(const std::vector<int>& sms)
{
    Members members{static_cast<std::uint32_t>(sms.size()), {}};
    for (std::int16_t& rank : members.rank) rank = -1;
    for (std::size_t i = 0; i < sms.size(); ++i) members.rank[sms[i]] = static_cast<std::int16_t>(i);
    return members;
}

// True for one block on SM `wanted`: the first that asks. `claims` has a word for each SM, zero before.
__device__ inline bool claim(std::uint32_t* claims, std::uint32_t wanted)
{
    __shared__ bool mine;
    if (threadIdx.x == 0) mine = sm_id() == wanted && atomicExch(claims + wanted, 1U) == 0;
    __syncthreads();
    return mine;
}

// Ends the program where fewer SMs than `wanted` took their part: their results would be those of a launch before.
inline void expect_claimed(const Buffer<std::uint32_t>& claims, std::uint32_t wanted)
{
    std::uint32_t found = 0;
    for (const std::uint32_t each : claims.all()) found += each == 0 ? 0 : 1;
    if (found == wanted) return;
    std::fprintf(stderr, "%u of %u SMs took part\n", found, wanted);
    std::exit(1);
}

// Through the L2, past the L1.
__device__ inline std::uint64_t load_l2(const std::uint64_t* at)
{
    std::uint64_t value;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
__device__ inline std::uint64_t load_l1(const std::uint64_t* at)
{
    std::uint64_t value;
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
__device__ inline uint4 load_l2_16(const uint4* at)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
    return v;
}

// One function for each file of measurements.
void measure_latency(const Device& device, Report& report);
void measure_partitions(const Device& device, Report& report);
void measure_bandwidth(const Device& device, Report& report);
void measure_units(const Device& device, Report& report);
void measure_atomics(const Device& device, Report& report);
void measure_synchronisation(const Device& device, Report& report);
void measure_kernels(const Device& device, Report& report);
void measure_copies(const Device& device, Report& report);
void measure_bulk(const Device& device, Report& report);
void measure_host(const Device& device, Report& report);

}  // namespace hardware
