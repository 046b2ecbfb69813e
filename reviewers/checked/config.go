package checked

import (
	"path"
	"slices"
	"strings"
)

// source is a file, or a part of one, from which a program reads its settings.
type source struct {
	file    string
	section string // empty: all of it
}

// sources are the files that change what a program checks. A "*" means any of the
// endings that such a file may have.
var sources = map[string][]source{
	"pytest":        {{"pytest.ini", ""}, {".pytest.ini", ""}, {"pytest.toml", ""}, {".pytest.toml", ""}, {"pyproject.toml", "tool.pytest"}, {"tox.ini", "pytest"}, {"setup.cfg", "tool:pytest"}, {"conftest.py", "hooks"}, {"tests/conftest.py", "hooks"}, {"test/conftest.py", "hooks"}},
	"tox":           {{"tox.ini", ""}, {"tox.toml", ""}, {"setup.cfg", "tox"}, {"setup.cfg", "testenv"}, {"pyproject.toml", "tool.tox"}},
	"nox":           {{"noxfile.py", ""}},
	"unittest":      {},
	"jest":          {{"jest.config.*", ""}, {"package.json", "jest"}},
	"vitest":        {{"vitest.config.*", ""}, {"vitest.workspace.*", ""}, {"vite.config.*", "test"}},
	"mocha":         {{".mocharc.*", ""}, {"package.json", "mocha"}},
	"ava":           {{"ava.config.*", ""}, {"package.json", "ava"}},
	"playwright":    {{"playwright.config.*", ""}},
	"cypress":       {{"cypress.config.*", ""}},
	"karma":         {{"karma.conf.*", ""}},
	"eslint":        {{"eslint.config.*", ""}, {".eslintrc.*", ""}, {".eslintrc", ""}, {".eslintignore", ""}, {"package.json", "eslintConfig"}, {"package.json", "eslintIgnore"}},
	"bun":           {{"bunfig.toml", "test"}},
	"npm":           {{".npmrc", "scripts"}, {".yarnrc", "yarn"}, {".yarnrc.yml", "yarn"}, {"pnpm-workspace.yaml", "yarn"}},
	"go":            {{"go.mod", "go"}, {"go.work", "go"}},
	"golangci-lint": {{".golangci.yml", ""}, {".golangci.yaml", ""}, {".golangci.toml", ""}, {".golangci.json", ""}},
	"cargo":         {{"Cargo.toml", "cargo"}, {".cargo/config.toml", ""}, {".cargo/config", ""}, {".config/nextest.toml", ""}, {"clippy.toml", ""}, {".clippy.toml", ""}},
	"gradle":        {{"build.gradle", "gradle"}, {"build.gradle.kts", "gradle"}, {"gradle/wrapper/gradle-wrapper.properties", ""}},
	"mvn":           {{"pom.xml", "maven"}, {".mvn/maven.config", ""}, {".mvn/jvm.config", ""}},
	"ruff":          {{"ruff.toml", ""}, {".ruff.toml", ""}, {"pyproject.toml", "tool.ruff"}},
	"mypy":          {{"mypy.ini", ""}, {".mypy.ini", ""}, {"pyproject.toml", "tool.mypy"}, {"setup.cfg", "mypy"}},
	"flake8":        {{".flake8", ""}, {"tox.ini", "flake8"}, {"setup.cfg", "flake8"}},
	"pylint":        {{".pylintrc", ""}, {"pylintrc", ""}, {"pyproject.toml", "tool.pylint"}},
	"coverage":      {{".coveragerc", ""}, {"pyproject.toml", "tool.coverage"}},
	"rspec":         {{".rspec", ""}},
	"rubocop":       {{".rubocop.yml", ""}},
	"phpunit":       {{"phpunit.xml", ""}, {"phpunit.xml.dist", ""}},
	"nose2":         {{"unittest.cfg", ""}, {"nose2.cfg", ""}},
	"mix":           {{"test/test_helper.exs", ""}},
	"bazel":         {{".bazelrc", ""}, {".bazelignore", ""}},
	"poe":           {{"pyproject.toml", "tool.poe"}},
	"mise":          {{"mise.toml", "tasks"}, {".mise.toml", "tasks"}},
	"pyright":       {{"pyrightconfig.json", ""}, {"pyproject.toml", "tool.pyright"}},
	"biome":         {{"biome.json", ""}, {"biome.jsonc", ""}},
	"stylelint":     {{".stylelintrc", ""}, {".stylelintrc.*", ""}, {"stylelint.config.*", ""}, {".stylelintignore", ""}},
	"shellcheck":    {{".shellcheckrc", ""}},
	"clang-tidy":    {{".clang-tidy", ""}},
	"pre-commit":    {{".pre-commit-config.yaml", ""}},
}

