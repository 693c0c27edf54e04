import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Ops } from './ops.ts'
import { familyMark, followProcesses } from './owned-process.ts'

/**
 * Reads which process groups begin and end. If the input ends without `bye`, the writer was killed: all processes of those
 * groups are stopped and killed, and on Linux everything with the mark too. Runs without a parent process, so that it is
 * not killed together with the process that it watches.
 */
const script = `
(
  trap '' HUP INT TERM
  mark=$1 groups=' '
  while read -r word group; do
    case $word in
      begin) groups="$groups$group " ;;
      end) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
      bye) exit 0 ;;
    esac
  done

  # One line for each process: its number, state, parent, group and session.
  rows() {
    if [ -r /proc/self/stat ]; then
      for folder in /proc/[0-9]*; do
        # The name of the program, in parentheses, may hold anything, even line ends.
        line=
        while read -r part; do line=$part; done < "$folder/stat"
        set -- \${line##*) }
        [ $# -gt 3 ] && echo "\${folder#/proc/} $1 $2 $3 $4"
      done
    else
      ps -A -o pid=,stat=,ppid=,pgid= | while read -r pid state parent group; do
        echo "$pid $state $parent $group 0"
      done
    fi
  }

  # Not every grep reads on after the zero byte that ends a variable.
  marked() {
    [ -r /proc/self/environ ] || return
    if grep -q LANG= /proc/self/environ && grep -q PATH= /proc/self/environ; then
      grep -ls "$mark" /proc/[0-9]*/environ
      return
    fi
    for file in /proc/[0-9]*/environ; do
      tr '\\0' '\\n' < "$file" | grep -q "$mark" && echo "$file"
    done
  }

  add() {
    case $found in *" $1 "*) return ;; esac
    found="$found$1 "
    isMore=yes
  }

  # Adds to what was found; false when there was nothing more.
  look() {
    isMore=
    for file in $(marked); do
      file=\${file%/environ}
      origins="$origins\${file#/proc/} "
    done
    set -- $(rows)
    while [ $# -gt 4 ]; do
      case $2 in
        Z* | X*) ;;
        *) for origin in $1 $3 $4 $5; do
          case $groups$origins$found in *" $origin "*) add $1 ;; esac
        done ;;
      esac
      shift 5
    done
    [ -n "$isMore" ]
  }

  for round in 1 2 3 4 5 6 7 8 9 10; do
    found=' ' origins=' '
    while look; do kill -s STOP $found; done
    [ "$found" = ' ' ] && exit 0
    kill -s KILL $found
    # Their numbers may soon be those of others.
    groups=' '
    sleep 0.1 || sleep 1
  done
) <&3 3<&- &
`

let isWatched = false

/** From now on no process started here outlives this one, even if it is killed. */
export function watchParent({ platform, atExit }: Pick<Ops, 'platform' | 'atExit'>): void {
  if (isWatched || platform === 'win32') return
  isWatched = true
  const watch = spawn('/bin/sh', ['-c', script, 'pml-watch', familyMark()], {
    cwd: '/',
    env: { LANG: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' },
    detached: true,
    // Not stdin: Node closes stdin when the shell exits, and the watcher runs on without it.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  // Without a shell there is no watcher; everything else works.
  watch.on('error', () => {}).unref()
  const words = watch.stdio[3] as Socket
  words.on('error', () => {}).unref()
  followProcesses({
    begin: (group) => words.write(`begin ${group}\n`),
    end: (group) => words.write(`end ${group}\n`),
  })
  atExit(() => words.write('bye\n'))
}
