#!/bin/bash
# Plays plans whose sessions run through real engines on this machine, and prints a line for each:
# three hosts behind sshd, each with a network of its own (ssh.sh), and three nodes of Slurm (slurm.sh).
# Needs root on Debian; everything is ended afterwards.
#   engines.sh GIT-PLAN [ssh] [slurm]
set -u
program=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /tmp/git-plan-engines.XXXXXX)
chmod 755 "$work"
failed=0

need() { command -v "$1" >/dev/null || apt-get install -y --no-install-recommends $2 >>"$work/apt" 2>&1 || { echo "-       no $1: apt-get install $2"; return 1; }; }
say() { printf '%-7s %s\n' "$1" "$2"; }

# plan LAUNCHER STEPS JOBS SECONDS: runs a plan of that many steps, each a session of that long, and wants
# as many commits; meanwhile, MEANWHILE happens.
plan() {
	(
		top=$(mktemp -d "$work/plan.XXXXXX")
		export HOME=$top GIT_CONFIG_GLOBAL=$top/config PATH=$work/bin:$PATH MY_TOKEN=c-secret ANTHROPIC_API_KEY=a-secret
		git config --global user.name A && git config --global user.email a@example.com
		git init -q "$top/repo" && cd "$top/repo" || exit 1
		echo x >readme && git add . && git commit -qm one && git switch -qc work
		{
			printf '# Work\n\n## Steps\n\n'
			for i in $(seq "$2"); do printf -- '- [ ] **Make %s** {#s%s}\n  - Needs: none\n' "$i" "$i"; done
		} >"$top/plan.md"
		git config plan.agent fake
		git config planAgent.fake.command "env; sleep $4; uname -n >\$GIT_PLAN_STEP.txt; env | grep -c secret >\$GIT_PLAN_STEP.env; printf '{\"status\": \"done\"}' >\$GIT_PLAN_RESULT"
		git config planLauncher.there.command "$1"
		git config plan.isolation there
		git-plan new -F "$top/plan.md" --yes >"$top/out" 2>&1 || cat "$top/out"
		(sleep 2; eval "${MEANWHILE:-:}") >/dev/null 2>&1 &
		git-plan run --no-review --jobs "$3" >"$top/out" 2>&1
		echo $? >"$work/code"
		wait
		cp "$top/out" "$work/out"
		git rev-list --count main..work >"$work/commits" 2>/dev/null || git rev-list --count HEAD >"$work/commits"
		cat ./*.txt 2>/dev/null | sort -u | tr '\n' ' ' >"$work/hosts"
		cat ./*.env 2>/dev/null | sort -u | tr '\n' ' ' >"$work/secrets"
	)
}

# wants NAME STEPS PATTERN: the plan before was done, and said what matches the pattern.
wants() {
	if [ "$(cat "$work/code")" = 0 ] && [ "$(grep -c ' done: ' "$work/out")" = "$2" ] && grep -q -- "$3" "$work/out" && [ "$(cat "$work/secrets")" = "0 " ]; then
		say ok "$1 (on $(cat "$work/hosts"))"
	else
		say FAILED "$1"
		failed=1
		tail -20 "$work/out"
	fi
}

by_ssh() {
	need sshd openssh-server || return
	export DIR=$work/ssh
	"$here/ssh.sh" up 3 >"$work/up" 2>&1
	ssh="ip netns exec lab-ctl ssh -F $DIR/config -o ServerAliveInterval=2 -o ServerAliveCountMax=2"
	cat >"$work/bin/in-turn" <<-T
		#!/bin/sh
		n=\$(cat $work/turn 2>/dev/null || echo 0)
		echo \$((n + 1)) >$work/turn
		exec $ssh h\$((n % 3 + 1)) $work/bin/git-plan worker
	T
	chmod +x "$work/bin/in-turn"
	plan "$work/bin/in-turn" 6 3 1
	wants "ssh: six steps on three hosts" 6 'worker of launcher there'
	MEANWHILE="$here/ssh.sh cut h2" plan "$work/bin/in-turn" 3 3 8
	wants "ssh: a cable is cut in the middle, and the step is done elsewhere" 3 'started again, which counts as no attempt'
	"$here/ssh.sh" mend h2
	plan "$ssh -tt h1 $work/bin/git-plan worker" 1 1 0
	if [ "$(cat "$work/code")" != 0 ] && grep -q 'as a terminal does' "$work/out"; then say ok "ssh -tt is refused, and named"; else say FAILED "ssh -tt"; failed=1; fi
	"$here/ssh.sh" down
}

by_slurm() {
	need srun "slurmctld slurmd slurm-client munge" || return
	export DIR=$work/slurm SLURM_CONF=$work/slurm/slurm.conf
	"$here/slurm.sh" up >"$work/up" 2>&1
	plan "srun --quiet $work/bin/git-plan worker" 6 3 1
	wants "srun: six steps on three nodes" 6 'worker of launcher there'
	MEANWHILE='scancel $(squeue -h -o %A | head -n 1)' plan "srun --quiet $work/bin/git-plan worker" 2 2 6
	wants "srun: a job is cancelled in the middle, and done by another" 2 'started again, which counts as no attempt'
	"$here/slurm.sh" down
}

mkdir "$work/bin"
cp "$program" "$work/bin/git-plan"
for engine in ${*:-ssh slurm}; do "by_$engine"; done
rm -rf "$work"
exit $failed
