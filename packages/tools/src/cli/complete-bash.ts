import type { CompletionWords, Place } from './completion-words.ts'
import { posixQuote } from './posix-quote.ts'

/**
 * Candidates are compared in a loop and never given to `compgen -W`, which would execute code in them. Bash splits words at
 * `=`, so a flag with `=value` comes as three words.
 */
export function printBashCompletions(program: string, { places, singles, takers }: CompletionWords): string {
  const name = `_${program}`
  return `# bash completion for ${program}: eval "$(${program} completions bash)"
${name}_words() {
  local word
  for word in "$@"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$(printf '%q' "$word")")
  done
}

${name}_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
}

${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous='' path='' word index
  ((COMP_CWORD > 0)) && previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case $word in
      ${takers.join(' | ')}) ((index++)); [[ \${COMP_WORDS[index]} == '=' ]] && ((index++)) ;;
      -* | '=') ;;
      *) path="\${path:+$path }$word" ;;
    esac
    case $path in
      ${[...singles.map(posixQuote), "'help '*' '*"].join(' | ')}) break ;;
      'help '*) ;;
      *' '*) break ;;
    esac
  done
  case $path in
${places.map((place) => printPlace(name, place)).join('\n')}
  esac
}
complete -F ${name} ${program}
`
}

function printPlace(name: string, { path, candidates, flags, values }: Place): string {
  const words = candidates.map(({ word }) => posixQuote(word)).join(' ')
  return `    ${posixQuote(path)})
      case $previous in
${values.map(({ flag, isFile, choices }) => `        ${flag}) ${isFile ? `${name}_files` : printWords(name, choices)}; return ;;`).join('\n')}
      esac
      if [[ $current == -* ]]; then ${printWords(
        name,
        flags.map(({ word }) => word),
      )}
      else ${words === '' ? ':' : `${name}_words ${words}`}
      fi ;;`
}

function printWords(name: string, words: readonly string[]): string {
  return words.length === 0 ? ':' : `${name}_words ${words.map(posixQuote).join(' ')}`
}
