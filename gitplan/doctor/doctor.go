package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Symptom is something that git plan doctor looked at.
type Symptom struct {
	About string
	Found Health
	Text  string // what was found
	Fix   string // what to do about it
}

// Health is what something that was looked at means.
type Health string

// Fine, nothing that is needed, and something that keeps the program from working.
const (
	Fine   Health = "ok"
	Unused Health = "-"
	Wrong  Health = "WRONG"
)

// oldestGit is the oldest git with which this program is tried: `git config
// --no-includes --list -z` and `for-each-ref` with all that is asked of them.
const oldestGit = "2.30"

// Examine looks at what a plan needs to be worked on: git, the agent of each
// role, the keys, and the sandbox. It asks no network and shows no key.
func Examine(ctx context.Context, c *checkout.Checkout) []Symptom {
	out := []Symptom{examineGit(ctx, c)}
	out = append(out, examineAgents(c.Config)...)
	out = append(out, examinePrograms(ctx, c.Config)...)
	out = append(out, examineKeys(c.Config)...)
	out = append(out, examineSettings(c)...)
	out = append(out, examineSandbox(ctx, c)...)
	out = append(out, examineHooks(c)...)
	return append(out, examinePath()...)
}

func examineGit(ctx context.Context, c *checkout.Checkout) Symptom {
	s := Symptom{About: "git", Found: Fine}
	version, err := c.Repo.Output(ctx, "version")
	if err != nil {
		s.Found, s.Text = Wrong, err.Error()
		return s
	}
	s.Text = strings.TrimPrefix(version, "git version ")
	if older(s.Text, oldestGit) {
		s.Found, s.Fix = Wrong, "update git: "+oldestGit+" or newer is needed"
	}
	return s
}

// older compares versions such as 2.39.5 by their first two numbers.
func older(version, than string) bool {
	a, b := twoNumbers(version), twoNumbers(than)
	return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
}

func twoNumbers(version string) (n [2]int) {
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < 2 {
			n[i], _ = strconv.Atoi(strings.TrimFunc(part, func(r rune) bool { return r < '0' || r > '9' }))
		}
	}
	return n
}

// examineAgents tells which agent each role has, and what is wrong with its
// set-up; roles with the same one together.
func examineAgents(c *settings.Config) []Symptom {
	var out []Symptom
	for _, role := range settings.Roles {
		s := Symptom{About: string(role), Found: Fine}
		name := c.AgentName(role)
		if _, err := c.Agent(role); err != nil {
			s.Found, s.Text = Wrong, err.Error()
			s.Fix = "git config " + c.AgentKey(role) + " NAME, and of a command of yours git config planAgent.NAME.command COMMAND; git plan next and done need none"
		} else if _, err := c.Fallback(role); err != nil { // no session is held then
			s.Found, s.Text, s.Fix = Wrong, err.Error(), "git config plan."+string(role)+".fallback NAME, or none"
		} else {
			model, effort := c.Model(name, role)
			s.Text = strings.Join(strings.Fields(name+" "+model+" "+effort), " ")
		}
		if other := c.Role(role, "fallback"); other != "none" {
			s.Text += ", else " + other
		}
		same := slices.IndexFunc(out, func(o Symptom) bool { return o.Text == s.Text && o.Fix == s.Fix && o.Found == s.Found })
		if same >= 0 {
			out[same].About += ", " + string(role)
			continue
		}
		out = append(out, s)
	}
	return out
}

// examinePrograms tells which command-line agents are installed. One that is not
// is no fault: nobody needs all of them.
func examinePrograms(ctx context.Context, c *settings.Config) []Symptom {
	var out []Symptom
	for _, f := range c.FindCLIs(ctx) {
		switch {
		case f.Path == "":
			out = append(out, Symptom{About: f.Name, Found: Unused, Text: "not installed"})
		case f.Problem != "":
			out = append(out, Symptom{About: f.Name, Found: Wrong, Text: f.Problem})
		default:
			out = append(out, Symptom{About: f.Name, Found: Fine, Text: strings.TrimSpace(f.Version + " " + f.Path)})
		}
	}
	return out
}

