# git plan. `make help` lists the targets.

PREFIX ?= /usr/local
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
DAY := $(shell git log -1 --format=%cs 2>/dev/null)
# The tag leaves out a Markdown library that urfave/cli has for pages we write ourselves;
# it takes longer to initialise than git-plan does. Without cgo the program is one file
# that runs on any libc, and starts a millisecond earlier.
TAGS := urfave_cli_no_docs
# Everything is compiled in this one way, tests too, and so once for all: half of a cold
# `make test` is compiling. What also differs with the path or with cgo would be compiled again.
export CGO_ENABLED := 0
# The library for OpenAI's API is a third of it, and it is a third less where nothing of that library is inlined,
# which none of our measures shows. Releases are compiled as Go does it by itself.
CHEAPLY := -trimpath -gcflags=github.com/openai/openai-go/v3/...=-l
export GOFLAGS := $(if $(findstring -gcflags,$(GOFLAGS)),$(GOFLAGS),$(strip $(filter-out -trimpath,$(GOFLAGS)) $(CHEAPLY)))
BUILD := go build -tags $(TAGS) -ldflags "-s -w -X main.version=$(VERSION) -X main.day=$(DAY)"

.PHONY: build install uninstall demo test check vet race agents agents-quick own web web-quick streams bench cost eval rules rules-history real real-jobs managers linters servers receive clones elsewhere storm storm-jobs histories sequences fuzz linear forms manlint armed shells picture release-snapshot release help

build: ## build bin/git-plan
	$(BUILD) -o bin/git-plan ./cmd/git-plan

SHARE = $(DESTDIR)$(PREFIX)/share

install: build ## the program, its manual pages and the completions, under PREFIX
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	install -m 755 bin/git-plan "$(DESTDIR)$(PREFIX)/bin/git-plan"
	bin/git-plan man --install "$(SHARE)/man"
	bin/git-plan completion bash > "$(SHARE)/bash-completion/completions/git-plan"
	bin/git-plan completion zsh > "$(SHARE)/zsh/site-functions/_git-plan"
	bin/git-plan completion fish > "$(SHARE)/fish/vendor_completions.d/git-plan.fish"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "git finds git-plan once $(PREFIX)/bin is on PATH";; esac

uninstall: ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/git-plan" "$(SHARE)"/man/man1/git-plan.1 "$(SHARE)"/man/man1/git-plan-*.1 \
		"$(SHARE)"/man/man5/gitplan-*.5 "$(SHARE)"/man/man7/gitplan-*.7 "$(SHARE)/bash-completion/completions/git-plan" \
		"$(SHARE)/zsh/site-functions/_git-plan" "$(SHARE)/fish/vendor_completions.d/git-plan.fish"

demo: build ## end to end in a throwaway repository, with a recorded model
	bin/git-plan demo

MATERIAL := ./testdata/demo ./testdata/bench ./testdata/cost ./testdata/eval ./testdata/picture ./testdata/agents/...
# Four packages and eight stories are played at a time, since each waits for others most of its
# time. What hangs is named by a timeout, at the latest after twenty minutes.
PLAIN := go test -vet=off -p 4 -parallel 8
HOUSE := cmd gitplan hooks reviewers
# The tests that say race.Slow: their files, and their names.
SLOW = $(shell grep -rl 'race\.Slow' --include='*_test.go' $(HOUSE) testdata/cost *_test.go)
NAMES := /^func Test/ { name = $$2 } /\trace\.Slow/ { print substr(name, 1, index(name, "(") - 1) }
# The race detector is for the packages that start goroutines, in their code or in their tests. The
# rules, which read text in several at once, would take ten times as long.
RACING = $(shell grep -rlE '^	+go [a-z]|\.Go.func' --include='*.go' $(HOUSE))
RACER := CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -p 4
PACKAGES = $(sort $(addprefix ./,$(dir $(1))))
# In the command and in hooks it is processes that meet, not goroutines: there only the stories that say so.
RACED = $(filter-out ./reviewers/rules/ ./cmd/git-plan/ ./hooks/,$(call PACKAGES,$(RACING)))
# With STORIES=K/N, too, only a part: each fourth slow table, each third package.
EACH = $(if $(findstring /,$(STORIES)),awk 'NR % $(1) == $(firstword $(subst /, ,$(STORIES))) % $(1)',cat)

