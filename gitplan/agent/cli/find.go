package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Found is a command-line agent as installed here.
type Found struct {
	Name    string
	Path    string // empty: not found
	Version string // empty: it does not say, or not in time
	Problem string // one line that says why it cannot be used
	Next    string // the command that makes it usable; "" if none is known

	inTree bool
}

// locate finds the program, without running it.
func (c *Agent) locate() Found {
	f := Found{Name: c.AgentName}
	path, inTree, ok := proc.FindOutside(c.Program)
	if !ok {
		return c.Missing()
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // it is run in another folder
	}
	f.Path, f.inTree = path, inTree
	// A path in planAgent.<name>.program was chosen by the person.
	if inTree && !strings.ContainsRune(c.Program, filepath.Separator) {
		f.Problem = fmt.Sprintf("%s is in the work tree, where sessions write", agent.OneLine(path, 200))
		f.Next = "install " + c.dialect.Name + " elsewhere; or, if that one is meant: " + c.setting(path)
	}
	return f
}

// Missing returns the error for a program that is not installed.
func (c *Agent) Missing() Found {
	f := Found{Name: c.AgentName,
		Problem: fmt.Sprintf("%s is not installed: there is no program %s", c.AgentName, agent.OneLine(c.Program, 200)),
		Next:    "name its program: " + c.setting("PATH")}
	if c.dialect.Install != "" {
		f.Next = "install it: " + c.dialect.Install + "; or " + f.Next
	}
	return f
}

// setting returns the command that sets the program to a path.
func (c *Agent) setting(path string) string {
	key := "program"
	if c.named {
		key, path = "acp", strings.Join(append([]string{path}, c.Args...), " ")
	}
	return fmt.Sprintf("git config planAgent.%s.%s %s", c.AgentName, key, visible.Shell(path))
}

var versionForm = visible.NewPattern(`\d{1,9}\.\d{1,9}\.\d{1,9}`)

// Find looks for the program and asks it for its version, unless it is in the work tree, where nothing confines it.
func (c *Agent) Find(ctx context.Context) Found {
	f := c.locate()
	if f.Problem != "" || f.inTree || c.dialect.oldest == "" {
		return f
	}
	const patience = 10 * time.Second // 1.7 s, measured
	out := proc.Head{Max: 4 << 10}
	exit, err := proc.Run(ctx,
		proc.Cmd{Name: f.Path, Args: []string{"--version"}, Env: append(proc.CleanEnv(), "PATH="+proc.PathOutside()),
			Stdout: &out, Group: true, Timeout: patience, MaxOutput: 1 << 20})
	v := versionForm().FindString(string(out.Text))
	switch {
	case exit.TimedOut: // the machine may be busy
	case err != nil:
		f.Problem = fmt.Sprintf("%s cannot be used: %v", c.AgentName, err)
	case v == "" || exit.Code != 0:
		f.Problem = fmt.Sprintf("%s cannot be used: %s prints no version (exit code %d)", c.AgentName,
			agent.OneLine(f.Path, 200), exit.Code)
	case version.Compare("go"+v, "go"+c.dialect.oldest) < 0: // any three numbers are compared
		f.Version, f.Problem = v, fmt.Sprintf("%s %s is too old: %s or newer is needed", c.AgentName, v, c.dialect.oldest)
		f.Next = "update it: " + c.dialect.update
	default:
		f.Version = v
	}
	return f
}

// Find looks for all command-line agents; an empty program is the agent's own name on PATH.
func Find(ctx context.Context, program func(name string) string) []Found {
	found := make([]Found, len(known))
	var all sync.WaitGroup
	for i, d := range known {
		all.Go(func() { found[i] = Agent{AgentName: d.Name, Program: program(d.Name), dialect: d}.ready().Find(ctx) })
	}
	all.Wait()
	return found
}

// logins are files that are there after signing in: a variable for their folder, that folder below home, the name.
var logins = map[string][3]string{
	"claude":   {"CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"},
	"codex":    {"CODEX_HOME", ".codex", "auth.json"},
	"gemini":   {"GEMINI_CLI_HOME", "", ".gemini/oauth_creds.json"},
	"opencode": {"XDG_DATA_HOME", ".local/share", "opencode/auth.json"},
}

// SignedIn reports whether a person has signed in to a command-line agent, as far as its files show. No file that
// holds a secret is read. On macOS, claude has its token in the keychain, and the account in .claude.json.
func SignedIn(name string) bool {
	login := logins[name]
	home, _ := os.UserHomeDir()
	own := os.Getenv(login[0])
	info, err := os.Stat(filepath.Join(cmp.Or(own, filepath.Join(home, filepath.FromSlash(login[1]))), login[2]))
	if err == nil || name != "claude" {
		return err == nil && info.Mode().IsRegular()
	}
	text, _ := os.ReadFile(filepath.Join(cmp.Or(own, home), ".claude.json"))
	return os.Getenv("CLAUDE_CODE_OAUTH_TOKEN") != "" || bytes.Contains(text, []byte(`"oauthAccount"`))
}
