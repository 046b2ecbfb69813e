package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// readGo returns which tests passed, of what `go test -json` printed: those at the
// top. One that fails in some package has not passed.
func readGo(out []byte) map[string]bool {
	passed, failed := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "pass":
			passed[e.Test] = true
		case "fail", "skip":
			failed[e.Test] = true
		}
	}
	for name := range failed { // in another package
		delete(passed, name)
	}
	return passed
}

var summary = regexp.MustCompile(`^# (tests|pass|fail|ok)( +\d+)?$`)

// readTAP returns which tests passed, of what tape printed: those of which no assertion failed.
func readTAP(out []byte) map[string]bool {
	passed, failed, test := map[string]bool{}, map[string]bool{}, ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case summary.MatchString(line):
			test = ""
		case strings.HasPrefix(line, "# "):
			test = line[2:]
		case test != "" && strings.HasPrefix(line, "ok ") && !strings.Contains(line, "# SKIP"):
			passed[test] = true
		case strings.HasPrefix(line, "not ok "):
			failed[test] = true
		}
	}
	for name := range failed {
		delete(passed, name)
	}
	return passed
}
