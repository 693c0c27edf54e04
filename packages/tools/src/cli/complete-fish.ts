import type { Candidate, CompletionWords, Place } from './completion-words.ts'

/** One function prints all candidates as lines. As arguments of `complete -a` they would be executed as fish code. */
export function printFishCompletions(program: string, { places, singles, takers }: CompletionWords): string {
  const name = `__${program}_complete`
  return `# fish completion for ${program}: ${program} completions fish | source
function ${name}
  set -l current (commandline -ct)
  set -l tokens (commandline -opc)
  set -l previous $tokens[-1]
  set -l prefix ''
  if string match -qr -- '^--[^=]*=' $current
    set previous (string replace -r -- '=.*' '' $current)
    set prefix $previous=
    set current (string replace -r -- '^[^=]*=' '' $current)
  end
  set -l words
  set -l isValue 0
  for token in $tokens[2..-1]
    if test $isValue = 1
      set isValue 0
    else if contains -- "$token" ${takers.join(' ')}
      set isValue 1
    else if not string match -q -- '-*' $token
      set -a words $token
    end
    contains -- "$words" ${singles.map(fishQuote).join(' ')}; and break
    test (count $words) -ge 2; and test "$words[1]" != help; and break
    test (count $words) -ge 3; and break
  end
  switch "$words"
${places.map(printPlace).join('\n')}
  end
end
complete -c ${program} -f -a '(${name})'
`
}

function printPlace({ path, candidates, flags, values }: Place): string {
  return `    case ${fishQuote(path)}
      switch "$previous"
${values.map(({ flag, isFile, choices }) => `        case ${fishQuote(flag)}\n          ${isFile ? String.raw`printf '%s\n' $prefix(__fish_complete_path $current)` : printChoices(choices)}\n          return`).join('\n')}
      end
      if string match -q -- '-*' $current
        ${printLines(flags)}
      else
        ${printLines(candidates)}
      end`
}

function printChoices(choices: readonly string[]): string {
  return choices.length === 0
    ? 'true'
    : String.raw`printf '%s\n' ${choices.map((choice) => `$prefix${fishQuote(choice)}`).join(' ')}`
}

/** A word, a tab and its description. */
function printLines(candidates: readonly Candidate[]): string {
  const lines = candidates.map(({ word, about }) => fishQuote(about === '' ? word : `${word}\t${about}`))
  return lines.length === 0 ? 'true' : String.raw`printf '%s\n' ${lines.join(' ')}`
}

/** Between single quotes fish only treats the quote and the backslash specially. */
function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`
}
