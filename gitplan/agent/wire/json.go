package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// number reads 12, 12.0, "12" and null.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	if f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64); err == nil && f > -1e15 && f < 1e15 {
		*n = number(f)
	}
	return nil
}

// textOf returns a JSON string, or the text of an array of content parts.
func textOf(v json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s, true
	}
	var parts []struct{ Text string }
	if json.Unmarshal(v, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		s += p.Text
	}
	return s, true
}

func anyFields(m map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// plain returns the text of a JSON value that should have been a string.
func plain(v json.RawMessage) string {
	if isNull(v) {
		return ""
	}
	if s, ok := textOf(v); ok {
		return s
	}
	return string(v)
}

// encodeJSON leaves <, > and & as they are: code is full of them.
func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// changed returns a JSON object with some fields changed.
func changed(object json.RawMessage, change func(map[string]any)) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	f := anyFields(fields)
	change(f)
	b, err := encodeJSON(f)
	if err != nil {
		return object
	}
	return b
}
