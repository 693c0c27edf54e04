import type { Redirect, Redirection } from 'unbash'
import type { ShellContent } from './facts.ts'
import { hole, isKnown } from './holes.ts'
import { isNoFile, wholePath } from './paths.ts'
import type { Shell, Stream } from './shell.ts'
import { NOTHING } from './shell.ts'
import { expandHereDoc, expandText, expandWord } from './words.ts'

/** What a command gets on its standard input. */
export function withInput(shell: Shell, redirects: readonly Redirection[], stdin: Stream): Stream {
  let input = stdin
  for (const redirect of redirects) {
    const fd = redirect.descriptor
    const isInput = !fd || (fd.type === 'FileDescriptor' && fd.value === 0)
    if (redirect.type === 'HereDoc') {
      const text = expandHereDoc(shell, redirect)
      if (isInput) input = known(text)
    } else if (redirect.type === 'HereString') {
      const text = redirect.target ? expandText(shell, redirect.target) : ''
      if (isInput) input = known(`${text}\n`)
    } else if (redirect.operator === '<' && redirect.target) {
      const [word = ''] = expandWord(shell, redirect.target)
      if (isInput) input = readFrom(shell, word)
    } else if (redirect.operator === '<&') input = undefined
  }
  return input
}

/** Records what is written and answers what is left for the next in the pipeline. */
export function readRedirects(shell: Shell, redirects: readonly Redirection[], output: Stream): Stream {
  let left = output
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || !redirect.target || !opensForWriting(redirect)) continue
    const { operator, descriptor } = redirect
    const isOutput =
      operator !== '<>' && (!descriptor || (descriptor.type === 'FileDescriptor' && descriptor.value === 1))
    const content = contentOf(isOutput ? output : undefined, operator.endsWith('>>'))
    for (const word of expandWord(shell, redirect.target)) {
      if (operator === '>&' && /^(?:\d+-?|-)$/.test(word)) continue
      // zsh: `>! file` is `>| file`, and bash would write a file of that name.
      shell.write(word === '!' ? hole('>!') : word, content)
      if (isOutput && isOnward(word)) continue
      if (isOutput) left = NOTHING
    }
  }
  return left
}

/** What a file holds that was written before in the same command line, or where it is to be read. */
export function readFrom(shell: Shell, word: string): Stream {
  if (!isKnown(word)) return undefined
  const path = wholePath(shell.scope.folders[0], word)
  if (path === '/dev/null') return NOTHING
  if (path === undefined || shell.scope.folders.length > 1) return undefined
  return shell.files.has(path) ? shell.files.get(path) : { from: path }
}

export function contentOf(stream: Stream, appends: boolean): ShellContent {
  if (!stream || ('from' in stream && isNoFile(stream.from)))
    return { kind: 'unknown', why: 'what the command prints is only known when it has run' }
  if ('text' in stream) return { kind: appends ? 'append' : 'text', text: stream.text }
  if (appends) return { kind: 'unknown', why: `the content of ${stream.from} goes behind what is there` }
  return { kind: 'copy', from: stream.from }
}

function known(text: string): Stream {
  return isKnown(text) ? { text } : undefined
}

function opensForWriting({ operator }: Redirect): boolean {
  return operator !== '<' && operator !== '<&'
}

function isOnward(word: string): boolean {
  return word === '/dev/stdout' || word === '/dev/fd/1'
}
