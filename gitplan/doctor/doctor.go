// Package doctor examines the setup without changing it, and says how to fix problems.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Symptom is the state of one thing that git plan doctor checked, healthy or not.
type Symptom struct {
	About string
	Found Health
	Text  string // the finding
	Fix   string // the advice; alternatives are a line each
}

// Health is whether something is as it should be, as git plan doctor prints it.
type Health string

const (
	Fine   Health = "ok"
	Unused Health = "-"     // could be better, but nothing needs it
	Wrong  Health = "WRONG" // it keeps the program from working
)

// Examine checks git, agents, keys, settings, sandbox and PATH, without network. c may be outside of a repository.
func Examine(ctx context.Context, c *checkout.Checkout) []Symptom {
	ofGit := Symptom{About: "git", Found: Fine}
	if version, err := c.Repo.Output(ctx, "version"); err != nil {
		ofGit.Found, ofGit.Text = Wrong, err.Error()
	} else if ofGit.Text = strings.TrimPrefix(version, "git version "); git.TooOld(ofGit.Text) {
		ofGit.Found, ofGit.Fix = Wrong, "update git: "+git.Oldest+" or newer is needed"
	}
	inForce, err := sandbox.Choose(ctx, c.Config)
	return slices.Concat([]Symptom{ofGit}, examineAgents(c, inForce.Kind), examinePrograms(ctx, c.Config),
		examineKeys(c.Config), examineSettings(c), examineSandbox(c, inForce, err), []Symptom{examinePath()})
}

// Agents returns the agent of each role and the command lines that are installed, or their problems.
func Agents(ctx context.Context, c *checkout.Checkout) []Symptom {
	inForce, _ := sandbox.Choose(ctx, c.Config) // examineSandbox reports the error
	return append(examineAgents(c, inForce.Kind), examinePrograms(ctx, c.Config)...)
}

// examineAgents returns the agent of each role, or its problem.
func examineAgents(co *checkout.Checkout, kind proc.SandboxKind) []Symptom {
	c, out := co.Config, []Symptom(nil)
	for _, role := range c.Roles() {
		s := Symptom{About: string(role), Found: Fine}
		name := c.AgentName(role)
		if a, err := c.Agent(role); err != nil {
			s.Found, s.Text, s.Fix = Wrong, err.Error(), "git config "+c.AgentKey(role)+" NAME"
			if f, ok := errors.AsType[*fault.Fault](err); errors.Is(err, fault.ErrNoAgent) {
				s.Fix = WaysToAnAgent
			} else if ok && f.Next != "" {
				s.Fix = f.Next
			}
		} else if _, err := c.Fallback(role); err != nil { // this keeps every session from starting
			s.Found, s.Text, s.Fix = Wrong, err.Error(), "git config plan."+string(role)+".fallback NAME, or none"
		} else if at := hiddenProgram(co, kind, a); at != nil {
			s.Found, s.Text = Wrong, name+": the sandbox hides its program: "+visible.OneLine(strings.Join(at, ", "), 400)
			for i := range at {
				at[i] = filepath.Dir(at[i])
			}
			s.Fix = "git config --add plan.sandboxReadable " + visible.Shell(strings.Join(plan.Unique(at), ", "))
		} else {
			model, effort := c.Model(name, role)
			s.Text = strings.Join(strings.Fields(name+" "+model+" "+effort), " ")
			if why := c.NotChosen(role); why != "" {
				s.Text += " (" + why + ")"
			}
		}
		if other := c.Role(role, "fallback"); other != "none" {
			s.Text += ", else " + other
		}
		same := slices.IndexFunc(out, func(o Symptom) bool {
			return o.Text == s.Text && o.Fix == s.Fix && o.Found == s.Found
		})
		if same >= 0 {
			out[same].About += ", " + string(role)
			continue
		}
		out = append(out, s)
	}
	return out
}

// hiddenProgram returns what the sandbox hides of an agent's program: links on the way, and the file.
func hiddenProgram(c *checkout.Checkout, kind proc.SandboxKind, a agent.Agent) []string {
	program, ok := a.(*cli.Agent)
	bounds, err := c.Sandbox.Confine(kind, c.Repo.Top, false)
	if !ok || err != nil || bounds == nil { // examineSettings reports a wrong setting
		return nil
	}
	c.Sandbox.AllowProgram(bounds, program.Program)
	path, _ := proc.Find(program.Program)
	return bounds.HiddenOn(path)
}

// WaysToAnAgent are the ways to have one, with their commands indented below them.
const WaysToAnAgent = `install claude, codex, gemini or opencode, such as:
    npm install -g @anthropic-ai/claude-code
or use a key:
    export OPENAI_API_KEY=KEY
or a model server, such as Ollama:
    git config planAgent.local.baseURL http://localhost:11434/v1
    git config planAgent.local.model MODEL
    git config plan.agent local
or another agent that speaks the Agent Client Protocol:
    git config planAgent.copilot.acp 'copilot --acp'
    git config plan.agent copilot
or a command of yours:
    git config planAgent.mine.command COMMAND
    git config plan.agent mine
or none: write the plan with git plan new, and take each step with git plan next`

