package builtin

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent/tools"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
)

// stallAfter is how many calls in a row may change nothing and read nothing new
// before the model is warned (measured on the small agents that were tried: 15).
const stallAfter = 15

// progress counts the calls since one that brought the session on: a change of
// a file, or a part of a file that was not read before.
type progress struct {
	calls int
	read  map[[sha256.Size]byte]bool
}

// count adds a call with its answer, and returns the warning for the model, if any.
func (p *progress) count(t tools.Tool, k wire.Call, answer string) string {
	if p.brought(t, k, answer) {
		p.calls = 0
		return ""
	}
	if p.calls++; p.calls%stallAfter != 0 {
		return ""
	}
	return fmt.Sprintf("\n[%d calls without a change by write_file or edit_file and without reading anything new. "+
		"Decide on the next change and make it, or end the session and say what keeps you from it.]", p.calls)
}

func (p *progress) brought(t tools.Tool, k wire.Call, answer string) bool {
	if strings.HasPrefix(answer, toolError) {
		return false
	}
	if t.Writes || !t.Informs {
		return t.Writes
	}
	sum := sha256.Sum256([]byte(k.Args + "\x00" + answer))
	if p.read == nil {
		p.read = map[[sha256.Size]byte]bool{}
	}
	known := p.read[sum]
	p.read[sum] = true
	return !known
}
