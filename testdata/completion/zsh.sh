# zsh.sh LINE: zsh's line after TAB, typed at a terminal. Zsh is configured
# to list nothing and to take the first match.
zmodload zsh/zpty
folder=$(mktemp -d)
git plan completion zsh >$folder/_git-plan
zpty terminal zsh -f -i
zpty -w terminal "PS1=; fpath=($folder \$fpath); autoload -U compinit; compinit -D -u; zstyle ':completion:*' verbose yes"
zpty -w terminal 'setopt menu_complete; told() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N told; bindkey "^X" told; bindkey "^I" complete-word; print READ""Y'
zpty -r terminal out '*READY*'
zpty -w -n terminal "$1"$'\t\x18'
zpty -r terminal out '*<*>*'
zpty -d terminal
rm -r $folder
print -r -- ${${out##*<}%%>*}
