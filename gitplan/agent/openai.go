package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// OpenAI is the built-in agent: it holds the conversation itself, with any
// OpenAI-compatible endpoint as the model. [NewOpenAI] makes one.
type OpenAI struct {
	AgentName string
	// BaseURL is where the endpoint is, usually up to /v1. Key goes to it as a
	// bearer token; empty sends none. Neither is ever read from the environment
	// here: which key belongs to which endpoint is the caller's decision.
	BaseURL string
	Key     string

	// API is chat or responses, and auto (or empty) by the host and by what the
	// endpoint says to the first request.
	API string

	Model, Effort string // where the session names none
	Price         Price
	// Window is the model's context in tokens. Zero means what the endpoint says
	// when it matters; where that is nothing 128k, or 32k on loopback, where
	// servers are often set up with less than the model has.
	Window int
	// Lessons are shared with other agents; nil for this one's own.
	Lessons *Lessons
	// CAFile is a file of certificates (PEM) that are trusted beside the system's.
	CAFile string

	// Wait is how long the limits of a provider are waited out in one turn
	// (plan.waitOnLimit); zero waits for none.
	Wait time.Duration
	// FirstDelay is the delay before the first retry (default 1 s); it doubles
	// with each.
	FirstDelay time.Duration
	// FirstByte, Idle and Total limit one model call: until the answer begins
	// (default 5 min, since local models may read a prompt for minutes), between
	// two bytes of it (2 min), and all of it (20 min).
	FirstByte, Idle, Total time.Duration

	largest   int // an answer that is ended; maxStream, but in tests
	chat      openai.ChatCompletionService
	responses responses.ResponseService
	http      *http.Client
	local     bool // the endpoint is on loopback
}

// OpenAIEndpoint is the base URL of OpenAI itself.
const OpenAIEndpoint = "https://api.openai.com/v1"

// Price is in US dollars per million tokens. The zero Price is not known.
type Price struct{ In, Cached, Out float64 }

// cost of one turn. What the provider reports as its price goes first.
func (p Price) cost(u usage) Cost {
	if u.priced {
		return Cost{USD: u.usd, Known: true}
	}
	if p == (Price{}) || u.tokens.Unreported > 0 {
		return Cost{}
	}
	fresh := max(0, u.tokens.In-u.tokens.Cached)
	return Cost{Known: true,
		USD: (float64(fresh)*p.In + float64(u.tokens.Cached)*p.Cached + float64(u.tokens.Out)*p.Out) / 1e6}
}

// Of is what tokens cost, for whom only these are known.
func (p Price) Of(t Tokens) Cost { return p.cost(usage{tokens: t}) }

// NewOpenAI checks o and fills what is zero. The error says what is wrong with
// it in words for the person who configured it; it never holds the key.
func NewOpenAI(o OpenAI) (*OpenAI, error) {
	if o.AgentName == "" {
		o.AgentName = "openai"
	}
	base, local, err := baseURL(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", o.AgentName, err)
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("agent %s: its key contains white space or characters that no key has", o.AgentName)
	}
	orElse(&o.API, apiAuto)
	if o.API != apiAuto && o.API != apiChat && o.API != apiResponses {
		return nil, fmt.Errorf("agent %s: its API is %q; auto, chat or responses is wanted", o.AgentName, oneLine(o.API, 40))
	}
	o.BaseURL = base
	if o.Lessons == nil {
		o.Lessons = &Lessons{}
	}
	orElse(&o.FirstDelay, time.Second)
	orElse(&o.FirstByte, 5*time.Minute)
	orElse(&o.Idle, 2*time.Minute)
	orElse(&o.Total, 20*time.Minute)
	orElse(&o.largest, maxStream)
	o.local = local
	roots, err := certificates(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", o.AgentName, err)
	}
	o.connect(roots)
	return &o, nil
}

func orElse[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// baseURL checks and cleans a base URL as people paste them. local reports an
// endpoint on loopback.
func baseURL(s string) (clean string, local bool, err error) {
	if s == "" {
		return OpenAIEndpoint, false, nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", false, errors.New("its base URL cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, fmt.Errorf("its base URL %q must begin with http:// or https://", u.Redacted())
	case u.Host == "":
		return "", false, fmt.Errorf("its base URL %q names no host", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", false, fmt.Errorf("its base URL for %s may hold no user, query or fragment", u.Host)
	}
	path := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/responses"} {
		path = strings.TrimSuffix(path, end)
	}
	u.Path, u.RawPath = path, ""
	return u.String(), IsLoopback(Host(s)), nil
}

// Host is the host that a base URL names, in small letters; empty where none is.
func Host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// IsLoopback reports whether a [Host] is this machine.
func IsLoopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// IsAzure reports whether a [Host] is one of Azure's, which has a variable and a
// header of its own for the key.
func IsAzure(host string) bool {
	return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".services.ai.azure.com")
}

// connect makes the services. Their constructors read no environment, unlike
// openai.NewClient, which would send the person's OpenAI key to any endpoint.
func (o *OpenAI) connect(roots *x509.CertPool) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 0 // ask has its own limits
	t.DisableCompression = true // a compressed stream arrives in lumps
	t.MaxResponseHeaderBytes = maxHeader
	// Pings find dead connections long before the idle limit would.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
	if roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	o.http = &http.Client{Transport: t, CheckRedirect: o.redirected}
	opts := []option.RequestOption{
		option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.http), option.WithMaxRetries(0),
		option.WithUnsafeAllowHTTP(), option.WithHeader("User-Agent", "git-plan"),
	}
	said := http.Header{}
	o.authorise(said)
	for name := range said {
		opts = append(opts, option.WithHeader(name, said.Get(name)))
	}
	o.chat = openai.NewChatCompletionService(opts...)
	o.responses = responses.NewResponseService(opts...)
}

// redirected follows no redirect: the key was given for this endpoint, and http.Client
// takes along headers such as Azure's, and any header to another port of a host.
func (o *OpenAI) redirected(q *http.Request, _ []*http.Request) error {
	return &fault{kind: faultRedirect, text: oneLine("to "+q.URL.Scheme+"://"+q.URL.Host, 200),
		hint: fmt.Sprintf("if that is right, set planAgent.%s.baseURL to it", o.AgentName)}
}

// authorise gives the key in the way that the endpoint wants it.
func (o *OpenAI) authorise(header http.Header) {
	switch {
	case o.Key == "":
	case IsAzure(Host(o.BaseURL)):
		header.Set("api-key", o.Key)
	default:
		header.Set("Authorization", "Bearer "+o.Key)
	}
}

// certificates are the system's and those of file; nil, which means the
// system's, without one.
func certificates(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("its certificates cannot be read: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("there is no certificate in %s", file)
	}
	return pool, nil
}

// Name implements [Agent].
func (o *OpenAI) Name() string { return o.AgentName }

// Told implements [Agent].
func (o *OpenAI) Told(s Session) string { return s.Prompt.Text() }

// MayWrite implements [Agent].
func (o *OpenAI) MayWrite() bool { return false }

// Run implements [Agent].
func (o *OpenAI) Run(ctx context.Context, s Session) Result {
	defer o.http.CloseIdleConnections()
	c, err := o.converse(s)
	if err != nil {
		return Result{Status: Failed, Reason: oneLine(err.Error(), maxReason), Agent: o.AgentName}
	}
	defer c.work.close()
	return c.run(ctx)
}

func (o *OpenAI) redact(s string) string { return redact(s, o.Key) }
