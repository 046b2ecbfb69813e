package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	outside "github.com/git-plan/git-plan/testdata/world"
)

var updateRequests = flag.Bool("update-requests", false, "write the requests in testdata/requests again")

// Text that a session must follow contains FOLLOW, material contains MATERIAL.
const (
	requestsPlan = "# Say it\n\n## Rules\n\n- FOLLOW the plan's rule.\n\n## Checks\n\n- `true`\n\n## Steps\n\n" +
		"- [ ] **Write it** {#one}\n  - Files: `one.txt`, `a.go`\n  - Do: Write the word.\n  - Check: `cat one.txt; grep -q right one.txt`\n" +
		"- [ ] **Add another** {#two}\n  - Files: `two.txt`\n  - Do: MATERIAL of another step.\n  - Check: `test -s two.txt`\n"
	requestsFinding = `{"category":"correctness","severity":"high","file":"one.txt","quote":"right","title":"MATERIAL title","detail":"MATERIAL detail","trigger":"MATERIAL trigger","remedy":"fix"}`
)

// TestWhatEachRoleIsSent compares the first requests of the built-in agent's sessions with testdata/requests,
// so that each change of a prompt or a tool is visible; text to follow is never in a frame that a contract
// forbids to follow.
func TestWhatEachRoleIsSent(t *testing.T) {
	built(t)
	goldens, err := filepath.Abs(filepath.Join("..", "..", "testdata", "requests"))
	w := outside.New(t)
	w.Fine(err)
	s := &requestServer{bodies: map[string][]byte{}}
	listening := httptest.NewServer(s)
	defer listening.Close()
	w.Set("plan.agent", "m", "planAgent.m.baseURL", listening.URL+"/v1", "planAgent.m.model", "m", "plan.reviewers", "quality", "plan.critic.agent", "m")
	w.Commit("AGENTS.md", "FOLLOW the project.\n")
	w.Commit("REVIEW.md", "FOLLOW the guidelines.\n")
	w.Commit("a.go", "package a\n\n// Material is MATERIAL.\nfunc Material() {}\n")
	w.Git("checkout", "-q", "-b", "topic")
	w.Git("plan", "new", "--yes", "FOLLOW the goal")
	w.Git("plan", "run")
	for _, name := range []string{"planner", "critic", "executor", "executor-again", "reviewer", "verifier", "fixer", "reviewer-again", "verifier-again"} {
		body := s.bodies[name]
		if body == nil {
			t.Errorf("%s was asked nothing", name)
			continue
		}
		for _, line := range misplaced(readable(body)) {
			judges := !slices.Contains([]string{"planner", "executor", "executor-again", "fixer"}, name)
			if name == "critic" && strings.HasSuffix(line, "FOLLOW the plan's rule.") || judges && strings.HasSuffix(line, "FOLLOW the goal") {
				continue // it reviews that, too
			}
			t.Errorf("%s: %s", name, line)
		}
		golden := filepath.Join(goldens, name+".txt")
		got := settled(readable(body), w.Dir)
		if *updateRequests {
			write(t, golden, got)
		}
		want, _ := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s differs (-update-requests writes it again):\n%s", golden, diff)
		}
	}
}

// requestServer answers each role as a model would, and keeps the first request of each kind.
type requestServer struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

func (s *requestServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw bytes.Buffer
	_, _ = raw.ReadFrom(r.Body)
	text, turn := readable(raw.Bytes()), strings.Count(raw.String(), `"role":"assistant"`)
	role, _, _ := strings.Cut(strings.TrimPrefix(text, "Role: "), "\n")
	kind := role
	if again := regexp.MustCompile(`(?m)^(Attempt|Round): 2$`).MatchString(text); again && role != "fixer" {
		kind += "-again"
	}
	s.mu.Lock()
	if s.bodies[kind] == nil {
		s.bodies[kind] = raw.Bytes()
	}
	s.mu.Unlock()
	name, args := saidBy(kind, text, turn)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "tool_calls", "message": map[string]any{"role": "assistant",
		"tool_calls": []any{map[string]any{"id": fmt.Sprint("c", turn), "type": "function", "function": map[string]any{"name": name, "arguments": args}}}}}}})
}

