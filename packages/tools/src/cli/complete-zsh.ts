import type { Candidate, CompletionWords, Place } from './completion-words.ts'
import { posixQuote } from './posix-quote.ts'

/** `_describe` shows descriptions; `compadd` quotes what it inserts. Neither expands its arguments. */
export function printZshCompletions(program: string, { places, singles, takers }: CompletionWords): string {
  const name = `_${program}`
  return `#compdef ${program}
# zsh completion for ${program}: source <(${program} completions zsh), after compinit
${name}() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT-1]} place='' word
  local -i index
  local -a known
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    compset -P '*='
    current=\${current#*=}
  fi
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case $word in
      ${takers.join(' | ')}) ((index++)) ;;
      -*) ;;
      *) place="\${place:+$place }$word" ;;
    esac
    case $place in
      ${[...singles.map(posixQuote), "'help '*' '*"].join(' | ')}) break ;;
      'help '*) ;;
      *' '*) break ;;
    esac
  done
  case $place in
${places.map(printPlace).join('\n')}
  esac
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`
}

function printPlace({ path, candidates, flags, values }: Place): string {
  return `    ${posixQuote(path)})
      case $previous in
${values.map(({ flag, isFile, choices }) => `        ${flag}) ${isFile ? '_files' : printChoices(choices)}; return ;;`).join('\n')}
      esac
      if [[ $current == -* ]]; then
        known=(${flags.map(printCandidate).join(' ')})
      else
        known=(${candidates.map(printCandidate).join(' ')})
      fi
      (( $#known )) && _describe '' known ;;`
}

function printChoices(choices: readonly string[]): string {
  return choices.length === 0 ? ':' : `compadd -- ${choices.map(posixQuote).join(' ')}`
}

/** The first unescaped colon ends the word. */
function printCandidate({ word, about }: Candidate): string {
  return posixQuote(
    about === '' ? word : `${word}:${about.replaceAll('\\', '\\\\').replaceAll(':', String.raw`\:`)}`,
  )
}
