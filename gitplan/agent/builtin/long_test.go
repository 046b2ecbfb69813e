package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// TestLongConversations: when three quarters of a window are full the oldest outputs are removed, and no more
// than necessary.
func TestLongConversations(t *testing.T) {
	const window = model.LocalWindow
	most, least, turns := 0, window, 0
	base, _ := modelServer(t, func(n int, body string) *script.Turn {
		tokens := len(body) * 10 / 35
		if strings.Contains(body, "dropped to shorten") && turns == 0 {
			turns, least = n, tokens
		}
		most = max(most, tokens)
		turn := done()
		switch {
		case n == 1:
			turn = calling("read_file", `{"paths":["sub/named.txt","edited.txt"]}`)
		case n == 2:
			turn = calling("edit_file", `{"path":"edited.txt","old":"edit me","new":"now"}`)
		case n < 70:
			turn = *printing(4000 + n)
		}
		return &turn
	})
	got := runAt(t, base, func(_ *Agent, s *agent.Session) {
		for name, text := range map[string]string{"sub/named.txt": "the named one\n", "edited.txt": "the edited one\nedit me\n"} {
			file := filepath.Join(s.Dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text+strings.Repeat("line\n", 500)), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	})
	contract.Want(t, got, agent.Done, "")
	if turns == 0 || least < 14_000 || most > window*11/10 { // including what is not the conversation
		t.Errorf("shortened at turn %d to %d tokens; at most %d", turns, least, most)
	}
}
