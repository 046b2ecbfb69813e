package finding

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

func TestQuoteIsFoundInItsFile(t *testing.T) {
	source := "package a\n\nfunc one() {\n\treturn  load( x )\n}\n\nfunc two() {\r\n\treturn  load( x )\r\n}\n"
	added := &git.FileDiff{Hunks: []git.Hunk{{Lines: []git.DiffLine{{Kind: '+', New: 8}}}}}
	for name, tt := range map[string]struct {
		quote string
		diff  *git.FileDiff
		want  int
	}{
		"exact":                      {"return  load( x )", nil, 4},
		"where the change is":        {"return  load( x )", added, 8},
		"ignoring white space":       {"return load( x )", nil, 4},
		"several lines":              {"func one() {\n\treturn  load( x )\n}", nil, 3},
		"several lines, other depth": {"func one() {\n    return load( x )\n}", nil, 3},
		"over CRLF":                  {"func two() {\n\treturn", nil, 7},
		"as the diff shows it":       {"+func two() {\n+\treturn  load( x )", nil, 7},
		"with an extra line":         {"func one() {\n}", nil, 3},
		"too far from each other":    {"package a\n\treturn  load( x )\n}\nfunc two() {\n\treturn load( y )", nil, 0},
		"a part of its line":         {"load( x", nil, 4},
		"the beginning of its line":  {"func one(", nil, 3}, // if it was fixed, a later one matches, too: then a verifier checks it again
		"not there":                  {"return save(x)", nil, 0},
		"other order":                {"return  load( x )\nfunc one() {", nil, 0},
		"only a brace":               {"}", nil, 0},
		"short, at one place":        {"tw", nil, 7},
		"nothing":                    {"", nil, 0},
	} {
		if got := searchedIn([]byte(source)).lineOf(tt.quote, addedIn(tt.diff)); got != tt.want {
			t.Errorf("%s: line %d, want %d", name, got, tt.want)
		}
	}
}

func TestFindingKeepsItsIdentityWhenLinesMove(t *testing.T) {
	id := func(source, quote string) string {
		file := &changedFile{lines: strings.Split(source, "\n")}
		return Fingerprint("correctness", "a.go", normalise(quote), file.symbolAt(searchedIn([]byte(source)).lineOf(quote, nil)))
	}
	first := id("func one() {\n\tx := 1\n}", "x := 1")
	if id("import y\n\nfunc one() {\n\n\t\tx   :=  1\n}", "x := 1") != first {
		t.Error("it changed with lines and blanks around it")
	}
	if id("func other() {\n\tx := 1\n}", "x := 1") == first {
		t.Error("the same code in another function is another finding")
	}
}

func TestMergeKeepsTheWorstSeverityAndAllReviewers(t *testing.T) {
	got := Merge(
		[]Finding{{ID: "2", File: "b"}, {ID: "1", File: "a", Severity: Medium, Reviewers: []string{"quality"}, Status: Open, Round: 1}},
		[]Finding{{ID: "1", File: "a", Severity: High, Reviewers: []string{"security"}, Status: Confirmed, Round: 1}},
		[]Finding{{ID: "1", File: "a", Severity: Critical, Reviewers: []string{"style"}, NonBlocking: true, Status: Open, Round: 1}},
	)
	if len(got) != 2 || got[0].ID != "1" {
		t.Fatalf("%+v", got)
	}
	f := got[0]
	if f.Severity != High || f.Status != Confirmed || f.NonBlocking || strings.Join(f.Reviewers, " ") != "quality security style" {
		t.Errorf("%+v", f)
	}
}

