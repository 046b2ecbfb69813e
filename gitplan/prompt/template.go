package prompt

import (
	"embed"
)

// The templates of plans: whole plans that parse, with explanations in comments.
// The editor opens on one, and a planner is given it as the shape to follow.
//
//go:embed templates/*.md
var Templates embed.FS

const (
	// PlainTemplate is what the editor opens on where none is asked for.
	PlainTemplate = "plan"
	// TemplateFolder is where a repository keeps templates of its own.
	TemplateFolder = ".gitplan/templates"
)
