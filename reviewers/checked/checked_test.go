package checked

import (
	"slices"
	"strings"
	"testing"
)

// tree is a side of a change, written as "== path" and the file's lines.
func tree(text string) map[string]string {
	files, at := map[string]string{}, ""
	for _, l := range strings.Split(strings.TrimPrefix(strings.ReplaceAll(text, "$== ", "$\n== "), "\n"), "\n") {
		if name, ok := strings.CutPrefix(l, "== "); ok {
			at = name
			files[at] = ""
			continue
		}
		if at != "" {
			l, link := strings.CutSuffix(l, "$") // a link has no line end
			if files[at] += l; !link {
				files[at] += "\n"
			}
		}
	}
	return files
}

func reads(files map[string]string) Tree {
	return func(p string) ([]byte, bool) {
		for q := range files {
			if strings.HasPrefix(q, p+"/") {
				return nil, true
			}
		}
		text, ok := files[p]
		return []byte(text), ok
	}
}

const pack = `
== package.json
{"name": "x", "scripts": {"test": "npm run unit && jest", "unit": "node scripts/unit.js", "start": "node ."}, "jest": {"bail": 0}, "dependencies": {"a": "1"}}
== scripts/unit.js
assert(work())
`

const mk = `
== Makefile
GO = go
FLAGS := -race
SRCS = a.c b.c
.PHONY: test lint
all: build
build: ; $(GO) build ./...
test: unit lint
	@$(GO) test $(FLAGS) ./...
	$(MAKE) -C sub deep
unit: $(SRCS)
	sh scripts/unit.sh
%.o: %.c
	cc -c $<
lint:
	golangci-lint run
clean:
	rm -rf build
include more.mk
== more.mk
extra:
	echo extra
lint: vet
vet:
	go vet ./...
== sub/Makefile
deep:
	./deep.sh
== scripts/unit.sh
#!/bin/sh
# It runs them.
./run --all
== go.mod
module x
go 1.22
require a v1.0.0
`

const plain = "== Makefile\ntest:\n\t@grep -q right work.txt\n"

