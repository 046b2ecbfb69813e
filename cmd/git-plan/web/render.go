package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed assets
var assets embed.FS

// pages has the templates. They are parsed when first used: no other command waits for them.
var pages = sync.OnceValue(func() *template.Template {
	exact := visible.NewPattern(`(\d+h\d+m)\d+s|(\d+m)0s`) // a time that is said in minutes
	large := visible.NewPattern(`\d{4,}`)
	return template.Must(template.New("").Funcs(template.FuncMap{
		"asset": func(name string) (template.CSS, error) {
			b, err := assets.ReadFile("assets/" + name)
			return template.CSS(b), err
		},
		"after":  func(s, sep string) string { _, rest, _ := strings.Cut(s, sep); return rest },
		"minus":  func(a, b int) int { return a - b },
		"parts":  func(s string) [2]string { first, rest, _ := strings.Cut(s, ", "); return [2]string{first, rest} },
		"took":   func(d time.Duration) string { return views.Seconds(int64(d / time.Second)) },
		"tokens": terminal.Tokens, "marked": marked, "rest": strings.TrimPrefix, "split": strings.Split,
		"short": visible.Short, "blank": blank, "cut": func(s string) string { return visible.Cut(s, 500) },
		"num": func(s string) string {
			return strings.NewReplacer(">=", "≥", " USD", "").Replace(exact().ReplaceAllString(s, "$1$2"))
		},
		"counted": func(s string) string {
			return large().ReplaceAllStringFunc(s, func(n string) string { i, _ := strconv.Atoi(n); return terminal.Thousands(int64(i)) })
		},
		"fields": func(s string) (of map[string]any) { _ = json.Unmarshal([]byte(s), &of); return of }, // of a call, in order
		"why":    func(s string) []string { return checkFailed().FindStringSubmatch(s) },
		"lines":  numbered, "less": strings.TrimSuffix, "reason": visible.Reason,
		"same": strings.EqualFold, "trim": strings.TrimSpace, "shell": visible.Shell,
		"line": func(s string) string { return visible.OneLine(s, mostReason) },
		"long": func(s string) template.HTML { return marked(visible.Cut(s, mostText)) },
		"told": func(s string) []string { return strings.Split(handedOn().ReplaceAllString(s, "\n$1\n"), "\n") },
		"lane": func(n int) int { return 14*n + 8 }, "lanes": func(n int) int { return 14*n + 2 }, // pixels
	}).ParseFS(assets, "assets/*.html"))
})

// marked returns a text of others in which what stands between back quotes is code.
func marked(s string) template.HTML {
	return template.HTML(quoted().ReplaceAllString(template.HTMLEscapeString(s), "<code>$1</code>"))
}

// checkFailed matches why a check failed an attempt: its command, how it ended, and what it printed of that.
var checkFailed = visible.NewPattern("^`([^\n]+)` ((?:exited|timed|was)[^:\n]*)(?:: ([^\n]*))?$")

var numberedLine = visible.NewPattern(`^ *(\d+)[|\t→](.*)$`)

// numbered returns the lines of what a tool answered; those of a file have their number.
func numbered(s string) (out []CodeLine) {
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		of := CodeLine{Text: line}
		if m := numberedLine().FindStringSubmatch(line); m != nil {
			of.N, _ = strconv.Atoi(m[1])
			of.Text = m[2]
		}
		out = append(out, of)
	}
	return out
}

// handedOn matches the labels in the one line of what a session hands on.
var handedOn = visible.NewPattern(` (did|why|rejected|assumed): `)

var quoted = visible.NewPattern("`([^`\n]+)`")

// written executes a template. What is hidden in the texts of others is escaped here, wherever they stand.
func written(name string, data any) (string, error) {
	var b strings.Builder
	err := pages().ExecuteTemplate(&b, name, data)
	return visible.Text(b.String()), err
}

// File returns a page as one file without scripts.
func File(p *Page) (string, error) { return written("file", p) }

// Bounds of a page: a plan may have 1,000 steps and 100,000 events.
const (
	mostEvents   = 200
	mostNewest   = 8 // of them that are not folded
	mostReason   = 400
	mostText     = 4000 // bytes of a longer text, such as a question
	mostCode     = 9    // lines of a file around what a finding quotes
	mostDiff     = 400  // lines of a diff
	mostInFile   = 4000 // lines of all diffs in a page that is one file
	mostHistory  = 2000 // attempts in a page, and pieces of their time; of attempts at one step:
	mostAttempts = 20
	mostParts    = 200      // of a transcript
	longPart     = 1000     // bytes of one
	mostFile     = 4 << 20  // bytes of a file whose lines are shown
	mostForm     = 64 << 10 // bytes of a form
	mostStreams  = 30       // of events that browsers keep open at once; others are refused
	mostLanes    = 7        // of the drawing of the order; a wider one is no help
)

// ends returns the last lines of what a program printed: why something failed is mostly at its end.
func ends(s string) string {
	if len(s) <= mostText {
		return s
	}
	tail := s[len(s)-mostText:]
	_, rest, whole := strings.Cut(tail, "\n")
	if !whole {
		rest = strings.ToValidUTF8(tail, "")
	}
	return fmt.Sprintf("... %s left out ...\n%s", visible.Count(len(s)-len(rest), "byte"), rest)
}
