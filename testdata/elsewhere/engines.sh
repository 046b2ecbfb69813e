#!/bin/bash
# Plays stories and plans whose sessions run through real engines on this machine, and prints a line for
# each: three hosts behind sshd, each with a network of its own (ssh.sh), three nodes of Slurm (slurm.sh),
# containers of podman and docker (podman.sh, docker.sh). Needs root on Debian; everything is ended afterwards.
#   engines.sh GIT-PLAN STORIES [ssh] [slurm] [podman] [docker]
# STORIES is the compiled test of cmd/git-plan, which plays the stories of sessions; - leaves them out.
set -u
program=$1 stories=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../../cmd/git-plan
work=$(mktemp -d /tmp/git-plan-engines.XXXXXX)
chmod 755 "$work"
failed=0 down= results=$work

need() { command -v "$1" >/dev/null || apt-get install -y --no-install-recommends $2 >>"$work/apt" 2>&1 || { say SKIPPED "no $1: apt-get install $2 fails"; return 1; }; }
say() { printf '%-7s %s\n' "$1" "$2"; }
verdict() { if [ "$1" = 0 ]; then say ok "$2"; else say FAILED "$2"; failed=1; tail -"${3:-20}" "$work/out"; fi; }

# plan LAUNCHER STEPS JOBS SECONDS: runs a plan of that many steps, each a session of that length, in a
# repository made by FILES. Once the first session runs, MEANWHILE is run. The results are in $results: code,
# took (ms), commits, hosts, secrets, leaks, starts (ms from a launcher's start to the session's first command)
# and sent (bytes sent to each worker).
plan() {
	(
		top=$(mktemp -d "$work/plan.XXXXXX")
		export HOME=$top GIT_CONFIG_GLOBAL=$top/config PATH=$work/bin:$PATH MY_TOKEN=c-secret ANTHROPIC_API_KEY=a-secret OPENAI_API_KEY=b-secret
		git config --global user.name A && git config --global user.email a@example.com
		git init -q "$top/repo" && cd "$top/repo" || exit 1
		eval "${FILES:-echo x >readme}"
		git add . && git commit -qm one && git switch -qc work
		{
			printf '# Work\n\n## Steps\n\n'
			for i in $(seq "$2"); do printf -- '- [ ] **Make %s** {#s%s}\n  - Needs: none\n' "$i" "$i"; done
		} >"$top/plan.md"
		git config plan.agent fake
		git config planAgent.fake.command "cat /proc/uptime >\$GIT_PLAN_STEP.began; sleep $4; echo \${SLURMD_NODENAME:-\$(uname -n)} >\$GIT_PLAN_STEP.txt; env | grep -c -e -secret >\$GIT_PLAN_STEP.env; printf '{\"status\": \"done\"}' >\$GIT_PLAN_RESULT"
		git config planLauncher.there.command "cat /proc/uptime >$top/launched-\$GIT_PLAN_SESSION; ${COUNTED:+tee $top/sent-\$GIT_PLAN_SESSION | }$1"
		git config plan.isolation there
		git-plan new -F "$top/plan.md" --yes >"$top/out" 2>&1 || cat "$top/out"
		if [ -n "${MEANWHILE:-}" ]; then
			(
				until grep -q 'worker of launcher there' "$top/out"; do sleep 0.1 && [ ! -e "$top/over" ] || exit; done
				sleep 2
				eval "$MEANWHILE"
			) >/dev/null 2>&1 &
		fi
		began=$(date +%s%N)
		git-plan run --no-review --jobs "$3" >"$top/out" 2>&1
		echo $? >"$results/code"
		: >"$top/over"
		echo $((($(date +%s%N) - began) / 1000000)) >"$results/took"
		wait
		cp "$top/out" "$results/out"
		git rev-list --count main..work >"$results/commits" 2>/dev/null || git rev-list --count HEAD >"$results/commits"
		cat ./*.txt 2>/dev/null | sort -u | tr '\n' ' ' >"$results/hosts"
		cat ./*.env 2>/dev/null | sort -u | tr '\n' ' ' >"$results/secrets"
		for i in $(seq "$2"); do cat "$top/launched-s$i-1-"* "s$i.began" 2>/dev/null | since; done >"$results/starts"
		for i in $(seq "$2"); do cat "$top/sent-s$i-"* 2>/dev/null | wc -c; done >"$results/sent"
		git -c core.quotePath=off grep -l -e '-secret' $(git for-each-ref --format='%(refname)') >"$results/leaks" 2>/dev/null
		grep -l -e '[abc]-secret' "$top/out" >>"$results/leaks"
		rm -rf "$top"
	)
}

# since: the ms between the first and the last of several /proc/uptime.
since() { awk '{ now = $1; if (NR == 1) first = $1 } END { if (NR > 1) printf "%d\n", (now - first) * 1000 }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# wants NAME STEPS PATTERN [NOT]: the last plan was done, each step once, its output matches the pattern and
# not NOT, and no key appeared anywhere.
wants() {
	[ "$(cat "$work/code")" = 0 ] && [ "$(grep -c ' done: ' "$work/out")" = "$2" ] && grep -q -- "$3" "$work/out" && ! grep -q -- "${4:-no such words}" "$work/out" && [ "$(cat "$work/secrets")" = "0 " ] && [ ! -s "$work/leaks" ]
	verdict $? "$1 (on $(cat "$work/hosts"), $(cat "$work/took") ms)"
}

# apart LAUNCHER: how many ms three parallel plans take that have a third of the steps each.
apart() {
	for _ in 1 2 3; do
		(
			results=$(mktemp -d "$work/apart.XXXXXX")
			plan "$1" 4 1 2
			cat "$results/took"
		) &
	done | sort -n | tail -n 1
}

# three ENGINE LAUNCHER: twelve independent steps of two seconds, with one job and with three: 2.5 times as
# fast, or, on a busy machine, as fast as three separate plans, but for a tenth.
three() {
	plan "$2" 12 1 2
	wants "$1: twelve steps, one at a time" 12 'worker of launcher there'
	one=$(cat "$work/took")
	soon "$1" "$2"
	for _ in 1 2 3; do
		plan "$2" 12 3 2
		wants "$1: twelve steps, three at a time" 12 'worker of launcher there'
		took=$(cat "$work/took") best=
		[ $((one * 10)) -lt $((took * 25)) ] || break
		best=$(apart "$2")
		[ $((took * 9)) -gt $((best * 10)) ] || break
	done
	[ $((one * 10)) -ge $((took * 25)) ] || [ $((took * 9)) -le $((best * 10)) ]
	verdict $? "$1: three at a time are $(times "$one" "$took") times as fast${best:+, three plans apart from each other $(times "$one" "$best") times}" 0
}
times() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }

# soon ENGINE LAUNCHER: sessions of the last plan began at most 150 ms later than the launcher starts any other
# command, or, on a busy machine, as long as eighty git processes take.
soon() {
	starts=$(median <"$work/starts")
	own=$(for _ in $(seq 7); do { cat /proc/uptime; sh -c "$(echo "$2" | sed 's,[^ ]*git-plan worker,cat /proc/uptime,')" </dev/null; } | since; done | median)
	gits=$(for _ in 1 2 3 4 5; do { cat /proc/uptime; for _ in $(seq 80); do git version >/dev/null; done; cat /proc/uptime; } | since; done | median)
	[ "$starts" -le $((own + (gits > 150 ? gits : 150))) ]
	verdict $? "$1: a session begins $starts ms after its launcher's start, which takes $own ms itself (eighty times git: $gits ms)" 0
}

# suite ENGINE LAUNCHER: the stories of sessions, whose programs are found there by this machine's PATH.
suite() {
	[ "$stories" = - ] && return
	(cd "$source" && ELSEWHERE="$2" "$stories" -test.timeout 20m -test.parallel 6 -test.run '^TestStoriesElsewhere$') >"$work/out" 2>&1
	verdict $? "$1: the stories of sessions" 60
}

# gone NAME PATTERN SECONDS: no such process is left after that many seconds.
gone() {
	for _ in $(seq "$3"); do pgrep -f "$2" >/dev/null || break; sleep 1; done
	! pgrep -fa "$2" >"$work/out"
	verdict $? "$1"
}

there='PATH="$PATH" HOME="$HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME" GIT_CONFIG_NOSYSTEM=1 TZ=UTC LC_ALL=C TMPDIR="$TMPDIR"'

by_ssh() {
	need sshd openssh-server || return
	export DIR=$work/ssh
	"$here/ssh.sh" up 3 >"$work/up" 2>&1
	down="$here/ssh.sh"
	ssh="ip netns exec lab-ctl ssh -F $DIR/config"
	alive="-o ConnectTimeout=3 -o ServerAliveInterval=2 -o ServerAliveCountMax=2"
	cat >"$work/bin/in-turn" <<-T
		#!/bin/sh
		n=\$(flock $work/turn sh -c 'n=\$((\$(cat $work/turn) + 1)); echo \$n | tee $work/turn')
		exec $ssh $alive h\$((n % 3 + 1)) \${*:-$work/bin/git-plan worker}
	T
	chmod +x "$work/bin/in-turn"
	suite ssh "$ssh $alive h\$((\$\$ % 3 + 1)) env $there git-plan worker"
	three ssh "$work/bin/in-turn $work/bin/git-plan worker"
	MEANWHILE="$here/ssh.sh cut h2" plan "$work/bin/in-turn" 3 3 8
	wants "ssh: a cable is cut in the middle, and the step is done elsewhere" 3 'started again, which counts as no attempt'
	"$here/ssh.sh" mend h2
	echo 0 >"$work/turn"
	MEANWHILE="$here/ssh.sh lose h3" plan "$work/bin/in-turn" 3 3 8
	wants "ssh: a host is lost in the middle" 3 'started again, which counts as no attempt'
	gone "ssh: no worker outlives its connection" "^$work/bin/git-plan worker" 3
	plan "$ssh -tt h1 $work/bin/git-plan worker" 1 1 0
	[ "$(cat "$work/code")" != 0 ] && grep -q 'as a terminal does' "$work/out"
	verdict $? "ssh -tt is refused, and named"
	$ssh -fNM -S "$work/master" h1 && plan "$ssh -S $work/master h1 $work/bin/git-plan worker" 3 1 0
	wants "ssh: by a connection that is shared" 3 'worker of launcher there'
	$ssh -S "$work/master" -O exit h1 2>/dev/null
	plan "$ssh -o ControlMaster=auto -o ControlPersist=60 -S $work/auto h1 $work/bin/git-plan worker" 1 1 0
	wants "ssh: a launcher shares its connection with others" 1 'worker of launcher there'
	! $ssh -S "$work/auto" -O check h1 2>"$work/out"
	verdict $? "ssh: the connection that it shared ends with it"
	echo 0 >"$work/turn"
	"$here/ssh.sh" down
	down=
}

by_slurm() {
	need srun "slurmctld slurmd slurm-client munge" || return
	export DIR=$work/slurm SLURM_CONF=$work/slurm/slurm.conf
	"$here/slurm.sh" up >"$work/up" 2>&1
	down="$here/slurm.sh"
	srun="SLURM_CONF=$SLURM_CONF srun --quiet"
	suite srun "$srun git-plan worker"
	three srun "$srun --cpus-per-task=2 $work/bin/git-plan worker"
	MEANWHILE='scancel $(squeue -h -o %A | head -n 1)' plan "$srun $work/bin/git-plan worker" 2 2 6
	wants "srun: a job is cancelled in the middle, and done by another" 2 'started again, which counts as no attempt'
	MEANWHILE="srun -p high -N 3 -c 2 sleep 3" plan "$srun $work/bin/git-plan worker" 2 2 6
	wants "srun: jobs are preempted in the middle, and done by others" 2 'started again, which counts as no attempt'
	salloc --quiet --no-shell -J shared -N 3 -c 2
	shared=$(squeue -h -n shared -o %A)
	MEANWHILE='squeue -h -o %A >$results/jobs' SLURM_JOB_ID=$shared plan "$srun --exact -N 1 -n 1 $work/bin/git-plan worker" 6 3 2
	[ "$(cat "$work/jobs")" = "$shared" ] || echo 'it is no part of the allocation' >>"$work/leaks"
	wants "srun: sessions share an allocation of salloc" 6 'worker of launcher there'
	scancel "$shared"
	srun --quiet -p high -N 3 -c 2 sleep 6 &
	plan "$srun $work/bin/git-plan worker" 2 2 1
	wants "srun: jobs wait in the queue, and are shown as queued" 2 'queued: no worker of launcher there answers yet'
	MEANWHILE="$here/slurm.sh lose \$(squeue -h -o %N)" plan "$srun $work/bin/git-plan worker" 1 1 10
	wants "srun: a node is lost in the middle, and the step is done by another" 1 'started again, which counts as no attempt'
	"$here/slurm.sh" down
	down=
}

by_podman() {
	need podman "podman runc conmon netavark busybox-static uidmap" || return
	# The programs of stories are this machine's, in a container whose files are a layer over its own.
	containers podman --rootfs /:O
}

by_docker() {
	need dockerd "docker.io" || return
	containers docker -v /usr:/usr:ro -v /etc:/etc:ro -v /root:/root bare:latest
}

# containers ENGINE WHERE...: those of podman or docker; WHERE are the options for one that contains this
# machine's programs.
containers() {
	engine=$1
	shift
	need busybox busybox-static || return
	export DIR=$work/$engine
	"$here/$engine.sh" up "$work/bin/git-plan" >"$work/up" 2>&1 || { say FAILED "$engine does not run here"; tail -5 "$work/up"; failed=1; return; }
	down="$here/$engine.sh"
	run="DIR=$DIR $here/$engine.sh"
	suite "$engine" "$run run -i --rm --network=host -v /tmp:/tmp -w /root $(echo "$there" | sed 's/[A-Z_]*=/-e &/g') $* git-plan worker"
	worker="$run run -i --rm --network=none lab:latest git-plan worker"
	three "$engine" "$worker"
	MEANWHILE="$run kill \$($run ps -q | head -n 1)" plan "$worker" 2 2 6
	wants "$engine: a container is killed in the middle" 2 'started again, which counts as no attempt'
	MEANWHILE="$run stop -t 2 \$($run ps -q | head -n 1)" plan "$worker" 2 2 6
	wants "$engine: a container is stopped in the middle" 2 'started again, which counts as no attempt'
	MEANWHILE="$run pause \$($run ps -q | head -n 1)" plan "$worker" 2 2 6
	wants "$engine: a container is paused, and falls silent" 2 'nothing was heard for a minute; it is started again'
	"$here/$engine.sh" run -d --network=none --name lasts lab:latest sleep 1000 >/dev/null
	plan "$run exec -i lasts git-plan worker" 2 2 1
	wants "$engine exec: two steps in one container" 2 'worker of launcher there'
	"$here/$engine.sh" down >/dev/null 2>&1
	down=
}

trap 'for d in $down; do "$d" down >/dev/null 2>&1; done; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/bin"
echo 0 >"$work/turn"
cp "$program" "$work/bin/git-plan"
[ $# -gt 0 ] || set -- ssh slurm podman docker
for engine in "$@"; do "by_$engine"; done
exit $failed
