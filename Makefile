# git plan. `make help` lists the targets.

PREFIX ?= /usr/local
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
# The tag leaves out a Markdown library that urfave/cli has for pages we write ourselves;
# it takes longer to initialise than git-plan does.
TAGS := urfave_cli_no_docs
BUILD := go build -tags $(TAGS) -trimpath -ldflags "-s -w -X main.version=$(VERSION)"

.PHONY: build install uninstall demo test bench real storm fuzz forms help

build: ## build bin/git-plan
	$(BUILD) -o bin/git-plan ./cmd/git-plan

install: build ## install the program and its manual page under PREFIX
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 bin/git-plan "$(DESTDIR)$(PREFIX)/bin/git-plan"
	bin/git-plan man > "$(DESTDIR)$(PREFIX)/share/man/man1/git-plan.1"

uninstall: ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/git-plan" "$(DESTDIR)$(PREFIX)/share/man/man1/git-plan.1"

demo: build ## the whole way in a throwaway repository, with a recorded model
	bin/git-plan demo

test: ## gofmt, vet (also for macOS and Windows), all tests with the race detector
	@test -z "$$(gofmt -l .)" || { echo "gofmt -l lists:"; gofmt -l .; exit 1; }
	go vet ./... ./testdata/demo
	GOOS=darwin go vet ./... ./testdata/demo
	GOOS=windows go vet ./... ./testdata/demo
	go test -race ./... ./testdata/demo

bench: ## start-up and step overhead, as ratios to a floor measured in the same run
	go test -run '^$$' -bench . -benchtime 20x ./...

real: build ## three steps on a public Go module, proved by the module's own tests
	sh testdata/real/real.sh "$(CURDIR)/bin/git-plan"

storm: ## signals at 300 random moments and at every change of a ref, four kinds each
	STORM_SIZE=$(or $(STORM_SIZE),300) go test -timeout 120m -run ASignal -v ./cmd/git-plan

fuzz: ## fuzz the parser of plans, what imports and what exports them, each for FUZZTIME
	for target in $$(go test -list '^Fuzz' ./gitplan | grep ^Fuzz); do \
		go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(or $(FUZZTIME),60s) ./gitplan || exit 1; done

forms: ## try to import every plan (.md, .json) below DIR
	FORMS_DIR="$(abspath $(DIR))" go test -count 1 -run '^TestForms$$' -v ./gitplan

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12