// examinePrograms returns which command-line agents are installed. None of them is needed.
func examinePrograms(ctx context.Context, c *settings.Config) []Symptom {
	var out []Symptom
	var missing []string
	for _, f := range c.FindCLIs(ctx) {
		switch {
		case f.Path == "":
			missing = append(missing, f.Name)
		case f.Problem != "":
			out = append(out, Symptom{About: f.Name, Found: Wrong, Text: f.Problem, Fix: f.Next})
		default:
			s := Symptom{About: f.Name, Found: Fine, Text: strings.TrimSpace(f.Version + " " + f.Path)}
			if !cli.SignedIn(f.Name) {
				s.Text += " (not signed in, as far as its files show)"
			}
			out = append(out, s)
		}
	}
	if missing != nil {
		out = append(out, Symptom{About: "not installed", Found: Unused, Text: strings.Join(missing, ", ")})
	}
	return out
}

// examineKeys returns the names of the variables with keys that are set, never their values.
func examineKeys(c *settings.Config) []Symptom {
	names := append([]string{"OPENAI_API_KEY", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY",
		"GEMINI_API_KEY"}, c.KeyVariables()...)
	names = slices.DeleteFunc(plan.Unique(names), func(name string) bool { return os.Getenv(name) == "" })
	if len(names) == 0 {
		return []Symptom{{About: "keys", Found: Unused, Text: "none in the environment"}}
	}
	return []Symptom{{About: "keys", Found: Fine, Text: "in the environment: " + strings.Join(names, ", ")}}
}

// examineSandbox returns the kind of sandbox that is in force, and what can be read in it.
func examineSandbox(c *checkout.Checkout, s sandbox.InForce, err error) []Symptom {
	if err != nil {
		return []Symptom{{About: "sandbox", Found: Wrong, Text: err.Error(),
			Fix: "install it, or use what there is: git config plan.sandbox auto"}}
	}
	out := Symptom{About: "sandbox", Found: Fine, Text: s.String()}
	if s.Kind == proc.Unconfined && c.Config.String("plan.sandbox") == "auto" {
		out.Found = Unused
		out.Fix = "commands of sessions run with your rights; on Linux install bubblewrap"
	}
	bounds, err := c.Sandbox.Confine(s.Kind, c.Repo.Top, false)
	home, herr := settings.HomeFolder()
	if err != nil || herr != nil || bounds == nil { // examineSettings reports a wrong setting
		return []Symptom{out}
	}
	if !bounds.Hides(home) {
		return []Symptom{out, {About: "home", Found: Fine, Text: "readable in the sandbox except for known secrets, since " +
			"it contains the work tree or is in a temporary folder (then sessions can write there, too)"}}
	}
	var names []string
	for _, path := range bounds.Visible() {
		if rest, ok := strings.CutPrefix(path, disk.Real(home)); ok {
			names = append(names, "~"+rest)
		}
	}
	return []Symptom{out, {About: "home", Found: Fine,
		Text: fmt.Sprintf("the sandbox hides it, except %d paths", len(names)),
		Fix:  visible.OneLine(strings.Join(names, " "), 1000) + "\nto add one: git config --add plan.sandboxReadable PATH"}}
}

// examinePath looks for this program on PATH, where git and the hooks do.
func examinePath() Symptom {
	if found, ok := proc.Find("git-plan"); ok {
		return Symptom{About: "git-plan", Found: Fine, Text: found}
	}
	own, _ := os.Executable()
	return Symptom{About: "git-plan", Found: Wrong, Text: "is not on PATH, so `git plan` and the hooks do not find it",
		Fix: "add its folder to PATH: " + own}
}

// examineSettings finds the settings that have no effect or are invalid.
func examineSettings(c *checkout.Checkout) []Symptom {
	var out []Symptom
	for _, s := range c.Config.Settings() {
		wrong := Symptom{About: visible.OneLine(s.Key, 200), Found: Wrong}
		switch err := WrongSettings(c, s); {
		case s.Scope == "unknown":
			wrong.Text = strings.TrimPrefix(err.Error(), s.Key+" ")
		case err == nil, s.Key == "plan.sandbox": // examineSandbox reports that
			continue
		default:
			wrong.Text, wrong.Fix = strings.TrimPrefix(err.Error(), s.Key+" "), "git config "+wrong.About+" VALUE"
			if f, ok := errors.AsType[*fault.Fault](err); ok && f.Next != "" {
				wrong.Fix = strings.TrimPrefix(f.Next, "fix the setting: ")
			}
		}
		out = append(out, wrong)
	}
	return out
}

