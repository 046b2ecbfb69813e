package prompt

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// The templates of plans: whole plans that parse, with explanations in comments.
//
//go:embed templates/*.md
var planTemplates embed.FS

const (
	// PlainTemplate is the plan template that the editor opens on if none is asked for.
	PlainTemplate = "plan"

	// TemplateFolder is where a repository keeps plan templates of its own, <name>.md.
	TemplateFolder = ".gitplan/templates"
)

// PlanTemplate returns a built-in template of a plan: the editor opens on one, and a
// planner is given it as the shape to follow. ok is false if there is none of this name.
func PlanTemplate(name string) (text string, ok bool) {
	b, err := planTemplates.ReadFile("templates/" + name + ".md")
	return string(b), err == nil
}

// PlanTemplates returns the names of the built-in templates of plans, sorted.
func PlanTemplates() []string {
	files, _ := fs.Glob(planTemplates, "templates/*.md")
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".md")
	}
	return files
}
