package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// OwnPush returns the hooks folder for a push that this program makes by itself (plan.push), "" for git's default, and
// a function that removes the folder. A person's pre-push hook may run what sessions wrote, so git-plan's replacement
// runs it in the sandbox, and then judges the push. Hooks with only git-plan's lines, or those of git-lfs, which needs
// the network and a password, run unchanged. Without a hook the push is judged, unless plan.prePush is off.
func OwnPush(c *checkout.Checkout) (folder string, remove func() error, err error) {
	remove = func() error { return nil }
	if sandboxed, err := c.Config.Word("plan.hooksSandbox"); err != nil || sandboxed == "off" {
		return "", remove, err
	}
	f := read(Hook{Name: "pre-push"}, filepath.Join(c.Repo.HooksDir, "pre-push"))
	program, err := os.Executable()
	if err != nil {
		return "", remove, err
	}
	content := f.Content
	switch mode, _ := c.Config.Word("plan.prePush"); {
	case !runs(f) && mode == "off":
		return os.DevNull, remove, nil
	case !runs(f):
		content = replacement(program, "pre-push")
	case !OnlyKnown(content):
		content = replacement(program, "own-push")
	}
	folder = c.Repo.PlanDir(c.Doc.ID, "push")
	remove = func() error { return disk.RemoveTree(folder) }
	if err = errors.Join(remove(), os.MkdirAll(folder, 0o700)); err == nil {
		err = os.WriteFile(filepath.Join(folder, "pre-push"), content, 0o700)
	}
	return folder, remove, err
}

// runs reports whether git would run the hook.
func runs(f File) bool {
	return f.Trouble != "" || f.Exists && (f.Mode&0o111 != 0 || filepath.Separator == '\\')
}

// replacement returns the hook that replaces the person's, with the person's git settings and PATH.
func replacement(program, hook string) []byte {
	out := bytes.NewBufferString(shebang)
	fmt.Fprintf(out, "export GIT_CONFIG_PARAMETERS=%s\n", quote(os.Getenv("GIT_CONFIG_PARAMETERS")))
	if filepath.Separator != '\\' { // PATH has another form in sh on Windows
		fmt.Fprintf(out, "export PATH=%s\n", quote(os.Getenv("PATH")))
	}
	fmt.Fprintf(out, "exec %s hook %s \"$@\"\n", quote(filepath.ToSlash(program)), hook)
	return out.Bytes()
}

// OnlyKnown reports whether a pre-push hook has only the lines of git-plan, of git-lfs, or of both.
func OnlyKnown(content []byte) bool {
	at, problem := find(content)
	if problem != "" {
		return false
	}
	if at != nil {
		content = at.put(content, nil)
	}
	text := strings.TrimRight(string(content), "\n")
	return text == strings.TrimRight(shebang, "\n") || text == shebang+evaluated(Hook{Name: "pre-push"}) ||
		lfsHook().MatchString(text)
}

// lfsHook matches the pre-push hooks of all git-lfs versions, which differ only in the message for a missing git-lfs.
var lfsHook = visible.NewPattern("^" + shebang + "(?:command -v git-lfs >/dev/null 2>&1 \\|\\| \\{ (?:echo|printf) >&2(?: \"(?:[^\"$`\\\\\n]|\\\\n)*\")+; exit 2; \\}\n)?git lfs pre-push \"\\$@\"$")
