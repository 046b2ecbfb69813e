package web

import (
	"strings"
	"testing"
)

// What a person is to check is on the page and in the file, as git plan status says it.
func TestByHand(t *testing.T) {
	s := serve(t, "# Work\n\n## Steps\n\n- [ ] **One** {#one}\n\n## Verification\n\n- a person <i>likes</i> it\n", nil)
	_, page := s.ask("GET", s.look, nil)
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	var file strings.Builder
	must(t, WriteFile(&file, p))
	for name, text := range map[string]string{"page": page, "file": file.String()} {
		if !strings.Contains(text, "<li>[ ] by hand, 1: a person &lt;i&gt;likes&lt;/i&gt; it (git plan done --manual 1)</li>") {
			t.Errorf("the %s has no check by hand", name)
		}
	}
}
