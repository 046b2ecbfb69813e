package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Found is a command-line agent as it is installed here.
type Found struct {
	Name    string
	Path    string // empty: not found
	Version string // empty: it does not say, or not in time
	// Problem says in one line why it cannot be used; it is empty if it can.
	Problem string
	Next    string // the command that makes it usable; "" if none is known
}

// Versions remembers which version a program is, since some take seconds to
// say so (1.7 s, measured). The zero value is ready; it may be shared.
type Versions struct {
	mu    sync.Mutex
	known map[string]string
	wait  time.Duration // zero: versionWait
}

// versionWait is how long a program may take to print its version.
const versionWait = 10 * time.Second

// errSlow means that a program did not print its version in time. On a busy machine that says
// nothing about the program (measured: gemini).
var errSlow = errors.New("took too long")

// Find looks for the program and asks it for its version, once for each path.
func (c *Agent) Find(ctx context.Context) Found {
	f := Found{Name: c.AgentName}
	path, inTree, ok := proc.FindOutside(c.Program)
	if !ok {
		f.Problem = fmt.Sprintf("%s is not installed: there is no program %s", c.AgentName, agent.OneLine(c.Program, 200))
		key, value := c.Named("PATH")
		f.Next = fmt.Sprintf("name its program: git config planAgent.%s.%s %s", c.AgentName, key, visible.Shell(value))
		if install := c.Install(); install != "" {
			f.Next = "install it: " + install
		}
		return f
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // it is run in another folder
	}
	f.Path = path
	switch named := strings.ContainsRune(c.Program, filepath.Separator); {
	case inTree && named: // as planAgent.<name>.program says; its session is confined, this would not be
		return f
	case inTree:
		f.Problem = fmt.Sprintf("%s is in the work tree, where sessions write", agent.OneLine(path, 200))
		key, value := c.Named(path)
		f.Next = fmt.Sprintf("install %s elsewhere; or, if that one is meant: git config planAgent.%s.%s %s", c.dialect.name, c.AgentName, key, visible.Shell(value))
		return f
	case c.dialect.least == "": // any will do
		return f
	}
	v, err := c.Versions.of(ctx, path)
	switch f.Version = v; {
	case errors.Is(err, errSlow): // what is wrong with it will show
	case err != nil:
		f.Problem = fmt.Sprintf("%s cannot be used: %s --version %v", c.AgentName, agent.OneLine(path, 200), err)
	case older(v, c.dialect.least):
		f.Problem = fmt.Sprintf("%s %s is too old: %s or newer is needed", c.AgentName, v, c.dialect.least)
		f.Next = "update it: " + c.dialect.update
	}
	return f
}

func (v *Versions) of(ctx context.Context, path string) (string, error) {
	v.mu.Lock()
	known, ok := v.known[path]
	wait := v.wait
	v.mu.Unlock()
	wait = cmp.Or(wait, versionWait)
	if ok {
		return known, nil
	}
	out := proc.Head{Max: 4 << 10}
	exit, err := proc.Run(ctx, proc.Cmd{Name: path, Args: []string{"--version"}, Env: append(proc.Clean(), "PATH="+proc.PathOutside()),
		Stdout: &out, Group: true, Timeout: wait, MaxOutput: 1 << 20})
	switch {
	case err != nil:
		return "", err
	case exit.TimedOut:
		return "", errSlow
	case exit.OverLimit > 0:
		return "", fmt.Errorf("prints no version: it %s", exit.TooMuch())
	}
	reported := versionForm().FindString(string(out.Text))
	if reported == "" || exit.Code != 0 {
		return "", fmt.Errorf("prints no version (exit code %d)", exit.Code)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[string]string{}
	}
	v.known[path] = reported
	return reported, nil
}

func versionForm() *regexp.Regexp { return regexp.MustCompile(`\d{1,9}\.\d{1,9}\.\d{1,9}`) }

// older compares versions of three numbers; what is missing is 0.
func older(v, least string) bool {
	a, b := strings.Split(v, "."), strings.Split(least, ".")
	for i := range b {
		x, y := 0, 0
		if i < len(a) {
			x, _ = strconv.Atoi(a[i])
		}
		if y, _ = strconv.Atoi(b[i]); x != y {
			return x < y
		}
	}
	return false
}

// logins show who is signed in: a variable that names the agent's folder, that folder below the home
// folder, and the file that is there after signing in.
var logins = map[string][3]string{
	"claude":   {"CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"},
	"codex":    {"CODEX_HOME", ".codex", "auth.json"},
	"gemini":   {"", ".gemini", "oauth_creds.json"},
	"opencode": {"", ".local/share/opencode", "auth.json"},
}

// SignedIn reports whether a person has signed in to a command-line agent, as far as its files show. It
// starts nothing, and reads no file that holds a secret. On macOS, claude has its token in the keychain,
// which is not asked, and the account in .claude.json.
func SignedIn(name string) bool {
	login, ok := logins[name]
	if !ok {
		return false
	}
	home, _ := os.UserHomeDir()
	own := os.Getenv(login[0])
	info, err := os.Stat(filepath.Join(cmp.Or(own, filepath.Join(home, filepath.FromSlash(login[1]))), login[2]))
	if err == nil || name != "claude" {
		return err == nil && info.Mode().IsRegular()
	}
	text, _ := os.ReadFile(filepath.Join(cmp.Or(own, home), ".claude.json"))
	return os.Getenv("CLAUDE_CODE_OAUTH_TOKEN") != "" || bytes.Contains(text, []byte(`"oauthAccount"`))
}
