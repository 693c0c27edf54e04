import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

interface DocsFile {
  readonly bytes: Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** The API reference at /docs and the files that it loads. */
export interface DocsPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  /** Finds a file by its name, compressed if the browser accepts gzip. */
  findFile(name: string, acceptEncoding: string | undefined): Promise<DocsFile | undefined>
}

/**
 * Restricts the page to its own server. Inline styles are allowed, because Scalar writes styles from script; inline
 * scripts are not.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** Reads the page from the folder that scripts/bundle-reference.mjs writes. */
export function readDocsPage(folder: URL): DocsPage {
  const files = new Set(readdirSync(folder))
  return {
    html: readFileSync(new URL('index.html', folder), 'utf8'),
    headers: pageHeaders,
    findFile: async (name, acceptEncoding = '') => {
      const type = typeOf(name)
      if (type === undefined || !files.has(name)) return undefined
      const isCompressed = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(acceptEncoding)
      const headers = {
        'Content-Type': type,
        // The name changes with the content.
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
        Vary: 'Accept-Encoding',
        ...(isCompressed && { 'Content-Encoding': 'gzip' }),
      }
      return { bytes: await readFile(new URL(isCompressed ? `${name}.gz` : name, folder)), headers }
    },
  }
}

function typeOf(name: string): string | undefined {
  if (name.endsWith('.js')) return 'text/javascript; charset=utf-8'
  return name.endsWith('.css') ? 'text/css; charset=utf-8' : undefined
}
