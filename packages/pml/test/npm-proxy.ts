import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startPeer, type Peer } from './peer.ts'

export interface NpmProxy extends Peer {
  /** Changes one byte of this package's tarballs from now on. */
  tamperWith(name: string): void
  /** Adds a package that the upstream registry does not have. */
  offer(name: string, made: MadePackage): void
}

export interface MadePackage {
  readonly version: string
  readonly integrity: string
  readonly tarball: Uint8Array
}

interface Packument {
  readonly versions: Record<string, { dist: { tarball: string } }>
}

let behindIt: Promise<string> | undefined

async function configuredRegistry(): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'])
  return stdout.trim().replace(/\/*$/, '/')
}

/** An npm registry on this machine that serves the configured registry with changes. */
export async function startNpmProxy(): Promise<NpmProxy> {
  behindIt ??= configuredRegistry()
  const behind = await behindIt
  const tampered = new Set<string>()
  const offered = new Map<string, MadePackage>()
  const tarballs = new Map<string, { name: string; url: string }>()

  const packumentOf = async (name: string): Promise<unknown> => {
    const made = offered.get(name)
    const { version = '', integrity = '' } = made ?? {}
    if (made !== undefined)
      return {
        name,
        versions: {
          [version]: { name, version, dist: { integrity, tarball: `${peer.url}/made/${name}.tgz` } },
        },
      }
    const answer = await fetch(`${behind}${name.replace('/', '%2f')}`)
    if (!answer.ok) return undefined
    const packument = (await answer.json()) as Packument
    for (const { dist } of Object.values(packument.versions)) {
      const path = `/tarball/${tarballs.size}.tgz`
      tarballs.set(path, { name, url: dist.tarball })
      dist.tarball = `${peer.url}${path}`
    }
    return packument
  }

  const tarballAt = async (path: string): Promise<Uint8Array | undefined> => {
    const made = /^\/made\/(.*)\.tgz$/.exec(path)?.[1]
    if (made !== undefined) return offered.get(made)?.tarball
    const known = tarballs.get(path)
    if (known === undefined) return undefined
    const bytes = new Uint8Array(await (await fetch(known.url)).arrayBuffer())
    const middle = bytes.length >> 1
    if (tampered.has(known.name)) bytes[middle] = (bytes[middle] ?? 0) ^ 1
    return bytes
  }

  const peer = await startPeer((response, { path = '' }) => {
    const reply = async () => {
      const tarball = await tarballAt(path)
      if (tarball !== undefined) return response.end(tarball)
      const packument = await packumentOf(decodeURIComponent(path.slice(1)))
      if (packument === undefined) return response.writeHead(404).end('{}')
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument))
    }
    reply().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  return {
    ...peer,
    tamperWith: (name) => void tampered.add(name),
    offer: (name, made) => void offered.set(name, made),
  }
}
