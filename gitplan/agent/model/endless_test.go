package model

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// flowing sends begin, then more for ever, and counts the bytes until the client stops reading.
func flowing(sent *atomic.Int64, begin, more string, header ...string) http.HandlerFunc {
	more = strings.Repeat(more, 1+(64<<10)/len(more))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		for text := begin + more; ; text = more {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
			sent.Add(int64(len(text)))
		}
	}
}

// An endless answer is ended by its size, and not requested again. More bytes are sent than read because of
// buffers.
func TestEndlessAnswerIsEnded(t *testing.T) {
	race.Skip(t)
	const most, buffers = 9 << 20, 16 << 20
	data := func(s string) string { return "data: " + s + "\n\n" }
	long := strings.Repeat("x", 8<<10)
	last := data(delta(`{"content":"all"}`, "stop"))
	plain := []string{"Content-Type", "application/json"}
	for name, c := range map[string]struct {
		begin, more string
		header      []string
		most        int64
		says        string // empty: it is an answer
	}{
		"text": {"", data(delta(`{"content":"`+long+`"}`, "")), nil, most, "larger than 9 MiB"},
		"arguments": {data(called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`)),
			data(called(`{"index":0,"function":{"arguments":"` + long + `"}}`)), nil, most, "larger than 9 MiB"},
		"thoughts":                 {"", data(delta(`{"reasoning_content":"`+long+`"}`, "")), nil, most, "larger than 9 MiB"},
		"keep-alive comments":      {"", ": still there " + long + "\n\n", nil, most, "larger than 9 MiB"},
		"blank lines":              {"", strings.Repeat("\n", 8<<10), nil, most, "larger than 9 MiB"},
		"one line":                 {"data: ", "x", nil, maxEvent, "an event of the answer is larger than 8 MiB"},
		"one event of many lines":  {"", "data: " + long + "\n", nil, maxEvent, "an event of the answer is larger than 8 MiB"},
		"one object":               {`{"choices": [`, " ", plain, maxEvent, "the answer is larger than 8 MiB"},
		"spaces before an object":  {"", " ", plain, maxEvent, "larger than 8 MiB"},
		"unrequested compression":  {"\x1f\x8b", "x", []string{"Content-Encoding", "gzip"}, 0, "compressed (gzip)"},
		"an endless page":          {"", "x", []string{"Content-Type", "text/plain"}, maxEvent, "larger than 8 MiB"},
		"events after the last":    {last, data(delta(`{}`, "")), nil, most, ""},
		"comments after the last":  {last, ": still there\n\n", nil, most, ""},
		"other text after the end": {last + data("[DONE]"), "x", nil, most, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			got, hits, err := askOnce(t, flowing(&sent, c.begin, c.more, c.header...), func(e *Endpoint) { e.largest = most })
			switch {
			case c.says == "" && (err != nil || got.Text != "all"):
				t.Errorf("%q, %v", got.Text, err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v, want %q", err, c.says)
			}
			if n := sent.Load(); n > c.most+buffers || hits != 1 {
				t.Errorf("%d bytes were sent in %d answers", n, hits)
			}
		})
	}
}

func TestEndlessHeadersEnd(t *testing.T) {
	_, hits, err := askOnce(t, func(w http.ResponseWriter, r *http.Request) {
		for range 3000 {
			w.Header().Add("X-More", strings.Repeat("x", 1000))
		}
		send(w, delta(`{"content":"all"}`, "stop"), streamEnd)
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("%d: %v", hits, err)
	}
}
