package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// texts are what users read: the pages and the README.
func texts(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("pages", "*.md"))
	if err != nil || len(paths) < 4 {
		t.Fatal(paths, err)
	}
	out := map[string][]byte{}
	for _, path := range append(paths, filepath.Join("..", "..", "README.md")) {
		if out[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// example is a fenced block: its language and its marks. A block of sh is run unless it is marked norun; one
// marked stand-in is for users without an agent.
type example struct{ language, mark, code string }

func examplesIn(source []byte) []example {
	var out []example
	root := goldmark.DefaultParser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if f, ok := n.(*ast.FencedCodeBlock); ok && entering && f.Info != nil {
			language, mark, _ := strings.Cut(string(f.Info.Value(source)), " ")
			out = append(out, example{language, mark, string(f.Lines().Value(source))})
		}
		return ast.WalkContinue, nil
	})
	return out
}

func isCommand(app *cli.App, name string) bool {
	return slices.ContainsFunc(app.Commands, func(c *cli.Command) bool { return c.HasName(name) })
}

// exampleAgent does the steps of the tutorial, and finds nothing in any review.
const exampleAgent = `case $GIT_PLAN_ROLE in
executor) echo "sh greet.sh NAME" >README.md ;;
reviewer) printf '{"nonce": "%s", "covered": [%s], "findings": []}' "$GIT_PLAN_NONCE" \
	"$(git diff --name-only "$GIT_PLAN_BASE" "$GIT_PLAN_HEAD" | sed 's/.*/"&"/' | paste -sd , -)" ;;
planner) printf '# Warn\n\n## Steps\n- [ ] **Say it** {#say}\n  - Run: \140date >>said.txt\140\n  - Check: \140test -s said.txt\140\n' ;;
esac`

// standIns replace the other programs of an example: the installation, the forge, the demo, and the person
// who approves a plan.
var standIns = strings.NewReplacer("go install ", ": go install ", "git plan demo ", ": git plan demo ",
	"cd your-repository", "git switch -q main", "gh issue view 12 ", "echo 'Dates are wrong' ", "git plan pr ", ": git plan pr ",
	`git plan "add a check command"`, `git plan "add a check command" --yes`, `"fix this issue"`, `"fix this issue" --yes`, "git plan approve\n", "git plan approve --yes\n")

// exampleRepository is where examples run that do not start with an empty folder; plan.md is beside it.
const exampleRepository = `printf '# Read dates\n\n## Steps\n- [ ] Parse dates {#parse-dates}\n  - Check: \140true\140\n- [ ] Docs {#docs}\n  - Run: \140date >>docs.txt\140\n- [ ] Help {#help}\n  - Check: \140true\140\n' >plan.md &&
git init -q -b main repo && cd repo && git commit -q --allow-empty -m one && git remote add origin . &&
printf '# Work\n\n## Steps\n- [ ] One {#one}\n  - Check: \140true\140\n' | git plan new -F - --yes
`

