package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// scenario is something that servers were seen to do, or are known to. The number only identifies it.
type scenario struct {
	name string
	// The server, one for each API. If only both is set, it is the same: the error comes before there is a
	// stream.
	both, chat, responses http.HandlerFunc
	never                 string             // why it cannot happen over the API whose server is missing
	first                 []http.HandlerFunc // requests before it, once each
	set                   func(*Endpoint)
	cancels               bool // the session is cancelled once the server has begun

	gives  string       // a turn in told's format, or the kind of a fault
	status agent.Status // the session's status after the fault
	says   string       // in its reason
	hits   int32        // how often the server is asked; 0 means once
}

// reported is a turn in one line.
func reported(t Turn) string {
	var s []string
	if t.Text != "" {
		s = append(s, "says "+t.Text)
	}
	if t.Refusal != "" {
		s = append(s, "refuses: "+t.Refusal)
	}
	for _, c := range t.Calls {
		id := c.ID
		if strings.HasPrefix(id, "call_") {
			id = "(made)"
		}
		if c.Bad != "" {
			c.Args += " bad"
		}
		s = append(s, "calls "+id+" "+c.Name+" "+c.Args)
	}
	if t.Cut {
		s = append(s, "cut")
	}
	if u := t.Tokens; u.Unreported == 0 {
		s = append(s, u.String())
	}
	return strings.Join(s, ", ")
}

// item is an event of the Responses API with a whole output item.
func item(index int, fields string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, fields)
}

// begun is the event before it.
func begun(index, fields string) string {
	return `{"type":"response.output_item.added",` + index + `"item":` + fields + `}`
}

func fcall(id, name, args string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":"%s","name":"%s","arguments":%s}`, id, id, name, args)
}

