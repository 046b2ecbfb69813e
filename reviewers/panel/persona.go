package panel

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Persona is a reviewer described in a Markdown file with front matter. All share the instructions in contract.md.
type Persona struct {
	Name     string
	Agent    string // the name of an agent; empty: the one configured for reviewers
	Model    string
	Effort   string
	When     globs // the persona judges only changes of a matching file; empty: all changes
	Rounds   Rounds
	Blocking bool   // its findings may block, and its answer is required
	Text     string `yaml:"-"`
}

// globs are globs, in YAML either one or a list.
type globs []string

func (g *globs) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*g = globs{one}
		return nil
	}
	return unmarshal((*[]string)(g))
}

// Rounds is the rounds in which a reviewer is asked.
type Rounds string

// The values of Rounds. Last is once nothing else blocks.
const (
	Every Rounds = "every"
	First Rounds = "first"
	Last  Rounds = "last"
)

//go:embed personas/*.md
var personas embed.FS

//go:embed contract.md
var contract string

// Personas returns the built-in personas, by name.
func Personas() (out []Persona) {
	files, err := fs.Glob(personas, "personas/*.md")
	for _, name := range files {
		data, unread := personas.ReadFile(name)
		p, invalid := ParsePersona(data)
		if err = errors.Join(err, unread, invalid); err != nil {
			panic(name + ": " + err.Error()) // embedded, and a test reads them all
		}
		out = append(out, p)
	}
	return out
}

// ParsePersona reads a persona. An unknown key is an error.
func ParsePersona(source []byte) (Persona, error) {
	front, text, err := frontMatter(source)
	if err != nil {
		return Persona{}, err
	}
	p := Persona{Rounds: Every, Blocking: true, Text: text}
	in := yaml.NewDecoder(bytes.NewReader(front), yaml.DisallowUnknownField())
	if err := in.Decode(&p); err != nil && !errors.Is(err, io.EOF) {
		at, lines := 1, strings.Split(string(front), "\n") // --- is line 1
		if y, ok := errors.AsType[yaml.Error](err); ok && y.GetToken() != nil && y.GetToken().Position != nil {
			at = y.GetToken().Position.Line
		}
		return Persona{}, fmt.Errorf("front matter, line %d, `%s`: there is no such key, or its value is invalid: each of name, agent, model, effort, when (globs), "+
			"rounds and blocking (true or false) is written once, as `key: value`, the value in quotes where it has other signs than letters, digits and /._-",
			at, finding.Line(lines[min(at, len(lines))-1], 80))
	}
	for _, g := range p.When {
		if _, err := disk.Match(g, ""); err != nil {
			return Persona{}, fmt.Errorf("front matter: %q in when is not a glob", finding.Line(g, finding.MaxTitle))
		}
	}
	switch {
	case p.Name == "":
		return Persona{}, errors.New("front matter: there is no name: write name: NAME")
	case len(p.Name) > 63 || p.Name[0] == '-' || strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return Persona{}, fmt.Errorf("front matter: name is %q, not lower-case letters, digits and dashes", finding.Line(p.Name, 63))
	case p.Name == finding.RulesName:
		return Persona{}, fmt.Errorf("front matter: the name %q belongs to the built-in rules", finding.RulesName)
	case !slices.Contains([]Rounds{Every, First, Last}, p.Rounds):
		return Persona{}, fmt.Errorf("front matter: rounds is %q, not first, every or last", finding.Line(string(p.Rounds), 40))
	case strings.TrimSpace(p.Text) == "":
		return Persona{}, errors.New("there is nothing after the front matter: say what to look for")
	}
	return p, nil
}

