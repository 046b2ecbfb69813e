package checkout

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Template returns the template of a plan: the repository's own of that kind, as the base
// commit has it, or a built-in one; the plain one if kind is "". ErrNoTemplate if there is
// none.
func (c *Checkout) Template(ctx context.Context, base, kind string) (string, error) {
	if kind == "" {
		kind = prompt.PlainTemplate
	}
	if base != "" && !strings.ContainsAny(kind, "/\\:\x00") {
		if o, err := c.Repo.Read(ctx, base+":"+prompt.TemplateFolder+"/"+kind+".md"); err == nil && o.Type == "blob" && len(o.Data) <= prompt.MaxTemplate {
			return string(o.Data), nil
		}
	}
	if text, ok := prompt.PlanTemplate(kind); ok {
		return text, nil
	}
	return "", fault.New(fault.ErrNoTemplate, "there is no template %s; there are %s", visible.OneLine(kind, 60), strings.Join(c.Templates(ctx, base), ", "))
}

// Templates returns the names of the built-in templates and the repository's own, sorted.
func (c *Checkout) Templates(ctx context.Context, base string) []string {
	var names []string
	if base != "" {
		own, _ := c.Repo.Bytes(ctx, "ls-tree", "-z", "--name-only", base, prompt.TemplateFolder+"/")
		for _, file := range strings.Split(string(own), "\x00") {
			if name, ok := strings.CutSuffix(path.Base(file), ".md"); ok {
				names = append(names, visible.OneLine(name, 60))
			}
		}
	}
	for _, name := range prompt.PlanTemplates() {
		if name != prompt.PlainTemplate {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
