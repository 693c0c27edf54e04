import type { Redirect, Redirection } from 'unbash'
import type { ShellContent } from './facts.ts'
import { hole, isKnown } from './holes.ts'
import { isNoFile, wholePath } from './paths.ts'
import type { Shell, Stream } from './shell.ts'
import { NOTHING } from './shell.ts'
import { expandHereDoc, expandText, expandWord } from './words.ts'

/** The stdin of a command. */
export function withInput(shell: Shell, redirects: readonly Redirection[], stdin: Stream): Stream {
  let input = stdin
  for (const redirect of redirects) {
    const { descriptor: fd } = redirect
    const read = inputOf(shell, redirect, input)
    if (!read) continue
    if (!fd || (fd.type === 'FileDescriptor' && fd.value === 0)) input = read.stream
    else if (fd.type === 'FileDescriptor') shell.scope.descriptors.set(fd.value, read.stream)
  }
  return input
}

/** The content it reads; undefined if it does not open a file for reading. */
function inputOf(
  shell: Shell,
  redirect: Redirection,
  input: Stream,
): { readonly stream: Stream } | undefined {
  if (redirect.type === 'HereDoc') return { stream: known(expandHereDoc(shell, redirect)) }
  if (redirect.type === 'HereString')
    return { stream: known(`${redirect.target ? expandText(shell, redirect.target) : ''}\n`) }
  if (redirect.operator === '<' && redirect.target) {
    const [word = ''] = expandWord(shell, redirect.target)
    return { stream: readFrom(shell, word) }
  }
  if (redirect.operator !== '<&') return undefined
  const from = redirect.target?.value ?? ''
  return { stream: from === '0' ? input : shell.scope.descriptors.get(Number.parseInt(from, 10)) }
}

/** Records the written content and returns what is left for the next command in the pipeline. */
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
      // In zsh `>! file` means `>| file`; bash would write a file with that name.
      shell.write(word === '!' ? hole('>!') : word, content)
      if (isOutput && isOnward(word)) continue
      if (isOutput) left = NOTHING
    }
  }
  return left
}

/** The content of a file that the same command line wrote earlier, or the file to read. */
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
