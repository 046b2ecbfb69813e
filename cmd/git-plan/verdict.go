package main

import "strings"

// verdict is a person's answer to whether a plan may be executed.
type verdict int

const (
	unclear verdict = iota
	yes
	no
	change // in the editor
	revise // by the planner
)

// readVerdict reads a person's answer. Words after r are what the planner is to change.
func readVerdict(line string) (v verdict, words string) {
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch strings.ToLower(first) {
	case "y", "yes":
		return yes, ""
	case "n", "no", "":
		return no, ""
	case "e", "edit":
		return change, ""
	case "r", "revise":
		return revise, strings.TrimSpace(rest)
	}
	return unclear, ""
}
