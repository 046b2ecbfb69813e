package attempts

import (
	"fmt"
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

// NamedToRestore returns the ref of the attempt that a reason names by HowToRestore.
func NamedToRestore(c *checkout.Checkout, reason string) (ref string, ok bool) {
	_, rest, ok := strings.Cut(reason, restoring)
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(rest, " ")
	return journal.AttemptPrefix + Owner(c) + "/" + name, true
}

// DescribeAside says which files of a kept attempt are not put back, and how a person gets them.
func DescribeAside(c *checkout.Checkout, ref string, files []string) string {
	return fmt.Sprintf("left out, since the step does not name it: %s. If you changed it after git plan was killed: %s", visible.Few(files), HowToRestore(c, ref, files))
}