func TestSameDefectInOtherWordsIsOneFinding(t *testing.T) {
	a := Finding{ID: "1", File: "a.go", Category: "correctness", Line: 10, Quote: "x := 1\ny := 2", Title: "The total is wrong for 0", Severity: Medium, Reviewers: []string{"quality"}}
	for name, tt := range map[string]struct {
		change func(*Finding)
		want   int
	}{
		"near, in other words":   {func(f *Finding) { f.Line, f.Title = 14, "Total wrong for 0 and below" }, 1},
		"far":                    {func(f *Finding) { f.Line = 15 }, 2},
		"about another defect":   {func(f *Finding) { f.Title = "The name is not checked" }, 2},
		"of another category":    {func(f *Finding) { f.Category = "security" }, 2},
		"in another file":        {func(f *Finding) { f.File = "b.go" }, 2},
		"without a place":        {func(f *Finding) { f.Line = 0 }, 2},
		"by the same reviewer":   {func(f *Finding) { f.Line, f.Reviewers = 11, []string{"quality"} }, 2},
		"the same, by its quote": {func(f *Finding) { f.ID, f.Title, f.Reviewers = "1", "x", []string{"quality"} }, 1},
	} {
		b := a
		b.ID, b.Severity, b.Reviewers = "2", High, []string{"testing"}
		tt.change(&b)
		got := Merge([]Finding{a}, []Finding{b})
		if len(got) != tt.want {
			t.Errorf("%s: %d findings", name, len(got))
		}
		if tt.want == 1 && (got[0].ID != "1" || got[0].Severity != High) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFindingIsRecognisedAfterAFix(t *testing.T) {
	who := []string{"quality"}
	open := []Finding{{ID: "1", File: "a.go", Category: "c", Line: 4, Quote: "old", Title: "the total is wrong", Status: Fixed, Reviewers: who}}
	again := Finding{ID: "2", File: "a.go", Category: "c", Line: 6, Quote: "new", Title: "total is still wrong", Reviewers: who}
	other, linter, name := again, again, again
	other.Reviewers, linter.Verified, name.Title = []string{"testing"}, true, "name not checked"
	for title, tt := range map[string]struct {
		found   []Finding
		line    int // the lines of the earlier one now
		id      string
		placeOf string
	}{
		"its code stands":                       {[]Finding{again}, 4, "1", ""},
		"its code was removed":                  {[]Finding{again}, 0, "2", "1"},
		"its code exists, another finding":      {[]Finding{other}, 4, "2", ""},
		"its code was removed, another finding": {[]Finding{other}, 0, "2", "1"},
		"together with the old one":             {[]Finding{again, {ID: "1"}}, 4, "2", ""},
		"of a linter":                           {[]Finding{linter}, 4, "2", ""},
		"about another defect":                  {[]Finding{name}, 4, "2", ""},
	} {
		placeOf := Recognise(tt.found, open, func(o Finding) Finding { o.Line = tt.line; return o })
		f := tt.found[0]
		if f.ID != tt.id || placeOf["2"] != tt.placeOf || f.Quote != map[string]string{"1": "old", "2": "new"}[f.ID] {
			t.Errorf("%s: %+v, in the place of %v", title, f, placeOf)
		}
	}
}

// goFile is code after a change: lines 2 and 4 are new.
func goFile(text string) Code {
	change := &git.Diff{Files: []git.FileDiff{{Path: "a.go", Hunks: []git.Hunk{{Lines: []git.DiffLine{{Kind: '+', New: 2}, {Kind: '+', New: 4}}}}}}}
	return Code{Diff: change, File: func(path string) ([]byte, bool) { return []byte(text), path == "a.go" }}
}

// A model quotes, and the program locates the quote; a quote that is nowhere stays without a line, whatever
// the model says.
func TestFindingsGetTheirPlaces(t *testing.T) {
	c := goFile("func one() {\n\tx := 1\n}\n\ty := 2\n")
	list := []Finding{
		{File: "a.go", Category: "c", Quote: "x := 1"}, {File: "a.go", Category: "c", Quote: "z := 3"},
		{File: "gone.go", Category: "c", Quote: "x := 1"}, {Category: "c", Title: "the whole"},
	}
	c.Anchor(list)
	if list[0].Line != 2 || list[0].Near == "" || list[1].Line != 0 || list[2].Line != 0 || list[3].Line != 0 {
		t.Errorf("%+v", list)
	}
	ids := map[string]bool{}
	for _, f := range list {
		ids[f.ID] = true
	}
	if len(ids) != len(list) || ids[""] {
		t.Errorf("%v", ids)
	}
	moved := goFile("\n\n\nfunc one() {\n\tx := 1\n}\n")
	if f := moved.Now(list[0]); f.Line != 5 || f.ID != list[0].ID {
		t.Errorf("%+v", f)
	}
	if f := goFile("func one() {}\n").Now(list[0]); f.Line != 0 {
		t.Errorf("its code was removed: %+v", f)
	}
}

// A linter checks everything; its results for lines that the change added count.
func TestLinterResultsForTheChange(t *testing.T) {
	c := goFile("one\r\ntwo\r\nthree\nfour\n")
	for name, tt := range map[string]struct {
		f     Finding
		want  bool
		quote string
	}{
		"a new line":         {Finding{File: "a.go", Line: 2}, true, "two"},
		"an old line":        {Finding{File: "a.go", Line: 3}, false, ""},
		"a line beyond":      {Finding{File: "a.go", Line: 99}, true, ""},
		"the file":           {Finding{File: "a.go"}, true, ""},
		"another file":       {Finding{File: "b.go", Line: 2}, false, ""},
		"no file in special": {Finding{}, true, ""},
	} {
		got := c.OfChange([]Finding{tt.f})
		if len(got) == 1 != tt.want || tt.want && got[0].Quote != tt.quote {
			t.Errorf("%s: %+v", name, got)
		}
	}
	c.Diff.Files[0].Cut = true // only part of the difference is kept: the rest is unknown
	if got := c.OfChange([]Finding{{File: "a.go", Line: 3}, {File: "b.go", Line: 3}}); len(got) != 1 || got[0].Quote != "three" {
		t.Errorf("%+v", got)
	}
}

func TestWhetherTheChangeAddedTheQuote(t *testing.T) {
	d := goFile("").Diff
	for name, tt := range map[string]struct {
		f    Finding
		want bool
	}{
		"its line":            {Finding{File: "a.go", Line: 2, Quote: "x"}, true},
		"a line of its quote": {Finding{File: "a.go", Line: 3, Quote: "x\ny"}, true},
		"another line":        {Finding{File: "a.go", Line: 3, Quote: "x"}, false},
		"its file":            {Finding{File: "a.go"}, true},
		"another file":        {Finding{File: "b.go", Line: 2}, false},
	} {
		if got := tt.f.AddedBy(d); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for quote, want := range map[string]bool{"two\nthree": true, "}": false, "four": false} {
		if got := Quotes(quote, []byte("one\ntwo\nthree\n}\n")); got != want {
			t.Errorf("%q: %v", quote, got)
		}
	}
}