func saying(text string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}`
}

func textDelta(text string) string {
	return `{"type":"response.output_text.delta","output_index":0,"delta":"` + text + `"}`
}

// finished is the last event of a response, with its output.
func finished(output ...string) string { return finishedAs("completed", "", output...) }

func finishedAs(status, fields string, output ...string) string {
	return `{"type":"response.` + status + `","response":{"object":"response","status":"` + status + `","error":null,` +
		fields + `"output":[` + strings.Join(output, ",") + `]}}`
}

// unstreamed is a response that is one JSON object.
func unstreamed(output ...string) string {
	return `{"object":"response","status":"completed","error":null,"output":[` + strings.Join(output, ",") + `]}`
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

const jsonType = "application/json"

func silent(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

// after sends events and continues with h in the same answer.
func after(h http.HandlerFunc, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { send(w, events...); h(w, r) }
}

func writing(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, s)
	}
}

// TestScenarios: the result of each scenario, over both APIs.
func TestScenarios(t *testing.T) {
	all := slices.Concat(callScenarios(), streamScenarios(), refusalScenarios())
	for n := 1; n <= 50; n++ {
		if !slices.ContainsFunc(all, func(s scenario) bool { return strings.HasPrefix(s.name, fmt.Sprintf("%02d ", n)) }) {
			t.Errorf("scenario %02d is not here", n)
		}
	}
	for _, s := range all {
		for api, h := range map[string]http.HandlerFunc{apiChat: s.chat, apiResponses: s.responses} {
			if h == nil {
				h = s.both
			}
			if h == nil {
				if s.never == "" {
					t.Errorf("%s: neither a server for %s nor why there is none", s.name, api)
				}
				continue
			}
			t.Run(api+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				s.play(t, api, h)
			})
		}
	}
}

func (s scenario) play(t *testing.T, api string, h http.HandlerFunc) {
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if s.cancels {
		ctx, cancel = context.WithCancel(ctx)
		begins := h
		h = func(w http.ResponseWriter, r *http.Request) { begins(w, r); cancel(); silent(w, r) }
	}
	var n atomic.Int32
	last := h
	h = func(w http.ResponseWriter, r *http.Request) {
		if i := int(n.Add(1)) - 1; i < len(s.first) {
			s.first[i](w, r)
			return
		}
		last(w, r)
	}
	got, hits, err := askIn(t, ctx, h, func(e *Endpoint) {
		over(api)(e)
		if s.set != nil {
			s.set(e)
		}
	})
	gives, r := reported(got), agent.Result{}
	if err != nil {
		gives, r = faultOf(err)
	}
	if gives != s.gives || r.Status != s.status || !strings.Contains(r.Reason, s.says) || hits != max(s.hits, 1) {
		t.Errorf("%d hits; gives %q, want %q; %s %q, want %s %q", hits, gives, s.gives, r.Status, r.Reason, s.status, s.says)
	}
	if strings.Contains(r.Reason, "6789") {
		t.Errorf("the key is in %q", r.Reason)
	}
}

// callScenarios: how tool calls arrive.
func callScenarios() []scenario {
	const one, two = `{"c":1}`, `{"c":2}`
	a, b := fcall("a", "x", quoted(one)), fcall("b", "y", quoted(two))
	bare := `{"type":"function_call","name":"x","arguments":` + quoted(one) + `}`
	args := func(fields, text string) string {
		return `{"type":"response.function_call_arguments.delta",` + fields + `"delta":` + quoted(text) + `}`
	}
	both := "calls a x " + one + ", calls b y " + two
	chunk := func(fields, name, args string) string {
		return called(`{` + fields + `"function":{"name":"` + name + `","arguments":` + args + `}}`)
	}
	end := []string{delta(`{}`, "tool_calls"), streamEnd}
	return []scenario{
		{name: "01 parallel calls, interleaved", gives: both,
			chat: streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", `""`), chunk(`"index":1,"id":"b",`, "y", `"{\"c\":"`),
				called(`{"index":0,"function":{"arguments":"{\"c\":1}"}}`), called(`{"index":1,"function":{"arguments":"2}"}}`)}, end...)...),
			responses: streaming(begun(`"output_index":0,`, fcall("a", "x", `""`)), begun(`"output_index":1,`, fcall("b", "y", `""`)),
				args(`"output_index":1,"item_id":"fc_b",`, `{"c":`), args(`"output_index":0,"item_id":"fc_a",`, one), item(0, a), args(`"output_index":1,"item_id":"fc_b",`, `2}`), item(1, b), finished())},
		{name: "02 malformed arguments", gives: "calls a x {} bad",
			chat:      streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", `"{\"c\": \"ls"`)}, end...)...),
			responses: streaming(item(0, fcall("a", "x", `"{\"c\": \"ls"`)), finished())},
		{name: "03 arguments as an object", gives: "calls a x " + one,
			chat:      streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", one)}, end...)...),
			responses: streaming(item(0, fcall("a", "x", one)), finished())},
		{name: "04 no index (Gemini)", gives: both,
			chat:      streaming(append([]string{chunk(`"id":"a",`, "x", quoted(one)), chunk(`"id":"b",`, "y", quoted(two))}, end...)...),
			responses: streaming(begun("", fcall("a", "x", `""`)), args("", one), strings.Replace(item(0, a), `"output_index":0,`, "", 1), strings.Replace(item(0, b), `"output_index":0,`, "", 1), finished())},
		{name: "05 no id and no type", gives: "calls (made) x " + one,
			chat:      streaming(append([]string{chunk(`"index":0,`, "x", quoted(one))}, end...)...),
			responses: streaming(item(0, bare), finished())},
		{name: "06 every index is 0", gives: both,
			chat:      streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", quoted(one)), chunk(`"index":0,"id":"b",`, "y", quoted(two))}, end...)...),
			responses: streaming(begun(`"output_index":0,`, fcall("a", "x", `""`)), item(0, a), begun(`"output_index":0,`, fcall("b", "y", `""`)), item(0, b), finished())},
		{name: "07 the name again in each piece", gives: "calls a x " + one, never: "an item holds its name once",
			chat: streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", `"{\"c\":"`), chunk(`"index":0,"id":"a",`, "x", `"1}"`)}, end...)...)},
		{name: "08 ids change (proxies)", gives: "says hello, calls a x " + one,
			chat: streaming(append([]string{delta(`{"content":"hel"}`, ""), strings.Replace(delta(`{"content":"lo"}`, ""), "c1", "c2", 1),
				strings.Replace(chunk(`"index":0,"id":"a",`, "x", quoted(one)), "c1", "", 1)}, end...)...),
			responses: streaming(item(0, saying("hello")), begun(`"output_index":1,`, strings.Replace(a, "fc_a", "fc_1", 1)),
				args(`"output_index":1,"item_id":"fc_2",`, one), item(1, strings.Replace(a, "fc_a", "fc_3", 1)), finished())},
		{name: "31 cut by the length limit within arguments", gives: "calls a x {} bad, cut",
			chat:      streaming(chunk(`"index":0,"id":"a",`, "x", `"{\"c\":\"aa"`), delta(`{}`, "length"), streamEnd),
			responses: streaming(item(0, fcall("a", "x", `"{\"c\":\"aa"`)), finishedAs("incomplete", `"incomplete_details":{"reason":"max_output_tokens"},`))},
		{name: "45 finished by stop, with calls", gives: "calls a x " + one, never: "a response that is completed may hold calls, and does not say why it ended",
			chat: streaming(chunk(`"index":0,"id":"a",`, "x", quoted(one)), delta(`{}`, "stop"), streamEnd)},
		{name: "46 arguments null", gives: "says x, calls a f {}",
			chat:      streaming(append([]string{delta(`{"tool_calls":null,"content":"x"}`, ""), chunk(`"index":0,"id":"a",`, "f", "null")}, end...)...),
			responses: streaming(item(0, saying("x")), item(1, fcall("a", "f", "null")), finished())},
		{name: "47 sparse indexes", gives: "calls a x " + one,
			chat:      streaming(append([]string{chunk(`"index":3,"id":"a",`, "x", quoted(one))}, end...)...),
			responses: streaming(item(3, a), finished())},
		{name: "arguments are two objects", gives: "calls a x {} bad",
			chat:      streaming(append([]string{chunk(`"index":0,"id":"a",`, "x", `"{}{}"`)}, end...)...),
			responses: streaming(item(0, fcall("a", "x", `"{}{}"`)), finished())},
		{name: "one id for two calls", gives: "calls a x " + one + ", calls (made) y " + two, never: "pieces with one id are one call",
			responses: streaming(item(0, a), item(1, strings.Replace(b, `"call_id":"b"`, `"call_id":"a"`, 1)), finished())},
		{name: "items only in the last event", gives: both, never: "the last event holds no calls",
			responses: streaming(finished(a, b))},
	}
}

// streamScenarios: how text, thoughts and the end arrive, or do not.
func streamScenarios() []scenario {
	hi, hiEnd := delta(`{"content":"hi"}`, ""), []string{delta(`{"content":"hi"}`, "stop"), streamEnd}
	said := []string{textDelta("hi"), item(0, saying("hi")), finished(saying("hi"))}
	usage := func(in, out int) string {
		return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d},`, in, out)
	}
	used := func(in, out int) string {
		return fmt.Sprintf(`"usage":{"input_tokens":%d,"output_tokens":%d},`, in, out)
	}
	with := func(fields, event string) string { return "{" + fields + event[1:] }
	cut := scenario{gives: string(faultCut), status: agent.Unreachable, hits: attempts}
	was := func(s scenario, name string, chat, responses http.HandlerFunc) scenario {
		s.name, s.chat, s.responses = name, chat, responses
		return s
	}
	empty := scenario{}
	page := answering(200, "text/html", `<html>login`)
	begin := `{"type":"response.created","response":{"status":"in_progress","error":null,"output":[]}}`
	return []scenario{
		{name: "09 a running total of usage in each event", gives: "says ab, 100 tokens in, 2 out",
			chat:      streaming(with(usage(100, 1), delta(`{"content":"a"}`, "")), with(usage(100, 2), delta(`{"content":"b"}`, "stop")), streamEnd),
			responses: streaming(`{"type":"response.in_progress","response":{`+used(100, 1)+`"output":[]}}`, finishedAs("completed", used(100, 2), saying("ab")))},
		{name: "10 events after the end", gives: "says hi",
			chat:      streaming(hi, delta(`{}`, "stop"), delta(`{"content":""}`, ""), streamEnd),
			responses: streaming(append(said, textDelta(""), `{"type":"response.done","response":{}}`)...)},
		was(cut, "11 the stream ends early", streaming(hi), streaming(begin, textDelta("hi"), item(0, saying("hi")))),
		was(cut, "12 the connection is reset", after(func(w http.ResponseWriter, r *http.Request) { reset(w) }, hi),
			after(func(w http.ResponseWriter, r *http.Request) { reset(w) }, begin, textDelta("hi"))),
		was(cut, "13 the stream ends within an event", writing("data: "+hi+"\n\ndata: {\"id\":\"c1\",\"cho"), writing("data: "+textDelta("hi")+"\n\ndata: {\"type\":\"response.comp")),
		{name: "14 an error within the stream", gives: string(faultServer), status: agent.Unreachable, says: "(in its answer): upstream overloaded", hits: attempts,
			chat:      streaming(hi, `{"error":{"message":"upstream overloaded","type":"server_error","code":502}}`),
			responses: streaming(begin, textDelta("hi"), `{"type":"error","code":"server_error","message":"upstream overloaded","param":null}`)},
		{name: "15 error null in each event", gives: "says hi",
			chat:      streaming(with(`"error":null,`, hi), delta(`{}`, "stop"), streamEnd),
			responses: streaming(with(`"error":null,`, begin), with(`"error":null,`, said[1]), said[2])},
		{name: "32 nothing in the answer",
			chat: streaming(`{"id":"c1","choices":[]}`, streamEnd), responses: streaming(finished())},
		was(empty, "33 null in its place", streaming(`{"id":"c1","choices":null}`, streamEnd),
			streaming(`{"type":"response.completed","response":{"status":"completed","output":null}}`)),
		was(empty, "34 content null", streaming(delta(`{"content":null}`, "stop"), streamEnd), streaming(finished(`{"type":"message","content":null}`))),
		{name: "35 content in the other form", gives: "says hi",
			chat:      streaming(delta(`{"content":[{"type":"text","text":"hi"}]}`, "stop"), streamEnd),
			responses: streaming(finished(`{"type":"message","content":"hi"}`))},
		{name: "36 thoughts", gives: "says hi",
			chat: streaming(append([]string{delta(`{"reasoning_content":"a"}`, ""), delta(`{"reasoning":"b","reasoning_details":[{"signature":"s"}]}`, "")}, hiEnd...)...),
			responses: streaming(append([]string{`{"type":"response.reasoning_summary_text.delta","delta":"a","output_index":0}`,
				item(0, `{"type":"reasoning","id":"r","encrypted_content":"e","summary":[]}`), item(1, saying("hi"))}, said[2])...)},
		{name: "37 one JSON object instead of a stream", gives: "says hi",
			chat:      answering(200, jsonType, `{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}`),
			responses: answering(200, jsonType, unstreamed(saying("hi")))},
		{name: "38 a stream instead of one JSON object", never: "every request asks for a stream"},
		{name: "39 JSON as text", gives: "says hi",
			chat:      answering(200, "text/plain; charset=utf-8", ` {"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}`),
			responses: answering(200, "text/plain; charset=utf-8", " "+unstreamed(saying("hi")))},
		{name: "40 a web page (captive portal, wrong base URL)", both: page, gives: string(faultProtocol), status: agent.Unusable, says: "web page"},
		{name: "41 no first byte", both: silent, set: func(e *Endpoint) { e.FirstByte = 500 * time.Millisecond },
			gives: string(faultSlow), status: agent.Unreachable, says: "nothing arrived in time", hits: attempts},
		{name: "42 silent after a while", chat: after(silent, hi), responses: after(silent, begin, textDelta("hi")), set: func(e *Endpoint) { e.Idle = 50 * time.Millisecond },
			gives: string(faultSlow), status: agent.Unreachable, says: "nothing arrived in time", hits: attempts},
		{name: "43 cancelled in the middle", chat: streaming(hi), responses: streaming(begin, textDelta("hi")), cancels: true, gives: "context canceled"},
		{name: "48 CRLF, and no space after the colon", gives: "says hi",
			chat:      writing("data:" + hiEnd[0] + "\r\n\r\ndata:[DONE]\r\n\r\n"),
			responses: writing("event:x\r\ndata:" + said[1] + "\r\n\r\nevent: response.completed\r\ndata:" + said[2] + "\r\n\r\n")},
		{name: "50 numbers in other forms", gives: "says hi, 10 tokens in, 5 out",
			chat:      streaming(`{"created":1.5,"usage":{"prompt_tokens":"10","completion_tokens":5.0},"choices":[{"index":"0","delta":{"content":"hi"},"finish_reason":"stop"}]}`, streamEnd),
			responses: streaming(strings.Replace(said[1], `"output_index":0`, `"output_index":"0"`, 1), finishedAs("completed", `"usage":{"input_tokens":"10","output_tokens":5.0},`))},
		{name: "30 a refusal", gives: "refuses: I can not help",
			chat:      streaming(delta(`{"content":null,"refusal":"I can "}`, ""), delta(`{"refusal":"not help"}`, ""), delta(`{}`, "stop"), streamEnd),
			responses: streaming(finished(`{"type":"message","content":[{"type":"refusal","refusal":"I can not help"}]}`))},
		{name: "the provider's filter", gives: string(faultFiltered), status: agent.Failed,
			chat:      streaming(delta(`{"content":"x"}`, "content_filter"), streamEnd),
			responses: streaming(finishedAs("incomplete", `"incomplete_details":{"reason":"content_filter"},`, saying("x")))},
		{name: "the answer failed", gives: string(faultServer), status: agent.Unreachable, hits: attempts,
			chat:      streaming(delta(`{"content":"x"}`, "error"), streamEnd),
			responses: streaming(begin, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"boom"}}}`)},
		{name: "a limit within the stream", gives: string(faultLimited), status: agent.Limited, says: "rate limited (in its answer): slow down",
			chat:      streaming(`{"error":{"message":"slow down","code":429}}`),
			responses: streaming(begin, `{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}}`)},
		{name: "no JSON in the stream", both: streaming("{oops" + "\n\ndata: {}"), gives: string(faultProtocol), status: agent.Failed, says: "cannot be read"},
		{name: "no word of the end", gives: "says hi", chat: streaming(hiEnd[0]), responses: streaming(said...)},
		{name: "only [DONE] at the end", gives: "says hi", chat: streaming(hi, streamEnd), responses: streaming(said[0], said[1], streamEnd)},
		was(cut, "an empty body", answering(200, jsonType, ""), answering(200, jsonType, "")),
		was(cut, "half a JSON body", answering(200, jsonType, `{"choices":[`), answering(200, jsonType, `{"output":[`)),
		{name: "never ending", gives: string(faultTotal), status: agent.TimedOut, set: func(e *Endpoint) { e.Total = 100 * time.Millisecond },
			chat: endless(hi), responses: endless(textDelta("hi"))},
	}
}

// endless repeats an event for ever.
func endless(event string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			send(w, event)
			time.Sleep(5 * time.Millisecond)
		}
	}
}
