package form

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// importQueue reads a folder of scope.md, rules.md and tasks/NN-*.md, nothing outside of it and regular files only.
func importQueue(name string) (*Imported, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	q := &queue{root: root, draft: &draft{}}
	tasks := q.tasks()
	if len(tasks) == 0 {
		return nil, fault.New(fault.ErrForm, "%s is a folder, and not a queue: it has no tasks/NN-*.md", name)
	}
	q.scope()
	q.rules()
	for i, task := range tasks {
		q.task(task, i)
	}
	if q.err != nil {
		return nil, q.err
	}
	in := &Imported{Form: Queue, Reason: fmt.Sprintf("it is a folder with %d tasks", len(tasks))}
	return in.finish(q.draft, name)
}

// queue is a queue folder while it is read.
type queue struct {
	*draft
	root *os.Root
	size int64 // the total size of the files so far, in bytes
	err  error // the first one
}

// tasks returns the names of the task files, by their numbers.
func (q *queue) tasks() (out []string) {
	entries, _ := fs.ReadDir(q.root.FS(), "tasks") // without which it is no queue
	for _, e := range entries {
		if strings.HasSuffix(strings.ToLower(e.Name()), ".md") {
			out = append(out, "tasks/"+e.Name())
		} else {
			q.note(Place{File: "tasks/" + visible.OneLine(e.Name(), 100)}, "not read: a task is a file NN-name.md")
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(numberIn(a), numberIn(b)), strings.Compare(a, b))
	})
	return out
}

// numberIn returns the number that a task file's name begins with; one without any comes last.
func numberIn(name string) int {
	name = strings.TrimPrefix(name, "tasks/")
	if n, err := strconv.Atoi(name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]); err == nil {
		return n
	}
	return math.MaxInt
}

// read returns a file of the folder; nil if it does not exist, or after an error.
func (q *queue) read(name string) []byte {
	info, err := q.root.Lstat(name)
	if q.err != nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fault.New(fault.ErrForm, "%s is not a regular file: write its text there", name)
	case q.size+info.Size() > maxImport:
		err = fault.New(fault.ErrForm, "the folder holds more than %d MiB, so it is not a plan", maxImport>>20)
	default:
		q.size += info.Size()
		text, err = q.root.ReadFile(name)
	}
	q.err = err
	q.refuse(name, plan.TextProblems(text)...)
	return text
}

// refuse notes problems of a file, unless there is an error already.
func (q *queue) refuse(name string, problems ...plan.Weakness) {
	if len(problems) == 0 || q.err != nil {
		return
	}
	for i := range problems {
		problems[i].Text = visible.OneLine(name, 200) + ": " + problems[i].Text
	}
	q.err = &plan.ParseError{Problems: problems}
}

func (q *queue) scope() {
	text := q.read("scope.md")
	front, problem := plan.ReadFront(text)
	if problem != nil {
		q.refuse("scope.md", *problem)
	}
	if len(text) == 0 || q.err != nil {
		return
	}
	f := newOutline(text, front.Body)
	f.file = "scope.md"
	f.spread(q.draft)
	q.front = plan.ToLF(string(text[front.Inner.From:front.Inner.To]))
	here := slices.IndexFunc(q.sections, func(s draftSection) bool {
		return s.is("steps") && len(s.body) == 1 && s.body[0].text == queueSteps
	})
	if here >= 0 {
		q.sections = q.sections[:len(q.sections)-1]
		q.sections[here] = theSteps
	}
}

// queueSteps is the body of the section of steps in scope.md.
const queueSteps = "The files in tasks/."

func (q *queue) rules() {
	text := q.read("rules.md")
	if plan.Blank(string(text)) {
		return
	}
	front, _ := plan.ReadFront(text)
	f := newSource("rules.md", text, front.Begin)
	from := 1
	if h, ok := f.Document.Root.FirstChild().(*ast.Heading); ok &&
		plan.SectionMeaning(plan.PlainText(f.Document.Paragraph(h))) == "rules" {
		from = f.Document.Line(f.Document.HeadingEnd(h)-1) + 1
	}
	body := f.linesBetween(from, len(f.Document.Lines)+1, 0)
	section := draftSection{level: 2, title: "Rules", body: q.flattened(body)}
	at := slices.IndexFunc(q.sections, func(s draftSection) bool { return s.steps })
	q.sections = slices.Insert(q.sections, max(at, 0), section)
}

// task reads a file as one step: its first heading is the title.
func (q *queue) task(name string, i int) {
	text := q.read(name)
	front, _ := plan.ReadFront(text)
	shown := visible.OneLine(name, 200)
	f := newSource(shown, text, front.Begin)
	s := &draftStep{place: Place{shown, 1}, label: fmt.Sprint(i + 1)}
	if n := numberIn(name); n < math.MaxInt {
		s.label = fmt.Sprint(n)
	}
	h, ok := f.Document.Root.FirstChild().(*ast.Heading)
	if !ok {
		s.title = titleFrom(strings.TrimPrefix(name, "tasks/"), name)
		s.body = f.linesBetween(1, len(f.Document.Lines)+1, 0)
		q.note(s.place, "there is no heading; the step is called `%s`", s.title)
	} else {
		s.place.Line = f.Document.Line(h.Pos())
		s.done, s.title, _ = plan.CutBox(f.Document.Paragraph(h))
		s.title, s.id = cutWrittenID(s.title)
		if s.own = s.id != ""; !s.own {
			if number := plan.NumberOf(s.title); number.Ok && number.Title != "" {
				s.label = number.Label
				s.id, s.title = number.Named(number.Title)
			}
		}
		s.body = f.linesBetween(f.lineAt(f.Document.HeadingEnd(h)), len(f.Document.Lines)+1, 0)
	}
	if !s.own {
		s.done = s.done || f.allTicked(1, len(f.Document.Lines)+1)
	}
	q.steps = append(q.steps, s)
}
