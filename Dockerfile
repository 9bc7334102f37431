# proofload as a container: one static binary, no shell, not root. Its folder for data is /data; the rest can be read-only.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /out/proofload ./cmd/proofload
RUN mkdir -m 700 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/proofload /proofload
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV PROOFLOAD_DATA=/data
EXPOSE 7711
ENTRYPOINT ["/proofload"]
CMD ["serve"]
