package gitplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

func TestRefsGoBackToWhatGitPlanMadeOfThem(t *testing.T) {
	const a, b = journal.RefPrefix + "a-1111", journal.RefPrefix + "b-2222"
	before := map[string]string{a: "1", b: "1"}
	for name, c := range map[string]struct {
		now   map[string]string
		noted []move
		want  []move
	}{
		"nothing happened":            {now: before},
		"moved":                       {now: map[string]string{a: "1", b: "x"}, want: []move{{b, "1", "x"}}},
		"removed":                     {now: map[string]string{a: "1"}, want: []move{{b, "1", ""}}},
		"made":                        {now: map[string]string{a: "1", b: "1", b + "/x": "x"}, want: []move{{b + "/x", "", "x"}}},
		"what is in the way is first": {now: map[string]string{a: "1", b + "/x": "x"}, want: []move{{b + "/x", "", "x"}, {b, "1", ""}}},
		"moved by git plan":           {now: map[string]string{a: "3", b: "1"}, noted: []move{{a, "2", "1"}, {a, "3", "2"}}},
		"about to be moved by it":     {now: before, noted: []move{{a, "2", "1"}}},
		"removed by it":               {now: map[string]string{a: "1"}, noted: []move{{b, "", "1"}}},
		"made by it":                  {now: map[string]string{a: "1", b: "1", "c": "1"}, noted: []move{{"c", "1", ""}}},
		"moved by it, and then not":   {now: map[string]string{a: "x", b: "1"}, noted: []move{{a, "2", "1"}}, want: []move{{a, "2", "x"}}},
		"by it after a forged one":    {now: map[string]string{a: "3", b: "1"}, noted: []move{{a, "3", "x"}}, want: []move{{a, "1", "3"}}},
		"made again after its drop":   {now: before, noted: []move{{b, "", "1"}, {b, "1", ""}}},
		"fetched, whatever it is":     {now: map[string]string{a: "1", b: "1", remotePrefix + "hub/c": "x"}, noted: []move{{remotePrefix + "hub/*", "*", "*"}}},
		"of another remote":           {now: map[string]string{a: "1", b: "1", remotePrefix + "hub2/c": "x"}, noted: []move{{remotePrefix + "hub/*", "*", "*"}}, want: []move{{remotePrefix + "hub2/c", "", "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, strayed(before, c.now, c.noted), cmp.AllowUnexported(move{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
