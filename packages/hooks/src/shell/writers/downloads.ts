import { hole, isKnown } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import { below, lastName } from '../words/paths.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'

/** Programs that fetch something into a file. */
export const DOWNLOADERS: Readonly<Record<string, Program>> = {
  curl,
  wget,
  aria2c: (shell, { args }) => {
    const { find, words } = readOptions(args, { values: 'odijxsk', longValues: ['out', 'dir', 'input-file'] })
    const names = [find('o', 'out') ?? words.map(nameOfUrl)].flat()
    for (const name of names) fetched(shell, below(find('d', 'dir') ?? '', name))
    return undefined
  },
}

const CURL = {
  values: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
  longValues: [
    'output',
    'output-dir',
    'hsts',
    'alt-svc',
    'dump-header',
    'cookie-jar',
    'trace',
    'trace-ascii',
    'stderr',
    'libcurl',
    'etag-save',
    'data',
    'data-raw',
    'data-binary',
    'data-urlencode',
    'json',
    'form',
    'header',
    'user',
    'user-agent',
    'request',
    'url',
    'max-time',
    'connect-timeout',
    'retry',
    'retry-delay',
    'write-out',
    'cookie',
    'proxy',
    'cacert',
    'cert',
    'key',
    'config',
    'referer',
    'upload-file',
    'resolve',
    'range',
    'limit-rate',
    'max-redirs',
    'interface',
    'unix-socket',
    'retry-max-time',
    'form-string',
    'oauth2-bearer',
    'aws-sigv4',
    'variable',
    'max-filesize',
  ],
}
const CURL_FILES = [
  'D',
  'dump-header',
  'c',
  'cookie-jar',
  'trace',
  'trace-ascii',
  'stderr',
  'libcurl',
  'etag-save',
]

function curl(shell: Shell, { args }: Call): Stream {
  const { all, find, words } = readOptions(args, CURL)
  const folder = find('output-dir') ?? ''
  for (const file of all('o', 'output')) if (file !== '-') fetched(shell, below(folder, file))
  const urls = [...words, ...all('url')]
  if (find('T', 'upload-file') !== undefined)
    shell.act(
      'curl',
      urls.filter((url) => /^file:/i.test(url)).map((url) => url.replace(/^file:\/\/[^/]*/i, '')),
    )
  for (const file of all('hsts', 'alt-svc')) fetched(shell, file)
  const remote = find('O', 'remote-name', 'remote-name-all') !== undefined
  if (remote && find('J', 'remote-header-name') !== undefined)
    fetched(shell, below(folder, hole('the name the server gives')))
  else if (remote) for (const url of urls) fetched(shell, below(folder, nameOfUrl(url)))
  for (const file of CURL_FILES.flatMap((name) => all(name)))
    if (file !== '-' && file !== '%') fetched(shell, file)
  if (find('K', 'config') !== undefined && find('K', 'config') !== '/dev/null') {
    shell.unknown('curl takes options, with file names among them, from a file')
  }
  return undefined
}

function wget(shell: Shell, { args }: Call): Stream {
  const { find, words } = readOptions(args, {
    values: 'OPoaitTUwQBeDAR',
    longValues: [
      'output-document',
      'directory-prefix',
      'output-file',
      'append-output',
      'input-file',
      'tries',
      'timeout',
      'user-agent',
      'header',
      'post-data',
      'method',
      'body-data',
      'user',
      'password',
      'wait',
      'execute',
    ],
  })
  const log = find('o', 'output-file', 'a', 'append-output')
  if (log !== undefined) fetched(shell, log)
  const document = find('O', 'output-document')
  const folder = find('P', 'directory-prefix') ?? ''
  if (find('spider') !== undefined || document === '-') return undefined
  if (document !== undefined) fetched(shell, document)
  else if (find('r', 'm', 'recursive', 'mirror', 'i', 'input-file') !== undefined)
    fetched(shell, below(folder, hole('…')))
  else for (const url of words) fetched(shell, below(folder, nameOfUrl(url) || 'index.html'))
  return undefined
}

function nameOfUrl(url: string): string {
  if (!isKnown(url)) return hole(url)
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
  return path.endsWith('/') ? '' : lastName(path)
}

function fetched(shell: Shell, path: string): void {
  if (path === '' || path.endsWith('/')) return
  shell.write(path, { kind: 'unknown', why: 'it is fetched from elsewhere' })
}
