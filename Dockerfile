# Countersign as one static binary that runs as nobody.
#
#   docker build -t countersign .
#   docker run -p 127.0.0.1:8080:8080 -v countersign:/data countersign
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/countersign ./cmd/server && mkdir -m 0700 /out/data && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/countersign /countersign
# The signing key and, without COUNTERSIGN_DATABASE_URL, the SQLite file.
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
USER 65532:65532
ENV COUNTERSIGN_ADDR=0.0.0.0:8080 COUNTERSIGN_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/countersign"]
