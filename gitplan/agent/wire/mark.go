package wire

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// markOf returns the mark that a model is sent, or "".
func (e *Endpoint) markOf(model, api string) string {
	switch {
	case isFirstParty(e.BaseURL):
		if marksPrefixes(model) {
			return breakpoint
		}
	case api == apiChat && strings.Contains(strings.ToLower(model), "claude"):
		return cacheControl
	}
	return ""
}

var numbered = regexp.MustCompile(`^gpt-(\d+)(?:\.(\d+))?(?:-|$)`)

// marksPrefixes reports whether a model of OpenAI's takes breakpoints: GPT-5.6 and later.
func marksPrefixes(model string) bool {
	m := numbered.FindStringSubmatch(strings.ToLower(model))
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 5 || major == 5 && minor >= 6
}

// marked reports whether a message is sent in two parts, the first of them marked.
func (m Message) marked(s style) bool { return s.mark != "" && 0 < m.Shared && m.Shared < len(m.Text) }

// chatParts returns the text of a marked message for the chat API.
func (m Message) chatParts(s style) []openai.ChatCompletionContentPartUnionParam {
	shared := openai.ChatCompletionContentPartTextParam{Text: m.Text[:m.Shared]}
	if s.mark == breakpoint {
		shared.PromptCacheBreakpoint = openai.NewChatCompletionContentPartTextPromptCacheBreakpointParam()
	} else {
		shared.SetExtraFields(map[string]any{cacheControl: ephemeral})
	}
	return []openai.ChatCompletionContentPartUnionParam{{OfText: &shared}, openai.TextContentPart(m.Text[m.Shared:])}
}

// ephemeral keeps what was marked for five minutes, and again with each use.
var ephemeral = map[string]string{"type": "ephemeral"}

// inputParts returns the text of a marked message for the Responses API, which only those with
// breakpoints are asked over.
func (m Message) inputParts() responses.ResponseInputMessageContentListParam {
	shared := responses.ResponseInputTextParam{Text: m.Text[:m.Shared], PromptCacheBreakpoint: responses.NewResponseInputTextPromptCacheBreakpointParam()}
	return responses.ResponseInputMessageContentListParam{{OfInputText: &shared}, responses.ResponseInputContentParamOfInputText(m.Text[m.Shared:])}
}