// TestExamples runs the commands in the pages and the README.
func TestExamples(t *testing.T) {
	bin := built(t)
	sources := texts(t)
	const alone = "without an agent: gitplan-tutorial.7.md"
	sources[alone] = sources["gitplan-tutorial.7.md"]
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := "set -e\n"
			if !strings.Contains(name, "tutorial") {
				script += exampleRepository
			}
			ran := 0
			for _, e := range examplesIn(source) {
				switch {
				case e.language != "sh" || e.mark == "norun", e.mark == "stand-in" && name != alone:
				case e.mark != "" && e.mark != "stand-in":
					t.Errorf("an example is marked %q", e.mark)
				default:
					script += standIns.Replace(e.code)
					ran++
				}
			}
			if ran == 0 {
				t.Error("no example is run")
			}
			config := "[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n[push]\n\tdefault = current\n"
			if name != alone {
				config += "[plan]\n\tagent = fake\n[planAgent \"fake\"]\n\tcommand = sh \"" + filepath.Join(dir, "agent.sh") + "\"\n"
			}
			for file, content := range map[string]string{".gitconfig": config, "agent.sh": exampleAgent} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(bin, filepath.Join(dir, "git-plan")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-xc", script)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "LC_ALL=C",
				"GIT_EDITOR=:", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + impatient}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestExamplesAreWhatTheySay: plans can be parsed, YAML can be read, and every command that a text names
// exists, with its options.
func TestExamplesAreWhatTheySay(t *testing.T) {
	app := newApp(commands()...)
	named := regexp.MustCompile("(?m)(?:`|^\\s*(?:- run: |- |run: )?)git plan ([a-z][^`\n]*)")
	for name, source := range texts(t) {
		for _, e := range examplesIn(source) {
			switch e.language {
			case "markdown":
				if !strings.Contains(e.code, "\n## Steps\n") {
					continue // not a plan, but a reviewer's persona or the like
				}
				if p, err := plan.Parse([]byte(e.code)); err != nil || len(p.Warnings) > 0 {
					t.Errorf("%s: %v", name, err)
				}
			case "yaml":
				var v any
				if err := yaml.Unmarshal([]byte(e.code), &v); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			case "json":
				if !json.Valid([]byte(e.code)) {
					t.Errorf("%s: this is invalid JSON: %s", name, e.code)
				}
			case "sh", "", "ini": // units of systemd are read by TestUnitsOfUnattendedRuns
			default:
				t.Errorf("%s: no test reads examples in %s", name, e.language)
			}
		}
		for _, m := range named.FindAllStringSubmatch(string(source), -1) {
			if wrong := misnamed(app, strings.Fields(m[1])); wrong != "" {
				t.Errorf("%s: git plan %s: there is no %s", name, m[1], wrong)
			}
		}
	}
}

// misnamed is the word of a command line that the program does not know.
func misnamed(app *cli.App, words []string) string {
	if !isCommand(app, words[0]) {
		return words[0]
	}
	flags := app.Command(words[0]).Flags
	for _, w := range words[1:] {
		if sub := slices.IndexFunc(app.Command(words[0]).Subcommands, func(c *cli.Command) bool { return c.HasName(w) }); sub >= 0 {
			flags = append(slices.Clone(flags), app.Command(words[0]).Subcommands[sub].Flags...)
		}
		if w == "||" || w == "#" || w == "|" {
			break
		}
		name := strings.TrimLeft(w, "-")
		if len(name) < len(w) && name != "" && name != "h" && !slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
			return w
		}
	}
	return ""
}

// Without a terminal a page is printed as its Markdown, from NAME on: no roff, and no title for man.
func TestManualPagesAreText(t *testing.T) {
	for _, p := range allPages(newApp(commands()...)) {
		var text strings.Builder
		if err := p.show(t.Context(), &text); err != nil {
			t.Fatal(err)
		}
		roff := regexp.MustCompile(`(?m)^\.[A-Za-z]{2}( |$)|\\(f[BIR]|-|&)`)
		if left := roff.FindString(text.String()); left != "" || !strings.HasPrefix(text.String(), "## NAME\n\n"+p.name+" - ") {
			t.Errorf("%s has %q:\n%.400s", p.name, left, text.String())
		}
	}
}

// The manual page of a command has what its -h has: values, defaults, paragraphs and all subcommands; and no
// --help, which is not an option of one.
func TestTheManualPageOfACommand(t *testing.T) {
	repo := begun(t, 0)
	for name, has := range map[string][]string{
		"new":             {"## NAME\n\ngit-plan-new - ", "[-F FILE]", "[-b BRANCH]"},
		"attempts":        {"Nothing is committed.", "Default: 30d."},
		"git-plan-review": {"\n\nThe built-in rules look for"},
		"review":          {"## NAME\n\ngitplan-review - "},
		"hooks":           {"## NAME\n\ngitplan-hooks - "},
		"git-plan-hooks":  {"## SYNOPSIS\n\n`git plan hooks install"},
		"man":             {"git plan man [--install DIR] [<page>]"},
	} {
		page := runGit(t, repo, "plan", "man", name)
		for _, text := range has {
			if !strings.Contains(page, text) {
				t.Errorf("git plan man %s lacks %q:\n%s", name, text, page)
			}
		}
	}
}
