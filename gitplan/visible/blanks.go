package visible

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Runs of blanks of this length push what follows out of sight. Wide tables and deep
// indentation are shorter.
var (
	blankRun   = pattern.Of(`[\t\p{Zs}]{80,}`)
	blankLines = pattern.Of(`(?m)(?:^[\t\r\p{Zs}]*\n){20,}`)
)

// Blanks returns a text with long runs of blanks, and of blank lines, replaced by a count: what
// follows 3000 of them is printed, and nobody sees it. It is for people; programs
// and files get every blank.
func Blanks(s string) string {
	s = blankLines.Compiled().ReplaceAllStringFunc(s, func(run string) string { return fmt.Sprintf("[%d blank lines]\n", strings.Count(run, "\n")) })
	return blankRun.Compiled().ReplaceAllStringFunc(s, func(run string) string { return fmt.Sprintf("[%d blanks]", len([]rune(run))) })
}
