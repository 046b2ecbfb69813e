# git plan, for `git plan` and `git-plan`.

function __git_plan_words --description 'what stands behind git plan, before the cursor'
    set -l words (commandline -opc)
    if string match -q -r '(^|/)git-plan$' -- $words[1]
        set -e words[1]
        set -q words[1]; and printf '%s\n' $words
        return 0
    end
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case -C -c --git-dir --work-tree --namespace
                set -e words[1]
            case '-*'
            case plan
                set -e words[1]
                set -q words[1]; and printf '%s\n' $words
                return 0
            case '*'
                return 1
        end
        set -e words[1]
    end
    return 1
end

function __git_plan_complete
    set -l words (__git_plan_words)
    command git plan complete fish -- $words (commandline -ct) 2>/dev/null
end

complete -c git-plan -f -a '(__git_plan_complete)'
complete -c git -n '__git_plan_words >/dev/null' -f -a '(__git_plan_complete)'
