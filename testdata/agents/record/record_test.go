package main

import "testing"

// What differs from run to run is taken out, and what is one thing stays one.
func TestScrub(t *testing.T) {
	t.Setenv("RECORD_PROGRAM", "/npm/codex/node_modules/.bin/codex")
	t.Setenv("STORY", "/tmp/go-test-script7/script-x")
	t.Setenv("TMPDIR", "/tmp/go-test-script7/script-x/.tmp/git-plan-5")
	t.Setenv("GIT_PLAN_NONCE", "c2a3f418d47072af")
	in := `{"cwd":"/tmp/go-test-script7/script-x/repo","tmp":"/tmp/go-test-script7/script-x/.tmp/git-plan-5/a",` +
		`"id":"e583cf61-fd98-4b43-b99c-36654106eff0","again":"e583cf61-fd98-4b43-b99c-36654106eff0","other":"00000000-fd98-4b43-b99c-36654106eff0",` +
		`"at":"2026-11-21T21:16:33.658Z","duration_ms":22,"text":"c2a3f418d47072af","prompt":"Say \"<x>\"\nnow","n":2500}`
	want := `{"cwd":"/tmp/plan/repo","tmp":"/tmp/plan/tmp/a",` +
		`"id":"00000000-0000-4000-8000-000000000001","again":"00000000-0000-4000-8000-000000000001","other":"00000000-0000-4000-8000-000000000002",` +
		`"at":"2026-01-02T03:04:05.678Z","duration_ms":100,"text":"0123456789abcdef","prompt":"(the prompt)","n":2500}`
	if got := newScrubber("Say \"<x>\"\nnow\n").scrub(in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
