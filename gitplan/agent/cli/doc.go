// Package cli is the agents that are other programs: claude, codex, gemini and opencode as they are
// installed, any that speaks the Agent Client Protocol, and a command of the person's own. Each is
// started once for a session, with the prompt on its standard input.
//
// Events and exit codes decide how a session ended. Of a last message only the JSON object
// at its end counts, and only with the session's nonce.
package cli
