package attempts

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// HowToSee returns the command that shows a kept attempt.
func HowToSee(c *checkout.Checkout, ref string) string {
	if c.Doc == nil {
		return "git diff " + visible.Shell(ref) + "^ " + visible.Shell(ref)
	}
	return "git plan attempts show " + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+c.Doc.ID+"/"))
}

const restoring = "git plan attempts restore "

// HowToRestore returns the command that puts some files of a kept attempt into the work tree.
func HowToRestore(c *checkout.Checkout, ref string, files []string) string {
	command := restoring + visible.Shell(strings.TrimPrefix(ref, journal.AttemptPrefix+Owner(c)+"/"))
	if len(files) > 6 {
		return command + " FILE"
	}
	for _, f := range files {
		command += " " + visible.Shell(f)
	}
	return command
}
