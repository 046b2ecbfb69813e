// Package views is how a plan is printed, for people and for programs, in the words and columns
// that stay.
//
//	status.go        how far it is; rows.go its steps, folded to fit; requirements.go what it is for
//	porcelain.go     the same in lines for programs
//	showjson.go      a plan and a step as JSON (status --json: package standing)
//	step.go          a step for people
//	stats.go         what the work took
//	outlook.go       what a person approves; order.go in which order its steps can be done
//	log.go           what happened to it
//	weak.go          what is weak in it
//	fetched.go       what became of it by a fetch; edited.go by an edit
//	several.go       how the runs of several plans ended
package views

import (
	"fmt"
	"io"
)

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// unique returns a list without what is in it already.
func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
