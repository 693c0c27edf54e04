import { forEachChild, parse } from 'unbash'
import type { HereDoc, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash'
import { expandBraces } from './brace-expansion.ts'
import { hole, isKnown } from './holes.ts'
import { expandParameter } from './parameters.ts'
import { NOTHING, TERMINAL, TooMuch } from './shell.ts'
import type { Shell, Stream } from './shell.ts'

/** Longer than the command line limit of any system. */
const LONGEST_WORD = 1 << 20
/** The parser searches the end of every brace again. */
const MOST_BRACES = 500

/** Expands a word to none, one or several words, with holes for unknown parts. */
export function expandWord(shell: Shell, word: Word): readonly string[] {
  if (word.text.split('{', MOST_BRACES + 1).length > MOST_BRACES) return [hole(word.text)]
  if (!word.parts?.some((part) => part.type === 'BraceExpansion')) return fields(shell, word)
  const sources = expandBraces(word.text)
  if (!sources) throw new TooMuch()
  shell.spend(sources.length)
  if (sources.length === 1) return fields(shell, word)
  return sources.flatMap((source) => {
    const command = parse(`: ${source}`).commands[0]?.command
    const first = command?.type === 'Command' ? command.args[0] : undefined
    return first?.type === 'Word' ? fields(shell, first) : [hole(source)]
  })
}

/** For the value of a variable or the target of `<<<`: one text, without splitting and globbing. */
export function expandText(shell: Shell, word: Word): string {
  if (!word.parts) return word.text.startsWith('~') ? tilde(shell, word.value) : word.value
  const text = word.parts.map((part, index) => single(shell, part, index === 0)).join('')
  return bounded(text)
}

export function expandHereDoc(shell: Shell, { delimiter, operator, body }: HereDoc): string {
  const text = delimiter?.quoted ? body.text : hereDocText(shell, body)
  return operator === '<<-' ? text.replaceAll(/^\t+/gm, '') : text
}

/** Reads the commands in words that are not expanded: `[[ -n $(…) ]]`, `$(( $(…) ))`. */
export function readSubstitutions(shell: Shell, node: SyntaxNode): void {
  forEachChild(node, (child) => {
    if (child.type === 'Statement' || child.type === 'CompoundList') return
    if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution') single(shell, child, false)
    else if (child.type === 'ArithmeticCommandExpansion') runSubstitution(shell, child.script)
    else readSubstitutions(shell, child)
  })
}

function hereDocText(shell: Shell, body: HereDoc['body']): string {
  if (!body.parts)
    return body.text.replaceAll(/\\([\\$`\n])/g, (_, char: string) => (char === '\n' ? '' : char))
  return bounded(body.parts.map((part) => single(shell, part, false)).join(''))
}

function fields(shell: Shell, word: Word): readonly string[] {
  if (!word.parts) return [expandText(shell, word)]
  const done: string[] = []
  let current = ''
  let started = false
  for (const [index, part] of word.parts.entries()) {
    const pieces = partFields(shell, part, index === 0)
    if (pieces.length > 0) started = true
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        done.push(current)
        current = ''
      }
      current = bounded(current + piece)
    }
  }
  return started ? [...done, current] : done
}

function partFields(shell: Shell, part: WordPart, isFirst: boolean): readonly string[] {
  if (part.type === 'DoubleQuoted' && part.text === '"$@"') return shell.scope.args ?? [hole('$@')]
  const text = single(shell, part, isFirst)
  const splits =
    part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion' || part.type === 'CommandExpansion'
  return splits ? split(shell, text, part.text) : [text]
}

/** An unquoted expansion is split into words and globbed. */
function split(shell: Shell, text: string, source: string): readonly string[] {
  if (!isKnown(text)) return [text]
  if (shell.scope.variables.has('IFS')) return [hole(source)]
  const words = text.split(/[ \t\n]+/)
  const inner = words.filter((word) => word !== '')
  if (inner.length === 0) return words.length > 1 ? ['', ''] : []
  const open = [...(words[0] === '' ? [''] : []), ...inner, ...(words.at(-1) === '' ? [''] : [])]
  const kept = open.length === inner.length ? open : inner
  return kept.map((word) => (/[*?[]/.test(word) ? hole(word) : word))
}

function single(shell: Shell, part: WordPart, isFirst: boolean): string {
  switch (part.type) {
    case 'Literal':
      return isFirst && part.text.startsWith('~') ? tilde(shell, part.value) : part.value
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((child) => single(shell, child, false)).join('')
    case 'SimpleExpansion':
      return variable(shell, part.text.slice(1)) ?? hole(part.text)
    case 'ParameterExpansion':
      return expandParameter(part, {
        value: variable(shell, part.parameter),
        text: (word) => expandText(shell, word),
      })
    case 'CommandExpansion': {
      const stream = runSubstitution(shell, part.script)
      return stream && 'text' in stream && isKnown(stream.text)
        ? stream.text.replace(/\n+$/, '')
        : hole(part.text)
    }
    case 'ProcessSubstitution':
      return shell.pipe(
        shell.inSubshell(() =>
          part.script ? shell.runScript(part.script, part.operator === '<' ? TERMINAL : undefined) : NOTHING,
        ),
      )
    case 'BraceExpansion':
      readSubstitutions(shell, part)
      return part.parts ? hole(part.text) : part.text
    default:
      readSubstitutions(shell, part)
      return hole(part.text)
  }
}

function runSubstitution(shell: Shell, script: ParsedScript | undefined): Stream {
  return script && shell.inSubshell(() => shell.runScript(script, TERMINAL))
}

function variable({ scope }: Shell, name: string): string | undefined {
  if (name === 'PWD') return scope.folders.length === 1 ? scope.folders[0] : undefined
  if (name === 'OLDPWD') return scope.former
  if (/^[1-9]\d*$/.test(name)) return scope.args && (scope.args[Number(name) - 1] ?? '')
  if (name === '@' || name === '*') return scope.args?.join(' ')
  if (name === '#') return scope.args && String(scope.args.length)
  return scope.variables.get(name)
}

function tilde(shell: Shell, value: string): string {
  const [user = ''] = value.split('/', 1)
  const name = { '~': 'HOME', '~+': 'PWD', '~-': 'OLDPWD' }[user]
  const folder = name && variable(shell, name)
  return folder === undefined || folder === ''
    ? hole(user) + value.slice(user.length)
    : folder + value.slice(user.length)
}

function bounded(text: string): string {
  if (text.length > LONGEST_WORD) throw new TooMuch()
  return text
}
