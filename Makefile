# proofload: see CONTRIBUTING.md for what each tier is for.

# Packages with goroutines: `make check` runs them under the race detector. With CI set, `make test` leaves
# them out, because .ci/run has run them in `make check` already.
RACED   := ./eventstore/... ./commands/... ./projections/... ./http ./engine/worker/...
ALL     := $(shell go list ./... 2>/dev/null)
TESTED  := $(if $(CI),$(filter-out $(shell go list $(RACED) 2>/dev/null),$(ALL)),$(ALL))
# Five million events: too slow under the race detector, so they run without it.
UNRACED := ^TestLimits$$
LINT    := go tool -modfile=.ci/lint/go.mod golangci-lint
FUZZTIME ?= 3s
# For one package, on a machine that is slow and busy: ten minutes, as go test has it, can be too few.
GOTEST  := go test -timeout 60m

.PHONY: build run demo test check lint tidy race fuzz soak golden theory bench targets third-party vuln

build: ## the binary, static and stripped
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o proofload ./cmd/proofload

run: ## the server on its default folder
	go run ./cmd/proofload serve

demo: ## the worked example
	go run ./cmd/proofload demo

# As the binary of the Dockerfile is built, which a test does too: nothing is compiled twice.
test: export CGO_ENABLED := 0
test: export GOFLAGS := -trimpath
test: ## every test, soak tests in their short form
	$(GOTEST) $(TESTED)
	$(if $(CI),$(GOTEST) -run '$(UNRACED)' ./http)

check: lint tidy race fuzz ## what a change must pass beside the tests; under 10 minutes

lint:
	$(LINT) run ./...

tidy:
	go mod tidy -diff

race:
	$(GOTEST) -race -skip '$(UNRACED)' $(RACED)
	$(GOTEST) -race ./engine -run '^(TestGolden|TestProcessors)$$'

fuzz: ## each fuzz target for FUZZTIME
	.ci/fuzz $(FUZZTIME)

soak: ## the long forms: chaos, theory, processors, random bundles; before an issue is closed
	.ci/soak

golden: ## rewrite golden files (never those of released engine versions)
	go test ./... -update

theory: ## closed forms against 30 seeds; prints the table of docs/validation.md
	PROOFLOAD_THEORY=1 go test ./engine -run '^TestTheory$$' -count=1 -v

bench: ## ratios against the naive twin, raw JetStream and a bare handler
	.ci/bench

targets: ## the cases on other processors, under qemu-user
	PROOFLOAD_TARGETS="$(or $(TARGETS),arm64)" go test ./engine -run '^TestTargets$$' -count=1 -v

third-party: ## THIRD_PARTY.md from go.mod
	.ci/third-party

vuln: ## needs the vulnerability database of the Go project
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
