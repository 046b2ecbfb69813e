package rules

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// definer is a row of the table: programs, and the files that they read their tasks or settings from.
type definer struct{ programs, files []string }

//go:embed definers.txt
var definersText string

var definers = sync.OnceValue(func() (out []definer) {
	for l := range strings.Lines(definersText) {
		programs, files, _ := strings.Cut(l, ": ")
		out = append(out, definer{strings.Fields(programs), strings.Fields(files)})
	}
	return out
})

// readByAll are variables that make, or the programs that recipes run, read by themselves.
var readByAll = strings.Fields("SHELL MAKE GNUMAKE VPATH PATH HOME ENV BASH_ENV IFS CDPATH LD_ GOFLAGS PYTHON PYTEST NODE_ RUST JAVA PERL RUBY")

// runners are the programs that run tasks by the names that a person gives them.
var runners = strings.Fields("make gmake bmake npm yarn pnpm bun just task go-task rake composer poe mise tox nox")

// anywhere are the files that count in every folder, not only in the root and in folders that the check names.
var anywhere = strings.Fields("conftest.py build.gradle build.gradle.kts pom.xml gradle-wrapper.properties maven.config jvm.config test_helper.exs nextest.toml")

func (d *definer) has(p string) bool {
	return slices.ContainsFunc(d.files, func(f string) bool { ok, _ := path.Match(f, path.Base(p)); return ok || p == f })
}

var settings = visible.NewPattern(`\.(?:ini|cfg|toml|ya?ml|mk|make)$|(?:config|conf|rc)(?:\.\w+)?$`)

// Of files that also have other contents, only lines with one of these words define a check; of an npm package
// the values of packageKeys, and of Python's settings the sections of configTools.
var (
	relevantWords = map[string]string{
		"go.mod": "=> replace exclude ignore", "go.work": "=> replace", "Cargo.toml": "test harness lints runner rustflags",
		".npmrc": npmRuns, ".yarnrc": npmRuns, ".yarnrc.yml": npmRuns, "pnpm-workspace.yaml": npmRuns,
		".pre-commit-config.yaml": "id: entry args exclude skip stages files",
		"pom.xml":                 testRuns, "build.gradle": testRuns, "build.gradle.kts": testRuns,
	}
	packageKeys = strings.Fields("scripts jest mocha ava nyc c8 vitest tap xo standard eslintConfig eslintIgnore stylelint lint-staged workspaces config")
	configTools = strings.Fields("pytest tox testenv ruff mypy pylint coverage poe pyright nox hatch.envs taskipy flake8 pycodestyle unittest")
)

const (
	npmRuns  = "script-shell node-options ignore-scripts yarnpath yarn-path plugin path: spec: nodeoptions shellemulator"
	testRuns = "usejunit usetestng skip ignorefail failureignore surefire failsafe enabled onlyif exclude"
)

// harmless are the prefixes of settings that do not change what is checked.
var harmless = strings.Fields(`markers minversion pythonpath asyncio_ log_ console_output_style cache_dir junit_ description isolated_build requires deps python_version
	target-version line-length`)

// narrowing are in lines, without their blanks, that make fewer tests run, or fewer of their failures count.
var narrowing = strings.Fields(`collect norecursedirs testpaths default-filter test_filter test_tag_filter python_files python_functions python_classes deselect ignore exclude
	skip passwithnotests pass-with-no-tests pass_with_no_tests testmatch testregex namepattern grep spec include disable onlyif off" 'off' :off pytest_ autouse _exit sys.exit
	os.exec runner alias rustflags command allowlist threshold retry retries harness autotests doctest script-shell node-options yarnpath yarn-path plugin => continue bail setup
	"pre "post groups test=false enabled addopts`)

var (
	forChecks = visible.NewPattern(`(?i)(?:^|[._-])(?:tests?|checks?|checker|lint(?:er)?|vet|verify|validate|ci|specs?|suite|smoke|e2e|integration|regression|acceptance|runtests|precommit)(?:[._-]|$)|^(?:test|check|lint|verify|run-?all)`)
	toolsDir  = visible.NewPattern(`(?i)(?:^|/)(?:scripts?|tests?|\.?ci|hack|tools?|checks?|e2e|\.github|build-aux|spec)/`)
	shebang   = visible.NewPattern(`^#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|z|k|a)?sh\b`)
)

var interpreter = visible.NewPattern(`^(?:python[\d.]*|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|julia|g?awk|(?:ba|da|z)?sh)$`)

// runsProgram reports whether a command line runs a file: as its program, or by an interpreter.
func runsProgram(line, file string) bool {
	runs := true
	for _, w := range strings.Fields(unquote.Replace(line)) {
		switch {
		case runs && path.Clean(strings.TrimRight(w, ";)&|")) == file:
			return true
		case strings.ContainsAny(w[len(w)-1:], ";&|(!") || interpreter.MatchString(path.Base(w)):
			runs = true
		case !strings.HasPrefix(w, "-") && w != "run" && !strings.Contains(w, "="):
			runs = false
		}
	}
	return false
}

var notPrograms = strings.Fields(".txt .md .rst .json .yml .yaml .toml .lock .csv .html .xml .out .golden")

// isForChecks reports whether a script is a check, or helps with it, by its name: any other is the work itself.
func isForChecks(file string) bool {
	base := path.Base(file)
	return forChecks.MatchString(base) || toolsDir.MatchString(file) || base == "gradlew" || base == "mvnw"
}

// contentLines returns the lines of a text except remarks, with single blanks between words.
func contentLines(text string) (out []string) {
	for l := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\\\n", " ").Replace(text)) {
		recipe := strings.HasPrefix(l, "\t")
		l = strings.Join(strings.Fields(l), " ")
		if l == "" || startsWith(l, []string{"#", "//"}) && !strings.HasPrefix(l, "#!") {
			continue
		}
		if recipe {
			l = "\t" + strings.TrimPrefix(l, "@")
		}
		out = append(out, l)
	}
	return out
}

func relevant(file, text string) []string {
	base := path.Base(file)
	all := contentLines(text)
	switch words := strings.Fields(relevantWords[base]); {
	case base == "package.json" || base == "composer.json":
		return scriptsOf(text)
	case base == "pyproject.toml" || base == "setup.cfg" || base == "tox.ini":
		in := false
		return slices.DeleteFunc(all, func(l string) bool {
			if strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]") && !strings.ContainsAny(l, `"',=`) {
				in = startsWith(strings.TrimPrefix(strings.TrimPrefix(strings.Trim(l, "[]"), "tool."), "tool:"), configTools)
				return true
			}
			return !in
		})
	case len(words) > 0:
		return slices.DeleteFunc(all, func(l string) bool { return firstIn(strings.ToLower(l), words) == "" })
	}
	return all
}

func scriptsOf(text string) (out []string) {
	var all map[string]any
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &all) != nil {
		return contentLines(text)
	}
	for _, key := range packageKeys {
		each, ok := all[key].(map[string]any)
		if v, there := all[key]; there && !ok {
			each = map[string]any{key: v}
		}
		for name, v := range each {
			value, _ := json.Marshal(v)
			out = append(out, key+` "`+name+`": `+string(value))
		}
	}
	slices.Sort(out)
	return out
}
