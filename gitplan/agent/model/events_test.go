package model

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// read returns the events of an answer in order; an event that is "last" is the last of it.
func read(kind, body string) (got string, done bool, err error) {
	h := http.Header{"Content-Type": {kind}}
	done, err = readEvents(h, &bounded{strings.NewReader(body), 2 * maxEvent, 2 * maxEvent, func() {}}, func(data []byte) error {
		got += string(data) + "|"
		switch string(data) {
		case "last":
			return errFinal
		case "refused":
			return io.ErrClosedPipe
		}
		return nil
	})
	return got, done, err
}

// Events are read as servers send them: with comments, in several lines, without a final empty line. Half an
// event does not count.
func TestEventStreams(t *testing.T) {
	for body, want := range map[string]string{
		"data: 1\n\ndata: 2\n\ndata: [DONE]\n\n":            "1|2| done",
		": alive\r\nevent: x\r\ndata:1\r\n\r\ndata: [DONE]": "1| done",
		"data: 1\ndata: 2\n\n":                              "1\n2|",
		"data: 1\n\ndata: {\"a\": 1}":                       "1|{\"a\": 1}|",
		"data: 1\n\ndata: {\"a\":":                          "1|",
		"data: last\n\ndata: 2\n\n":                         "last|2|",
		"":                                                  "",
	} {
		got, done, err := read("text/event-stream; charset=utf-8", body)
		if done {
			got += " done"
		}
		if got != want || err != nil {
			t.Errorf("%.60q: %q, %v; want %q", body, got, err, want)
		}
	}
	if _, _, err := read("text/event-stream", "data: refused\n\ndata: 2\n\n"); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// Other kinds of answers: an object instead of events, events under another name, a page, nothing.
func TestAnswersWithoutEvents(t *testing.T) {
	long := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		kind, body, want string
		fault            faultKind
	}{
		{"application/json", " {\"a\": 1}", `{"a": 1}|`, ""},
		{"", "data: 1\n\n", "1|", ""},
		{"text/html", "\n<html>", "the endpoint answered with a web page", faultProtocol},
		{"application/json", "  ", "the body is empty", faultCut},
		{"application/json", `{"a":`, "the body is not a whole JSON object", faultCut},
		{"application/json", "{" + strings.Repeat(" ", maxEvent), "the answer is larger than 8 MiB", faultProtocol},
		{"text/event-stream", "data: " + strings.Repeat("x", maxEvent), "an event of the answer is larger than 8 MiB", faultProtocol},
		{"text/event-stream", strings.Repeat("data: "+long+"\n", maxEvent>>10), "an event of the answer is larger than 8 MiB", faultProtocol},
		{"text/event-stream", strings.Repeat(": "+long+"\n", maxEvent>>9), "the answer is larger than 16 MiB", faultProtocol},
		{"", strings.Repeat(" ", 2*maxEvent), "the answer is larger than 8 MiB", faultProtocol},
	} {
		got, _, err := read(c.kind, c.body)
		var f *Fault
		switch errors.As(err, &f); {
		case c.fault == "" && (err != nil || got != c.want):
			t.Errorf("%s %.40q: %q, %v", c.kind, c.body, got, err)
		case c.fault != "" && (f == nil || f.kind != c.fault || f.text != c.want):
			t.Errorf("%s %.40q: %v", c.kind, c.body, err)
		}
	}
	h := http.Header{"Content-Encoding": {"gzip"}}
	if _, err := readEvents(h, strings.NewReader("{}"), nil); err == nil || !strings.Contains(err.Error(), "the answer is compressed (gzip), which was not asked for") {
		t.Error(err)
	}
}