// WrongSettings returns the problem of a value that a person has set, nil without one.
func WrongSettings(c *checkout.Checkout, s settings.Setting) (err error) {
	if s.Scope == "default" || s.Scope == "repository" {
		return nil
	}
	switch s.Kind {
	case settings.Text:
		if s.Key == "plan.isolation" {
			_, err = c.Config.Isolation()
		}
	case "": // no key
		origin := strings.TrimSuffix(visible.OneLine(s.Origin, 400), ":") // git says "command line:"
		err = fmt.Errorf("%s is not a setting (set in %s), so it has no effect%s", s.Key, origin, settings.DidYouMean(s.Key))
	case settings.Number:
		_, err = c.Config.Int(s.Key)
	case settings.Time:
		_, err = c.Config.Duration(s.Key)
	case settings.Budget:
		_, err = work.ReadBudget(c.Config, s.Key)
	case settings.Command: // a missing program is reported when the command runs
	default:
		_, err = c.Config.Word(s.Key)
	}
	return err
}

// ExamineEndpoints asks the endpoint of each role whether it can be reached, takes the key and has the model.
func ExamineEndpoints(ctx context.Context, c *checkout.Checkout) (out []Symptom) {
	asked := map[string]bool{}
	for _, role := range c.Config.Roles() {
		a, err := c.Config.Agent(role)
		o, ok := a.(*builtin.Agent)
		if err != nil || !ok {
			continue
		}
		name := o.Model
		at := o.Endpoint.AgentName + "\x00" + name
		if asked[at] {
			continue
		}
		asked[at] = true
		s := Symptom{About: "endpoint", Found: Fine, Text: visible.OneLine("asked "+o.Endpoint.BaseURL+": it has "+name, 300)}
		lists, err := o.Endpoint.Reach(ctx, name)
		if !lists {
			s.Found, s.Text = Unused,
				visible.OneLine("asked "+o.Endpoint.BaseURL+": it answers; whether it has "+name+", a session shows", 300)
		}
		if err != nil {
			s.Found, s.Text = Wrong, visible.OneLine("asked "+o.Endpoint.BaseURL, 200)+": "+err.Error()
			s.Fix = "if its address is wrong: git config planAgent." + o.Endpoint.AgentName + ".baseURL URL"
			if f, ok := errors.AsType[*model.Fault](err); ok {
				s.Fix = cmp.Or(o.Endpoint.Hint(ctx, f, name), s.Fix)
			}
		}
		if !slices.Contains(out, s) { // several models share an endpoint
			out = append(out, s)
		}
	}
	return out
}

// ExamineClone returns who commits here, what clones lack, and the interrupted sessions.
func ExamineClone(ctx context.Context, c *checkout.Checkout) (out []Symptom, err error) {
	plans, err := progress.AllEvents(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if err := c.Store.KnowsWho(ctx); err != nil {
		out = append(out, Symptom{"identity", Wrong, err.Error(), "git config user.name NAME; git config user.email MAIL"})
	}
	if lacks, command := checkout.CloneSetup(ctx, c); lacks != "" {
		out = append(out, Symptom{"clones", Unused, "sessions side by side, or with plan.isolation=clone, have no " + lacks +
			", which git does not track", "git config plan.worktreeSetup " + visible.Shell(command)})
	}
	interrupted := false
	for _, p := range plans {
		branch := "on branch " + visible.OneLine(p.Branch, 200)
		for _, task := range UnfinishedTasks(c, p.Plan, p.Events) {
			interrupted = true
			s := Symptom{About: "sessions", Found: Unused,
				Text: fmt.Sprintf("the one at step %s of plan %s: interrupted", visible.OneLine(task, 80), p.Plan),
				Fix:  branch + ": git plan step goes on with it"}
			if strings.HasPrefix(task, journal.FixPrefix) {
				s.Text, s.Fix = fmt.Sprintf("a fixer of the review of plan %s: interrupted", p.Plan),
					branch+": git plan review goes on, and keeps what it left"
			}
			out = append(out, s)
		}
	}
	if !interrupted {
		out = append(out, Symptom{About: "sessions", Found: Fine, Text: "none was interrupted"})
	}
	return out, nil
}

// UnfinishedTasks returns the tasks of a plan that neither ended nor are at work.
func UnfinishedTasks(c *checkout.Checkout, plan string, events []journal.Event) (out []string) {
	for _, task := range checkout.Tasks(c.Repo, plan) {
		note := task.State()
		last := progress.StepState{Event: progress.LastEvents(events)[note.Name]}.Last()
		_, working := journal.Working(c.Repo, plan)
		if note.Name != "" && len(note.Changed) == 0 && !working && last.By != journal.ByPerson { // who took it with git plan next
			out = append(out, note.Name)
		}
	}
	return out
}
