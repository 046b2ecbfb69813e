# git plan. `make help` lists the targets.

PREFIX ?= /usr/local
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
DAY := $(shell git log -1 --format=%cs 2>/dev/null)
# The tag leaves out a Markdown library that urfave/cli has for pages we write ourselves;
# it takes longer to initialise than git-plan does. Without cgo the program is one file
# that runs on any libc, and starts a millisecond earlier.
TAGS := urfave_cli_no_docs
comma := ,
# Everything is compiled in this one way, tests too, and so once for all: half of a cold
# `make test` is compiling. What also differs with the path or with cgo would be compiled again.
export CGO_ENABLED := 0
# The library for OpenAI's API takes a third less of it where nothing of that library is inlined, which none of our
# measures shows; a tenth of the rest is what debuggers read, and is left out. Releases are compiled as Go does by itself.
CHEAPLY := -trimpath -gcflags=github.com/...=-dwarf=false '-gcflags=github.com/openai/openai-go/v3/...=-l -dwarf=false'
export GOFLAGS := $(if $(findstring -gcflags,$(GOFLAGS)),$(GOFLAGS),$(strip $(filter-out -trimpath,$(GOFLAGS)) $(CHEAPLY)))
BUILD := go build -tags $(TAGS) -ldflags "-s -w -X main.version=$(VERSION) -X main.day=$(DAY)"

# Only a build with this tag can write pages for man: the library for that takes longer to initialise than git-plan.
MANUAL := $(subst go build,go run,$(subst $(TAGS),$(TAGS)$(comma)manual,$(BUILD))) ./cmd/git-plan

.PHONY: build install uninstall demo test race agents web bench cost eval storm fuzz release-snapshot release help

build: ## build bin/git-plan
	$(BUILD) -o bin/git-plan ./cmd/git-plan

SHARE = $(DESTDIR)$(PREFIX)/share

install: build ## the program, its manual pages and the completions, under PREFIX
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	install -m 755 bin/git-plan "$(DESTDIR)$(PREFIX)/bin/git-plan"
	$(MANUAL) man --install "$(SHARE)/man"
	bin/git-plan completion bash > "$(SHARE)/bash-completion/completions/git-plan"
	bin/git-plan completion zsh > "$(SHARE)/zsh/site-functions/_git-plan"
	bin/git-plan completion fish > "$(SHARE)/fish/vendor_completions.d/git-plan.fish"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "git finds git-plan once $(PREFIX)/bin is on PATH";; esac

uninstall: ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/git-plan" "$(SHARE)"/man/man1/git-plan.1 "$(SHARE)"/man/man1/git-plan-*.1 \
		"$(SHARE)"/man/man5/gitplan-*.5 "$(SHARE)"/man/man7/gitplan-*.7 "$(SHARE)/bash-completion/completions/git-plan" \
		"$(SHARE)/zsh/site-functions/_git-plan" "$(SHARE)/fish/vendor_completions.d/git-plan.fish"

demo: ## end to end in a throwaway repository, with a recorded model
	@echo "building bin/git-plan: minutes the first time, seconds after that"
	@$(MAKE) --no-print-directory build
	bin/git-plan demo

MATERIAL := ./testdata/demo ./testdata/bench ./testdata/cost ./testdata/eval ./testdata/picture ./testdata/agents/...
# The race detector is for the packages that start goroutines. In the command and in hooks it is processes
# that meet, and the rules read text, which would take ten times as long.
RACING = $(filter-out ./reviewers/rules/ ./cmd/git-plan/ ./hooks/,$(sort $(addprefix ./,$(dir $(shell grep -rlE '^	+go [a-z]|\.Go.func' --include='*.go' cmd gitplan hooks reviewers)))))

test: ## everything that decides: gofmt, vet, all tests and all stories
	@test -z "$$(gofmt -l .)" || { echo "gofmt -l lists:"; gofmt -l .; exit 1; }
	go vet ./... $(MATERIAL)
	go test -vet=off -p 4 -parallel 8 -timeout 60m ./... $(MATERIAL)

