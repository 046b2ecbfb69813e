package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/repository"
)

// site is a served repository whose branch has a plan.
type site struct {
	testing.TB
	*Server
	co        *checkout.Checkout
	look, act string
	here      string // the folder of this package
}

func serve(t testing.TB, text string, acts *Acts) *site {
	t.Helper()
	here, err := os.Getwd()
	must(t, err)
	t.Chdir(repository.New(t, "-b", "main"))
	repository.Git(t, "", "commit", "-q", "--allow-empty", "-m", "begin")
	repository.Git(t, "", "switch", "-q", "-c", "work")
	open := func(ctx context.Context, do func(*checkout.Checkout) error) error {
		co, err := checkout.Open(ctx)
		if err != nil {
			return err
		}
		defer co.Close()
		return do(co)
	}
	co, err := checkout.Open(t.Context())
	must(t, err)
	t.Cleanup(co.Close)
	head := repository.Ask(t, "rev-parse", "HEAD")
	doc, err := co.Store.Create(t.Context(), []byte(text), "work", "main", journal.Event{Start: head, Head: head, By: journal.ByPerson})
	must(t, err)
	must(t, co.Attach(t.Context(), doc.ID))
	must(t, co.Load(t.Context()))
	s := &Server{Open: open, Acts: acts, waits: time.Second}
	l, look, act, err := s.Listen("0")
	must(t, err)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, narrow{l}) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &site{t, s, co, look, act, here}
}

// narrow is a listener whose connections buffer little unread data.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return c, err
}

