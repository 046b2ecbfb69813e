package form

import (
	"strings"
	"testing"
)

func TestOnlyAFenceAroundTheWholeIsRemoved(t *testing.T) {
	const plan = "# T\n\n## Steps\n\n- [ ] a\n"
	const inner = plan + "\n```\ncode\n```\n"
	for name, tt := range map[string]struct {
		text, inner string
		above       int
	}{
		"a plan":                   {plan, "", 0},
		"a fence":                  {"```markdown\n" + plan + "```\n", plan, 1},
		"without an info string":   {"```\n" + plan + "```", plan, 1},
		"tildes":                   {"~~~md\n" + plan + "~~~\n", plan, 1},
		"a longer one":             {"````md\n" + inner + "````\n", inner, 1},
		"one like those inside it": {"```md\n" + inner + "```\n", inner, 1},
		"blank lines":              {"\n\n```md\n" + plan + "```\n\n", plan, 3},
		"CRLF":                     {strings.ReplaceAll("```md\n"+plan+"```\n", "\n", "\r\n"), strings.ReplaceAll(plan, "\n", "\r\n"), 1},
		"no end":                   {"```md\n" + plan, "", 0},
		"a shorter end":            {"````md\n" + plan + "```\n", "", 0},
		"text around it":           {"Here:\n```md\n" + plan + "```\n", "", 0},
		"code":                     {"```go\n" + plan + "```\n", "", 0},
		"code at both ends":        {"```\ncode\n```\n" + inner, "", 0},
		"nothing":                  {"```", "", 0},
		"only a fence":             {"```\n```", "", 1},
	} {
		got, above := Unwrapped([]byte(tt.text))
		if string(got) != tt.inner || above != tt.above {
			t.Errorf("%s: %d, %q", name, above, got)
		}
		if above > 0 {
			lines := strings.Count(tt.text[:strings.Index(tt.text, tt.inner)], "\n")
			if at := strings.Index(string(InItsLines(got, above)), strings.TrimSpace(tt.inner)); at != lines {
				t.Errorf("%s: begins behind %d lines, not %d", name, at, lines)
			}
		}
	}
}
