// Record stands in for an agent command line: it runs the one that
// RECORD_PROGRAM names, passes everything through, and keeps what it printed,
// as RECORD_TO-N.jsonl and .json for its N-th session, with all that differs
// from run to run taken out.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// ended is what is kept beside a stream.
type ended struct {
	Role      string   `json:"role"`
	Arguments []string `json:"arguments"`
	Exit      int      `json:"exit"`
	Signal    string   `json:"signal,omitempty"`
	Stderr    string   `json:"stderr,omitempty"` // its end
}

// maxStderr bounds what is kept of standard error, in bytes.
const maxStderr = 1500

func main() {
	cmd := exec.Command(os.Getenv("RECORD_PROGRAM"), os.Args[1:]...)
	session := os.Getenv("GIT_PLAN_NONCE")
	if session == "" { // asked for its version
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		os.Exit(exit(cmd.Run()).Exit)
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin = bytes.NewReader(prompt)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &stdout), io.MultiWriter(os.Stderr, &stderr)
	// Signals reach the program by its group; this one only waits for it.
	signal.Notify(make(chan os.Signal, 8), syscall.SIGINT, syscall.SIGTERM)
	end := exit(cmd.Run())
	end.Role, end.Arguments = os.Getenv("GIT_PLAN_ROLE"), os.Args[1:]
	end.Stderr = stderr.String()[max(0, stderr.Len()-maxStderr):]
	if err := keep(stdout.String(), end, newScrubber(string(prompt))); err != nil {
		log.Print(err)
	}
	os.Exit(end.Exit)
}

func exit(err error) ended {
	var failed *exec.ExitError
	switch {
	case err == nil:
		return ended{}
	case !errors.As(err, &failed):
		return ended{Exit: 127, Stderr: err.Error()}
	}
	if ws, ok := failed.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ended{Exit: 128 + int(ws.Signal()), Signal: ws.Signal().String()}
	}
	return ended{Exit: failed.ExitCode()}
}

// keep writes the stream of a session, and how it ended.
func keep(stream string, end ended, s scrubber) error {
	to := os.Getenv("RECORD_TO")
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	n := 1
	for ; ; n++ {
		if _, err := os.Stat(fmt.Sprintf("%s-%d.json", to, n)); err != nil {
			break
		}
	}
	if err := os.WriteFile(fmt.Sprintf("%s-%d.jsonl", to, n), []byte(s.scrub(stream)), 0o644); err != nil {
		return err
	}
	b, err := json.MarshalIndent(end, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("%s-%d.json", to, n), []byte(s.scrub(string(b))+"\n"), 0o644)
}

// scrubber takes out what differs from run to run, and what reveals this machine.
type scrubber struct {
	known *strings.Replacer // texts of this run
	seen  map[string]string // identifiers, numbered as they come
	kinds map[int]int       // how many of each pattern
}

func (s scrubber) count(kind int) int {
	s.kinds[kind]++
	return s.kinds[kind]
}

func newScrubber(prompt string) scrubber {
	work := os.Getenv("STORY")
	dir, _ := os.Getwd()
	dashed := func(s string) string { return strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(s) }
	pairs := [][2]string{
		{quoted(prompt), "(the prompt)"}, {quoted(strings.TrimSpace(prompt)), "(the prompt)"},
		{os.Getenv("GIT_PLAN_NONCE"), "0123456789abcdef"}, {os.Getenv("GIT_PLAN_SESSION"), "session"}, {os.Getenv("GIT_PLAN_ID"), "greetings-0000"},
		{filepath.Dir(filepath.Dir(filepath.Dir(os.Getenv("RECORD_PROGRAM")))), "/tmp/plan/npm"},
		{os.Getenv("TMPDIR"), "/tmp/plan/tmp"}, {dir, "/tmp/plan/repo"}, {dashed(dir), "-tmp-plan-repo"},
		{work, "/tmp/plan"}, {dashed(work), "-tmp-plan"},
	}
	// The longest first: some are parts of others.
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	var flat []string
	for _, p := range pairs {
		if p[0] != "" {
			flat = append(flat, p[0], p[1])
		}
	}
	return scrubber{strings.NewReplacer(flat...), map[string]string{}, map[int]int{}}
}

// quoted is a text as it is in JSON that is written by JavaScript or Rust.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}

// varying are the texts that are different in every run: a pattern, and what
// stands for it. # in it is a number for each one that is different.
var varying = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "00000000-0000-4000-8000-#"},
	{regexp.MustCompile(`\b(?:ses|prt|msg|tool)_[0-9a-zA-Z]{20,}`), "id_#"},
	{regexp.MustCompile(`scripted\d{6}`), "scripted#"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:8080"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d+Z`), "2026-01-02T03:04:05.678Z"},
	{regexp.MustCompile(`\b1[78]\d{11}\b`), "1767323045678"},
	{regexp.MustCompile(`"date":"[A-Z][a-z]{2}, [^"]* GMT"`), `"date":"Fri, 02 Jan 2026 03:04:05 GMT"`},
	{regexp.MustCompile(`"(duration_ms|duration_api_ms|[a-z_]*_ms)":\d+`), `"$1":100`},
	{regexp.MustCompile(`"snapshot":"[0-9a-f]{40}"`), `"snapshot":"0000000000000000000000000000000000000001"`},
	{regexp.MustCompile(`"ref":"err_[0-9a-f]+"`), `"ref":"err_1"`},
	{regexp.MustCompile(`after \d+ms`), "after 5000ms"},
	{regexp.MustCompile(`localPort: \d+`), "localPort: 40000"},
	{regexp.MustCompile(`\[STARTUP\] [^\n\\]*(?:\n|\\n)`), ""},
	{regexp.MustCompile(`cc-socks/\d+\.sock`), "cc-socks/1.sock"},
}

func (s scrubber) scrub(text string) string {
	text = s.known.Replace(text)
	for i, v := range varying {
		text = v.is.ReplaceAllStringFunc(text, func(found string) string {
			as := v.is.ReplaceAllString(found, v.as)
			if !strings.Contains(as, "#") {
				return as
			}
			key := fmt.Sprint(i, found)
			if s.seen[key] == "" {
				s.seen[key] = strings.Replace(as, "#", fmt.Sprintf("%012d", s.count(i)), 1)
			}
			return s.seen[key]
		})
	}
	return text
}