test: ## gofmt, the tests of all packages and the stories that hold a promise each: six minutes
	@test -z "$$(gofmt -l .)" || { echo "gofmt -l lists:"; gofmt -l .; exit 1; }
	$(PLAIN) -short -timeout 10m ./...

check: ## what make test leaves out: vet, material, the other stories, slow tables, the race detector (STORIES=2/12: a twelfth of the stories, a quarter of the tables, a third of what is raced)
	go vet ./... $(MATERIAL)
	$(PLAIN) -short -timeout 10m $(MATERIAL)
	STORIES=$(or $(STORIES),rest) $(PLAIN) -timeout 20m -run "^(TestStories|TestStoriesInAClone|TestStoriesElsewhere|TestASignal.*|$$(awk '$(NAMES)' $(SLOW) | $(call EACH,4) | paste -sd '|' -))\$$" $(call PACKAGES,$(SLOW))
	$(RACER) -vet=off -short -parallel 4 -timeout 10m $$(printf '%s\n' $(RACED) | $(call EACH,3))
	STORIES=$(or $(STORIES),rest) $(RACER) -vet=off -parallel 4 -timeout 10m -run '^TestStories$$' ./cmd/git-plan

vet: ## vet for macOS and Windows, too, for which everything is compiled again
	GOOS=darwin go vet ./... $(MATERIAL)
	GOOS=windows go vet ./... $(MATERIAL)

race: ## all stories and packages with the race detector
	RACE=all $(RACER) -count=1 -timeout 120m ./... $(MATERIAL)

# opencode reads a skill by ripgrep, and would download it.
agents: ## git plan with the real claude, codex, gemini, opencode, copilot and qwen, from npm, offline
	command -v rg >/dev/null || apt-get install -qy ripgrep
	sh testdata/agents/agents.sh all

agents-quick: ## one step with each of them that is installed, as agent of git plan and as a person's own, by git plan mcp
	sh testdata/agents/agents.sh quick

own: ## a person asks the real claude, codex, gemini and opencode for the next step: by the skill, and by git plan mcp
	command -v rg >/dev/null || apt-get install -qy ripgrep
	sh testdata/agents/agents.sh own

web: ## git plan web in real headless Chromium (apt-get install chromium), driven by playwright-core from npm: WEB_ONLY= SHOTS= UPDATE=1
	sh testdata/web/web.sh all

web-quick: ## a whole run watched there, if all of that is installed
	sh testdata/web/web.sh quick

streams: ## record again what they print; git diff shows how a new version differs
	sh testdata/agents/agents.sh record

bench: ## what everything costs, in one table; it takes a quarter of an hour
	go test -run '^$$' -bench . -benchtime $(or $(BENCHTIME),20x) -timeout 60m -p 1 ./... | go run ./testdata/bench

cost: build ## requests, tokens and money of a plan of twelve steps, counted on this machine; PROGRAM=path
	go run ./testdata/cost -program "$(or $(PROGRAM),$(CURDIR)/bin/git-plan)" $(COSTFLAGS)

