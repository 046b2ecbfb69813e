package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// OwnPush has the hooks of a push that this program makes by itself (plan.push). The person's pre-push hook may run
// what sessions wrote, so git-plan's own runs it in the sandbox and then judges the push. Only our lines and those of
// git-lfs, which needs the network and a password, run as they are. Without a hook the push is judged, unless
// plan.prePush is off.
type OwnPush struct {
	Hooks string // the folder in which git looks for hooks; empty: its default
}

// refusal is the file that says, in the folder of hooks, why the person's hook refused.
const refusal = "refusal"

// PrepareOwnPush makes the folder if there is anything to put into it.
func PrepareOwnPush(c *checkout.Checkout) (*OwnPush, error) {
	if sandboxed, err := c.Config.Word("plan.hooksSandbox"); err != nil || sandboxed == "off" {
		return &OwnPush{}, err
	}
	f := readPrePush(c)
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	content := f.Content
	switch mode, _ := c.Config.Word("plan.prePush"); {
	case !runs(f) && mode == "off":
		return &OwnPush{Hooks: os.DevNull}, nil
	case !runs(f):
		content = replacement(program, `pre-push "$@"`)
	case !OnlyKnown(content):
		content = replacement(program, `own-push "$0" "$@"`)
	}
	p := &OwnPush{Hooks: c.Repo.PlanDir(c.Doc.ID, "push")}
	if err = errors.Join(p.Close(), os.MkdirAll(p.Hooks, 0o700)); err == nil {
		err = os.WriteFile(filepath.Join(p.Hooks, "pre-push"), content, 0o700)
	}
	return p, err
}

func readPrePush(c *checkout.Checkout) File {
	return read(Hook{Name: "pre-push"}, filepath.Join(c.Repo.HooksDir, "pre-push"))
}

// Foreign reports whether there is a pre-push hook that does more than git-plan and git-lfs.
func Foreign(c *checkout.Checkout) bool {
	f := readPrePush(c)
	return runs(f) && !OnlyKnown(f.Content)
}

func runs(f File) bool {
	return f.Trouble != "" || f.Exists && (f.Mode&0o111 != 0 || filepath.Separator == '\\')
}

func (p *OwnPush) Close() error {
	if p.Hooks == "" || p.Hooks == os.DevNull {
		return nil
	}
	return disk.RemoveTree(p.Hooks)
}

// Refusal returns what the person's hook said when it refused; empty if it did not.
func (p *OwnPush) Refusal() string {
	text, err := disk.ReadRegular(filepath.Join(p.Hooks, refusal))
	if p.Hooks == "" || err != nil {
		return ""
	}
	return string(text)
}

// Refused writes down, beside the hook that replaces the person's, why that one refused.
func Refused(hook, output string) error {
	path := filepath.Join(filepath.Dir(hook), refusal)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(visible.Cut(output, maxHook)), 0o600)
}

// replacement returns the hook that replaces the person's, with the settings and the PATH that the person has.
func replacement(program, hook string) []byte {
	out := bytes.NewBufferString(shebang)
	if v, ok := os.LookupEnv("GIT_CONFIG_PARAMETERS"); ok {
		fmt.Fprintf(out, "export GIT_CONFIG_PARAMETERS=%s\n", quote(v))
	} else {
		fmt.Fprintln(out, "unset GIT_CONFIG_PARAMETERS")
	}
	if filepath.Separator != '\\' { // sh on Windows writes it differently
		fmt.Fprintf(out, "export PATH=%s\n", quote(os.Getenv("PATH")))
	}
	fmt.Fprintf(out, "exec %s hook %s\n", quote(filepath.ToSlash(program)), hook)
	return out.Bytes()
}

// OnlyKnown reports whether a pre-push hook is only git-plan's lines, or git-lfs's, or both.
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
		lfsHook.MatchString(text)
}

// lfsHook matches each pre-push hook that git-lfs ever installed: only what it says if git-lfs is gone differs.
var lfsHook = visible.NewPattern("^" + shebang + "(?:command -v git-lfs >/dev/null 2>&1 \\|\\| \\{ (?:echo|printf) >&2(?: \"(?:[^\"$`\\\\\n]|\\\\n)*\")+; exit 2; \\}\n)?git lfs pre-push \"\\$@\"$")
