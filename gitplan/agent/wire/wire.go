package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/openai/openai-go/v3/option"
)

// wire is how one of the two APIs is spoken: a request is written as a frame
// with the messages in it, and its answer is read. openai-go carries both; the
// streams are decoded here, because its accumulator merges or loses the tool
// calls of several servers.
type wire struct {
	api  string
	list string // the field of a request that holds the messages

	frame  func(Request) any                               // the request without its messages
	encode func(Message, style) ([]json.RawMessage, error) // one message as items of the list
	post   func(context.Context, *Endpoint, ...option.RequestOption) error
	decode func(h http.Header, body io.Reader, reported func(string)) (Turn, error)
}

func wireOf(api string) wire {
	if api == apiResponses {
		return responsesWire()
	}
	return chatWire()
}

// send returns the response with its body unread. With an error the response,
// if there is one, still has the body that explains it.
func (w wire) send(ctx context.Context, e *Endpoint, q Request) (*http.Response, error) {
	body, err := w.body(q)
	if err != nil {
		return nil, err
	}
	var res *http.Response
	err = w.post(ctx, e, option.WithRequestBody("application/json", body),
		option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&res))
	return res, err
}

// body returns the request as it goes over the wire. A message is encoded once and
// kept, so that a turn costs what is new in it: of 400 KB that are sent again
// with every turn, encoding was most of the work (measured: 2.4 of 4 ms).
func (w wire) body(q Request) ([]byte, error) {
	frame, err := encodeJSON(w.frame(q))
	if err != nil {
		return nil, err
	}
	s := style{api: w.api, mark: q.mark}
	for _, m := range q.Messages {
		_, thought := m.echo["reasoning_content"]
		s.thinks = s.thinks || thought
	}
	parts := [][]byte{bytes.TrimSuffix(frame, []byte("}")), []byte(`,"` + w.list + `":[`)}
	for i := range q.Messages {
		item, err := w.item(&q.Messages[i], s)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			parts = append(parts, []byte(","))
		}
		parts = append(parts, item)
	}
	return slices.Concat(append(parts, []byte("]}"))...), nil
}

// item returns a message as it is in the list. What JSON makes much longer (bytes
// that no text has) is not kept: it would fill the memory.
func (w wire) item(m *Message, s style) ([]byte, error) {
	if m.sent.items != nil && m.sent.style == s {
		return m.sent.items, nil
	}
	parts, err := w.encode(*m, s)
	if err != nil {
		return nil, err
	}
	items := bytes.Join(raw(parts), []byte(","))
	if len(items) < 2*m.Size()+maxItemFrame {
		m.sent = sent{s, items}
	}
	return items, nil
}

// maxItemFrame is what JSON puts around a message, in bytes: roughly.
const maxItemFrame = 4 << 10

func raw(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, v := range items {
		out[i] = v
	}
	return out
}