# Without MODEL and AGENT, scripted agents prove the harness on TASKS: all that say so, or with SHORT=1 those that need no network.
EVAL = $(if $(VERIFY),-verify,$(if $(REPORT),-report,$(if $(MODEL)$(AGENT),-model "$(MODEL)" -base "$(BASE)" -keyenv "$(KEYENV)" -agent "$(AGENT)" -price "$(PRICE)" -runs $(or $(RUNS),1) -arms "$(or $(ARMS),plan long)" $(if $(YES),-yes),-self $(if $(SHORT),-short))))
eval: build ## how well agents work with git plan: MODEL= BASE= KEYENV= or AGENT=, RUNS= ARMS= TASKS= PRICE= YES=1; VERIFY=1; REPORT=1; SHORT=1
	@go build -trimpath -o bin/eval ./testdata/eval
	@bin/eval -program "$(CURDIR)/bin/git-plan" -only "$(TASKS)" $(EVAL)

rules: ## precision and recall of each built-in rule on testdata/rules
	RULES=full go test -count 1 -run 'TestCorpus|TestMutations|TestStandardLibrary|TestLinesAreJudged|OfAStream|NeverHeldWhole' -v ./reviewers/rules ./reviewers/secret

rules-history: ## what blocking rules flag in the histories of REPOS="path path"
	RULES_HISTORY="$(REPOS)" RULES_ALL=1 go test -count 1 -timeout 120m -run TestHistories -v ./reviewers/rules

real: build ## three steps on a public Go module, proved by the module's own tests
	sh testdata/real/real.sh "$(CURDIR)/bin/git-plan"

real-jobs: build ## six steps on it, three side by side; two of them fail only together
	sh testdata/real/real.sh "$(CURDIR)/bin/git-plan" 3

managers: ## hooks beside husky, lefthook (by npm) and pre-commit (apt-get install pre-commit)
	@dir=$$(mktemp -d) && npm install --silent --ignore-scripts --prefix "$$dir" husky@9 lefthook@2 && \
	MANAGERS=1 PATH="$$dir/node_modules/.bin:$$PATH" go test -count=1 -timeout 30m -run ManagersKindsOperations -v ./cmd/git-plan; \
	code=$$?; rm -rf "$$dir"; exit $$code

# git ignores bin/, and Go a folder whose name begins so: one of npm's packages holds Go code.
LINTERS := $(CURDIR)/bin/_linters
linters: ## reviews by the real staticcheck, golangci-lint, eslint and shellcheck; reviewdog and a validator read ours
	mkdir -p "$(LINTERS)"
	for module in honnef.co/go/tools/cmd/staticcheck@v0.8.2 github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest github.com/reviewdog/reviewdog/cmd/reviewdog@v0.21.0; do \
		program=$${module%@*}; [ -x "$(LINTERS)/$${program##*/}" ] || GOFLAGS= GOBIN="$(LINTERS)" go install "$$module" || exit 1; done
	npm install --silent --prefix "$(LINTERS)" eslint@10 @microsoft/sarif-multitool@5
	command -v shellcheck >/dev/null && command -v jq >/dev/null || apt-get install -qy shellcheck jq
	LINTERS=1 npm_config_cache=$$(npm config get cache) GOPATH=$$(go env GOPATH) GOCACHE=$$(go env GOCACHE) \
		PATH="$(LINTERS):$(LINTERS)/node_modules/.bin:$$PATH" go test -vet=off -count=1 -timeout 20m -v -run TestLinters ./cmd/git-plan

servers: ## the built-in agent with a model server that nobody here wrote, aimock from npm, over both APIs
	mkdir -p "$(LINTERS)" && npm install --silent --prefix "$(LINTERS)" @copilotkit/aimock@1
	SERVERS="$(LINTERS)/node_modules/.bin/llmock" go test -vet=off -count=1 -timeout 10m -v -run '^TestServers$$' ./cmd/git-plan

receive: ## a bare repository behind a real sshd judges 200 pushes of all shapes: git plan hooks receive
	command -v /usr/sbin/sshd >/dev/null || apt-get install -qy openssh-server
	RECEIVE=/usr/sbin/sshd go test -vet=off -count=1 -timeout 30m -v -run ReceiveOverSSH ./cmd/git-plan

clones: ## all stories of sessions whose place makes no difference, and all kinds of repositories, with plan.isolation=clone
	CLONES=all go test -count=1 -timeout 40m -run InAClone ./cmd/git-plan

