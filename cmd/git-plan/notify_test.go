package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var endedWell = message{Title: "git plan: f: done", Text: "Add a flag\n4 of 4 steps done", State: "done"}

// A web hook gets the message as JSON, and a command gets it in variables, whatever it holds.
func TestAWebHookAndACommandHear(t *testing.T) {
	heard := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.URL.Path + " " + string(body)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "said")
	t.Setenv("FILE", file)
	if failed := sendAll(t.Context(), []string{server.URL + "/hook", `!printf '%s|%s|%s' "$GIT_PLAN_TITLE" "$GIT_PLAN_TEXT" "$GIT_PLAN_STATE" >"$FILE"`}, endedWell); len(failed) > 0 {
		t.Fatal(failed)
	}
	if got := <-heard; got != `/hook {"title":"git plan: f: done","text":"Add a flag\n4 of 4 steps done","state":"done"}` {
		t.Errorf("the service heard %q", got)
	}
	if got, _ := os.ReadFile(file); string(got) != endedWell.Title+"|"+endedWell.Text+"|done" {
		t.Errorf("the command heard %q", got)
	}
}

// A command that is to hear finds no program of the work tree, where sessions write.
func TestNoProgramOfTheWorkTreeHears(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".git", "bin"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "bin/tells"), []byte("#!/bin/sh\ntouch \"$0.ran\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	t.Setenv("PATH", filepath.Join(top, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if failed := sendAll(t.Context(), []string{"!tells"}, endedWell); len(failed) != 1 {
		t.Errorf("it hears: %v", failed)
	}
	if _, err := os.Stat(filepath.Join(top, "bin/tells.ran")); err == nil {
		t.Error("the program of the work tree ran")
	}
}

// Who does not hear is named by its scheme: no token of an address is printed.
func TestNoTokenIsPrinted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.URL.Path, http.StatusForbidden)
	}))
	address := strings.TrimPrefix(server.URL, "http://")
	gone := []string{"http://user:pa55word@" + address + "/t0ken-in-path?key=s3cret", "http://" + address + "/t0ken-in-path", "!exit 3"}
	text := strings.Join(sendAll(t.Context(), gone, endedWell), "\n")
	server.Close()
	text += strings.Join(sendAll(t.Context(), gone[:2], endedWell), "\n")
	for _, secret := range []string{"pa55word", "t0ken", "s3cret"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is printed: %s", secret, text)
		}
	}
	if strings.Count(text, "http: it answered with 403") != 2 || strings.Count(text, "http: it cannot be reached") != 2 || !strings.Contains(text, "command: it exited with 3") {
		t.Errorf("%s", text)
	}
}

// A value that cannot be reached says what to write instead.
func TestAddressesAreChecked(t *testing.T) {
	for target, want := range map[string]string{
		"https://example.com/hook": "", "! notify-send x": "", "!": "there is no command after the !",
		"me@example.com": "must be https://", "slack://hook:A@webhook": "must be https://", "https:///": "must be https://",
	} {
		switch err := checkTarget(target); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%s: %v", target, err)
		}
	}
}
