package form

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// programs are what checks usually run; prose are words that occur only in sentences.
var (
	programs = strings.Fields("go cargo dotnet swift mix zig flutter npm pnpm yarn bun npx make just task rake nox mvn gradle bazel docker podman docker-compose terraform helm kubectl " +
		"cd python python3 node deno ruby php sh bash git curl grep egrep rg test [ diff cmp jq wc ls cat stat psql sqlite3 gofmt staticcheck golangci-lint eslint prettier biome ruff " +
		"mypy black isort flake8 pylint pyright shellcheck hadolint rubocop phpstan bundle uv poetry tox pytest jest vitest tsc rspec phpunit ctest mocha true false")
	prose = strings.Fields("the a an that this these there is are be and or should must will can still not no of to on into when while after before each both without it sure " +
		"pass passes passed passing succeed succeeds work works fail fails return returns show shows print prints exit exits stay stays remain remains " +
		"contain contains has have runs builds starts finishes completes reports reporting lists under via")

	quoted     = visible.NewPattern(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	assignment = visible.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*=`)
	script     = visible.NewPattern(`^(?:\.?/)?[\w-][\w./-]*/[\w.-]+\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$|^\./[\w./-]+$`)
)

// isCommand reports whether a criterion is one shell line and no sentence, whatever is on this machine.
func isCommand(text string) bool {
	bare := quoted.ReplaceAllString(text, "")
	if strings.ContainsAny(text, "\n\r`") || strings.ContainsAny(bare, `"'`) || strings.Count(bare, "(") != strings.Count(bare, ")") {
		return false
	}
	words := strings.Fields(strings.TrimLeft(bare, "!( "))
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && beginsCommand(words[0]) && !slices.ContainsFunc(words, ofASentence)
}

func beginsCommand(word string) bool {
	return slices.Contains(programs, word) || script.MatchString(word)
}

// ofASentence reports whether a word cannot occur in a command.
func ofASentence(word string) bool {
	last := word[len(word)-1]
	return len(word) > 1 && strings.IndexByte(",:?!", last) >= 0 || last == '.' && len(strings.TrimLeft(word, "./")) > 0 || slices.Contains(prose, strings.ToLower(word))
}

// criteria returns the criteria of a structured plan, with commands put into code spans.
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
		out.Text = plan.CodeSpan(text)
		d.note(Place{Line: v.Line}, "`%s` reads as a command, so it is run as a check", plan.Shown(text))
	case beginsCommand(first):
		d.note(Place{Line: v.Line}, "`%s` is not run, since it reads as a sentence; a command by itself goes into backquotes", plan.Shown(text))
	}
	return &out
}
