package share

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompareWords(t *testing.T) {
	for _, c := range [][3]string{
		{"same\n", "same\n", ""},
		{"a\nuse the old store\nz\n", "a\nuse the new store\nz\n", "use the [-old-]{+new+} store\n"},
		{"a\nb\n", "a\nnew line\nb\n", "{+new line+}\n"},
		{"a\ngone\nb\n", "a\nb\n", "[-gone-]\n"},
		{"", "all\nnew\n", "{+all+}\n{+new+}\n"},
		{"end", "ends\n", "[-end-]{+ends+}\n"},
		{"1. Read the file\n2. Sort the lines\n", "Use a table of the names\n", "[-1. Read the file-]\n[-2. Sort the lines-]\n{+Use a table of the names+}\n"},
		// Lines added or removed beside a changed one leave that one readable.
		{"- Check: `grep -q sub sub.js`\n- **Div**\n- Needs: #sub\n- Check: `grep -q div div.js`\n- **Mul**\n- Check: `grep -q mul mul.js`\n", "- Check: `test -f sub.js`\n",
			"- Check: `[-grep-]{+test+} -[-q sub-]{+f+} sub.js`\n[-- **Div**-]\n[-- Needs: #sub-]\n[-- Check: `grep -q div div.js`-]\n[-- **Mul**-]\n[-- Check: `grep -q mul mul.js`-]\n"},
		{"- Check: `grep -q div div.js`\n", "- Check: `true`\n- Files: `x.js`\n",
			"- Check: `[-grep -q div div.js-]{+true+}`\n{+- Files: `x.js`+}\n"},
		// Changes inside a step are below its first line.
		{"## Steps\n\n- [ ] **One** {#one}\n  - Do: it\n- [ ] **Two** {#two}\n  - Do: it\n", "## Steps\n\n- [ ] **One** {#one}\n  - Do: it\n  - Ask: yes\n- [ ] **Two** {#two}\n  - Do: that\n",
			"- [ ] **One** {#one}\n{+  - Ask: yes+}\n- [ ] **Two** {#two}\n  - Do: [-it-]{+that+}\n"},
		{"- [ ] **One** {#one}\n  - Do: it\n", "- [ ] **Only** {#one}\n  - Do: that\n", "- [ ] **[-One-]{+Only+}** {#one}\n  - Do: [-it-]{+that+}\n"},
		// A section that was added leaves what stands around it unchanged; a step that moved is shown in both places.
		{"# P\n\n## Rules\n\n- no\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: `a`\n\n- [ ] **Two** {#two}\n  - Check: `b`\n", "# P\n\n## Rules\n\n- no\n\n## Done when\n\n- `b`\n- `c`\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: `c`\n\n- [ ] **Two** {#two}\n  - Check: `b`\n- [ ] **Three** {#three}\n  - Check: `b`\n",
			"{+## Done when+}\n\n{+- `b`+}\n{+- `c`+}\n- [ ] **One** {#one}\n  - Check: `[-a-]{+c+}`\n{+- [ ] **Three** {#three}+}\n{+  - Check: `b`+}\n"},
		{"# P\n\n## Steps\n\n- [ ] A {#a}\n- [ ] B {#b}\n", "# P\n\n## Steps\n\n- [ ] B {#b}\n- [ ] A {#a}\n", "[-- [ ] A {#a}-]\n{+- [ ] A {#a}+}\n"},
		// A section that moved says what is new in it.
		{"# P\n\n## Done when\n\n- `a`\n\n## Steps\n\n- [ ] A {#a}\n", "# P\n\n## Steps\n\n- [ ] A {#a}\n- [ ] B {#b}\n\n## Done when\n\n- `a`\n- `b`\n", "{+- [ ] B {#b}+}\n## Done when\n{+- `b`+}\n"},
		{"认证\n", "认证用户\n", "[-认证-]{+认证用户+}\n"},
	} {
		if got := CompareWords([]byte(c[0]), []byte(c[1])); got != c[2] {
			t.Errorf("%q to %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	// More distinct words than code points below the surrogates.
	var a, b strings.Builder
	for i := range 70_000 {
		fmt.Fprintf(&a, "w%d\n", i)
		fmt.Fprintf(&b, "w%d\n", i)
	}
	b.WriteString("more\n")
	if got := CompareWords([]byte(a.String()), []byte(b.String())); got != "{+more+}\n" {
		t.Errorf("%.200q", got)
	}
}
