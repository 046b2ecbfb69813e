package panel

import (
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// Auto is the value of plan.reviewers with which the built-in personas judge what calls for them.
const Auto = "auto"

// autoVersion is raised when the table or what is read from it changes: a verdict of before is
// another one's.
const autoVersion = 1

// call is what calls for a built-in persona: so many changed bytes, or a file.
type call struct {
	name    string
	bytes   int // 0: any change
	classes []scan.Class
	paths   *pattern.Pattern
}

// calls is the table of plan.reviewers auto. A persona that is not in it judges every change.
var calls = []call{
	{name: "quality"},
	{name: "fidelity"},
	{"testing", 10 << 10, []scan.Class{scan.Test}, nil},
	{"simplification", 10 << 10, nil, nil},
	{"documentation", 20 << 10, []scan.Class{scan.Docs},
		pattern.Of(`(?i)(?:^|/)(?:api|apis|cli|cmd|include|public)/|(?:^|/)(?:openapi|swagger)[^/]*$|\.(?:proto|graphql|d\.ts)$`)},
	{"security", 20 << 10, []scan.Class{scan.CI, scan.Lock},
		pattern.Of(`(?i)(?:^|[/_.-])(?:acl|auth\w*|cert\w*|cookies?|cors|cred\w*|crypt\w*|csrf|jwt|login|oauth\w*|passw\w*|permissions?|polic(?:y|ies)|rbac|sandbox|sanitiz\w*|secrets?|sessions?|signatures?|sql|ssl|sudo|tls|tokens?|uploads?)(?:[/_.-]|$)` +
			`|(?:^|/)(?:go\.mod|package\.json|Cargo\.toml|pyproject\.toml|requirements[^/]*\.txt|setup\.py|Pipfile|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|[^/]*\.csproj|Dockerfile[^/]*|(?:docker-)?compose[^/]*\.ya?ml)$`)},
}

// CalledFor reports whether a change calls for a built-in persona, and what in it does; "" if any
// change would.
func CalledFor(name string, d *diffs.Diff) (why string, called bool) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == name })
	if i < 0 || calls[i].bytes == 0 {
		return "", true
	}
	for _, f := range d.Files {
		class := scan.ClassOf(f.Path)
		if slices.Contains(calls[i].classes, class) || class != scan.Vendored && class != scan.Generated && calls[i].paths != nil && calls[i].paths.MatchString(f.Path) {
			return f.Path, true
		}
	}
	if n := changed(d); n >= calls[i].bytes {
		return fmt.Sprintf("%d KB", n>>10), true
	}
	return "", false
}

// changed returns how many bytes of lines a change adds and removes, in files that people write.
func changed(d *diffs.Diff) (n int) {
	for _, f := range d.Files {
		switch scan.ClassOf(f.Path) {
		case scan.Lock, scan.Generated, scan.Vendored:
			continue
		}
		removed := 0
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind == '-' {
					removed += len(l.Text) + 1
				}
			}
		}
		n += f.Added + removed
	}
	return n
}
