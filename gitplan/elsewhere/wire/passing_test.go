package wire

import "testing"

func TestWhatMayCross(t *testing.T) {
	for name, may := range map[string]bool{
		"OPENAI_API_KEY": true, "https_proxy": true, "CI": true, "_x1": true,
		"PATH": false, "Path": false, "HOME": false, "LD_PRELOAD": false, "ld_library_path": false, "DYLD_INSERT_LIBRARIES": false, "GIT_DIR": false,
		"GIT_CONFIG_COUNT": false, "GIT_PLAN_WORKER_CACHE": false, "GIT_SSH_COMMAND": false, "BASH_ENV": false, "ENV": false, "NODE_OPTIONS": false, "XDG_CONFIG_HOME": false,
		"": false, "A-B": false, "A B": false, "A\x00": false, "1A": false, "A\nPATH": false,
	} {
		if MayPass(name) != may {
			t.Errorf("%q may pass: %t", name, !may)
		}
	}
	for key, may := range map[string]bool{
		"plan.checkTimeout": true, "planAgent.mine.command": true, "user.name": true,
		"core.sshCommand": false, "core.fsmonitor": false, "include.path": false, "planLauncher.x.command": false, "user.signingKey": false, "": false, "alias.x": false,
	} {
		if MaySet(key) != may {
			t.Errorf("%q may be set: %t", key, !may)
		}
	}
}
