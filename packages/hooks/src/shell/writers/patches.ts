import { hole } from '../words/holes.ts'
import { below } from '../words/paths.ts'
import type { Shell, Stream } from '../words/shell.ts'

interface Patch {
  readonly patch: Stream
  /** Files on the command line override those in the patch. */
  readonly files: readonly string[]
  /** The number of leading folders to strip; 1 for `a/src/x.ts`. */
  readonly strip: number
  readonly folder: string | undefined
}

/** The files in a unified diff or a `*** Begin Patch`. */
export function readPatch(shell: Shell, { patch, files, strip, folder = '' }: Patch): void {
  const why = 'a patch changes it'
  if (files.length > 0) {
    for (const file of files) shell.write(below(folder, file), { kind: 'unknown', why })
    return
  }
  if (!patch || !('text' in patch)) {
    shell.write(below(folder, hole('the files of a patch')), { kind: 'unknown', why })
    return
  }
  for (const line of patch.text.split('\n')) {
    const [, mark = '', name = ''] =
      /^(\s*\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ |--- |rename to )(.+)$/.exec(line) ??
      []
    const file = mark.includes('*') || mark.startsWith('rename') ? name.trim() : stripped(name, strip)
    if (!file || file === '/dev/null') continue
    if (mark.includes('*** Delete')) shell.write(below(folder, file), { kind: 'deleted' })
    else shell.write(below(folder, file), { kind: 'unknown', why })
  }
}

/** Without `-p`, patch uses the last component only; for a file in the current folder both are the same. */
function stripped(name: string, strip: number): string {
  const [path = ''] = name.split('\t')
  if (path === '/dev/null') return path
  return /^[ab]\//.test(path) && strip <= 1 ? path.slice(2) : path.split('/').slice(strip).join('/')
}
