package main

import "net/http"

// gemini is Google's generateContent API, as gemini speaks it. The model and whether to stream are in the path.
type gemini struct{}

func (gemini) read(q *request, in object, path string) {
	m := geminiPath.FindStringSubmatch(path)
	q.model, q.streamed, q.shell = m[1], m[2] == "streamGenerateContent", geminiShell
	for _, t := range items(in["tools"]) {
		for _, f := range items(at(t, "functionDeclarations")) {
			q.tools[text(at(f, "name"))] = tool{}
		}
	}
	for _, c := range items(in["contents"]) {
		for _, p := range items(at(c, "parts")) {
			if r := at(p, "functionResponse", "response"); r != nil {
				q.answered(r)
			}
		}
	}
	q.learn(list{in["systemInstruction"], in["contents"]})
}

func (gemini) refuse(status int, f Fault) any {
	const google = "type.googleapis.com/google.rpc."
	var details list
	word, message := "INTERNAL", "An internal error has occurred."
	switch {
	case f.Kind == "quota":
		word, message = "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."
		details = list{object{"@type": google + "QuotaFailure", "violations": list{object{
			"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
			"quotaId":     "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "250"}}}}
	case status == http.StatusTooManyRequests:
		word, message = "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."
		details = list{object{"@type": google + "ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com"}}
		if f.RetryAfter != "" {
			details = append(details, object{"@type": google + "RetryInfo", "retryDelay": f.RetryAfter + "s"})
		}
	case status == http.StatusUnauthorized:
		word, message = "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case status == http.StatusNotFound:
		word, message = "NOT_FOUND", "models/scripted-model is not found for API version v1beta"
	case status < 500:
		word, message = "INVALID_ARGUMENT", f.Kind
	}
	return object{"error": object{"code": status, "message": message, "status": word, "details": details}}
}

// chunk is a piece of an answer, which is an answer too.
func chunk(q request, a answer, parts list, finish any) object {
	c := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != nil {
		c["finishReason"] = finish
	}
	in := promptTokens + 100*q.turn
	return object{"candidates": list{c}, "modelVersion": q.model, "responseId": a.id,
		"usageMetadata": object{"promptTokenCount": in, "candidatesTokenCount": answerTokens,
			"totalTokenCount": in + answerTokens, "cachedContentTokenCount": cachedTokens}}
}

// finishReason is that of an answer.
func (a answer) finishReason() string {
	switch a.end {
	case "refusal":
		return "SAFETY"
	case "length":
		return "MAX_TOKENS"
	}
	return "STOP"
}

func (a answer) functionCall() list {
	if a.call == nil {
		return list{}
	}
	return list{object{"functionCall": object{"id": "call_" + a.id, "name": a.call.name, "args": a.call.args}, "thoughtSignature": "c2NyaXB0ZWQ="}}
}

func (gemini) whole(q request, a answer) any {
	return chunk(q, a, append(list{object{"text": a.say}}, a.functionCall()...), a.finishReason())
}

func (gemini) stream(s *stream, q request, a answer) {
	s.words(a.say, func(piece string) { s.event("", chunk(q, a, list{object{"text": piece}}, nil)) })
	s.event("", chunk(q, a, a.functionCall(), a.finishReason()))
}
