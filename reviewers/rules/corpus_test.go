package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/drawn"
)

// The corpus is testdata/rules/*.txt, a file for each rule, of seeds like
//
//	bad what a person would call it
//	@ store/$name_test.go
//	 func Test$Name(t *testing.T) {
//	*	t.Skip("$word")
//	 	check(t)
//	ok the same behind a condition
//	...
//
// After the first character, a line is a line of the change: "+" added, "-" removed, " " context, "*" added
// and the place of the hit. Without "*" the hit must be for the file. Other lines:
//
//	@ path [A|M|D|R|C|T] [from=path] [mode=old:new] [binary] [size=bytes]
//	& subject of a commit ("/" parts its lines)
//	% plan-id step: files     a step of the plan; "step!" deletes
//	= path                    is in the tree and did not change
//	$ command                 is a check
//	! rule                    speaks here too, rightly
//	x40 +line {i}             forty such lines, {i} counting from 0
//
// $word and the like are drawn anew for each case that is made from a seed, as are {set:n} (n characters of a
// set) and {token} (a secret of any family); {U+202E} is a character. So the files contain no secrets or
// invisible characters.
type seed struct {
	rule, title string
	bad         bool
	lines       []string
	also        []string // other rules whose hits are right
}

// madeCase is one change made from a seed, and the expected hits.
type madeCase struct {
	seed   *seed
	change Change
	want   map[string]bool // "path:line"
}

func readSeeds(t testing.TB) map[string][]*seed {
	files, err := filepath.Glob("../../testdata/rules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	seeds := map[string][]*seed{}
	for _, name := range files {
		rule := strings.TrimSuffix(filepath.Base(name), ".txt")
		if rule == "tokens" {
			continue
		}
		seeds[rule] = seedsIn(t, name, rule)
	}
	return seeds
}

// seedsIn reads the seeds of a file.
func seedsIn(t testing.TB, name, rule string) (seeds []*seed) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var s *seed
	for n, l := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		word, title, _ := strings.Cut(l, " ")
		switch {
		case word == "bad" || word == "ok":
			s = &seed{rule: rule, title: title, bad: word == "bad"}
			seeds = append(seeds, s)
		case strings.HasPrefix(l, "#") || l == "":
		case s != nil && word == "!":
			s.also = append(s.also, title)
		case s != nil && times().MatchString(word):
			n, _ := strconv.Atoi(word[1:])
			for i := range n {
				s.lines = append(s.lines, strings.ReplaceAll(title, "{i}", strconv.Itoa(i)))
			}
		case s == nil || !strings.ContainsAny(l[:1], "@+-* &%=$"):
			t.Fatalf("%s:%d: %q", name, n+1, l)
		default:
			s.lines = append(s.lines, l)
		}
	}
	return seeds
}

var times = visible.NewPattern(`^x\d+$`)

// drawer makes cases of seeds.
type drawer struct{ *drawn.Drawer }

// around are lines that no rule matches, put above a seed's lines so that the place differs between cases.
var around = []string{"", " ", "  ", "\t"}

// make makes one case from a seed.
func (d *drawer) make(s *seed) madeCase {
	name := d.Fill("$word", "")
	if d.IntN(3) == 0 {
		name += strconv.Itoa(d.IntN(90) + 2)
	}
	m := madeCase{seed: s, want: map[string]bool{}}
	b := builder{blobs: map[string]string{}}
	for range d.IntN(3) {
		b.file("@ "+d.Fill("lib/$word-$num.cfg", name), 0)
		b.line('+', d.Fill("$word is $num", name))
	}
	starred, first := false, ""
	for _, l := range s.lines {
		l = d.Fill(l, name)
		switch kind, text := l[0], l[1:]; kind {
		case '@':
			b.file(l, d.IntN(40))
			for i := range b.skip {
				b.line(' ', around[i%len(around)])
			}
			if first == "" {
				first = b.f.Path
			}
		case '*':
			b.line('+', text)
			m.want[fmt.Sprintf("%s:%d", b.f.Path, b.now)], starred = true, true
		case '+', '-', ' ':
			b.line(kind, text)
		case '&':
			message := strings.ReplaceAll(strings.TrimSpace(text), " / ", "\n")
			b.c.Commits = append(b.c.Commits, git.Commit{OID: d.Fill("{hex:40}", name), Message: message + "\n"})
		case '%':
			b.step(strings.TrimSpace(text))
		case '$':
			b.c.Checks = append(b.c.Checks, strings.TrimSpace(text))
		case '=':
			b.tree = append(b.tree, strings.TrimSpace(text))
		}
	}
	for range d.IntN(3) {
		b.file("@ "+d.Fill("zone/$word-$num.cfg", name), 0)
		b.line('+', d.Fill("$word is $num", name))
	}
	if s.bad && !starred {
		m.want[first+":0"] = true
	}
	m.change = b.end()
	return m
}

