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

// definer is a row of the table, PROGRAMS: FILES | WORDS. The programs read their tasks or settings from the files; of
// files that ">" joins, from the first that exists. A file lies in a folder of the check, with "**/" anywhere. With WORDS
// only lines that hold one of them count; behind "!", each such line that is added counts as well.
type definer struct {
	programs, files, words []string
	each                   bool       // each added line with one of the words counts
	first                  [][]string // groups of files of which the program reads only the first that exists
}

//go:embed definers.txt
var definersText string

var definers = sync.OnceValue(func() (out []definer) {
	for l := range strings.Lines(definersText) {
		programs, rest, _ := strings.Cut(l, ": ")
		files, words, _ := strings.Cut(strings.Replace(rest, "!", "|", 1), "|")
		d := definer{programs: strings.Fields(programs), words: strings.Fields(words), each: strings.Contains(rest, "!")}
		for f := range strings.FieldsSeq(files) {
			names := strings.Split(f, ">")
			if stem, any := strings.CutSuffix(f, ".*"); any {
				names = strings.Fields(strings.NewReplacer("@", stem).Replace("@.js @.cjs @.mjs @.ts @.mts @.json @.yml @.yaml @.*"))
			}
			d.first, d.files = append(d.first, names), append(d.files, names...)
		}
		out = append(out, d)
	}
	return out
})

// readByAll are the variables that make, or programs in recipes, read without being told.
var readByAll = strings.Fields(`SHELL MAKE GNUMAKE VPATH PATH HOME ENV BASH_ENV IFS CDPATH LD_ GOFLAGS PYTHON
		PYTEST NODE_ RUST JAVA PERL RUBY`)

// runners are the programs that run tasks by the names that a person gives them.
var runners = strings.Fields(`make gmake bmake npm yarn pnpm bun just task go-task rake composer poe pdm pipenv
		hatch invoke inv fab mise tox nox cargo-make makers deno nx turbo moon lefthook ant mix earthly`)

var (
	settings = visible.NewPattern(`\.(?:ini|cfg|toml|ya?ml|mk|make)$|(?:config|conf|rc)(?:\.\w+)?$`)
	// setups are programs that settings name, which a runner reads before the tests.
	setups = visible.NewPattern(`(?i)(?:setup|bootstrap|preload|polyfill|helper|global|environment|reporter|` +
		`transform|resolver|runner)[\w.-]*\.(?:[cm]?[jt]sx?|php|rb)$`)
)

// Of an npm package only the values of packageKeys define a check, of Python's settings the sections of configTools.
var (
	packageKeys = strings.Fields(`scripts jest mocha ava nyc c8 vitest tap xo standard eslintConfig eslintIgnore
		stylelint lint-staged workspaces config tasks test exclude`)
	configTools = strings.Fields(`pytest tox testenv ruff mypy pylint coverage poe pyright nox hatch.envs
		pdm.scripts nosetests taskipy flake8 pycodestyle unittest`)
)

// harmless are the prefixes of settings that do not change what is checked.
var harmless = strings.Fields(`markers minversion pythonpath asyncio_ log_ console_output_style cache_dir junit_
		description isolated_build requires deps python_version target-version line-length`)

// narrowing are in lines, without their blanks, that make fewer tests run, or fewer of their failures count.
var narrowing = strings.Fields(`collect norecursedirs testpaths default-filter test_filter test_tag_filter
		python_files python_functions python_classes deselect ignore exclude skip passwithnotests pass-with-no-tests
		pass_with_no_tests testmatch testregex pattern grep spec: spec": spec= include disable onlyif off" 'off' :off
		":false active:false pytest_ autouse exit( exit! os.exec runner alias rustflags command allowlist threshold
		retry retries harness autotests doctest script-shell node-options yarnpath yarn-path plugin => continue bail
		setup "pre "post groups test=false enabled addopts omit preload --tag --example dry-run filter_run extra-args
		executor files: files": stages will_fail manual flaky bootstrap= istestproject remove= nowarn rustc-cfg`)

var (
	forChecks = visible.NewPattern(`(?i)(?:^|[._-])(?:tests?|checks?|checker|lint(?:er)?|vet|verify|validate|ci|` +
		`specs?|suite|smoke|e2e|integration|regression|acceptance|runtests|precommit)(?:[._-]|$)|^(?:test|` +
		`check|lint|verify|run-?all)`)
	toolsDir = visible.NewPattern(`(?i)(?:^|/)(?:scripts?|tests?|\.?ci|hack|tools?|checks?|e2e|\.github|build-aux|spec)/`)
	shebang  = visible.NewPattern(`^#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|z|k|a)?sh\b`)
)

var interpreter = visible.NewPattern(`^(?:python[\d.]*|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|julia|g?awk|(?:ba|da|z)?sh)$`)

// runsProgram reports whether a command line runs a file: as its program, or by an interpreter.
func runsProgram(line, file string) bool {
	runs := true
	for _, w := range strings.Fields(unquote.Replace(line)) {
		switch {
		case runs && path.Clean(strings.TrimRight(w, ";)&|")) == file:
			return true
		case strings.ContainsAny(w[len(w)-1:], ";&|(!") || interpreter().MatchString(path.Base(w)):
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
	return forChecks().MatchString(base) || toolsDir().MatchString(file) || base == "gradlew" || base == "mvnw"
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

// relevant returns the lines of a file that define checks: of those of a row with words, the lines that have one.
func relevant(file, text string, words []string) []string {
	base := path.Base(file)
	all := contentLines(text)
	for i, l := range all {
		all[i] = strings.TrimSuffix(l, ",") // in JSON, a line gets a comma when another one follows
	}
	switch {
	case base == "package.json" || base == "composer.json" || startsWith(base, []string{"deno.json"}):
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
		return slices.DeleteFunc(all, func(l string) bool { return firstIn(squeezed(l), words) == "" })
	}
	return all
}

func squeezed(l string) string { return strings.ReplaceAll(strings.ToLower(l), " ", "") }

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