// examineKeys tells which variables with keys are set, never what is in them.
func examineKeys(c *settings.Config) []Symptom {
	names := []string{"OPENAI_API_KEY", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"}
	for _, name := range c.KeyVariables() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return os.Getenv(name) == "" })
	if len(names) == 0 {
		return []Symptom{{About: "keys", Found: Unused, Text: "none in the environment"}}
	}
	return []Symptom{{About: "keys", Found: Fine, Text: "in the environment: " + strings.Join(names, ", ")}}
}

func examineSandbox(ctx context.Context, c *checkout.Checkout) []Symptom {
	s, err := sandbox.Choose(ctx, c.Config)
	if err != nil {
		return []Symptom{{About: "sandbox", Found: Wrong, Text: err.Error(), Fix: "install it, or take what there is: git config plan.sandbox auto"}}
	}
	out := Symptom{About: "sandbox", Found: Fine, Text: s.String()}
	if s.Kind == confine.Unconfined && c.Config.String("plan.sandbox") == "auto" {
		out.Found = Unused
		out.Fix = "commands of sessions run with your rights; on Linux install bubblewrap"
	}
	return append([]Symptom{out}, examineReading(c, s)...)
}

// examineReading tells what the sandbox lets be read of the home folder.
func examineReading(c *checkout.Checkout, s sandbox.InForce) []Symptom {
	bounds, err := c.Sandbox.Confine(s.Kind, c.Repo.Top)
	home, herr := settings.HomeFolder()
	if err != nil || herr != nil || bounds == nil { // examineSettings tells
		return nil
	}
	if !bounds.Hides(home) {
		return []Symptom{{About: "home", Found: Fine, Text: "can be read in the sandbox, but for known secrets: the work tree is there, or it is in a temporary folder"}}
	}
	var names []string
	for _, path := range bounds.Visible() {
		if rest, ok := strings.CutPrefix(path, disk.Real(home)); ok {
			path = "~" + rest
		}
		names = append(names, path)
	}
	return []Symptom{{About: "home", Found: Fine, Text: fmt.Sprintf("in the sandbox only %d places of it can be read: %s; to add one: git config --add plan.sandboxReadable PATH",
		len(names), visible.OneLine(strings.Join(names, ", "), 1000))}}
}

// examineHooks tells how the commit hooks run when a session's work is committed. A
// setting that cannot be read is told by examineSettings.
func examineHooks(c *checkout.Checkout) []Symptom {
	found := slices.DeleteFunc(slices.Clone(place.OfCommits), func(name string) bool { return !place.HasHook(c, name) })
	if len(found) == 0 {
		return nil
	}
	s := Symptom{About: "commit hooks", Found: Fine, Text: strings.Join(found, ", ") + " run in the sandbox of checks when a session's work is committed; " +
		"a hook that needs a key, or writes elsewhere, needs git config plan.hooksSandbox off"}
	if c.Config.String("plan.hooksSandbox") == "off" {
		s.Found = Unused
		s.Text = strings.Join(found, ", ") + " run with your rights when a session's work is committed, and so does what it wrote"
		s.Fix = "git config plan.hooksSandbox on"
	}
	return []Symptom{s}
}

// examinePath tells of other copies of this program, which git may run instead.
func examinePath() []Symptom {
	own, err := os.Executable()
	if err != nil {
		return nil
	}
	found, ok := proc.Find("git-plan")
	switch {
	case !ok:
		return []Symptom{{About: "git-plan", Found: Wrong, Text: "is not on PATH, so `git plan` and the hooks do not find it", Fix: "add its folder to PATH: " + own}}
	case !sameProgram(found, own):
		return []Symptom{{About: "git-plan", Found: Wrong, Text: fmt.Sprintf("git runs %s, this is %s", found, own), Fix: "remove one of them, or change PATH"}}
	}
	out := []Symptom{{About: "git-plan", Found: Fine, Text: found}}
	for _, other := range proc.FindAll("git-plan") {
		if !sameProgram(other, own) {
			out = append(out, Symptom{About: "git-plan", Found: Unused, Text: "another one is later on PATH: " + other,
				Fix: "remove it, or it is run where PATH is in another order"})
		}
	}
	return out
}

func sameProgram(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}
