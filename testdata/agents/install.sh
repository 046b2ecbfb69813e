#!/bin/sh
# install.sh [-n] [NAME...]: installs the coding-agent command lines from npm (NAME-acp is NAME, which is
# spoken to by the Agent Client Protocol), each in a folder of its own under $AGENTS (default ~/.cache/git-plan/agents), and only what
# is missing there (-n: nothing). Prints name, version and program of each.
#
# AGENTS_LATEST=1 installs the newest versions instead, in separate folders: that
# shows drift, and a failure is then news, not a broken build.
set -eu
cd "$(dirname "$0")"
AGENTS=${AGENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/git-plan/agents}
mkdir -p "$AGENTS/home"

# npm gets nothing of the person's environment except proxy settings. Install
# scripts must run: claude and opencode use them to put their programs in place.
clean() {
	env -i PATH="$PATH" HOME="$AGENTS/home" LC_ALL=C \
		${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"} \
		${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} ${https_proxy:+https_proxy="$https_proxy"} \
		${npm_config_registry:+npm_config_registry="$npm_config_registry"} \
		npm_config_update_notifier=false "$@" </dev/null
}

install=yes
if [ "${1:-}" = -n ]; then
	install=no
	shift
fi
failed=0
while read -r name package version; do
	case " $* " in
	"  " | *" $name "* | *" $name-acp "*) ;;
	*) continue ;;
	esac
	[ -z "${AGENTS_LATEST:-}" ] || version=latest
	dir=$AGENTS/$name-$version
	[ "$version-$install" != latest-yes ] || rm -f "$dir/installed"
	program=$dir/node_modules/.bin/$name
	if [ ! -e "$dir/installed" ]; then
		[ $install = yes ] || continue
		rm -rf "$dir"
		mkdir -p "$dir"
		clean npm install --prefix "$dir" --no-audit --no-fund "$package@$version" >"$dir/npm.log" 2>&1 &&
			clean "$program" --version >"$dir/installed" 2>"$dir/version.log" &&
			{ [ -s "$dir/installed" ] || sed -n 's/^  "version": "\(.*\)",$/\1/p' "$dir/node_modules/$package/package.json" >"$dir/installed"; } ||
			{ rm -f "$dir/installed"; echo "$name $version cannot be installed: see $dir/npm.log" >&2; failed=1; continue; }
	fi
	printf '%s\t%s\t%s\n' "$name" "$(grep -m 1 '[0-9]\.[0-9]' "$dir/installed")" "$program"
done <versions
exit $failed
