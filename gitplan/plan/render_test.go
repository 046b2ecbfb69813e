package plan

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/testdata/texts"
)

// A step is ticked together with its checklist, and nothing else changes.
func TestTick(t *testing.T) {
	src := []byte("\ufeff" + strings.ReplaceAll(texts.Steps("- [ ] a\n  - [ ] one\n    * [X] two\n  > - [ ] quoted\n  ```\n  - [ ] code\n  ```\n- [x] b\n  - [ ] open\n"), "\n", "\r\n"))
	done, err := Tick(src, "a", true)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(string(src), "- [ ] a\r\n  - [ ] one", "- [x] a\r\n  - [x] one", 1)
	if diff := cmp.Diff(want, string(done)); diff != "" {
		t.Error(diff)
	}
	open, err := Tick(done, "#a", false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(string(src), "[X] two", "[ ] two", 1), string(open)); diff != "" {
		t.Error(diff)
	}
	if _, err := Tick(src, "nobody", true); !errors.Is(err, fault.ErrUnknownStep) {
		t.Errorf("an unknown step: %v", err)
	}
}

// A status is written in the style of its neighbours, replaced in place, and removed without a trace.
func TestSetStatus(t *testing.T) {
	blocked := StepStatus{"blocked", "no key"}
	for _, c := range []struct {
		name, before string
		status       StepStatus
		after        string
	}{
		{"first among the fields", "- [ ] a\n  - Run: `x`\n", blocked, "- [ ] a\n  - Status: blocked - no key\n  - Run: `x`\n"},
		{"before free text", "- [ ] a\n\n  text\n- [ ] b\n", blocked, "- [ ] a\n  - Status: blocked - no key\n\n  text\n- [ ] b\n"},
		{"after a title of two lines", "- [ ] a\n  and more\n", blocked, "- [ ] a\n  and more\n  - Status: blocked - no key\n"},
		{"without a final newline", "- [ ] a", blocked, "- [ ] a\n  - Status: blocked - no key"},
		{"with CRLF", "- [ ] a\r\n- [ ] b\r\n", blocked, "- [ ] a\r\n  - Status: blocked - no key\r\n- [ ] b\r\n"},
		{"with tabs", "- [ ] a\n\t- Run: `x`\n", blocked, "- [ ] a\n\t- Status: blocked - no key\n\t- Run: `x`\n"},
		{"in a numbered list", "10. [ ] a\n", blocked, "10. [ ] a\n    - Status: blocked - no key\n"},
		{"with more indentation", "- [ ] a\n    - Run: `x`\n", blocked, "- [ ] a\n    - Status: blocked - no key\n    - Run: `x`\n"},
		{"where code follows the title", "- [ ] a\n\n      code\n", blocked, "- [ ] a\n\n      code\n  - Status: blocked - no key\n"},
		{"replaced", "- [ ] a\n  * status:   Skipped\n  * Run: `x`\n", blocked, "- [ ] a\n  * Status: blocked - no key\n  * Run: `x`\n"},
		{"replaced at the end", "- [ ] a\n  - Status: skipped", blocked, "- [ ] a\n  - Status: blocked - no key"},
		{"removed", "- [ ] a\n  - Status: blocked - x\n  - Run: `x`\n", StepStatus{}, "- [ ] a\n  - Run: `x`\n"},
		{"removed at the end", "- [ ] a\r\n  - Status: blocked - x", StepStatus{}, "- [ ] a"},
		{"removed without a status", "- [ ] a\n", StepStatus{}, "- [ ] a\n"},
		{"a reason of several lines, and a custom state", "- [ ] a\n", StepStatus{"reopened", "one\n\n- [ ] two: `x`"}, "- [ ] a\n  - Status: reopened - one - [ ] two: `x`\n"},
		{"without a reason", "- [ ] a\n", StepStatus{Word: "skipped"}, "- [ ] a\n  - Status: skipped\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := texts.Steps("")
			if strings.Contains(c.before, "\r") {
				head = strings.ReplaceAll(head, "\n", "\r\n")
			}
			out, err := SetStatus([]byte(head+c.before), "a", c.status)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+c.after, string(out)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := SetStatus([]byte(texts.Steps("- [ ] a\n")), "a", StepStatus{Word: "done"}); err == nil {
		t.Error("done was taken for a status")
	}
}

// Front matter is created, filled and changed line by line, for any branch name.
func TestSetFront(t *testing.T) {
	body := "# T\n\n## Steps\n- [ ] a\n"
	for _, c := range []struct{ name, before, key, value, after string }{
		{"made", body, "plan", "a-1b2c", "---\nplan: a-1b2c\n---\n\n" + body},
		{"created after a BOM", "\ufeff" + body, "plan", "p", "\ufeff---\nplan: p\n---\n\n" + body},
		{"created with CRLF", "# T\r\n## Steps\r\n- [ ] a\r\n", "base", "main", "---\r\nbase: main\r\n---\r\n\r\n# T\r\n## Steps\r\n- [ ] a\r\n"},
		{"filled", "---\n---\n" + body, "plan", "p", "---\nplan: p\n---\n" + body},
		{"in order", "---\n# mine\nplan: p\nowner: me\n---\n" + body, "branch", "b", "---\n# mine\nplan: p\nbranch: b\nowner: me\n---\n" + body},
		{"first", "---\nbase: main\n---\n" + body, "plan", "p", "---\nplan: p\nbase: main\n---\n" + body},
		{"replaced", "---\nplan: p\nbranch: 'old' # why\nbase: m\n---\n" + body, "branch", "feature/x", "---\nplan: p\nbranch: feature/x\nbase: m\n---\n" + body},
		{"the same", "---\nplan:   p\n---\n" + body, "plan", "p", "---\nplan:   p\n---\n" + body},
		{"removed", "---\nplan: p\nbase: m\n---\n" + body, "plan", "", "---\nbase: m\n---\n" + body},
		{"quoted", body, "branch", `a"b#c:d`, "---\nbranch: \"a\\\"b#c:d\"\n---\n\n" + body},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := SetFront([]byte(c.before), c.key, c.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(out)); diff != "" {
				t.Error(diff)
			}
			p, err := Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.FrontMatter.Value(c.key); got != c.value {
				t.Errorf("%s reads as %q, want %q", c.key, got, c.value)
			}
		})
	}
	for _, name := range []string{"ünï/cödé", "1.0", "0x1F", "1e3", "null", "~", "-x", "@{", "a'b", "#1", "a: b", "!x", "&x", "*x", "%x", "🚀", "a\\b", "\u00a0", "\x7f", ".inf", "2026-01-29", "=", "<<"} {
		out, err := SetFront([]byte(body), "branch", name)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := Parse(out); err != nil || p.Branch != name {
			t.Errorf("branch %q reads as %+v, %v from %q", name, p, err, out)
		}
	}
	for key, value := range map[string]string{"plan": "a\nb", "base": "\xff"} {
		if _, err := SetFront([]byte(body), key, value); err == nil {
			t.Errorf("%s: %q was accepted", key, value)
		}
	}
}