// happens adds so many events of failed attempts.
func (s *site) happens(n int) {
	s.Helper()
	script := filepath.Join(s.here, "..", "..", "..", "testdata", "web", "events.sh")
	if out, err := exec.Command("sh", script, fmt.Sprint(n)).CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fileOf(t testing.TB, p *Page) string {
	t.Helper()
	text, err := File(p)
	must(t, err)
	return text
}

// ask returns the status and text of an answer. heads are names and values.
func (s *site) ask(method, address string, form url.Values, heads ...string) (int, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(form.Encode()))
	must(s.TB, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(heads); i += 2 {
		if r.Header.Set(heads[i], heads[i+1]); heads[i] == "Host" {
			r.Host = heads[i+1]
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	must(s.TB, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	must(s.TB, err)
	return answer.StatusCode, string(b)
}

func (s *site) origin() string {
	u, err := url.Parse(s.look)
	must(s.TB, err)
	return "http://" + u.Host
}

const hostile = "# <script>alert(1)</script>\n\nA <b>bold</b> one.\n\n## Steps\n\n- [ ] **One <img src=x onerror=alert(1)>** {#one}\n  - Do: \"><script>x</script>\n- [ ] **Two** {#two}\n  - Needs: #one\n"

// Only a browser on this machine that opened a secret address is answered; only the second address lets it
// act, and only from its own page.
func TestRequestsAreAuthorised(t *testing.T) {
	done := 0
	s := serve(t, hostile, &Acts{
		Do: func(_ context.Context, act string, _ func(string) string) error {
			if act != "stop" {
				return ErrNoAct
			}
			done++
			return nil
		},
		Approval: func(context.Context, *checkout.Checkout) (Approval, error) {
			return Approval{Plan: &plan.Plan{}, Text: "<i>the plan</i>", Digest: "d"}, nil
		},
	})
	form := url.Values{"now": {"1"}}
	for name, c := range map[string]struct {
		method, address string
		heads           []string
		status          int
	}{
		"by the address":         {"GET", s.look, nil, 200},
		"by no address":          {"GET", s.origin() + "/", nil, 404},
		"by a wrong one":         {"GET", s.origin() + "/" + strings.Repeat("0", 32) + "/", nil, 404},
		"the script without it":  {"GET", s.origin() + "/live.js", nil, 404},
		"another name":           {"GET", s.look, []string{"Host", "evil.example:80"}, 404},
		"a tunnel":               {"GET", s.look, []string{"Host", "localhost:8080"}, 200},
		"another site's script":  {"GET", s.look + "main", []string{"Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site"}, 404},
		"another site's frame":   {"GET", s.look, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 404},
		"a link that is clicked": {"GET", s.look, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"an act":                 {"POST", s.act + "act/stop", []string{"Origin", s.origin()}, 303},
		"an act, by looking":     {"POST", s.look + "act/stop", []string{"Origin", s.origin()}, 403},
		"an act, from nowhere":   {"POST", s.act + "act/stop", nil, 403},
		"an act, from elsewhere": {"POST", s.act + "act/stop", []string{"Origin", "http://evil.example"}, 404},
		"no act":                 {"POST", s.act + "act/none", []string{"Origin", s.origin()}, 404},
		"the text to approve":    {"GET", s.act + "approve", nil, 200},
		"that, by looking":       {"GET", s.look + "approve", nil, 404},
		"the script":             {"GET", s.look + "live.js", nil, 200},
		"all plans":              {"GET", s.look + "plans", nil, 200},
		"one of them":            {"GET", s.look + "plan/" + s.co.Doc.ID, nil, 200},
		"a plan that is not":     {"GET", s.look + "plan/none", nil, 404},
		"a step without commit":  {"GET", s.look + "diff/one", nil, 404},
	} {
		var sent url.Values
		if c.method == "POST" {
			sent = form
		}
		if status, text := s.ask(c.method, c.address, sent, c.heads...); status != c.status {
			t.Errorf("%s: %d, want %d: %s", name, status, c.status, text)
		}
	}
	if done != 1 {
		t.Errorf("%d acts were done", done)
	}
}

// Text of others is escaped on the page and in the file; a page at the first address has no forms.
func TestHostilePlan(t *testing.T) {
	s := serve(t, hostile, &Acts{Do: func(context.Context, string, func(string) string) error { return errors.New("not <i>now</i>") }})
	_, page := s.ask("GET", s.look, nil)
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	file := fileOf(t, p)
	_, elsewhere := s.ask("GET", s.act+"plan/"+s.co.Doc.ID, nil)
	if strings.Contains(elsewhere, "<form") || !strings.Contains(elsewhere, `This branch is not checked out here</p> <div><p><code class="copy">git switch work</code></p></div><p class="quiet">Then</p> <div><p><code class="copy">git plan approve</code></p></div>`) {
		t.Error("the plan of another branch is for looking, and says how to come there:", elsewhere)
	}
	for name, text := range map[string]string{"page": page, "file": file, "page of another branch": elsewhere} {
		for _, bad := range []string{"<script>alert", "<script>x", "<img", "<b>bold"} {
			if strings.Contains(text, bad) {
				t.Errorf("the %s has %s", name, bad)
			}
		}
		if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(text, `href="#work-one"`) {
			t.Errorf("the %s has no title, or no link to a step it needs: %s", name, text)
		}
	}
	if strings.Contains(page, "<form") || strings.Contains(file, "<script") || strings.Contains(file, "http:") {
		t.Error("an address for looking cannot act, and a file loads nothing")
	}
	status, refused := s.ask("POST", s.act+"act/answer", url.Values{"step": {"one"}, "text": {"so"}}, "Origin", s.origin())
	if status != http.StatusConflict || !strings.Contains(refused, "not &lt;i&gt;now&lt;/i&gt;") {
		t.Errorf("%d %s", status, refused)
	}
	if status, _ := s.ask("POST", s.act+"act/answer", url.Values{"text": {strings.Repeat("x", mostForm)}}, "Origin", s.origin()); status != http.StatusBadRequest {
		t.Errorf("a form without bounds: %d", status)
	}
}

// An event written by others reaches the browser automatically.
func TestEventsAreLive(t *testing.T) {
	s := serve(t, hostile, nil)
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	r, err := http.NewRequestWithContext(ctx, "GET", s.look+"events", nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	heard := bufio.NewScanner(answer.Body)
	hears := func(text string) bool {
		for heard.Scan() {
			if strings.Contains(heard.Text(), text) {
				return true
			}
		}
		return false
	}
	if !hears(`"changed":true`) {
		t.Fatal("a browser that begins to listen does not read the page again")
	}
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Skipped, Steps: []string{"one"}, By: journal.ByPerson}}))
	if !hears(`"changed":true`) {
		t.Error("a change is not sent")
	}
	if _, page := s.ask("GET", s.look+"main", nil); !strings.Contains(page, "skipped") {
		t.Error("the page does not show it")
	}
	if status, _ := s.ask("POST", s.act+"act/stop", url.Values{}, "Origin", s.origin()); status == http.StatusSeeOther {
		t.Error("no act is possible here")
	}
}

// Text of others cannot break out, wherever it is shown; and no address is stored.
func TestNothingLeaks(t *testing.T) {
	s := serve(t, hostile, nil)
	evil := "\"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[2J'"
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Failed, Steps: []string{"one"}, Head: journal.None, By: journal.ByAgent, Agent: evil, Attempt: 1, Reason: evil}}))
	_, page := s.ask("GET", s.look, nil)
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	f := finding.Finding{Title: evil, File: evil, Detail: evil, Because: evil, By: evil, Trigger: evil, Category: evil, Reviewers: []string{evil}}
	p.Review = &Review{End: evil, Open: []Finding{{Is: &f, ID: "a1", Kept: evil, Then: evil, Code: []CodeLine{{Text: evil}}}}, Rounds: []ledger.Round{{Reviewers: []ledger.Reviewed{{Name: evil}}}}}
	hunks := []git.Hunk{{Symbol: evil, Lines: []git.DiffLine{{Kind: '+', Text: evil}}}}
	p.Plan.Branch, p.Manual, p.Steps[0].Diff = evil, []progress.Manual{{Text: evil}}, &Diff{Files: []DiffFile{{Is: git.FileDiff{Path: evil, Hunks: hunks}}}}
	file := fileOf(t, p)
	for name, html := range map[string]string{"page": page, "file": file} {
		for _, bad := range []string{"<script>alert", "<img", "\u202e", "\x1b", strings.TrimPrefix(s.look, s.origin())} {
			if strings.Contains(html, bad) {
				t.Errorf("the %s has %q", name, bad)
			}
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.look, nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	head := answer.Header
	if head.Get("Referrer-Policy") != "same-origin" || head.Get("Cache-Control") != "no-store" || strings.Contains(head.Get("Content-Security-Policy"), "unsafe") || head.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", head)
	}
}