// builder makes a change from the lines of a seed.
type builder struct {
	c        Change
	files    []*git.FileDiff
	f        *git.FileDiff
	blobs    map[string]string
	tree     []string
	skip     int
	was, now int
}

func (b *builder) file(head string, skip int) {
	fields := strings.Fields(head[1:])
	f := &git.FileDiff{Path: fields[0], OldPath: fields[0], Status: 'M', OldMode: "100644", NewMode: "100644", Hunks: []git.Hunk{{OldStart: 1, NewStart: 1}}}
	b.skip = skip
	for _, opt := range fields[1:] {
		key, value, _ := strings.Cut(opt, "=")
		switch key {
		case "from":
			f.OldPath = value
		case "mode":
			f.OldMode, f.NewMode, _ = strings.Cut(value, ":")
		case "binary":
			f.Binary = true
		case "size":
			f.Added, _ = strconv.Atoi(value)
		default:
			f.Status = opt[0]
		}
	}
	f.OldOID, f.NewOID = fmt.Sprintf("a%039d", len(b.files)+1), fmt.Sprintf("b%039d", len(b.files)+1)
	switch f.Status {
	case 'A':
		f.OldMode, f.OldOID = "000000", strings.Repeat("0", 40)
	case 'D':
		f.NewMode, f.NewOID = "000000", strings.Repeat("0", 40)
	}
	b.blobs[f.OldOID], b.blobs[f.NewOID] = "", ""
	if f.Status == 'A' || f.Status == 'D' || f.NewMode == "120000" || f.Binary {
		b.skip = 0
	}
	b.files, b.f, b.was, b.now = append(b.files, f), f, 0, 0
}

func (b *builder) line(kind byte, text string) {
	l := git.DiffLine{Kind: kind, Text: text}
	if kind != '+' {
		b.was++
		l.Old = b.was
		b.blobs[b.f.OldOID] += text + "\n"
	}
	if kind != '-' {
		b.now++
		l.New = b.now
		b.blobs[b.f.NewOID] += text + "\n"
	}
	h := &b.f.Hunks[0]
	h.Lines = append(h.Lines, l)
}

func (b *builder) step(text string) {
	head, files, _ := strings.Cut(text, ":")
	_, step, _ := strings.Cut(head, " ")
	if b.c.Plan == nil {
		b.c.Plan = &plan.Plan{}
	}
	s := plan.Step{Files: strings.Fields(files)}
	if strings.HasSuffix(step, "!") {
		s.Action = "delete"
	}
	b.c.Plan.Steps = append(b.c.Plan.Steps, s)
}

func (b *builder) end() Change {
	b.c.Diff = &git.Diff{}
	tree := b.tree
	for _, f := range b.files {
		b.c.Diff.Files = append(b.c.Diff.Files, *f)
		if f.Status != 'D' {
			tree = append(tree, f.Path)
		}
	}
	blobs := b.blobs
	b.c.Paths = func() ([]string, error) { return tree, nil }
	b.c.Old = func(p string) ([]byte, bool) {
		for _, f := range b.files {
			if f.Status != 'A' && f.Status != 'C' && f.OldPath == p {
				return []byte(blobs[f.OldOID]), true
			}
		}
		return nil, slices.Contains(b.tree, p)
	}
	b.c.Read = func(oid string) ([]byte, error) {
		data, ok := blobs[oid]
		if !ok {
			return nil, fmt.Errorf("no blob %s", oid)
		}
		return []byte(data), nil
	}
	return b.c
}