race: ## the packages that start goroutines, with the race detector; RACE=all has all of them, and all stories
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -vet=off -p 4 -parallel 4 -timeout 60m $(if $(RACE),./...,$(RACING))

# opencode reads a skill by ripgrep, and would download it.
agents: ## git plan with the real agent command lines from npm, offline, against scripted models; WHICH=quick plays one story of each that is installed
	command -v rg >/dev/null || [ -n "$(WHICH)" ] || apt-get install -qy ripgrep
	sh testdata/agents/agents.sh $(or $(WHICH),all)

web: ## git plan web in real headless Chromium, driven by playwright-core from npm; WHICH=quick plays one story, if all of that is installed
	sh testdata/web/web.sh $(or $(WHICH),all)

bench: ## what everything costs, in one table; it takes a quarter of an hour; CHECK=1 fails on what got 15 % worse, RECORD=1 keeps the table
	go test -run '^$$' -bench $(or $(BENCH),.) -benchtime $(or $(BENCHTIME),20x) -timeout 60m -p 1 ./... | go run ./testdata/bench $(if $(CHECK),-check) $(if $(RECORD),-record)

cost: build ## requests, tokens and money of a plan of twelve steps, counted on this machine; PROGRAM=path
	go run ./testdata/cost -program "$(or $(PROGRAM),$(CURDIR)/bin/git-plan)" $(COSTFLAGS)

EVAL = $(if $(VERIFY),-verify,$(if $(REPORT),-report,-model "$(MODEL)" -base "$(BASE)" -keyenv "$(KEYENV)" -agent "$(AGENT)" -price "$(PRICE)" -effort "$(EFFORT)" -strong "$(STRONG)" -runs $(or $(RUNS),1) -arms "$(or $(ARMS),plan long)" $(if $(YES),-yes)))
eval: build ## how well agents work with git plan: MODEL= BASE= KEYENV= or AGENT=, STRONG= EFFORT= RUNS= ARMS= TASKS= PRICE= YES=1; VERIFY=1; REPORT=1
	@go build -trimpath -o bin/eval ./testdata/eval
	@bin/eval -program "$(CURDIR)/bin/git-plan" -only "$(TASKS)" $(EVAL)

storm: ## signals at STORM_SIZE (300) random moments and at every change of a ref
	STORM_SIZE=$(or $(STORM_SIZE),300) STORM_SEED=$(or $(STORM_SEED),$$(date +%s)) go test -timeout 120m -run ASignal -v ./cmd/git-plan

# Without -fuzzminimizetime a minute goes by on each seed before anything is tried.
fuzz: ## fuzz what reads and writes plans, and what workers say, or FUZZ="FuzzParse FuzzFrames" of it, each for FUZZTIME
	for dir in $$(grep -rl '^func Fuzz' --include='*_test.go' gitplan reviewers hooks | xargs -n 1 dirname | sort -u); do \
		for target in $(or $(FUZZ),$$(go test -list '^Fuzz' ./$$dir | grep ^Fuzz)); do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(or $(FUZZTIME),60s) -fuzzminimizetime 5s ./$$dir || exit 1; done; done

# goreleaser and what writes SBOMs are programs of their own, not modules of this one.
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.15.1
CYCLONEDX := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

bin/goreleaser:
	CGO_ENABLED=0 GOBIN="$(CURDIR)/bin" go install $(GORELEASER)

bin/cyclonedx-gomod:
	CGO_ENABLED=0 GOBIN="$(CURDIR)/bin" go install $(CYCLONEDX)

release-snapshot: bin/goreleaser bin/cyclonedx-gomod ## all files of a release in dist/, without a tag; ONLY=--single-target for this system's
	GOFLAGS= PATH="$(CURDIR)/bin:$$PATH" bin/goreleaser $(if $(ONLY),build $(ONLY),release) --snapshot --clean

release: bin/goreleaser bin/cyclonedx-gomod ## the release of the tag at HEAD, as a draft on GitHub: what .github/workflows/release.yml does
	GOFLAGS= PATH="$(CURDIR)/bin:$$PATH" bin/goreleaser release --clean --release-notes "$(NOTES)"

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16
