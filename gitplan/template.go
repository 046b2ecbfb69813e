package gitplan

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The templates of plans: whole plans that parse, with explanations in comments.
// The editor opens on one, and a planner is given it as the shape to follow.
//
//go:embed templates/*.md
var templates embed.FS

const (
	// plainTemplate is what the editor opens on where none is asked for.
	plainTemplate = "plan"
	// templateFolder is where a repository keeps templates of its own.
	templateFolder = ".gitplan/templates"
)

// Template is the text of a plan of a kind: the repository's own, as the base
// commit has it, or a built-in one.
func (c *Checkout) Template(ctx context.Context, base, kind string) (string, error) {
	if kind == "" {
		kind = plainTemplate
	}
	if base != "" && !strings.ContainsAny(kind, "/\\:\x00") {
		if o, err := c.Repo.Read(ctx, base+":"+templateFolder+"/"+kind+".md"); err == nil && o.Type == "blob" && len(o.Data) <= maxTemplate {
			return string(o.Data), nil
		}
	}
	if b, err := templates.ReadFile("templates/" + kind + ".md"); err == nil {
		return string(b), nil
	}
	return "", fault.New(fault.ErrNoTemplate, "there is no template %s; there are %s", visible.OneLine(kind, 60), strings.Join(c.Templates(ctx, base), ", "))
}

// Templates are the built-in templates and the repository's own.
func (c *Checkout) Templates(ctx context.Context, base string) []string {
	var names []string
	if base != "" {
		own, _ := c.Repo.Bytes(ctx, "ls-tree", "-z", "--name-only", base, templateFolder+"/")
		for _, file := range strings.Split(string(own), "\x00") {
			if name, ok := strings.CutSuffix(path.Base(file), ".md"); ok {
				names = append(names, visible.OneLine(name, 60))
			}
		}
	}
	entries, _ := templates.ReadDir("templates")
	for _, e := range entries {
		if name := strings.TrimSuffix(path.Base(e.Name()), ".md"); name != plainTemplate {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ForEditor is a template with the commands that seem to check the project, as
// a proposal.
func (c *Checkout) ForEditor(ctx context.Context, template string) []byte {
	w := Worker{Checkout: c}
	commands := LikelyChecks(w.tracked(ctx), w.reader())
	if len(commands) == 0 {
		return []byte(template)
	}
	proposal := "<!-- Commands in backticks that run after every step. Here perhaps:\n"
	for _, line := range commands {
		proposal += fmt.Sprintf("- `%s`\n", line)
	}
	before, comment, ok := strings.Cut(template, "<!-- Commands in backticks")
	_, after, closed := strings.Cut(comment, "-->")
	if !ok || !closed {
		return []byte(template)
	}
	return []byte(before + proposal + "-->" + after)
}
