package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
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

// changeOf is the change from one tree to another, for a check.
func changeOf(check string, was, is map[string]string) *Change {
	c := &Change{Diff: &git.Diff{}, Checks: []string{check}}
	for _, p := range slices.Sorted(maps.Keys(is)) {
		if text, there := was[p]; !there {
			c.Diff.Files = append(c.Diff.Files, git.FileDiff{Path: p, Status: 'A', NewOID: "is:" + p})
		} else if text != is[p] {
			c.Diff.Files = append(c.Diff.Files, git.FileDiff{Path: p, Status: 'M', OldOID: "was:" + p, NewOID: "is:" + p})
		}
	}
	for _, p := range slices.Sorted(maps.Keys(was)) {
		if _, there := is[p]; !there {
			c.Diff.Files = append(c.Diff.Files, git.FileDiff{Path: p, Status: 'D', OldOID: "was:" + p})
		}
	}
	c.Read = func(oid string) ([]byte, error) {
		side, p, _ := strings.Cut(oid, ":")
		return []byte(map[string]map[string]string{"was": was, "is": is}[side][p]), nil
	}
	c.Old = func(p string) ([]byte, bool) {
		for q := range was {
			if strings.HasPrefix(q, p+"/") {
				return nil, true
			}
		}
		text, ok := was[p]
		return []byte(text), ok
	}
	return c
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

func TestFilesThatAlterACheck(t *testing.T) {
	const none = ""
	rows := []struct {
		name, check, old, was, is string // in old, was becomes is; was "" puts is behind it
		want                      string // the first file
	}{
		// make
		{"a removed recipe", "make test", mk, "\t@$(GO) test $(FLAGS) ./...\n\t$(MAKE) -C sub deep\n", "", "Makefile"},
		{"a failure that is ignored", "make test", mk, "\t@$(GO) test", "\t-$(GO) test", "Makefile"},
		{"a variable", "make test", mk, "-race", "-run XXX", "Makefile"},
		{"a program", "make test", mk, "GO = go", "GO = true", "Makefile"},
		{"a variable that comes last", "make test", mk, "include more.mk", "FLAGS = -short\ninclude more.mk", "Makefile"},
		{"a removed prerequisite", "make test", mk, "test: unit lint", "test: lint", "Makefile"},
		{"the recipe of a prerequisite", "make test", mk, "sh scripts/unit.sh", "true", "Makefile"},
		{"in an included file", "make test", mk, "\tgo vet ./...", "\ttrue", "more.mk"},
		{"in a make that make runs", "make test", mk, "./deep.sh", "true", "sub/Makefile"},
		{"a script that a target runs", "make test", mk, "./run --all", "exit 0", "scripts/unit.sh"},
		{"the shell of all", "make test", mk, "SRCS =", "SHELL = /bin/true\nSRCS =", "Makefile"},
		{"errors ignored everywhere", "make test", mk, "clean:", ".IGNORE:\nclean:", "Makefile"},
		{"another file that make reads first", "make test", mk, "", "== GNUmakefile\ntest:\n\t@true\n", "GNUmakefile"},
		{"a target that is no longer phony", "make test", mk, ".PHONY: test lint", ".PHONY: lint", "Makefile"},
		{"the first target", "make", mk, "build: ; $(GO) build ./...", "build: ; true", "Makefile"},
		{"behind and", "cd x && cd .. && env A=b make -s test | tee log", mk, "-race", "-x", "Makefile"},
		{"in a shell", `bash -ec "make 'test'"`, mk, "-race", "-x", "Makefile"},
		{"behind pipefail", `bash -o pipefail -c "make test | cat"`, mk, "-race", "-x", "Makefile"},
		{"behind pipefail among letters", `bash -euo pipefail -c "make test | cat"`, mk, "-race", "-x", "Makefile"},
		{"behind a long option", `bash --norc -c "make test"`, mk, "-race", "-x", "Makefile"},
		{"behind an option after -c", `bash -c -e "make test"`, mk, "-race", "-x", "Makefile"},
		{"timed", "time -p make test", mk, "-race", "-x", "Makefile"},
		{"evaluated", "eval 'make test'", mk, "-race", "-x", "Makefile"},
		{"in a substitution", "test -z \"$(make lint)\"", mk, "golangci-lint run", "true", "Makefile"},
		{"an additional prerequisite", "make test", mk, "test: unit lint", "test: unit lint extra", none},
		{"an additional file", "make test", mk, "SRCS = a.c b.c", "SRCS = a.c c.c b.c", none},
		{"another target", "make test", mk, "clean:", "bench:\n\tgo test -bench .\nclean:", none},
		{"another target", "make test", mk, "rm -rf build", "rm -rf build dist", "Makefile"},
		{"another variable", "make test", mk, "SRCS =", "OTHER = x\nSRCS =", none},
		{"formatting", "make test", mk, "FLAGS := -race", "# how\nFLAGS  :=   -race", none},
		{"a continued line", "make test", mk, "\t@$(GO) test $(FLAGS) ./...", "\t$(GO)  test \\\n\t\t$(FLAGS) ./...", none},
		{"a file that a target is called", "make test", plain, "", "== test\nx\n", "test"},
		{"a folder that a target is called", "make test", plain, "", "== test/readme\nx\n", "test/readme"},
		{"a folder with a phony target's name", "make test", mk, "", "== test/a.go\nx\n", none},
		{"a folder that always had its target's name", "make test", plain + "== test/a\nx\n", "", "== test/b\nx\n", none},
		{"an exported variable", "make test", mk, "SRCS =", "export PATH := $(CURDIR)/bin:$(PATH)\nSRCS =", "Makefile"},
		{"any exported variable", "make test", mk, "SRCS =", "export TAGS = none\nSRCS =", "Makefile"},
		{"one exported by its name", "make test", mk, "SRCS =", "TAGS = none\nexport TAGS\nSRCS =", "Makefile"},
		{"the value of one that was exported", "make test", "== Makefile\nT = a\nexport T\ntest:\n\tcheck\n", "T = a", "T = b", "Makefile"},
		{"flags of a tool", "make test", mk, "SRCS =", "GOFLAGS = -run=none\nSRCS =", "Makefile"},
		{"everything exported", "make test", mk, "SRCS =", "export\nSRCS =", "Makefile"},
		{"the shell of a pattern of targets", "make test", mk, "SRCS =", "te%: SHELL=/bin/true\nSRCS =", "Makefile"},
		{"the shell of every target", "make test", mk, "SRCS =", "%: SHELL=/bin/true\nSRCS =", "Makefile"},
		{"the shell, in an included file", "make test", mk, "extra:", ".IGNORE:\nextra:", "more.mk"},
		{"a recipe under a condition", "make test", mk, "\t@$(GO) test $(FLAGS) ./...\n", "ifdef NEVER\n\t@$(GO) test $(FLAGS) ./...\nendif\n", "Makefile"},
		{"a variable under no condition any more", "make test", "== Makefile\nF = a\nifdef NEVER\nF = b\nendif\ntest:\n\tcheck $(F)\n", "ifdef NEVER\nF = b\nendif\n", "F = b\n", "Makefile"},
		{"what make computes", "make test", mk, "SRCS =", "$(eval test: ; true)\nSRCS =", "Makefile"},
		{"a command that make runs as it reads", "make test", mk, "SRCS =", "X := $(shell touch unit)\nSRCS =", "Makefile"},
		{"a file that a pattern includes", "make test", "== Makefile\ninclude mk/*.mk\ntest:\n\tsh $(RUN)\nRUN ?= no.sh\n== mk/a.mk\n\n", "", "== mk/b.mk\nRUN = yes.sh\n", "mk/b.mk"},
		{"a version", "make test", mk, "SRCS =", "VERSION := $(shell git describe --tags 2>/dev/null || echo dev)\nSRCS =", "Makefile"},
		{"another condition", "make test", mk, "clean:", "ifdef DEBUG\nX = 1\nelse\nX = 2\nendif\nclean:", "Makefile"},
		{"another pattern", "make test", mk, "clean:", "%.html: %.md\n\tmarkdown $<\nclean:", "Makefile"},
		{"a variable of another target", "make test", mk, "clean:", "clean: DIRS = build\nclean:", "Makefile"},
		{"a first target test", "make test", "== Makefile\nall:\n\techo\n", "all:", "test:\n\tgo test ./...\nall:", none},
		{"a first Makefile", "make test", "== a.go\n", "", "== Makefile\ntest:\n\tgo test ./...\n", none},
		{"a Makefile that no check names", "go test ./...", mk, "-race", "-x", none},

		// package managers
		{"reworded scripts", "npm test", pack, `"scripts": {"test": "npm run unit && jest"`, `"scripts": {"test": "true"}, "Scripts": {"test": "npm run unit && jest"`, "package.json"},
		{"a script that only another key has now", "npm test", pack, `"test": "npm run unit && jest"`, `"test": "true"}, "config": {"test": "npm run unit && jest"}, "lint-staged": {"x": "y"`, "package.json"},
		{"reworded scripts of composer", "composer test", "== composer.json\n{\"scripts\": {\"test\": \"phpunit\"}}\n", `{"scripts"`, `{"scripts": {"test": "true"}, "Scripts"`, "composer.json"},
		{"options of npm's node", "npm test", pack, "", "== .npmrc\nnode-options=--require ./pre.js\n", ".npmrc"},
		{"a registry of npm's", "npm test", pack, "", "== .npmrc\n@a:registry=https://x.example\nsave-exact=true\n", none},
		{"another yarn", "yarn test", pack, "", "== .yarnrc.yml\nyarnPath: ./fake.js\n", ".yarnrc.yml"},
		{"a linker of yarn's", "yarn test", pack, "", "== .yarnrc.yml\nnodeLinker: node-modules\n", none},
		{"a script of npm", "npm test", pack, "npm run unit && jest", "true", "package.json"},
		{"a script that a script runs", "npm test", pack, "node scripts/unit.js", "true", "package.json"},
		{"the script that it runs", "yarn test", pack, "assert(work())", "work()", "scripts/unit.js"},
		{"one before it", "npm run test", pack, `"start"`, `"pretest": "rm -rf test", "start"`, "package.json"},
		{"the shell of npm", "npm test", pack, "", "== .npmrc\nscript-shell=/bin/true\n", ".npmrc"},
		{"jest in the package", "npm t", pack, `{"bail": 0}`, `{"passWithNoTests": true}`, "package.json"},
		{"a configuration of jest", "npx jest", "== jest.config.js\nmodule.exports = {\n  testMatch: ['**/*.js'],\n}\n", "'**/*.js'", "'x'", "jest.config.js"},
		{"elsewhere", "npm --prefix web test", "== web/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n", "jest", "true", "web/package.json"},
		{"in a workspace", "npm test -w web", "== web/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n", "jest", "true", "web/package.json"},
		{"another script", "npm test", pack, `"start"`, `"lint": "eslint .", "start"`, none},
		{"a dependency", "npm test", pack, `{"a": "1"}`, `{"a": "1", "b": "2"}`, none},
		{"formatted JSON", "npm test", pack, `{"name": "x", `, "{\n  \"name\":\n \"x\",\n", none},
		{"a first script test", "npm test", "== package.json\n{\"scripts\": {}}\n", "{}", `{"test": "jest"}`, none},

		// scripts in the tree
		{"a script", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "go test ./...", "exit 0", "scripts/test.sh"},
		{"the target of a link", "sh ci.sh", "== ci.sh\na.sh$== a.sh\nexit 1\n", "exit 1", "exit 0", "a.sh"},
		{"a link that leads elsewhere", "sh ci.sh", "== ci.sh\na.sh$== a.sh\nexit 1\n== b.sh\nexit 0\n", "a.sh$", "b.sh$", "ci.sh"},
		{"a script that is read", "sh <ci.sh", "== ci.sh\nexit 1\n", "exit 1", "exit 0", "ci.sh"},
		{"a script that is piped", "cat ci.sh | sh -s -- x", "== ci.sh\nexit 1\n", "exit 1", "exit 0", "ci.sh"},
		{"a script in a substitution", `sh -c "$(cat ci.sh)"`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", "ci.sh"},
		{"a script that is evaluated", `eval "$(cat ci.sh)"`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", "ci.sh"},
		{"a script as a file of a command", `bash <(cat ci.sh)`, "== ci.sh\nexit 1\n", "exit 1", "exit 0", "ci.sh"},
		{"a module of Python's own", "python3 check.py", "== check.py\nimport json\n", "", "== json.py\nimport os\nos._exit(0)\n", "json.py"},
		{"line ends of a script", "sh bench.sh", "== bench.sh\n! grep -q old n.txt\n", "", "== .gitattributes\n*.sh text eol=crlf\n", ".gitattributes"},
		{"line ends of all", "sh bench.sh", "== bench.sh\n! grep -q old n.txt\n", "", "== .gitattributes\n* text=auto\n*.png binary\n", none},
		{"another module", "python3 -m unittest", "== test_x.py\n\n", "", "== parser.py\n\n== test/__init__.py\n\n", none},
		{"the module itself", "python3 -m app --selftest", "== app/__main__.py\nprint(1)\n", "1", "2", none},
		{"a compiler's input", "$(CC) -o x tests/x.c | cat", "== tests/x.c\nmain\n", "main", "done", "tests/x.c"},
		{"a script by its name", "./check", "== check\n#!/bin/sh\ngo test ./...\n", "go test ./...", "exit 0", "check"},
		{"a script in a folder", "cd tools && ./check.py -v", "== tools/check.py\nassert x\n", "assert x", "pass", "tools/check.py"},
		{"a deleted script", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "== scripts/test.sh\ngo test ./...\n", "== x\n", "scripts/test.sh"},
		{"a script that a script reads", ". ./ci/all.sh", "== ci/all.sh\n. ci/lib-test.sh\n== ci/lib-test.sh\nrun\n", "run\n", "true\n", "ci/lib-test.sh"},
		{"a comment", "sh scripts/test.sh", "== scripts/test.sh\ngo test ./...\n", "go test", "# All.\n  go test", none},
		{"a first script", "sh scripts/test.sh", "== x\n", "", "== scripts/test.sh\ngo test ./...\n", none},
		{"the work itself", "python app.py --selftest", "== app.py\nprint(1)\n", "1", "2", none},
		{"a file that is only read", "grep -q x scripts/test.sh README.md", "== scripts/test.sh\ngo test ./...\n", "./...", "x", "scripts/test.sh"},
		{"an output file", "go test ./... >test.sh 2>&1", "== test.sh\ngo test ./...\n", "./...", "x", "test.sh"},

		// configuration
		{"pytest.ini", "pytest -q", "== tests/test_a.py\n", "", "== pytest.ini\n[pytest]\naddopts = --collect-only\n", "pytest.ini"},
		{"pyproject", "python3 -m pytest", "== pyproject.toml\n[project]\nname = \"x\"\n\n[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n]\n", "\"-q\"", "\"-k\", \"not slow\"", "pyproject.toml"},
		{"setup.cfg", "uv run pytest", "== setup.cfg\n[metadata]\nname = x\n[tool:pytest]\npython_files = test_*.py\n", "test_*.py", "none_*.py", "setup.cfg"},
		{"a hook", "pytest", "== tests/conftest.py\nimport pytest\n", "", "def pytest_collection_modifyitems(items):\n    items.clear()\n", "tests/conftest.py"},
		{"an exit", "pytest", "== a/conftest.py\nimport os\n", "", "os._exit(0)\n", "a/conftest.py"},
		{"tox", "tox -e py", "== tox.ini\n[testenv]\ncommands = pytest\n  --strict\n", "  --strict", "  -k x", "tox.ini"},
		{"a TestMain", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) {\n\tif os.Getenv(\"HELPER\") != \"\" {\n\t\thelp()\n\t\tos.Exit(0)\n\t}\n\tsetUp()\n\tcode := m.Run()\n\ttearDown()\n\tos.Exit(code)\n}\n", none},
		{"a TestMain of a library", "go test ./...", mk, "", "== main_test.go\npackage m\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n", none},
		{"commands of a program", "go test ./...", mk, "", "== cmd.go\npackage main\nvar root = &Command{Run: func() { os.Exit(run()) }}\nfunc init() {\n\tflag.Usage = func() { os.Exit(0) }\n\troot.Add(&Command{Run: func() { os.Exit(0) }})\n}\n", none},
		{"a program", "go test ./...", mk, "", "== main.go\npackage main\nfunc main() { os.Exit(run()) }\nfunc usage() { os.Exit(0) }\n", none},
		{"a process of a test's", "go test ./...", mk, "", "== a_test.go\npackage m\nfunc TestHelper(t *testing.T) {\n\tif os.Getenv(\"A\") == \"\" {\n\t\treturn\n\t}\n\tdefer os.Exit(0)\n}\n", none},
		{"tests that are a program too", "python3 -m unittest", "== test_x.py\n\n", "", "== test_a.py\nimport sys\nif __name__ == '__main__':\n    sys.exit(main())\n", none},
		{"a replacement", "go test ./...", mk, "go 1.22", "go 1.22\nreplace a => ./fake", "go.mod"},
		{"replacements", "go test ./...", mk, "go 1.22", "go 1.22\nreplace (\n\ta => ./fake\n)", "go.mod"},
		{"a crate's test", "cargo test", "== Cargo.toml\n[package]\nname = \"x\"\n", "name = \"x\"", "name = \"x\"\nautotests = false", "Cargo.toml"},
		{"cargo's runner", "cargo test", "== Cargo.toml\n[package]\n", "", "== .cargo/config.toml\n[target.x]\nrunner = \"true\"\n", ".cargo/config.toml"},
		{"gradle", "./gradlew test", "== build.gradle\ntest {\n  useJUnitPlatform()\n}\n", "useJUnitPlatform()", "enabled = false", "build.gradle"},
		{"maven", "mvn -B test", "== pom.xml\n<properties>\n</properties>\n", "<properties>", "<properties>\n<skipTests>true</skipTests>", "pom.xml"},
		{"a linter", "golangci-lint run", "== .golangci.yml\nlinters:\n  enable: [vet]\n", "enable: [vet]", "disable-all: true", ".golangci.yml"},
		{"pytest.toml", "pytest", "== tests/test_a.py\n", "", "== pytest.toml\n[pytest]\naddopts = [\"--co\"]\n", "pytest.toml"},
		{"pytest's test paths", "pytest", "== pytest.ini\n[pytest]\naddopts = -q\n", "addopts", "testpaths = none\naddopts", "pytest.ini"},
		{"nextest's filter", "cargo nextest run", "== Cargo.toml\n[package]\n", "", "== .config/nextest.toml\n[profile.default]\ndefault-filter = 'none()'\n", ".config/nextest.toml"},
		{"a folder that go leaves out", "go test ./...", mk, "go 1.22", "go 1.25\nignore ./sub", "go.mod"},
		{"folders that go leaves out", "go test ./...", mk, "go 1.22", "go 1.25\nignore (\n\t./sub\n)", "go.mod"},
		{"gradle, in a project below", "gradle test", "== app/build.gradle\ntest {\n  useJUnit()\n}\n", "useJUnit()", "enabled = false", "app/build.gradle"},
		{"maven, in a module", "mvn test", "== app/pom.xml\n<properties>\n</properties>\n", "<properties>", "<properties>\n<skipTests>true</skipTests>", "app/pom.xml"},
		{"a dependency of a module", "mvn test", "== app/pom.xml\n<dependencies>\n", "<dependencies>", "<dependencies><dependency>x</dependency>", none},
		{"pest", "vendor/bin/pest", "== phpunit.xml\n<phpunit>\n</phpunit>\n", "<phpunit>", "<phpunit><groups/>", "phpunit.xml"},
		{"ExUnit's exclusions", "mix test", "== test/test_helper.exs\nExUnit.start()\n", "ExUnit.start()", "ExUnit.start(exclude: [:test])", "test/test_helper.exs"},
		{"bazel", "bazel test //...", "== .bazelrc\nbuild --x\n", "--x", "--x\ntest --test_tag_filters=none", ".bazelrc"},
		{"a task of poe", "poe test", "== pyproject.toml\n[tool.poe.tasks]\ntest = \"pytest\"\n", "pytest", "true", "pyproject.toml"},
		{"a task of mise", "mise run test", "== mise.toml\n[tasks.test]\nrun = \"pytest\"\n", "pytest", "true", "mise.toml"},
		{"pyright's exclusions", "pyright", "== pyrightconfig.json\n{\"a\": 1}\n", "1}", "1, \"exclude\": [\"**\"]}", "pyrightconfig.json"},
		{"shellcheck", "shellcheck a.sh", "== .shellcheckrc\nshell=sh\n", "shell=sh", "shell=sh\ndisable=all", ".shellcheckrc"},
		{"a fixture", "pytest", "== tests/conftest.py\nimport pytest\n", "", "@pytest.fixture\ndef db():\n    return 1\n", none},
		{"a marker", "pytest", "== pyproject.toml\n[tool.pytest.ini_options]\nmarkers = [\"a\"]\n", "[\"a\"]", "[\n    \"a\",\n    \"slow: takes long\",\n]", none},
		{"a dependency of Python", "pytest", "== pyproject.toml\n[project]\ndependencies = [\"a\"]\n[tool.pytest.ini_options]\naddopts = \"-q\"\n", "[\"a\"]", "[\"a\", \"b\"]", none},
		{"formatted TOML", "pytest", "== pyproject.toml\n[tool.pytest.ini_options]\naddopts = [\"-q\", \"-x\"]\n", "[\"-q\", \"-x\"]", "[\n  '-q',\n  '-x',  # stop\n]", "pyproject.toml"},
		{"a first configuration", "pytest", "== a.py\n", "", "== pyproject.toml\n[tool.pytest.ini_options]\naddopts = \"-ra -q\"\npythonpath = [\"src\"]\n", "pyproject.toml"},
		{"a dependency of Go", "go test ./...", mk, "require a v1.0.0", "require a v1.1.0\nrequire b v2.0.0\ntoolchain go1.23.4", none},
		{"a crate", "cargo test", "== Cargo.toml\n[package]\nname = \"x\"\n[dependencies]\n", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n", none},
		{"a dependency of Gradle", "gradle test", "== build.gradle\ndependencies {\n}\ntest {\n}\n", "dependencies {", "dependencies {\n  implementation 'a:b:1'", none},
		{"a dependency of Maven", "mvn verify", "== pom.xml\n<dependencies>\n", "<dependencies>", "<dependencies><dependency>x</dependency>", none},

		// settings of other runners
		{"another file that is read first", "npx eslint .", "== .eslintrc.json\n{\"extends\": \"x\"}\n", "", "== eslint.config.js\nexport default []\n", "eslint.config.js"},
		{"one that is read before a section", "pytest", "== pyproject.toml\n[tool.pytest.ini_options]\nxfail_strict = true\n", "", "== pytest.ini\n[pytest]\n", "pytest.ini"},
		{"a file read before pyproject.toml without a section", "pytest", "== pyproject.toml\n[project]\nname = \"x\"\n", "", "== pytest.ini\n[pytest]\n", none},
		{"coverage's exclusions", "pytest --cov --cov-fail-under=90", "== a.py\n", "", "== .coveragerc\n[run]\nomit = *\n", ".coveragerc"},
		{"the runner of django", "python manage.py test", "== app/settings.py\nX = 1\n", "", "TEST_RUNNER = 'app.none'\n", "app/settings.py"},
		{"a setting of django", "python manage.py test", "== app/settings.py\nX = 1\n", "X = 1", "X = 2", none},
		{"a task of pdm", "pdm run test", "== pyproject.toml\n[tool.pdm.scripts]\ntest = 'pytest'\n", "pytest", "true", "pyproject.toml"},
		{"a task of invoke", "invoke test", "== tasks.py\n@task\ndef test(c):\n    c.run('pytest')\n", "pytest", "true", "tasks.py"},
		{"jest's set-up file", "npx jest", "== src/setupTests.ts\nimport 'x'\n", "", "process.exit(0)\n", "src/setupTests.ts"},
		{"a file named in jest's settings", "npx jest", "== jest.config.js\nmodule.exports = { setupFiles: ['./lib/globals.js'] }\n== lib/globals.js\nx()\n", "", "process.exit(0)\n", "lib/globals.js"},
		{"an import in a set-up file", "npx jest", "== src/setupTests.ts\nimport 'x'\n", "", "import '@testing-library/jest-dom'\n", none},
		{"a plugin of the tree", "npx jest", "== babel.config.js\nmodule.exports = {\n  presets: ['a'],\n}\n", "'a'],", "'a'],\n  plugins: ['./strip'],", "babel.config.js"},
		{"a preset", "npx jest", "== babel.config.js\nmodule.exports = {\n  presets: ['a'],\n}\n", "'a'],", "'a', 'b'],", none},
		{"a looser compiler", "npm run check", "== package.json\n{\"scripts\": {\"check\": \"tsc --noEmit\"}}\n== tsconfig.json\n{\n  \"strict\": true\n}\n", "\"strict\": true\n", "\"strict\": true,\n  \"noImplicitAny\": false\n", "tsconfig.json"},
		{"files excluded from the compiler", "npx tsc -p .", "== tsconfig.json\n{\n  \"strict\": true\n}\n", "true\n", "true,\n  \"exclude\": [\"src\"]\n", "tsconfig.json"},
		{"an option of the compiler", "npx tsc -p .", "== tsconfig.json\n{\n  \"strict\": true\n}\n", "true\n", "true,\n  \"esModuleInterop\": true\n", none},
		{"a first tsconfig", "npx tsc -p .", "== a.ts\n", "", "== tsconfig.json\n{\"include\": [\"src\"]}\n", none},
		{"prettier's ignored files", "npx prettier --check .", "== .prettierignore\ndist\n", "", "src\n", ".prettierignore"},
		{"a task of deno", "deno task test", "== deno.json\n{\"tasks\": {\"test\": \"deno test\"}}\n", "deno test", "true", "deno.json"},
		{"an import of deno", "deno task test", "== deno.json\n{\"tasks\": {\"test\": \"deno test\"}, \"imports\": {}}\n", "\"imports\": {}", "\"imports\": {\"a\": \"jsr:a\"}", none},
		{"bun's preload", "bun test", "== a.ts\n", "", "== bunfig.toml\n[test]\npreload = ['./x.ts']\n", "bunfig.toml"},
		{"a target of nx", "npx nx test app", "== apps/app/project.json\n{\"test\": {\"executor\": \"jest\"}}\n", "jest", "noop", "apps/app/project.json"},
		{"a project of nx", "npx nx run-many -t test", "== nx.json\n{}\n", "", "== apps/app/project.json\n{\"test\": {\"executor\": \"jest\"}}\n", none},
		{"a configuration of the crate", "cargo test", "== Cargo.toml\n[package]\n", "", "== build.rs\nfn main() { println!(\"cargo:rustc-cfg=no\"); }\n", "build.rs"},
		{"another module in its place", "go test ./...", mk, "", "== go.work\ngo 1.22\nuse .\nuse ./fake\n", "go.work"},
		{"a runner around go's", "gotestsum ./...", "== go.mod\nmodule x\n", "", "replace a => ./a\n", "go.mod"},
		{"phpunit's exclusions", "php artisan test", "== phpunit.xml.dist\n<phpunit>\n</phpunit>\n", "", "== phpunit.xml\n<phpunit>\n</phpunit>\n", "phpunit.xml"},
		{"phpstan's level", "vendor/bin/phpstan", "== phpstan.neon\nparameters:\n  level: 9\n", "9", "0", "phpstan.neon"},
		{"tags of rspec", "bundle exec rspec", "== .rspec\n--require spec_helper\n", "", "--tag none\n", ".rspec"},
		{"a first .rspec", "bundle exec rspec", "== a.rb\n", "", "== .rspec\n--require spec_helper\n--format documentation\n", none},
		{"the end of rspec", "bundle exec rspec", "== spec/spec_helper.rb\nrequire 'x'\n", "", "exit!(0)\n", "spec/spec_helper.rb"},
		{"a helper of rspec", "bundle exec rspec", "== spec/spec_helper.rb\nrequire 'x'\n", "", "require 'y'\n", none},
		{"a module that leaves maven", "mvn test", "== pom.xml\n<modules>\n<module>a</module>\n<module>b</module>\n</modules>\n", "<module>b</module>\n", "", "pom.xml"},
		{"maven's extensions", "mvn test", "== pom.xml\n<project/>\n", "", "== .mvn/extensions.xml\n<extensions/>\n", ".mvn/extensions.xml"},
		{"sbt", "sbt test", "== build.sbt\nname := \"x\"\n", "", "Test / test := {}\n", "build.sbt"},
		{"a version of sbt's", "sbt test", "== build.sbt\nversion := \"1\"\n", "1", "2", none},
		{"a test of ctest's", "ctest --test-dir build", "== t/CMakeLists.txt\nadd_test(a a)\nadd_test(b b)\n", "add_test(b b)\n", "", "t/CMakeLists.txt"},
		{"a library of cmake's", "ctest --test-dir build", "== CMakeLists.txt\nadd_library(a a.c)\nadd_test(a a)\n", "a.c", "a.c b.c", none},
		{"a test of meson's", "meson test -C build", "== meson.build\ntest('a', a)\ntest('b', b)\n", "test('b', b)\n", "", "meson.build"},
		{"a tag of bazel's", "bazel test //...", "== a/BUILD\ngo_test(name = 'a')\n", "'a'", "'a', tags = ['manual']", "a/BUILD"},
		{"a target of bazel's", "bazel test //...", "== a/BUILD\ngo_library(name = 'a')\n", "", "go_library(name = 'b')\n", none},
		{"a project without tests", "dotnet test", "== a/a.csproj\n<Project>\n", "", "<IsTestProject>false</IsTestProject>\n", "a/a.csproj"},
		{"exclusions of all projects", "dotnet test", "== a/a.csproj\n<Project>\n", "", "== Directory.Build.props\n<Compile Remove=\"**/*Tests.cs\"/>\n", "Directory.Build.props"},
		{"a package of dotnet's", "dotnet test", "== a/a.csproj\n<Project>\n", "", "<PackageReference Include=\"x\"/>\n", none},
		{"dart's test files", "flutter test", "== pubspec.yaml\nname: x\n", "", "== dart_test.yaml\nfilename: none\n", "dart_test.yaml"},
		{"a stage of docker's", "docker build --target test .", "== Dockerfile\nRUN go test ./...\n", "go test ./...", "true", "Dockerfile"},
		{"a package of the image", "docker build --target test .", "== Dockerfile\nRUN go test ./...\n", "RUN go", "RUN apt-get install -y x\nRUN go", none},
		{"a task of ant's", "ant test", "== build.xml\n<target name=\"test\">\n<junit/>\n</target>\n", "<junit/>\n", "", "build.xml"},
		{"exclusions of a hook manager", "lefthook run pre-commit", "== lefthook.yml\npre-commit:\n  jobs:\n", "", "  skip: true\n", "lefthook.yml"},
		{"variables of all", "direnv exec . make test", mk, "", "== .envrc\nexport MAKEFLAGS=-n\n", ".envrc"},

		// other task runners
		{"just", "just test", "== justfile\ntest: build\n    cargo test\nbuild:\n    cargo build\n", "cargo test", "true", "justfile"},
		{"a dependency in a justfile", "just test", "== justfile\ntest: build\n    cargo test\nbuild:\n    cargo build\n", "cargo build", "true", "justfile"},
		{"another recipe", "just test", "== justfile\ntest:\n    cargo test\n", "", "fmt:\n    cargo fmt\n", none},
		{"a Taskfile", "task test", "== Taskfile.yml\ntasks:\n  test:\n    cmds:\n      - task: unit\n  unit:\n    cmds: [go test ./...]\n", "[go test ./...]", "['true']", "Taskfile.yml"},
		{"a dependency of a task", "task test", "== Taskfile.yml\ntasks:\n  test:\n    deps: [unit]\n  unit:\n    cmds: [go test ./...]\n", "[go test ./...]", "['true']", "Taskfile.yml"},
		{"rake", "bundle exec rake test", "== Rakefile\ntask :test => [:unit] do\n  sh 'ruby x'\nend\ntask :unit do\n  run\nend\n", "  run", "", "Rakefile"},
		{"composer", "composer test", "== composer.json\n{\"scripts\": {\"test\": [\"@unit\"], \"unit\": \"phpunit\"}}\n", "phpunit", "true", "composer.json"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			now := strings.Replace(r.old, r.was, r.is, 1)
			if r.was == "" {
				now = strings.TrimSuffix(r.old, "\n") + "\n" + r.is
			} else if now == r.old {
				t.Fatal("the change is empty")
			}
			got := none
			if found := altered(changeOf(r.check, tree(r.old), tree(now))); len(found) > 0 {
				got = found[0].file
			}
			if got != r.want {
				t.Errorf("%q, want %q", got, r.want)
			}
		})
	}
}

// Whatever the files contain, an unchanged tree has no findings.
func FuzzNothingChanged(f *testing.F) {
	f.Add("make test && npm t", mk+pack)
	f.Add("sh -c \"sh -c 'sh -c $(x)'\"; pytest -c x", "== justfile\na: a\n  just a\n")
	f.Fuzz(func(t *testing.T, check, text string) {
		files := tree(text)
		c := changeOf(check, files, files)
		for p := range files {
			c.Diff.Files = append(c.Diff.Files, git.FileDiff{Path: p, Status: 'M', OldOID: "was:" + p, NewOID: "is:" + p})
		}
		if found := altered(c); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	})
}

// The files that define a command of Done when are known by name before any change, even if they do not exist
// yet.
func TestFilesThatDefineAMeasure(t *testing.T) {
	was := tree("== bench.sh\nsh lib/run.sh; cat n.txt\n== lib/run.sh\n. lib/m.sh; m\n== lib/m.sh\nm() { echo 3; }\n== p.py\nprint(3)\n== n.txt\n9\n== Makefile\nbench:\n\tsh bench.sh\n== app.py\nx\n")
	for command, want := range map[string]string{
		"sh bench.sh # <= 3": "bench.sh lib/run.sh lib/m.sh", "python3 -u p.py # <= 3": "p.py", "./p.py": "p.py", "time python3 ./p.py | tail -1": "p.py", "cat n.txt # <= 3": "",
		"wc -l app.py # <= 3": "", "make bench": "bench.sh lib/run.sh lib/m.sh bench Makefile GNUmakefile", "pytest": "conftest.py",
	} {
		c := changeOf(command, was, was)
		c.Measures = c.Checks
		got := Defining(*c, strings.Fields("bench.sh lib/run.sh lib/m.sh p.py n.txt app.py bench Makefile GNUmakefile conftest.py README"))
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
