package setup

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
		noted []Move
		want  []Move
	}{
		"nothing happened":            {now: before},
		"moved":                       {now: map[string]string{a: "1", b: "x"}, want: []Move{{b, "1", "x"}}},
		"removed":                     {now: map[string]string{a: "1"}, want: []Move{{b, "1", ""}}},
		"made":                        {now: map[string]string{a: "1", b: "1", b + "/x": "x"}, want: []Move{{b + "/x", "", "x"}}},
		"what is in the way is first": {now: map[string]string{a: "1", b + "/x": "x"}, want: []Move{{b + "/x", "", "x"}, {b, "1", ""}}},
		"moved by git plan":           {now: map[string]string{a: "3", b: "1"}, noted: []Move{{a, "2", "1"}, {a, "3", "2"}}},
		"about to be moved by it":     {now: before, noted: []Move{{a, "2", "1"}}},
		"removed by it":               {now: map[string]string{a: "1"}, noted: []Move{{b, "", "1"}}},
		"made by it":                  {now: map[string]string{a: "1", b: "1", "c": "1"}, noted: []Move{{"c", "1", ""}}},
		"moved by it, and then not":   {now: map[string]string{a: "x", b: "1"}, noted: []Move{{a, "2", "1"}}, want: []Move{{a, "2", "x"}}},
		"by it after a forged one":    {now: map[string]string{a: "3", b: "1"}, noted: []Move{{a, "3", "x"}}, want: []Move{{a, "1", "3"}}},
		"made again after its drop":   {now: before, noted: []Move{{b, "", "1"}, {b, "1", ""}}},
		"fetched, whatever it is":     {now: map[string]string{a: "1", b: "1", RemotePrefix + "hub/c": "x"}, noted: []Move{{RemotePrefix + "hub/*", "*", "*"}}},
		"of another remote":           {now: map[string]string{a: "1", b: "1", RemotePrefix + "hub2/c": "x"}, noted: []Move{{RemotePrefix + "hub/*", "*", "*"}}, want: []Move{{RemotePrefix + "hub2/c", "", "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, strayed(before, c.now, c.noted), cmp.AllowUnexported(Move{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
