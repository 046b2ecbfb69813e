package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Whatever a model or a command prints, a record is limited in size, its secrets are masked even where it is
// cut, and its end is kept.
func TestRecordsAreBounded(t *testing.T) {
	const key = "correct-horse-battery-9"
	huge := strings.Repeat("\x00", MaxText/2-len(key)/2) + key + strings.Repeat("ä", 4<<20) + "the end"
	var calls []CallRecord
	for range 10000 {
		calls = append(calls, CallRecord{huge, huge, huge})
	}
	var out bytes.Buffer
	log := Transcript{W: &out, Key: key}
	log.Write(Record{Text: huge, Output: huge, Calls: calls, Reason: "the reason"})
	var r Record
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if most := 6*maxRecord + 64<<10; out.Len() > most {
		t.Errorf("a record of %d bytes; want at most %d", out.Len(), most)
	}
	if !strings.HasSuffix(r.Text, "the end") || !strings.Contains(r.Text, "bytes left out") || r.Reason != "the reason" {
		t.Errorf("kept of a long text: %.40q ... %q, and %q", r.Text, r.Text[max(0, len(r.Text)-80):], r.Reason)
	}
	for n := 4; n <= len(key); n++ {
		if strings.Contains(out.String(), key[:n]) || strings.Contains(out.String(), key[len(key)-n:]) {
			t.Fatalf("%d bytes of the key are in the transcript", n)
		}
	}
}
