package terminal

import (
	"os"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Readable returns a text of somebody else's for a person who is to approve it: nothing
// is out of sight behind long runs of blanks.
func Readable(s string) string { return visible.Blanks(visible.Text(s)) }

// OnScreen returns a text as a person reads it on a terminal; what is piped keeps its
// blanks.
func OnScreen(s string) string {
	if Is(os.Stdout) {
		return Readable(s)
	}
	return visible.Text(s)
}
