package site

import "testing"

// The first number that looks like a version is taken, and no more of it than a line has room for.
func TestShortVersion(t *testing.T) {
	for text, want := range map[string]string{
		"go version go1.26.1 linux/amd64\n":     "1.26.1",
		"v22.3.0\n":                             "22.3.0",
		"Python 3.11.2\n":                       "3.11.2",
		"cargo 1.80.0-nightly (d3b5e7b 2024)\n": "1.80.0-nightly",
		"GNU Make 4.3\nBuilt for x86_64":        "4.3",
		"\x1b[31m1.2\x1b[0m":                    "1.2",
		"1.2222222222222222222222222":           "1.222222222222222222",
		"no version here, 7 only":               "",
	} {
		if got := shortVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhichToolsChecksUse(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true, "cd web && go vet": true, "(go build)": true, "cargo test": false, "./go.sh": false, "echo good": false,
	} {
		if got := uses([]string{"true", line}, "go"); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