// saidBy returns the call that a model makes in a turn.
func saidBy(kind, text string, turn int) (name, args string) {
	role, again := strings.CutSuffix(kind, "-again")
	second := lineAfter(text, "Step: ") == "two"
	switch {
	case kind == "planner":
		plan, _ := json.Marshal(requestsPlan)
		return "submit_plan", fmt.Sprintf(`{"plan":%s}`, plan)
	case kind == "critic":
		return "submit_review", `{"covered":["plan.md"],"findings":[` + strings.NewReplacer(`"correctness"`, `"over-engineering"`, `"one.txt"`, `"plan.md"`, `"right"`, `"Do: Write the word."`).Replace(requestsFinding) + `]}`
	case second && turn == 0:
		return "write_file", `{"path":"two.txt","content":"two\n"}`
	case kind == "executor" && !second && turn == 0:
		return "write_file", `{"path":"one.txt","content":"MATERIAL\n"}`
	case kind == "executor" && !second && turn == 2:
		return "finish", `{"status":"failed","summary":"MATERIAL summary","did":"MATERIAL did","rejected":"MATERIAL rejected"}`
	case kind == "executor-again" && turn == 0:
		return "run_command", `{"command":"echo right > one.txt"}`
	case kind == "fixer" && turn == 0:
		return "run_command", `{"command":"echo right and fixed > one.txt"}`
	case kind == "reviewer":
		return "submit_review", `{"covered":["one.txt","two.txt"],"findings":[` + requestsFinding + `]}`
	case kind == "reviewer-again":
		return "submit_review", `{"covered":["one.txt","two.txt"],"findings":[]}`
	case role == "verifier":
		answer := map[bool]string{true: "refuted", false: "confirmed"}[again]
		return "submit_answers", `{"answers":[{"id":"` + findingID(text) + `","answer":"` + answer + `","because":"MATERIAL because","quote":"right"}]}`
	case kind == "fixer":
		return "finish", `{"status":"done","summary":"fixed","dispositions":[{"id":"` + findingID(text) + `","disposition":"fixed","because":"done"}]}`
	}
	return "finish", `{"status":"done","summary":"done","did":"it"}`
}

func lineAfter(text, before string) string {
	all := regexp.MustCompile(`(?m)^`+before+`(\S+)$`).FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

func findingID(text string) string {
	found := regexp.MustCompile(`(?m)[Ff]inding:? ([0-9a-f]{6,})`).FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// readable returns a request in a readable form: system, user, tools.
func readable(body []byte) string {
	var q struct {
		Messages []struct{ Content string }
		Tools    []struct{ Function json.RawMessage }
	}
	if json.Unmarshal(body, &q) != nil || len(q.Messages) < 2 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n=== user ===\n%s\n=== tools ===\n", q.Messages[0].Content, q.Messages[1].Content)
	for _, tool := range q.Tools {
		var out bytes.Buffer
		_ = json.Indent(&out, tool.Function, "", "  ")
		b.WriteString(out.String() + "\n")
	}
	return b.String()
}

// Frames say what a text is: in prompts of a plan, "data" is material; in prompts of a review, every frame
// except "to follow".
var (
	frameBegins = regexp.MustCompile(`^(?:--- ([a-z]+) [0-9a-f]{24}: .* ---|<<<[0-9a-f]{24} (to follow)?.*)$`)
	frameEnds   = regexp.MustCompile(`^(?:--- end [0-9a-f]{24} ---|[0-9a-f]{24}>>>)$`)
)

// misplaced returns the lines in a frame of the other kind, or in no frame.
func misplaced(request string) (list []string) {
	request, _, _ = strings.Cut(request, "\n=== tools ===")
	in := ""
	for line := range strings.Lines(request) {
		line = strings.TrimSuffix(line, "\n")
		if m := frameBegins.FindStringSubmatch(line); m != nil {
			if in = m[1] + m[2]; in == "" {
				in = "data"
			}
		} else if frameEnds.MatchString(line) {
			in = ""
		}
		if strings.Contains(line, "FOLLOW") && in == "data" {
			list = append(list, "to be followed, and framed as data: "+line)
		}
		if strings.Contains(line, "MATERIAL") && in != "data" && in != "findings" {
			list = append(list, "material, and not framed as such: "+line)
		}
	}
	return list
}

// settled replaces what differs between runs.
func settled(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	text = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`).ReplaceAllString(text, "HEX")
	text = regexp.MustCompile(`(?m)^\w+ on \w+\. `).ReplaceAllString(text, "SYSTEM. ")
	return regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(text, "DATE")
}