// nested are the files that count for a program wherever they are, and which part of them.
var nested = map[string]map[string]string{
	"pytest": {"conftest.py": "hooks"},
	"gradle": {"build.gradle": "gradle", "build.gradle.kts": "gradle"},
	"mvn":    {"pom.xml": "maven"},
}

// called are other names of programs.
var called = map[string]string{"py.test": "pytest", "gradlew": "gradle", "gradlew.bat": "gradle", "mvnw": "mvn", "mvnw.cmd": "mvn", "_mocha": "mocha", "bin/jest": "jest", "pest": "phpunit", "basedpyright": "pyright"}

var endings = []string{"js", "ts", "mjs", "mts", "cjs", "cts", "json", "yml", "yaml"}

// given are the options that make a program read another file.
var given = []string{"--config", "-c", "--rootConfig", "--config-file", "--rcfile", "-p", "--conftest"}

// configured notes what a program reads its settings from; false if the program is not known.
func (f *follower) configured(name string, args []string, dir string) bool {
	if other := called[name]; other != "" {
		name = other
	}
	if _, known := sources[name]; !known {
		return false
	}
	if name == "go" && (len(args) == 0 || !slices.Contains([]string{"test", "vet", "build"}, args[0])) {
		return true
	}
	f.settings(name, dir)
	f.ends()
	if file := value(args, given...); file != "" && !strings.HasPrefix(file, "-") && !path.IsAbs(file) {
		if _, ok := f.tree(path.Join(dir, file)); ok {
			f.setting(path.Join(dir, file), "")
		}
	}
	return true
}

// settings notes what a program reads its settings from, in its folder and at the top of the
// tree; some files count wherever they changed.
func (f *follower) settings(name, dir string) {
	if key := "settings " + name + " " + dir; f.known[key] != nil {
		return
	} else {
		f.known[key] = true
	}
	for _, s := range sources[name] {
		for _, d := range slices.Compact([]string{dir, ""}) {
			files := []string{s.file}
			if stem, ok := strings.CutSuffix(s.file, "*"); ok {
				files = nil
				for _, e := range endings {
					files = append(files, stem+e)
				}
			}
			for _, file := range files {
				f.setting(path.Join(d, file), s.section)
			}
		}
	}
	for _, p := range f.changed {
		if base := path.Base(p); nested[name][base] != "" {
			f.setting(p, nested[name][base])
		}
	}
}

// setting notes a file, or a part of it, that may also be new or gone.
func (f *follower) setting(file, section string) {
	if f.parts["setting "+file+" "+section] != nil {
		return
	}
	text, _ := f.tree(file)
	p := part{file: file, what: "the configuration", kind: setting, lines: sectionOf(path.Base(file), section, string(text))}
	if section != "" {
		p.what = "the configuration of " + strings.TrimPrefix(section, "tool.")
	}
	if section == "scripts" || section == "yarn" {
		p.kind = whole
	}
	if section == "hooks" || section == "scripts" || section == "yarn" || section == "go" || section == "cargo" || section == "gradle" || section == "maven" {
		p.what = "the configuration of tests"
	}
	f.note("setting "+file+" "+section, p)
}
