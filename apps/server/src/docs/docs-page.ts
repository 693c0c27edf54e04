import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface DocsPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** One page without anything from elsewhere: it reads /openapi.json and lets a person try every request. */
export function readDocsPage(folder: URL): DocsPage {
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
  const [script, style] = [read('docs.js'), read('docs.css')]
  const html = read('docs.html')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script type="module"></script>', () => `<script type="module">${script}</script>`)
  const allow = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = `default-src 'none'; connect-src 'self'; script-src ${allow(script)}; style-src ${allow(style)}; base-uri 'none'; frame-ancestors 'none'`
  return {
    html,
    headers: {
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  }
}
