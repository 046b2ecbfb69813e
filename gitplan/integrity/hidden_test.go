package integrity

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Invisible text prevents approval where approval covers it; boxes, states and text that the program writes
// are not covered.
func TestApprovable(t *testing.T) {
	const tagged = "\U000e0072\U000e006d"
	for name, tt := range map[string]struct{ text, want string }{
		"ordinary":          {"# T\n\n## Steps\n\n- [ ] **a** {#a}\n", ""},
		"a byte order mark": {"\ufeff# T\n\n## Steps\n\n- [ ] **a** {#a}\n", ""},
		"another script":    {"# می\u200cخواهم\n\n## Steps\n\n- [ ] **क्\u200dष** {#a}\n", ""},
		"CRLF":              {"# T\r\n\r\n## Steps\r\n\r\n- [ ] **a** {#a}\r\n", ""},
		"tag letters":       {"# T\n\n## Steps\n\n- [ ] **a" + tagged + "** {#a}\n", `line 5 of the plan holds invisible characters: U+E0072, U+E006D`},
		"a comment":         {"# T\n<!-- \u200b -->\n## Steps\n\n- [ ] **a** {#a}\n", "line 2 of the plan holds invisible characters: U+200B"},
		"two lines":         {"# T\n\x1b[8m\n## Steps\n\n- [ ] **a\u202e** {#a}\n", "(and 1 more lines do)"},
		"the branch's name": {"---\nplan: x-1\nbranch: a\u200bb\n---\n# T\n\n## Steps\n\n- [ ] **a** {#a}\n", ""},
		"a state":           {"# T\n\n## Steps\n\n- [ ] **a** {#a}\n  - Status: blocked: why\u200b\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			err = p.Approvable()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			r := &git.Repo{CommonDir: t.TempDir()}
			if err := Approve(r, "x", p.Source); (err == nil) != (tt.want == "") {
				t.Errorf("Approve: %v", err)
			}
			if err := approvalNote(r, "x").Write(p.Meaning()); err != nil { // by an older program
				t.Fatal(err)
			}
			if ok, err := IsApproved(r, "x", p); ok != (tt.want == "") || err != nil {
				t.Errorf("IsApproved: %v, %v", ok, err)
			}
		})
	}
}
