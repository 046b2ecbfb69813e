package notify

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var ended = Message{Title: "git plan: f: done", Text: "Add a flag\n4 of 4 steps done", State: "done"}

// A service gets the message by HTTP, and a command gets it in variables, whatever it holds.
func TestAServiceAndACommandHear(t *testing.T) {
	heard := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.URL.Path + " " + string(body)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "said")
	t.Setenv("FILE", file)
	if failed := Send(t.Context(), []string{"generic+" + server.URL + "/hook", `!printf '%s|%s|%s' "$GIT_PLAN_TITLE" "$GIT_PLAN_TEXT" "$GIT_PLAN_STATE" >"$FILE"`}, ended); len(failed) > 0 {
		t.Fatal(failed)
	}
	if got := <-heard; got != "/hook "+ended.Text {
		t.Errorf("the service heard %q", got)
	}
	if got, _ := os.ReadFile(file); string(got) != ended.Title+"|"+ended.Text+"|done" {
		t.Errorf("the command heard %q", got)
	}
}

// Who does not hear is named by its scheme: no token of an address is printed.
func TestNoTokenIsPrinted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.URL.Path, http.StatusForbidden)
	}))
	address := strings.TrimPrefix(server.URL, "http://")
	gone := []string{"generic+http://user:pa55word@" + address + "/t0ken-in-path?key=s3cret", "ntfy://:pa55word@" + address + "/t0ken-in-path?scheme=http", "!exit 3"}
	text := strings.Join(Send(t.Context(), gone, ended), "\n")
	server.Close()
	text += strings.Join(Send(t.Context(), gone[:2], ended), "\n")
	for _, secret := range []string{"pa55word", "t0ken", "s3cret"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is printed: %s", secret, text)
		}
	}
	if strings.Count(text, "generic+http: ") != 2 || strings.Count(text, "ntfy: ") != 2 || !strings.Contains(text, "command: it exited with 3") {
		t.Errorf("%s", text)
	}
}

// A value that can reach nobody says what to write instead.
func TestAddressesAreChecked(t *testing.T) {
	for target, want := range map[string]string{
		"ntfy://ntfy.sh/topic": "", "slack://hook:AAAAAAAAA-BBBBBBBBB-123456789123456789123456@webhook": "", "generic+https://example.com/hook": "", "! notify-send x": "",
		"smtp://user:pw@mail.example.com:587/?from=a@example.com&to=b@example.com": "", "!": "there is no command after the !",
		"me@example.com": "must be the address of a service", "jabber://x": "unknown service; use discord, generic, gotify,", "telegram://": "",
	} {
		switch err := Check(target); {
		case target == "telegram://":
			if err == nil {
				t.Errorf("%s: it has no token", target)
			}
		case want == "" && err != nil, want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%s: %v", target, err)
		}
	}
}
