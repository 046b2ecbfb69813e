package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// TestStandingStill: a session that neither changes nor reads anything new is
// told so; one that reads on is not.
func TestStandingStill(t *testing.T) {
	var still, reading []script.Turn
	for i := range stallAfter {
		still = append(still, calling("search", fmt.Sprintf(`{"pattern":"p%d"}`, i)))
		reading = append(reading, still[i])
		if i == 3 {
			reading[i] = calling("read_file", `{"path":"f"}`)
		}
	}
	file := func(_ *Agent, s *agent.Session) {
		if err := os.WriteFile(filepath.Join(s.Dir, "f"), []byte("text\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
	contract.Want(t, converse(t, file, append(still, expecting(`15 calls without a change`, done()))...), agent.Done, "")
	contract.Want(t, converse(t, file, append(reading, expecting(`^nothing found in 1 files$`, done()))...), agent.Done, "")
}