// What a session said and did, and the output of its checks, is escaped: in the transcript, and in what is
// sent while it works.
func TestHostileSession(t *testing.T) {
	s := serve(t, hostile, nil)
	const evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[2J"
	const name = "one-1-abcdef"
	must(t, s.co.Store.Apply(t.Context(), s.co.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Failed, Steps: []string{"one"}, Head: journal.None, By: journal.ByAgent, Attempt: 1, Session: name, Reason: "no"}}))
	folder := s.co.Repo.PlanDir(s.co.Doc.ID, "sessions")
	must(t, os.MkdirAll(folder, 0o700))
	var records strings.Builder
	for range mostParts + 5 {
		line, err := json.Marshal(map[string]any{"turn": 1, "text": evil + strings.Repeat("x", 2*mostText), "calls": []map[string]string{{"id": evil, "name": evil, "args": evil}}})
		must(t, err)
		records.Write(append(line, '\n'))
	}
	must(t, os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(records.String()), 0o600))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "other.jsonl"), []byte(records.String()), 0o600))
	status, transcript := s.ask("GET", s.look+"attempt/one/"+name, nil)
	if status != 200 || !strings.Contains(transcript, "&lt;script&gt;") || len(transcript) > 2*mostParts*mostText {
		t.Errorf("%d, %d bytes", status, len(transcript))
	}
	for _, other := range []string{"attempt/one/..%2fother", "attempt/one/one", "attempt/two/" + name, "attempt/one/"} {
		if status, text := s.ask("GET", s.look+other, nil); status == 200 || strings.Contains(text, "alert") {
			t.Errorf("%s: %d %s", other, status, text)
		}
	}
	call := callOf(journal.Notice{Kind: journal.SessionTool, Role: "executor", Text: evil + "\n\ndata: {}"})
	event, err := json.Marshal(news{Call: &call})
	must(t, err)
	sent := string(event)
	if strings.ContainsAny(sent, "\n\r") {
		t.Errorf("an event ends early: %q", sent)
	}
	for name, html := range map[string]string{"transcript": transcript, "event": sent} {
		for _, bad := range []string{"<img", "\u202e", "\x1b", strings.TrimPrefix(s.look, s.origin()), strings.TrimPrefix(s.act, s.origin())} {
			if strings.Contains(html, bad) {
				t.Errorf("the %s has %q", name, bad)
			}
		}
	}
}

// A browser that returns to an address of a git plan web that has ended is told where the new addresses are.
// Every wrong path gets that answer, and no other.
func TestOldAddresses(t *testing.T) {
	s := serve(t, hostile, nil)
	_, old := s.ask("GET", s.origin()+"/"+strings.Repeat("0", 32)+"/", nil)
	if !strings.Contains(old, "git plan web makes new addresses each time it starts: its terminal shows them.") {
		t.Error(old)
	}
	for _, wrong := range []string{"/", "/plans", "/" + strings.Repeat("0", 32) + "/diff/one", strings.TrimPrefix(s.look, s.origin()) + "x"} {
		if _, answer := s.ask("GET", s.origin()+wrong, nil, "Origin", "http://evil.example"); answer != old {
			t.Errorf("%s: %s", wrong, answer)
		}
	}
}

// A plan of 1,000 steps is one page, and a file well below the size limit of a pull request.
func TestPlanOf1000Steps(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Long\n\n## Steps\n\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "- [ ] **Step %d of many** {#s%d}\n  - Do: what is to be done in step %d, in a sentence or two.\n  - Check: `make test-%d`\n", i, i, i, i)
	}
	s := serve(t, text.String(), nil)
	p, err := Of(t.Context(), s.co, true)
	must(t, err)
	file := fileOf(t, p)
	if n := len(file); n > 2<<20 || len(p.Steps) != 1000 {
		t.Errorf("%d bytes, %d steps", n, len(p.Steps))
	}
	style, _ := assets.ReadFile("assets/style.css")
	if slow := regexp.MustCompile(`(?m)^[^/\n]*([+~] [*:]|\+ \*)[^\n]*`).Find(style); slow != nil {
		t.Errorf("each change has the style of all steps found again, since a rule is of siblings of any element: %s", slow)
	}
}