// Ids are written where they are easy to see, and only if missing.
func TestFillIDs(t *testing.T) {
	src := texts.Steps("- [ ] **Do it**  \n  - Run: `x`\n- [x] Done {#keep}\r\n- [ ] Do it\n  more")
	out, err := FillIDs([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := texts.Steps("- [ ] **Do it** {#do-it}  \n  - Run: `x`\n- [x] Done {#keep}\r\n- [ ] Do it {#do-it-2}\n  more")
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
	again, err := FillIDs(out)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("filled twice: %q, %v", again, err)
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Add JWT authentication":      "add-jwt-authentication",
		"  --Fix #42: don't panic!  ": "fix-42-dont-panic",
		"Größe über Straße":           "groesse-ueber-strasse",
		"İstanbul é":                  "istanbul-e",
		"添加 JWT":                      "jwt",
		"a/../b\x1b[31m":              "a-b-31m",
		"one two three four five":     "one-two-three-four",
		strings.Repeat("x", 50):       strings.Repeat("x", 20),
	} {
		if got := Slug(title, map[bool]int{true: 20, false: 40}[strings.HasPrefix(title, "one") || strings.HasPrefix(title, "xx")]); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
	if got := NewID("Add JWT authentication", [2]byte{0x7d, 0x3f}); got != "add-jwt-authentication-7d3f" {
		t.Errorf("NewID gives %q", got)
	}
	if got := NewID("认证", [2]byte{0, 1}); !regexp.MustCompile(`^title-[0-9a-f]{6}-0001$`).MatchString(got) {
		t.Errorf("NewID gives %q", got)
	}
}