elsewhere: ## the same with sessions that workers run, and plans while machines fail, by real engines, which apt installs, as root: ENGINES="ssh slurm podman docker"
	go build -o testdata/elsewhere/git-plan ./cmd/git-plan
	go test -c -vet=off -o testdata/elsewhere/stories ./cmd/git-plan
	testdata/elsewhere/engines.sh testdata/elsewhere/git-plan "$(CURDIR)/testdata/elsewhere/stories" $(ENGINES); code=$$?; rm -f testdata/elsewhere/git-plan testdata/elsewhere/stories; exit $$code

storm: ## signals at 300 random moments and at every change of a ref, four kinds each
	STORM_SIZE=$(or $(STORM_SIZE),300) go test -timeout 120m -run ASignal -v ./cmd/git-plan

storm-jobs: ## the same, 200 times, with four steps at work at once; and 1,000 random plans side by side: RANDOM_PLANS, SEED
	STORM_SIZE=$(or $(STORM_SIZE),200) go test -count=1 -timeout 120m -run 'ASignal.*SideBySide' -v ./cmd/git-plan
	RANDOM_PLANS=$(or $(RANDOM_PLANS),1000) SEED=$(or $(SEED),1) go test -count=1 -timeout 120m -run RandomPlansSideBySide ./gitplan

histories: ## what is done, held against the tree at each of random histories, by real git: HISTORIES, SEED
	HISTORIES=$(or $(HISTORIES),1000) SEED=$(or $(SEED),1) go test -count=1 -timeout 120m -run RandomHistories ./gitplan/progress

armed: ## each way in which git executes something from a repository, armed by sessions everywhere
	ARMED=all go test -count=1 -timeout 120m -run 'NothingThatASessionArms|AKilledGitPlan' ./cmd/git-plan

manlint: build ## the manual pages by mandoc's lint
	@command -v mandoc >/dev/null || { echo "SKIPPED: mandoc is not installed, so no page is looked at"; exit 0; }; \
	pages=$$(mktemp -d) && bin/git-plan man --install "$$pages" && mandoc -T lint -W warning "$$pages"/man*/*; end=$$?; rm -r "$$pages"; exit $$end

shells: ## completion in the real bash, zsh and fish
	SHELLS=all go test -count=1 -v -run InShells ./cmd/git-plan

sequences: ## 100,000 random sequences of reviewers and fixers, some of them in real repositories
	SEQUENCES=$(or $(SEQUENCES),100000) go test -timeout 60m -v -run 'TheLoopEnds|Sequences' ./reviewers/rounds

# Without -fuzzminimizetime a minute goes by on each seed before anything is tried.
fuzz: ## fuzz what reads and writes plans, and what workers say, or FUZZ="FuzzParse FuzzFrames" of it, each for FUZZTIME
	for room in plan form elsewhere/wire; do \
		for target in $(or $(FUZZ),$$(go test -list '^Fuzz' ./gitplan/$$room | grep ^Fuzz)); do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(or $(FUZZTIME),60s) -fuzzminimizetime 5s ./gitplan/$$room || exit 1; done; done

linear: ## parse, lint, import and export of long texts, at half of SIZE bytes (1 MB) and at SIZE; 4 MB take 14 GB of memory; ONLY="import of steps"
	LINEAR=$(or $(SIZE),1048576) LINEAR_ONLY="$(ONLY)" go test -count=1 -timeout 120m -run '^TestLinearUpTo$$' ./gitplan

forms: ## try to import every plan (.md, .json) below DIR
	FORMS_DIR="$(abspath $(DIR))" go test -count 1 -run '^TestForms$$' -v ./gitplan/form

picture: build ## draw README's picture again, from a run in tmux
	sh testdata/picture/picture.sh "$(CURDIR)/bin/git-plan" "$(CURDIR)/testdata/picture/run.svg"

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
