package plan

import (
	"strings"
	"testing"
)

// A key or heading that looks like one of the format's, and is none, hides what is
// there from the run, and not from who reads the plan.
func TestSignsOfOtherScriptsHideNothing(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"  - \u0421heck: `false`", "unread: `\u0421` looks like `C` here, but is another character (U+0421), so this is not a field"},
		{"  - **\u0421h\u0435ck:** `false`", "write `Check:`"},
		{"  - \uff23heck: `false`", "write `Check:`"},
		{"  - \U0001d402heck: `false`", "write `Check:`"},
		{"  - Check\uff1a `false`", "`\uff1a` looks like `:` here"},
		{"  - A\u0455k: yes", "write `Ask:`"},
		{"  - \u0421hek: `false`", "form: `\u0421hek` is not a field, but only text for the session: did you mean Check?"},
		{"  - Ch\u00e9ck: `false`", "did you mean Check?"},
		{"\n## \u0405teps\n\n- [ ] b", "unread: `\u0405` looks like `S` here, but is another character (U+0405), so it is only context for the sessions: write `Steps`"},
		{"\n## \u0421hecks\n\n- `go vet`", "write `Checks`"},
		{"\n## V\u0435rific\u0430tion:\n\n- `go vet`", "write `Verification:`"},
		{"  - [\u0445] b", "is not a box"},
		{"\n  Check: `false`", "form: `Check:` is not in a bullet, and so is only text for the session: write `- Check:`"},
		{"  - Do: add it\n  Check: `false`", "write `- Check:`"},
		{"  - Files: `a.go`\nNeeds: `b`", "write `- Needs:`"},
		{"  Add it.\n  **Files:** `a.go`", "write `- Files:`"},

		{"  - \u0421\u0442\u0430\u0442\u0443\u0441: \u043e\u0442\u043a\u0440\u044b\u0442", ""},
		{"  - \u68c0\u67e5\uff1a`false`", ""},
		{"\n## \u0428\u0430\u0433\u0438\n\nx", ""},
		{"  - Do: write `Check\uff1a` there", ""},
		{"\n  Check: that it works", ""},
	} {
		p, err := Parse([]byte("# T\n\n## Steps\n\n- [ ] **A** {#a}\n" + row.line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, w := range p.Warnings {
			said = append(said, w.Rule+": "+w.Message)
		}
		if all := strings.Join(said, "\n"); row.want == "" && all != "" || !strings.Contains(all, row.want) {
			t.Errorf("%q: %q, want %q", row.line, all, row.want)
		}
	}
}
