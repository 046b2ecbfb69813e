# Runs a program, sends a signal to the git plan that works there as soon as the file began exists
# in the story's folder, and prints the program's exit code. The program's messages are in the file said.
signal=$1
shift
rm -f "$STORY/began"
"$@" >/dev/null 2>"$STORY/said" &
while [ ! -e "$STORY/began" ] && kill -0 $!; do sleep 0.02; done
kill -s "$signal" "$(sed 's/^{"pid":\([0-9]*\).*/\1/' .git/plan/*/lock.json)"
wait $!
echo "code $?"
