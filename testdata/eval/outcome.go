package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// readGo returns which top tests passed, of what go test -json printed, in all packages that have them.
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
