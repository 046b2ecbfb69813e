package gitplan

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/world"
)

// TestWeakModel: a model that calls tools by other tools' names, copies the marks before lines, breaks the
// JSON of each fifth call and often ends in prose does twelve steps in one session each, unattended. In the
// middle its server is unreachable for eight hours, on a clock that is moved.
func TestWeakModel(t *testing.T) {
	race.Skip(t)
	m := &weakModel{t: t, turn: map[string]int{}, back: make(chan string)}
	m.listen("127.0.0.1:0")
	defer func() { _ = m.server.Close() }()
	w := world.New(t)
	w.Set("plan.agent", "m", "planAgent.m.baseURL", "http://"+m.server.Addr+"/v1", "planAgent.m.model", "weak-7b", "plan.waitOnLimit", "9h")
	var steps strings.Builder
	for i := range 12 {
		w.Commit(fmt.Sprintf("s%d.go", i), "package s\n\nfunc a() int {\n\treturn 1\n}\n\nfunc b() int {\n\treturn 1\n}\n")
		fmt.Fprintf(&steps, "- [ ] **Raise b** {#s%[1]d}\n  - Files: `s%[1]d.go`\n  - Check: `grep -A1 'func b' s%[1]d.go | grep -q 'return 2'`\n", i)
	}
	w.Attach(steps.String())
	go func() { // not on the moved clock, which stands still during network waits
		for at := range m.back {
			m.listen(at)
			m.back <- ""
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w.T = t
		began, s := time.Now(), again(w)
		time.AfterFunc(8*time.Hour, func() {
			m.back <- m.server.Addr
			<-m.back
		})
		for i := range 12 {
			if step, out := s.steps(""); step != fmt.Sprint("s", i) || out.Status != agent.Done || out.Attempts != 1 {
				t.Fatalf("step %s is %s after %d attempts: %s", step, out.Status, out.Attempts, out.Reason)
			}
		}
		if away := time.Since(began); away < 8*time.Hour || away > 9*time.Hour {
			t.Errorf("it waited for %s", away)
		}
		if s.sessions() != 12 || strings.Count(w.Said(journal.StepDone), "never reported that it was done, but the checks pass") != 2 || m.broken < 5 {
			t.Errorf("%d sessions, %d broken calls, notes:\n%s", s.sessions(), m.broken, w.Said(journal.StepDone))
		}
	})
	close(m.back)
}

// weakModel is such a model, with its server. One session runs at a time.
type weakModel struct {
	t             *testing.T
	server        *http.Server
	back          chan string // where to listen again; answered when it does
	turn          map[string]int
	calls, broken int
	away          bool
}

func (m *weakModel) listen(at string) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		m.t.Error(err)
		return
	}
	m.server = &http.Server{Addr: l.Addr().String(), Handler: m}
	go func() { _ = m.server.Serve(l) }()
}

var stepAsked = regexp.MustCompile(`Step: s(\d+)`)

func (m *weakModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Messages) < 2 {
		http.NotFound(w, r)
		return
	}
	found := stepAsked.FindAllStringSubmatch(body.Messages[1].Content, -1)
	step := found[len(found)-1][1]
	turns := weakTurns(step)
	n := m.turn[step]
	if step == "6" && n == 1 && !m.away {
		m.away = true
		_ = m.server.Close()
		return
	}
	t := turns[min(n, len(turns)-1)]
	again := false
	for i := range t.Calls {
		if m.calls++; m.calls%5 == 0 {
			m.broken++
			if t.Calls[i].Raw = strings.TrimSuffix(string(t.Calls[i].Args), "}") + ",}"; m.calls%10 == 0 { // cannot be repaired: the model repeats it
				t.Calls[i].Raw, again = `{"path": "s`, true
			}
		}
	}
	if !again {
		m.turn[step]++
	}
	script.Play(w, t.ChatEvents(fmt.Sprint(step, "-", m.calls)))
}

// weakTurns returns how such a model does a step: in one of six ways.
func weakTurns(step string) []script.Turn {
	file, first, second := fmt.Sprintf("s%s.go", step), "func b() int {", "return "
	old, new := first+"\n\t"+second+"1", first+"\n\t"+second+"2"
	calls := func(name string, pairs ...string) script.Turn {
		args := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			args[pairs[i]] = pairs[i+1]
		}
		b, _ := json.Marshal(args)
		return script.Turn{Calls: []script.Call{{Name: name, Args: b}}}
	}
	says := func(text string) script.Turn { return script.Turn{Say: text} }
	marked := strings.NewReplacer("func b", "| func b", "\t", "| \t")
	numbered := strings.NewReplacer("func b", "7|func b", "\t", "8|\t")
	edit := calls("edit", "file_path", file, "old_string", old, "new_string", new)
	both := calls("replace", "file", file, "old_text", old, "new_text", new)
	both.Calls = append(both.Calls, calls("finish", "status", "completed").Calls...)
	n := 0
	_, _ = fmt.Sscan(step, &n)
	return [][]script.Turn{
		{calls("view", "file_path", file), calls("str_replace", "file_path", file, "old_str", marked.Replace(old), "new_str", marked.Replace(new)), says("I raised b to 2.")},
		{calls("functions.read_file", "path", file), calls("functions.edit_file", "path", file, "old", numbered.Replace(old), "new", numbered.Replace(new)),
			says("All done:\n```json\n{\"status\": \"done\", \"summary\": \"b is 2\",}\n```")},
		{calls("bash", "cmd", "sed -i '/func b/,$ s/1/2/' "+file), calls("complete_task", "result", "b is 2")},
		{calls("magic_edit", "what", "b"), calls("create_file", "filename", file, "text", "package s\n\n"+new+"\n}\n"),
			says(`<tool_call>{"name": "finish", "arguments": {"status": "DONE"}}</tool_call>`)},
		{calls("edit", "path", file, "old", "func  b() int {\n  return  1;", "new", new), edit, calls("attempt_completion", "result", "b is 2")},
		{says("Let me look at it."), both},
	}[n%6]
}
