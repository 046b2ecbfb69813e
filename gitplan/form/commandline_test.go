package form

import "testing"

// TestIsCommand: one shell line is a command whatever is installed here; prose is not, even if it begins with
// the name of a program.
func TestIsCommand(t *testing.T) {
	for _, text := range []string{
		"go test ./...", "go vet", "make", "make test", "npm test", "npm run lint", "npm run build && npm test", "CI=1 pytest -q", "pytest",
		"sh -c 'exit 1'", "test -f a.txt", "! grep -rn TODO src", "python3 -m unittest", "./check.sh", "./gradlew test", "scripts/check.sh --all",
		"grep -q 'the end.' README", "cargo test --workspace", "test \"$(git log --oneline | wc -l)\" -gt 3", "node test.js", "pytest tests/",
		"[ -f a.txt ]", "curl -fsS http://localhost:8080/health", "docker build .", "(cd web && npm test)",
	} {
		if !isCommand(text) {
			t.Errorf("%q is not a command", text)
		}
	}
	for _, text := range []string{
		"", "look at it", "it greets", "make sure that the tests pass", "make login work", "make sure", "test that a.txt is there", "go to the login page",
		"go test ./... passes", "All tests pass", "node starts", "curl returns 200 on /health", "git history stays clean", "npm test passes with --ci",
		"Run `go test ./...`", "find all bugs", "the file a.txt exists", "docker image builds", "tests", "grep finds nothing in src/, as before",
		"sh -c 'exit 1", "make test.", "GET /health returns 200", "rm -rf /", "make it -- fast", "Check a/b.go",
	} {
		if isCommand(text) {
			t.Errorf("%q is a command", text)
		}
	}
}
