# Weft on Debian 12: builds the package in one stage, installs it in another.
#   docker build -t weft .
#   docker run --rm weft demo
#   docker run --rm -v "$PWD:/work" weft run system.yaml --html report.html
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update \
 && apt-get install -y --no-install-recommends git $(awk '!/^#/ && NF && $1 != "verilator" && $1 != "libopenmpi-dev" {print $1}' tools/packages.txt) \
 && cmake --preset release -DWEFT_TESTS=OFF -DWEFT_BENCHMARKS=OFF \
 && cmake --build --preset release \
 && cd build/release && cpack -G DEB

FROM debian:12
COPY --from=build /src/build/release/weft-*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/weft-*.deb && rm -rf /tmp/weft-*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["weft"]
CMD ["help"]
