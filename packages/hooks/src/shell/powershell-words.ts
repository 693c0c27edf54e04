import { hole } from './words/holes.ts'

export interface PowerShellCommand {
  readonly words: readonly string[]
  readonly redirects: readonly { readonly target: string; readonly appends: boolean }[]
  readonly source: string
}

/** Here-strings, both kinds of quotes, comments, command separators, redirections, and words. */
const TOKEN =
  /@'\r?\n([^]*?)\r?\n'@|@"\r?\n([^]*?)\r?\n"@|'((?:[^']|'')*)'|"((?:[^"`]|`[^]|"")*)"|(#[^\n]*)|([;|&\n{}()]+)|([\d*]?>{1,2})(?!&)|[\d*]?>&\d|([^\s'";|&{}()>#]+)|(\s)/g

/** Splits a command line into commands. Variables become holes. */
export function splitPowerShell(source: string): readonly PowerShellCommand[] {
  const commands: PowerShellCommand[] = []
  let words: string[] = []
  let redirects: { target: string; appends: boolean }[] = []
  let redirect: string | undefined
  let glued = false
  let start = 0
  const finish = (end: number) => {
    if (words.length > 0 || redirects.length > 0)
      commands.push({ words, redirects, source: source.slice(start, end) })
    words = []
    redirects = []
    redirect = undefined
    start = end
  }
  const add = (word: string) => {
    if (redirect !== undefined) {
      redirects.push({ target: word, appends: redirect.endsWith('>>') })
      redirect = undefined
    } else if (glued && words.length > 0) words.push((words.pop() ?? '') + word)
    else words.push(word)
    glued = true
  }
  for (const match of source.matchAll(TOKEN)) {
    const [text, rawHere, here, single, double, comment, separator, arrow, bare] = match
    if (separator !== undefined) {
      // A method call keeps its parentheses: [IO.File]::WriteAllText('a', 'b')
      if (!/^[()]+$/.test(separator)) finish(match.index)
      glued = false
    } else if (arrow !== undefined) {
      redirect = arrow
      glued = false
    } else if (rawHere !== undefined || single !== undefined)
      add(rawHere ?? (single ?? '').replaceAll("''", "'"))
    else if (here !== undefined || double !== undefined) add(expanded(here ?? double ?? ''))
    else if (bare !== undefined) add(/[$`@]/.test(bare) ? hole(bare) : bare.replace(/,$/, ''))
    else if (comment === undefined || text === ' ') glued = false
  }
  finish(source.length)
  return commands
}

const ESCAPES: Readonly<{ [char: string]: string }> = { n: '\n', t: '\t', r: '\r', '0': '' }

function expanded(text: string): string {
  if (/(?<!`)\$[\w{(:]/.test(text)) return hole(text)
  return text.replaceAll(/`([^])|""/g, (_match, char?: string) =>
    char === undefined ? '"' : (ESCAPES[char] ?? char),
  )
}
