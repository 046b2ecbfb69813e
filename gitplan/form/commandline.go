package form

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// programs are those that checks are made of, alone those that check something without a word more,
// asked what one word asks of them, and prose what only sentences have.
var (
	programs = strings.Fields("go cargo dotnet swift mix zig flutter npm pnpm yarn bun npx make just task rake nox mvn gradle bazel docker podman docker-compose terraform helm kubectl " +
		"cd python python3 node deno ruby php sh bash git curl grep egrep rg test [ diff cmp jq wc ls cat stat psql sqlite3 gofmt staticcheck golangci-lint eslint prettier biome ruff " +
		"mypy black isort flake8 pylint pyright shellcheck hadolint rubocop phpstan bundle uv poetry " + strings.Join(alone, " "))
	alone = strings.Fields("make tox nox rake pytest jest vitest tsc rspec phpunit ctest mocha true false")
	asked = strings.Fields("test tests check lint build run vet ci fmt verify validate clippy bench all integration tsc jest vitest eslint -")
	prose = strings.Fields("the a an that this these there is are be and or should must will can still not no of to on into when while after before each both without " +
		"pass passes passed passing succeed succeeds work works fail fails return returns show shows print prints exit exits stay stays remain remains " +
		"contain contains has have runs builds starts finishes completes reports reporting lists under via")

	quoted     = visible.NewPattern(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	assignment = visible.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*=`)
	script     = visible.NewPattern(`^(?:\.?/)?[\w-][\w./-]*/[\w.-]+\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$|^\./[\w./-]+$`)
	sign       = visible.NewPattern(`^--?[A-Za-z]|''|[=*$]|^(?:&&|\|\|?|!|\[|\d?>>?.*|<)$|.;$|^\.{1,2}$|^\.{0,2}/|[\w.-]/|^[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}$`)
)

// isCommand reports whether a criterion of a structured plan is one shell line and no sentence.
// Its first word is a program that checks are made of, or the path of a script; something in the
// rest is never in a sentence (an option, a path, quotes, an operator), or it is one word that such a
// program is asked for. What is on this machine does not count: a plan means the same everywhere.
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
	switch {
	case !slices.Contains(programs, first):
		return script.MatchString(first)
	case len(rest) == 0:
		return slices.Contains(alone, first)
	case slices.ContainsFunc(rest, sign.MatchString):
		return true
	}
	return slices.Contains(asked, rest[0]) && (len(rest) == 1 || len(rest) == 2 && rest[0] == "run") // npm run lint
}

// ofASentence reports whether a word cannot occur in a command.
func ofASentence(word string) bool {
	last := word[len(word)-1]
	return len(word) > 1 && strings.IndexByte(",:?!", last) >= 0 || last == '.' && len(strings.TrimLeft(word, "./")) > 0 || slices.Contains(prose, strings.ToLower(word))
}

// criteria returns the criteria of a structured plan with each that is a command in a code span,
// as a check of a plan has it.
func (d *draft) criteria(v *object) *object {
	out := *v
	if v.Kind == '[' {
		out.Items = make([]object, len(v.Items))
		for i := range v.Items {
			out.Items[i] = *d.criteria(&v.Items[i])
		}
		return &out
	}
	text := strings.TrimSpace(v.Text)
	switch first, _, _ := strings.Cut(text, " "); {
	case v.Kind != '"':
	case isCommand(text):
		out.Text = codeSpan(text)
		d.note(Place{Line: v.Line}, "`%s` reads as a command, so it is run as a check", plan.Shown(text))
	case slices.Contains(programs, first) || script.MatchString(first):
		d.note(Place{Line: v.Line}, "`%s` is not run, since it reads as a sentence; a command by itself goes into backquotes", plan.Shown(text))
	}
	return &out
}
