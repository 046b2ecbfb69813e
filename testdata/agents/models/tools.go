package main

import (
	"encoding/json"
	"strings"
)

// A tool that the client does not offer is called all the same, since a model may do that.

// run runs a command by the client's shell tool, as each client names and shapes it.
func (q request) run(command string) *call {
	name := q.shell
	for _, n := range []string{"exec_command", "shell_command", "shell", "exec"} {
		if _, ok := q.tools[n]; ok && name == codexShell {
			name = n
			break
		}
	}
	switch name {
	case codexShell:
		return &call{name, object{"cmd": command, "yield_time_ms": 30000}}
	case "shell_command":
		return &call{name, object{"command": command, "timeout_ms": 600000}}
	case "shell":
		return &call{name, object{"command": list{"bash", "-lc", command}, "timeout_ms": 600000}}
	case "exec": // the model writes JavaScript
		b, _ := json.Marshal(command)
		return &call{name, object{"input": "text(JSON.stringify(await tools.exec_command({cmd: " + string(b) + "})))"}}
	}
	args := object{"command": command, "description": "scripted"}
	if q.qwen() {
		args["is_background"] = false // a required argument
	}
	return &call{name, args}
}

// The names of the four clients' shell tools.
const (
	claudeShell   = "Bash"
	codexShell    = "exec_command"
	geminiShell   = "run_shell_command"
	opencodeShell = "bash"
)

// qwen reports whether the client is qwen, which has gemini's tools.
func (q request) qwen() bool {
	_, todo := q.tools["todo_write"]
	return q.shell == geminiShell && todo
}

// write writes a file by the client's own tool.
func (q request) write(path, content string) *call {
	switch q.shell {
	case claudeShell:
		return &call{"Write", object{"file_path": path, "content": content}}
	case geminiShell:
		return &call{"write_file", object{"file_path": path, "content": content}}
	case opencodeShell:
		if _, ok := q.tools["create"]; ok { // copilot
			return &call{"create", object{"path": path, "file_text": content}}
		}
		return &call{"write", object{"filePath": path, "content": content}}
	}
	patch := "*** Begin Patch\n*** Add File: " + path + "\n+" +
		strings.ReplaceAll(strings.TrimRight(content, "\n"), "\n", "\n+") + "\n*** End Patch\n"
	if _, ok := q.tools["apply_patch"]; ok {
		return &call{"apply_patch", object{"input": patch}}
	}
	return q.run("apply_patch <<'EOF'\n" + patch + "EOF\n")
}

// readSkill reads a skill by the client's tool for that, or its file.
func (q request) readSkill(name string) *call {
	for _, tool := range [][2]string{{"Skill", "skill"}, {"activate_skill", "name"}, {"skill", "name"}} {
		if _, ok := q.tools[tool[0]]; ok {
			return &call{tool[0], object{tool[1]: name}}
		}
	}
	return q.run("cat ~/.agents/skills/" + name + "/SKILL.md")
}

// The names of the tools by which models of claude and codex find the tools of servers.
const (
	claudeSearch = "ToolSearch"
	codexSearch  = "tool_search"
)

// served calls a tool of the server git-plan. Claude's and codex's models have to find it first.
func (q request) served(name string, find bool) *call {
	_, hides := q.tools[claudeSearch]
	if _, ok := q.tools[codexSearch]; ok && find {
		return &call{codexSearch, object{"query": "git plan " + name}}
	}
	switch full := "mcp__git-plan__" + name; {
	case hides && find:
		return &call{claudeSearch, object{"query": "select:" + full, "max_results": 5}}
	case hides:
		return &call{full, object{}}
	}
	for tool, t := range q.tools {
		if strings.HasSuffix(tool, name) && strings.Contains(t.namespace+tool, "plan") {
			return &call{tool, object{}}
		}
	}
	return &call{"git-plan_" + name, object{}}
}
