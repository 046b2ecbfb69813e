package form

import (
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/form/value"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// isCommand reports whether a criterion of a structured plan is one shell line and no sentence.
// Its first word is a program that checks are made of, or the path of a script; something in the
// rest is never in a sentence (an option, a path, quotes, an operator, or what such a program is
// asked for); and no word outside of quotes is one of a sentence. What is on this machine does not
// count: a plan means the same everywhere.
func isCommand(text string) bool {
	bare := quoted.ReplaceAllString(text, "''")
	if strings.ContainsAny(text, "\n\r`") || strings.ContainsAny(strings.ReplaceAll(bare, "''", ""), `"'`) || strings.Count(bare, "(") != strings.Count(bare, ")") {
		return false
	}
	words := strings.Fields(strings.TrimLeft(bare, "!( "))
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || slices.ContainsFunc(words, ofASentence) {
		return false
	}
	first, rest := words[0], words[1:]
	asked, known := programs()[first]
	switch {
	case !known:
		return script.MatchString(first)
	case slices.ContainsFunc(rest, ofACommand):
		return true
	case len(rest) == 0:
		return slices.Contains(asked, "")
	case len(rest) == 2:
		return rest[0] == "run" && slices.Contains(asked, "run") // npm run lint
	}
	return len(rest) == 1 && slices.Contains(asked, rest[0])
}

// criteria returns the criteria of a structured plan with each that is a command in a code span,
// as a check of a plan has it.
func (d *draft) criteria(v *value.Value) *value.Value {
	out := *v
	if v.Kind == '[' {
		out.Items = make([]value.Value, len(v.Items))
		for i := range v.Items {
			out.Items[i] = *d.criteria(&v.Items[i])
		}
		return &out
	}
	text := strings.TrimSpace(v.Text)
	switch {
	case v.Kind != '"':
	case isCommand(text):
		out.Text = codeSpan(text)
		d.note(Place{Line: v.Line}, "`%s` reads as a command, so it is run as a check", markdown.Shown(text))
	case nearlyACommand(text):
		d.note(Place{Line: v.Line}, "`%s` is not run, since it reads as a sentence; a command by itself goes into backquotes", markdown.Shown(text))
	}
	return &out
}

// nearlyACommand reports whether a criterion in words begins as a command does.
func nearlyACommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && (programs()[words[0]] != nil || script.MatchString(words[0]))
}

var (
	quoted     = pattern.Of(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	assignment = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*=`)
	script     = pattern.Of(`^(?:\.?/)?[\w-][\w./-]*/[\w.-]+\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$|^\./[\w./-]+$`)
	sign       = pattern.Of(`^--?[A-Za-z]|''|[=*$]|^(?:&&|\|\|?|!|\[|\d?>>?.*|<)$|.;$|^\.{1,2}$|^\.{0,2}/|[\w.-]/`)
	fileName   = pattern.Of(`^[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}$`)
)

// ofACommand reports whether a word cannot occur in a sentence.
func ofACommand(word string) bool { return sign.MatchString(word) || fileName.MatchString(word) }

// ofASentence reports whether a word cannot occur in a command.
func ofASentence(word string) bool {
	last := word[len(word)-1]
	return len(word) > 1 && strings.IndexByte(",:?!", last) >= 0 || last == '.' && len(strings.TrimLeft(word, "./")) > 0 || slices.Contains(prose, strings.ToLower(word))
}

var prose = strings.Fields("the a an that this these there is are be and or should must will can still not no of to on into when while after before each both without " +
	"pass passes passed passing succeed succeeds work works fail fails return returns show shows print prints exit exits stay stays remain remains " +
	"contain contains has have runs builds starts finishes completes reports reporting lists under via")

// programs are those that checks are made of, each with what it can be asked for by one word; ""
// says that it checks something by itself.
var programs = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, row := range [][2]string{
		{"go", "test vet build"},
		{"cargo dotnet swift mix zig flutter", "test check build clippy bench"},
		{"npm pnpm yarn bun", "test ci lint run"},
		{"npx", "tsc jest vitest eslint"},
		{"make just task rake nox", "test tests check lint build all verify ci vet fmt integration"},
		{"mvn gradle", "test verify check build"},
		{"bazel docker podman docker-compose terraform helm kubectl", "validate"},
		{"cd python python3 node deno ruby php sh bash git curl grep egrep rg test [ diff cmp jq wc ls cat stat psql sqlite3 gofmt staticcheck", "-"},
		{"golangci-lint eslint prettier biome ruff mypy black isort flake8 pylint pyright shellcheck hadolint rubocop phpstan bundle uv poetry tox", "run check"},
	} {
		for _, name := range strings.Fields(row[0]) {
			m[name] = strings.Fields(row[1])
		}
	}
	for _, name := range []string{"make", "tox", "nox", "rake", "pytest", "jest", "vitest", "tsc", "rspec", "phpunit", "ctest", "mocha", "true", "false"} {
		m[name] = append(slices.Clone(m[name]), "")
	}
	return m
})