func TestWhatAChangeAltersOfAChecks(t *testing.T) {
	const alters, adds, none = "alters", "adds", ""
	rows := []struct {
		name, check, old, was, is string // in old, was becomes is; was "" puts is behind it
		want                      string
		what                      string // of the first finding
	}{
		// make
		{"a recipe that is gone", "make test", mk, "\t@$(GO) test $(FLAGS) ./...\n\t$(MAKE) -C sub deep\n", "", alters, "Makefile: the target test"},
		{"a failure that is ignored", "make test", mk, "\t@$(GO) test", "\t-$(GO) test", alters, "Makefile: the target test"},
		{"a variable", "make test", mk, "-race", "-run XXX", alters, "Makefile: the variable FLAGS"},
		{"a program", "make test", mk, "GO = go", "GO = true", alters, "Makefile: the variable GO"},
		{"a variable that comes last", "make test", mk, "include more.mk", "FLAGS = -short\ninclude more.mk", alters, "Makefile: the variable FLAGS"},
		{"a prerequisite that is gone", "make test", mk, "test: unit lint", "test: lint", alters, "Makefile: the target test"},
		{"the recipe of a prerequisite", "make test", mk, "sh scripts/unit.sh", "true", alters, "Makefile: the target unit"},
		{"in an included file", "make test", mk, "\tgo vet ./...", "\ttrue", alters, "more.mk: the target vet"},
		{"in a make that make runs", "make test", mk, "./deep.sh", "true", alters, "sub/Makefile: the target deep"},
		{"a script that a target runs", "make test", mk, "./run --all", "exit 0", alters, "scripts/unit.sh: the script"},
		{"the shell of all", "make test", mk, "SRCS =", "SHELL = /bin/true\nSRCS =", alters, "Makefile: the variable SHELL"},
		{"errors ignored everywhere", "make test", mk, "clean:", ".IGNORE:\nclean:", alters, "Makefile: what holds for every target"},
		{"another file that make reads first", "make test", mk, "", "== GNUmakefile\ntest:\n\t@true\n", alters, "GNUmakefile: the target test"},
		{"a target that is no command any more", "make test", mk, ".PHONY: test lint", ".PHONY: lint", alters, "Makefile: the target test"},
		{"the first target", "make", mk, "build: ; $(GO) build ./...", "build: ; true", alters, "Makefile: the target build"},
		{"behind and", "cd x && cd .. && env A=b make -s test | tee log", mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"in a shell", `bash -ec "make 'test'"`, mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"behind pipefail", `bash -o pipefail -c "make test | cat"`, mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"behind pipefail among letters", `bash -euo pipefail -c "make test | cat"`, mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"behind a long option", `bash --norc -c "make test"`, mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"behind an option after -c", `bash -c -e "make test"`, mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"timed", "time -p make test", mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"evaluated", "eval 'make test'", mk, "-race", "-x", alters, "Makefile: the variable FLAGS"},
		{"in a substitution", "test -z \"$(make lint)\"", mk, "golangci-lint run", "true", alters, "Makefile: the target lint"},
		{"a prerequisite more", "make test", mk, "test: unit lint", "test: unit lint extra", adds, ""},
		{"a file more", "make test", mk, "SRCS = a.c b.c", "SRCS = a.c c.c b.c", adds, ""},
		{"a target beside", "make test", mk, "clean:", "bench:\n\tgo test -bench .\nclean:", none, ""},
		{"another target", "make test", mk, "rm -rf build", "rm -rf build dist", none, ""},
		{"another variable", "make test", mk, "SRCS =", "OTHER = x\nSRCS =", none, ""},
		{"formatting", "make test", mk, "FLAGS := -race", "# how\nFLAGS  :=   -race", none, ""},
		{"a line that goes on", "make test", mk, "\t@$(GO) test $(FLAGS) ./...", "\t$(GO)  test \\\n\t\t$(FLAGS) ./...", none, ""},
		{"a file that a target is called", "make test", plain, "", "== test\nx\n", alters, "test: something is named as the target test, which is not .PHONY"},
		{"a folder that a target is called", "make test", plain, "", "== test/readme\nx\n", alters, "test/readme: something is named as the target test, which is not .PHONY"},
		{"a stamp that a prerequisite makes", "make test", "== Makefile\n.PHONY: test\ntest: ok.stamp\nok.stamp: a.c\n\tcheck a.c\n", "", "== ok.stamp\nx\n", alters, "ok.stamp: something is named as the target ok.stamp, which is not .PHONY"},
		{"a folder that a phony target is called", "make test", mk, "", "== test/a.go\nx\n", none, ""},
		{"a folder that always had its target's name", "make test", plain + "== test/a\nx\n", "", "== test/b\nx\n", none, ""},
		{"an exported variable", "make test", mk, "SRCS =", "export PATH := $(CURDIR)/bin:$(PATH)\nSRCS =", alters, "Makefile: what holds for every target"},
		{"any exported variable", "make test", mk, "SRCS =", "export TAGS = none\nSRCS =", alters, "Makefile: what holds for every target"},
		{"one exported by its name", "make test", mk, "SRCS =", "TAGS = none\nexport TAGS\nSRCS =", alters, "Makefile: what holds for every target"},
		{"the value of one that was exported", "make test", "== Makefile\nT = a\nexport T\ntest:\n\tcheck\n", "T = a", "T = b", alters, "Makefile: the variable T"},
		{"flags of a tool", "make test", mk, "SRCS =", "GOFLAGS = -run=none\nSRCS =", alters, "Makefile: the variable GOFLAGS"},
		{"everything exported", "make test", mk, "SRCS =", "export\nSRCS =", alters, "Makefile: what holds for every target"},
		{"the shell of a pattern of targets", "make test", mk, "SRCS =", "te%: SHELL=/bin/true\nSRCS =", alters, "Makefile: what holds for every target"},
		{"the shell of every target", "make test", mk, "SRCS =", "%: SHELL=/bin/true\nSRCS =", alters, "Makefile: what holds for every target"},
		{"the shell, in an included file", "make test", mk, "extra:", ".IGNORE:\nextra:", alters, "more.mk: what holds for every target"},
		{"a recipe under a condition", "make test", mk, "\t@$(GO) test $(FLAGS) ./...\n", "ifdef NEVER\n\t@$(GO) test $(FLAGS) ./...\nendif\n", alters, "Makefile: the target test"},
		{"a variable under no condition any more", "make test", "== Makefile\nF = a\nifdef NEVER\nF = b\nendif\ntest:\n\tcheck $(F)\n", "ifdef NEVER\nF = b\nendif\n", "F = b\n", alters, "Makefile: the variable F"},
		{"what make computes", "make test", mk, "SRCS =", "$(eval test: ; true)\nSRCS =", alters, "Makefile: what holds for every target"},
		{"a command that make runs as it reads", "make test", mk, "SRCS =", "X := $(shell touch unit)\nSRCS =", alters, "Makefile: what holds for every target"},
		{"a file that a pattern includes", "make test", "== Makefile\ninclude mk/*.mk\ntest:\n\tsh $(RUN)\nRUN ?= no.sh\n== mk/a.mk\n\n", "", "== mk/b.mk\nRUN = yes.sh\n", alters, "mk/b.mk: the variable RUN"},
		{"a version", "make test", mk, "SRCS =", "VERSION := $(shell git describe --tags 2>/dev/null || echo dev)\nSRCS =", none, ""},
		{"a condition beside", "make test", mk, "clean:", "ifdef DEBUG\nX = 1\nelse\nX = 2\nendif\nclean:", none, ""},
		{"a pattern beside", "make test", mk, "clean:", "%.html: %.md\n\tmarkdown $<\nclean:", none, ""},
		{"a variable of another target", "make test", mk, "clean:", "clean: DIRS = build\nclean:", none, ""},
		{"a first target test", "make test", "== Makefile\nall:\n\techo\n", "all:", "test:\n\tgo test ./...\nall:", adds, ""},
		{"a first Makefile", "make test", "== a.go\n", "", "== Makefile\ntest:\n\tgo test ./...\n", adds, ""},
		{"a Makefile that no check names", "go test ./...", mk, "-race", "-x", none, ""},

		// package managers
		{"scripts spelled otherwise", "npm test", pack, `"scripts": {"test": "npm run unit && jest"`, `"scripts": {"test": "true"}, "Scripts": {"test": "npm run unit && jest"`, alters, "package.json: the script test"},
		{"scripts of composer spelled otherwise", "composer test", "== composer.json\n{\"scripts\": {\"test\": \"phpunit\"}}\n", `{"scripts"`, `{"scripts": {"test": "true"}, "Scripts"`, alters, "composer.json: the script test"},
		{"options of npm's node", "npm test", pack, "", "== .npmrc\nnode-options=--require ./pre.js\n", alters, ".npmrc: the configuration of tests"},
		{"a registry of npm's", "npm test", pack, "", "== .npmrc\n@a:registry=https://x.example\nsave-exact=true\n", none, ""},
		{"another yarn", "yarn test", pack, "", "== .yarnrc.yml\nyarnPath: ./fake.js\n", alters, ".yarnrc.yml: the configuration of tests"},
		{"a linker of yarn's", "yarn test", pack, "", "== .yarnrc.yml\nnodeLinker: node-modules\n", none, ""},
		{"a program among npm's", "npm test", pack, "", "== node_modules/.bin/jest\nexit 0\n", alters, "node_modules/.bin/jest: the program jest"},
		{"a script of npm", "npm test", pack, "npm run unit && jest", "true", alters, "package.json: the script test"},
		{"a script that a script runs", "npm test", pack, "node scripts/unit.js", "true", alters, "package.json: the script unit"},
		{"what that runs", "yarn test", pack, "assert(work())", "work()", alters, "scripts/unit.js: the script"},
		{"one before it", "npm run test", pack, `"start"`, `"pretest": "rm -rf test", "start"`, alters, "package.json: the script pretest"},
		{"the shell of npm", "npm test", pack, "", "== .npmrc\nscript-shell=/bin/true\n", alters, ".npmrc: the configuration of tests"},
		{"jest in the package", "npm t", pack, `{"bail": 0}`, `{"passWithNoTests": true}`, alters, "package.json: the configuration of jest"},
		{"a configuration of jest", "npx jest", "== jest.config.js\nmodule.exports = {\n  testMatch: ['**/*.js'],\n}\n", "'**/*.js'", "'x'", alters, "jest.config.js: the configuration"},
		{"elsewhere", "npm --prefix web test", "== web/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n", "jest", "true", alters, "web/package.json: the script test"},
		{"in a workspace", "npm test -w web", "== web/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n", "jest", "true", alters, "web/package.json: the script test"},
		{"a script beside", "npm test", pack, `"start"`, `"lint": "eslint .", "start"`, none, ""},
		{"a dependency", "npm test", pack, `{"a": "1"}`, `{"a": "1", "b": "2"}`, none, ""},
		{"formatted JSON", "npm test", pack, `{"name": "x", `, "{\n  \"name\":\n \"x\",\n", none, ""},
		{"a first script test", "npm test", "== package.json\n{\"scripts\": {}}\n", "{}", `{"test": "jest"}`, adds, ""},

		// scripts of the tree
		{"a script", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "go test ./...", "exit 0", alters, "scripts/test.sh: the script"},
		{"the target of a link", "sh ci.sh", "== ci.sh\na.sh$== a.sh\nexit 1\n", "exit 1", "exit 0", alters, "a.sh: the script"},
		{"a link that leads elsewhere", "sh ci.sh", "== ci.sh\na.sh$== a.sh\nexit 1\n== b.sh\nexit 0\n", "a.sh$", "b.sh$", alters, "ci.sh: the link"},
		{"a folder that is a link", "sh ci/run.sh", "== ci\na$== a/run.sh\nexit 1\n== b/run.sh\nexit 0\n", "a$", "b$", alters, "ci: the link"},
		{"a script that is read", "sh <ci.sh", "== ci.sh\nexit 1\n", "exit 1", "exit 0", alters, "ci.sh: the script"},
		{"a script that is piped", "cat ci.sh | sh -s -- x", "== ci.sh\nexit 1\n", "exit 1", "exit 0", alters, "ci.sh: the script"},
		{"a script in a substitution", `sh -c "$(cat ci.sh)"`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", alters, "ci.sh: the script"},
		{"a script that is evaluated", `eval "$(cat ci.sh)"`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", alters, "ci.sh: the script"},
		{"a script as a file of a command", `bash <(cat ci.sh)`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", alters, "ci.sh: the script"},
		{"a script on PATH", "PATH=$PWD/tools:$PATH lintit", "== tools/lintit\nexit 1\n", "exit 1", "exit 0", alters, "tools/lintit: the program lintit"},
		{"a program of the system's on PATH", "PATH=$PWD/tools:$PATH; grep x y", "== x\n\n", "", "== tools/grep\nexit 0\n", alters, "tools/grep: the program grep"},
		{"a module in the place of a runner", "python3 -m unittest", "== test_x.py\n\n", "", "== unittest.py\n\n", alters, "unittest.py: a file in the place of the module unittest"},
		{"a package in the place of a runner", "python3 -B -W error -mpytest", "== test_x.py\n\n", "", "== pytest/__main__.py\n\n", alters, "pytest/__main__.py: a file in the place of the module pytest"},
		{"a module that a runner imports", "cd a && python3 -m unittest", "== a/test_x.py\n\n", "", "== a/argparse.py\n\n", alters, "a/argparse.py: a file in the place of the module argparse"},
		{"a module beside", "python3 -m unittest", "== test_x.py\n\n", "", "== parser.py\n\n== test/__init__.py\n\n", none, ""},
		{"the module itself", "python3 -m app --selftest", "== app/__main__.py\nprint(1)\n", "1", "2", none, ""},
		{"what a compiler reads", "$(CC) -o x tests/x.c | cat", "== tests/x.c\nmain\n", "main", "done", none, ""},
		{"a script by its name", "./check", "== check\n#!/bin/sh\ngo test ./...\n", "go test ./...", "exit 0", alters, "check: the script"},
		{"a script in a folder", "cd tools && ./check.py -v", "== tools/check.py\nassert x\n", "assert x", "pass", alters, "tools/check.py: the script"},
		{"a script that goes", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "== scripts/test.sh\ngo test ./...\n", "== x\n", alters, "scripts/test.sh: the script"},
		{"a script that a script reads", ". ./ci/all.sh", "== ci/all.sh\n. ci/lib-test.sh\n== ci/lib-test.sh\nrun\n", "run\n", "true\n", alters, "ci/lib-test.sh: the script"},
		{"a remark", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "go test", "# All.\n  go test", none, ""},
		{"a first script", "sh scripts/test.sh", "== x\n", "", "== scripts/test.sh\ngo test ./...\n", adds, ""},
		{"the work itself", "python app.py --selftest", "== app.py\nprint(1)\n", "1", "2", none, ""},
		{"what is only read", "grep -q x scripts/test.sh README.md", "== scripts/test.sh\ngo test ./...\n", "./...", "x", none, ""},
		{"where output goes", "go test ./... >test.sh 2>&1", "== test.sh\ngo test ./...\n", "./...", "x", none, ""},

		// configuration
		{"pytest.ini", "pytest -q", "== tests/test_a.py\n", "", "== pytest.ini\n[pytest]\naddopts = --collect-only\n", alters, "pytest.ini: the configuration"},
		{"pyproject", "python3 -m pytest", "== pyproject.toml\n[project]\nname = \"x\"\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n]\n", "\"-q\"", "\"-k\", \"not slow\"", alters, "pyproject.toml: the configuration of pytest"},
		{"setup.cfg", "uv run pytest", "== setup.cfg\n[metadata]\nname = x\n[tool:pytest]\npython_files = test_*.py\n", "test_*.py", "none_*.py", alters, "setup.cfg: the configuration of tool:pytest"},
		{"a hook", "pytest", "== tests/conftest.py\nimport pytest\n", "", "def pytest_collection_modifyitems(items):\n    items.clear()\n", alters, "tests/conftest.py: the configuration of tests"},
		{"an exit", "pytest", "== a/conftest.py\nimport os\n", "", "os._exit(0)\n", alters, "a/conftest.py: the configuration of tests"},
		{"tox", "tox -e py", "== tox.ini\n[testenv]\ncommands = pytest\n  --strict\n", "  --strict", "  -k x", alters, "tox.ini: the configuration"},
		{"a TestMain that runs nothing", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) { os.Exit(0) }\n", alters, "main_test.go: code that ends all tests"},
		{"an empty TestMain", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {}\n", alters, "main_test.go: code that ends all tests"},
		{"an exit before the tests", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {\n\tdefer os.Exit(0)\n\tm.Run()\n}\n", alters, "main_test.go: code that ends all tests"},
		{"a computed exit before the tests", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {\n\tcode := 0\n\tos.Exit(code)\n\tm.Run()\n}\n", alters, "main_test.go: code that ends all tests"},
		{"a choice of tests", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {\n\tflag.Set(\"test.run\", \"x\")\n\tos.Exit(m.Run())\n}\n", alters, "main_test.go: code that ends all tests"},
		{"an exit of init", "go test ./...", mk, "", "== z_test.go\npackage m\nfunc init() { os.Exit(0) }\n", alters, "z_test.go: code that ends all tests"},
		{"an exit that an init of tests calls", "make unit lint vet", mk, "", "== z_test.go\npackage m\nfunc init() { bye() }\nfunc bye() { syscall.Exit(0) }\n", alters, "z_test.go: code that ends all tests"},
		{"an exit of a variable", "go test ./...", mk, "", "== z.go\npackage m\nvar _ = func() int { os.Exit(0); return 0 }()\n", alters, "z.go: code that ends all tests"},
		{"an exit of Python's", "python3 -m unittest", "== test_x.py\n\n", "", "== test_a.py\nimport os\nos._exit(0)\n", alters, "test_a.py: code that ends all tests"},
		{"an exit of JavaScript's", "npx mocha", "== a.test.js\n\n", "", "== b.test.js\nprocess.exit(0)\n", alters, "b.test.js: code that ends all tests"},
		{"a TestMain", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {\n\tif os.Getenv(\"HELPER\") != \"\" {\n\t\thelp()\n\t\tos.Exit(0)\n\t}\n\tsetUp()\n\tcode := m.Run()\n\ttearDown()\n\tos.Exit(code)\n}\n", none, ""},
		{"a TestMain of a library", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n", none, ""},
		{"an exit that a package's init calls", "go test ./...", mk, "", "== z.go\npackage m\nfunc init() { bye() }\nfunc bye() { os.Exit(0) }\n", alters, "z.go: code that ends all tests"},
		{"commands of a program", "go test ./...", mk, "", "== cmd.go\npackage main\nvar root = &Command{Run: func() { os.Exit(run()) }}\nfunc init() {\n\tflag.Usage = func() { os.Exit(0) }\n\troot.Add(&Command{Run: func() { os.Exit(0) }})\n}\n", none, ""},
		{"a program", "go test ./...", mk, "", "== main.go\npackage main\nfunc main() { os.Exit(run()) }\nfunc usage() { os.Exit(0) }\n", none, ""},
		{"a process of a test's", "go test ./...", mk, "", "== a_test.go\npackage m\nfunc TestHelper(t *testing.T) {\n\tif os.Getenv(\"A\") == \"\" {\n\t\treturn\n\t}\n\tdefer os.Exit(0)\n}\n", none, ""},
		{"tests that are a program too", "python3 -m unittest", "== test_x.py\n\n", "", "== test_a.py\nimport sys\nif __name__ == '__main__':\n    sys.exit(main())\n", none, ""},
		{"a replacement", "go test ./...", mk, "go 1.22", "go 1.22\nreplace a => ./fake", alters, "go.mod: the configuration of tests"},
		{"replacements", "go test ./...", mk, "go 1.22", "go 1.22\nreplace (\n\ta => ./fake\n)", alters, "go.mod: the configuration of tests"},
		{"a crate's test", "cargo test", "== Cargo.toml\n[package]\nname = \"x\"\n", "name = \"x\"", "name = \"x\"\nautotests = false", alters, "Cargo.toml: the configuration of tests"},
		{"cargo's runner", "cargo test", "== Cargo.toml\n[package]\n", "", "== .cargo/config.toml\n[target.x]\nrunner = \"true\"\n", alters, ".cargo/config.toml: the configuration"},
		{"gradle", "./gradlew test", "== build.gradle\ntest {\n  useJUnitPlatform()\n}\n", "useJUnitPlatform()", "enabled = false", alters, "build.gradle: the configuration of tests"},
		{"maven", "mvn -B test", "== pom.xml\n<properties>\n</properties>\n", "<properties>", "<properties>\n<skipTests>true</skipTests>", alters, "pom.xml: the configuration of tests"},
		{"a linter", "golangci-lint run", "== .golangci.yml\nlinters:\n  enable: [vet]\n", "enable: [vet]", "disable-all: true", alters, ".golangci.yml: the configuration"},
		{"pytest.toml", "pytest", "== tests/test_a.py\n", "", "== pytest.toml\n[pytest]\naddopts = [\"--co\"]\n", alters, "pytest.toml: the configuration"},
		{"where pytest looks", "pytest", "== pytest.ini\n[pytest]\naddopts = -q\n", "addopts", "testpaths = none\naddopts", alters, "pytest.ini: the configuration"},
		{"what nextest runs", "cargo nextest run", "== Cargo.toml\n[package]\n", "", "== .config/nextest.toml\n[profile.default]\ndefault-filter = 'none()'\n", alters, ".config/nextest.toml: the configuration"},
		{"a folder that go leaves out", "go test ./...", mk, "go 1.22", "go 1.25\nignore ./sub", alters, "go.mod: the configuration of tests"},
		{"folders that go leaves out", "go test ./...", mk, "go 1.22", "go 1.25\nignore (\n\t./sub\n)", alters, "go.mod: the configuration of tests"},
		{"gradle, in a project below", "gradle test", "== app/build.gradle\ntest {\n  useJUnit()\n}\n", "useJUnit()", "enabled = false", alters, "app/build.gradle: the configuration of tests"},
		{"maven, in a module", "mvn test", "== app/pom.xml\n<properties>\n</properties>\n", "<properties>", "<properties>\n<skipTests>true</skipTests>", alters, "app/pom.xml: the configuration of tests"},
		{"a dependency of a module", "mvn test", "== app/pom.xml\n<dependencies>\n", "<dependencies>", "<dependencies><dependency>x</dependency>", none, ""},
		{"pest", "vendor/bin/pest", "== phpunit.xml\n<phpunit>\n</phpunit>\n", "<phpunit>", "<phpunit><groups/>", alters, "phpunit.xml: the configuration"},
		{"what ExUnit leaves out", "mix test", "== test/test_helper.exs\nExUnit.start()\n", "ExUnit.start()", "ExUnit.start(exclude: [:test])", alters, "test/test_helper.exs: the configuration"},
		{"bazel", "bazel test //...", "== .bazelrc\nbuild --x\n", "--x", "--x\ntest --test_tag_filters=none", alters, ".bazelrc: the configuration"},
		{"a task of poe", "poe test", "== pyproject.toml\n[tool.poe.tasks]\ntest = \"pytest\"\n", "pytest", "true", alters, "pyproject.toml: the configuration of poe"},
		{"a task of mise", "mise run test", "== mise.toml\n[tasks.test]\nrun = \"pytest\"\n", "pytest", "true", alters, "mise.toml: the configuration of tasks"},
		{"what pyright leaves out", "pyright", "== pyrightconfig.json\n{\"a\": 1}\n", "1}", "1, \"exclude\": [\"**\"]}", alters, "pyrightconfig.json: the configuration"},
		{"shellcheck", "shellcheck a.sh", "== .shellcheckrc\nshell=sh\n", "shell=sh", "shell=sh\ndisable=all", alters, ".shellcheckrc: the configuration"},
		{"a fixture", "pytest", "== tests/conftest.py\nimport pytest\n", "", "@pytest.fixture\ndef db():\n    return 1\n", none, ""},
		{"a marker", "pytest", "== pyproject.toml\n[tool.pytest.ini_options]\nmarkers = [\"a\"]\n", "[\"a\"]", "[\n    \"a\",\n    \"slow: takes long\",\n]", adds, ""},
		{"a dependency of Python", "pytest", "== pyproject.toml\n[project]\ndependencies = [\"a\"]\n[tool.pytest.ini_options]\naddopts = \"-q\"\n", "[\"a\"]", "[\"a\", \"b\"]", none, ""},
		{"formatted TOML", "pytest", "== pyproject.toml\n[tool.pytest.ini_options]\naddopts = [\"-q\", \"-x\"]\n", "[\"-q\", \"-x\"]", "[\n  '-q',\n  '-x',  # stop\n]", none, ""},
		{"a first configuration", "pytest", "== a.py\n", "", "== pyproject.toml\n[tool.pytest.ini_options]\naddopts = \"-ra -q\"\npythonpath = [\"src\"]\n", adds, ""},
		{"a dependency of Go", "go test ./...", mk, "require a v1.0.0", "require a v1.1.0\nrequire b v2.0.0\ntoolchain go1.23.4", adds, ""},
		{"a crate", "cargo test", "== Cargo.toml\n[package]\nname = \"x\"\n[dependencies]\n", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n", none, ""},
		{"a dependency of Gradle", "gradle test", "== build.gradle\ndependencies {\n}\ntest {\n}\n", "dependencies {", "dependencies {\n  implementation 'a:b:1'", none, ""},
		{"a dependency of Maven", "mvn verify", "== pom.xml\n<dependencies>\n", "<dependencies>", "<dependencies><dependency>x</dependency>", none, ""},

		// other runners of tasks
		{"just", "just test", "== justfile\ntest: build\n    cargo test\nbuild:\n    cargo build\n", "cargo test", "true", alters, "justfile: the task test"},
		{"what just needs", "just test", "== justfile\ntest: build\n    cargo test\nbuild:\n    cargo build\n", "cargo build", "true", alters, "justfile: the task build"},
		{"a recipe beside", "just test", "== justfile\ntest:\n    cargo test\n", "", "fmt:\n    cargo fmt\n", none, ""},
		{"a Taskfile", "task test", "== Taskfile.yml\ntasks:\n  test:\n    cmds:\n      - task: unit\n  unit:\n    cmds: [go test ./...]\n", "[go test ./...]", "['true']", alters, "Taskfile.yml: the task unit"},
		{"what a task needs", "task test", "== Taskfile.yml\ntasks:\n  test:\n    deps: [unit]\n  unit:\n    cmds: [go test ./...]\n", "[go test ./...]", "['true']", alters, "Taskfile.yml: the task unit"},
		{"rake", "bundle exec rake test", "== Rakefile\ntask :test => [:unit] do\n  sh 'ruby x'\nend\ntask :unit do\n  run\nend\n", "  run", "", alters, "Rakefile: the task unit"},
		{"composer", "composer test", "== composer.json\n{\"scripts\": {\"test\": [\"@unit\"], \"unit\": \"phpunit\"}}\n", "phpunit", "true", alters, "composer.json: the script unit"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			now := strings.Replace(r.old, r.was, r.is, 1)
			if r.was == "" {
				now = strings.TrimSuffix(r.old, "\n") + "\n" + r.is
			} else if now == r.old {
				t.Fatal("the change is none")
			}
			was, is := tree(r.old), tree(now)
			var changed []string
			for p := range is {
				if is[p] != was[p] || was[p] == "" {
					changed = append(changed, p)
				}
			}
			for p := range was {
				if _, ok := is[p]; !ok {
					changed = append(changed, p)
				}
			}
			found := Changed([]string{r.check}, changed, reads(was), reads(is))
			got, what := none, ""
			for _, f := range found {
				if !f.Adds && what == "" {
					got, what = alters, f.File+": "+f.What
				}
			}
			if got == none && len(found) > 0 {
				got = adds
			}
			if got != r.want || what != r.what {
				t.Errorf("%s %q, want %s %q: %+v", got, what, r.want, r.what, found)
			}
		})
	}
}

func TestACommandLineIsSplitAsAShellWould(t *testing.T) {
	for line, want := range map[string]string{
		`a b && c; d | e`:          "a b/c/d/e",
		`FOO=1 a "b c" 'd e' f\ g`: "FOO=1,a,b c,d e,f g",
		`a >out 2>&1 <in b`:        "a b",
		`a "$(b c)" d`:             "b c/a $() d",
		"a `b` # c":                "b/a $()",
		`(cd x && a) ; b`:          "/cd x/a/b",
		`a "unclosed`:              "a unclosed",
		`a $(b`:                    "b/a $()",
		`if a; then b; fi`:         "if a/then b/fi",
	} {
		var got []string
		for _, c := range commands(line) {
			sep := " "
			if strings.ContainsAny(strings.Join(c.words, ""), " ") {
				sep = ","
			}
			got = append(got, strings.Join(c.words, sep))
		}
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		if g := strings.Join(got, "/"); g != strings.TrimPrefix(want, "/") {
			t.Errorf("%s: %q, want %q", line, g, want)
		}
	}
}

// Whatever is in the files, it ends, and an unchanged tree has no findings.
func FuzzNothingChanged(f *testing.F) {
	f.Add("make test && npm t", mk+pack)
	f.Add("just x; rake; task; tox; pytest -c x", "== justfile\na: a\n  just a\n== Makefile\na:a\n\t$(MAKE) a\nX=$(X)$(Y)\nY=$(X)\ninclude Makefile\n")
	f.Fuzz(func(t *testing.T, check, text string) {
		files := tree(text)
		if found := Changed([]string{check}, nil, reads(files), reads(files)); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	})
}