func frontMatter(source []byte) (front []byte, text string, err error) {
	s := strings.ReplaceAll(strings.TrimPrefix(string(source), "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return nil, "", errors.New("there is no front matter: the first line must be ---")
	}
	head, text, ok := strings.Cut("\n"+rest, "\n---\n")
	const most = 4 << 10 // bytes; nested YAML needs far more memory
	if !ok || len(head) > most {
		return nil, "", fmt.Errorf("the front matter has no end within %d KiB: a line --- is missing", most>>10)
	}
	return []byte(head), strings.TrimLeft(text, "\n"), nil
}

// Matches reports whether the persona judges a change to these files.
func (p *Persona) Matches(d *git.Diff) bool {
	return len(p.When) == 0 || slices.ContainsFunc(d.Files, func(f git.FileDiff) bool {
		return slices.ContainsFunc(p.When, func(g string) bool { ok, _ := disk.Match(g, f.Path); return ok })
	})
}

// Auto is the value of plan.reviewers with which built-in personas judge the changes that call for them.
const Auto = "auto"

// autoVersion is raised with each change of calls or of CalledFor, so that earlier verdicts become invalid.
const autoVersion = 2

// call is the condition for a built-in persona: enough changed bytes, or one matching file.
type call struct {
	name                  string        // the persona
	bytes                 int           // the minimum size of a change; 0: any change
	classes               []rules.Class // classes of files
	folders, words, files []string      // path.Match patterns for folders, words of a path and base names
}

// calls is the table for plan.reviewers auto. A persona without a row judges every change.
var calls = []call{
	{name: "quality"},
	{name: "fidelity"},
	{name: "testing", bytes: 10 << 10, classes: []rules.Class{rules.Test}},
	{name: "simplification", bytes: 10 << 10},
	{name: "documentation", bytes: 20 << 10, classes: []rules.Class{rules.Docs},
		folders: strings.Fields("api apis cli cmd include public"),
		files:   strings.Fields("openapi* swagger* *.proto *.graphql *.d.ts")},
	{name: "security", bytes: 20 << 10, classes: []rules.Class{rules.CI, rules.Lock},
		words: strings.Fields(`acl auth* cert* cookie cookies cors cred* crypt* csrf jwt login oauth* passw* permission
			permissions policy policies rbac sandbox sanitiz* secret secrets session sessions signature signatures sql ssl
			sudo tls token tokens upload uploads`),
		files: strings.Fields(`go.mod package.json cargo.toml pyproject.toml requirements*.txt setup.py pipfile gemfile
			pom.xml build.gradle build.gradle.kts composer.json *.csproj dockerfile* compose*.y*ml docker-compose*.y*ml`)},
}

// Spares reports whether a persona is left out for a change of a few lines by a plan with one step. For this the rules,
// quality and security are enough.
func (t *Target) Spares(name string) bool {
	const few = 1 << 10 // bytes
	return t.Plan != nil && len(t.Plan.Steps) == 1 && changed(t.Diff) < few && name != "quality" && name != "security"
}

// CalledFor reports whether a change calls for a built-in persona. why is a path or a size; "" if any change does.
func CalledFor(name string, d *git.Diff) (why string, called bool) {
	i := slices.IndexFunc(calls, func(c call) bool { return c.name == name })
	if i < 0 || calls[i].bytes == 0 {
		return "", true
	}
	match := func(patterns, words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, w); return ok })
		})
	}
	for _, f := range d.Files {
		c, class := calls[i], rules.ClassOf(f.Path)
		dir, base := path.Split(strings.ToLower(f.Path))
		words := strings.FieldsFunc(dir+base, func(r rune) bool { return strings.ContainsRune("/_.-", r) })
		if slices.Contains(c.classes, class) || class != rules.Vendored && class != rules.Generated &&
			(match(c.folders, strings.Split(dir, "/")) || match(c.files, []string{base}) || match(c.words, words)) {
			return f.Path, true
		}
	}
	if n := changed(d); n >= calls[i].bytes {
		return fmt.Sprintf("%d KB", n>>10), true
	}
	return "", false
}

// changed returns the number of added and removed bytes, without lock files, generated and vendored code.
func changed(d *git.Diff) (n int) {
	for _, f := range d.Files {
		if slices.Contains([]rules.Class{rules.Lock, rules.Generated, rules.Vendored}, rules.ClassOf(f.Path)) {
			continue
		}
		n += f.Added
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind == '-' {
					n += len(l.Text) + 1
				}
			}
		}
	}
	return n
}
