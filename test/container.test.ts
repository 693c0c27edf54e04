import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assembleImage, type Image } from './container/assemble-image.ts'
import { contextFiles, createIgnore } from './container/build-context.ts'
import { readComposeFile } from './container/compose-file.ts'
import { parseDockerfile } from './container/dockerfile.ts'
import { runImage, type Running } from './container/run-image.ts'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const BUILD_MS = 180_000
const RUN_MS = 120_000
const TOOL = 'pml.std.filesystem.read_file'

describe('the Dockerfile', () => {
  const stages = parseDockerfile(read('Dockerfile'))

  it('uses the pnpm that npm start uses', () => {
    const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string }
    const used = stages.flatMap(({ instructions }) =>
      instructions.flatMap(({ rest }) => rest.match(/pnpm@\S+/g) ?? []),
    )
    expect(new Set(used)).toEqual(new Set([packageManager]))
  })

  it('uses images of one Node, pinned to a minor version, and ends on a slim one', () => {
    const names = new Set(stages.map(({ name }) => name))
    const images = stages.map(({ base }) => base).filter((base) => !names.has(base))
    for (const image of images) expect(image).toMatch(/^node:20\.\d+-bookworm(-slim)?$/)
    expect(new Set(images.map((image) => image.replace('-slim', ''))).size).toBe(1)
    expect(images.at(-1)).toMatch(/-slim$/)
  })
})

describe('.dockerignore', () => {
  it.each([
    '.env',
    '.git/config',
    'data/admin-key',
    'dump.sql',
    'node_modules/.pnpm/x',
    'apps/server/dist/main.js',
    'packages/core/node_modules/zod/package.json',
    'packages/core/src/pin.test.ts',
    'apps/server/test/start-postgres.ts',
    'config/.env.local',
  ])('keeps %s out', (path) => expect(createIgnore(read('.dockerignore'))(path)).toBe(true))

  it('includes everything that the build reads', () => {
    const files = contextFiles(repository)
    for (const path of [
      'pnpm-lock.yaml',
      'apps/server/src/main.ts',
      '.pnpmfile.cjs',
      'apps/server/src/docs/reference/index.html',
      'packages/core/tsconfig.json',
    ])
      expect(files).toContain(path)
  })
})

describe('the image', () => {
  let scratch: string
  let image: Image
  let systemCommands: readonly string[]
  let server: Running | undefined

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'pml-image-'))
    ;({ image, systemCommands } = assembleImage(repository, scratch))
  }, BUILD_MS)

  afterAll(async () => {
    await server?.stop('SIGTERM')
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }, RUN_MS)

  it('runs as a user that owns only the data folder', () => {
    expect(systemCommands).toEqual(['install -d -o node -g node -m 0700 /data'])
    expect(image.user).toBe('node')
    expect(image.volumes).toEqual([image.env['PML_DATA_DIR']])
    expect(image.ports).toEqual([image.env['PORT']])
  })

  it('contains no compilers and test tools', () => {
    const packages = readdirSync(join(image.root, 'app/node_modules/.pnpm'))
    expect(
      packages.filter((name) =>
        /^(@?typescript|vitest|@?deno|tsx|oxlint|fast-check|@redocly|@scalar)\b/.test(name),
      ),
    ).toEqual([])
  })

  it(
    'starts on an empty data folder, is healthy, serves and stops when asked',
    async () => {
      const data = join(scratch, 'data')
      server = await runImage(image, { data, env: { PORT: '0' } })
      expect(server.lines.join('\n')).toContain('admin key created')
      expect(server.exec(image.healthcheck, { PORT: server.port })).toBe(0)
      expect(server.exec(image.healthcheck, { PORT: '1' })).toBe(1)
      await expectToServe(server)

      const replica = await startAsReplica(image, data)
      await expectToServe(replica)
      expect(await answerToBalancer(replica)).toMatch(/^HTTP\/1\.1 200 /)
      expect(await replica.stop(image.stopSignal)).toBe(0)

      expect(await server.stop(image.stopSignal)).toBe(0)
      await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed')
    },
    RUN_MS,
  )

  it(
    'keeps its key and its database after a restart',
    async () => {
      server = await runImage(image, { data: join(scratch, 'data'), env: { PORT: '0' } })
      expect(server.lines.join('\n')).not.toContain('admin key created')
      await expectToServe(server)
      expect(await server.stop(image.stopSignal)).toBe(0)
    },
    RUN_MS,
  )

  /** Runs with compose's environment for a replica; only the database address differs. */
  async function startAsReplica(image: Image, data: string): Promise<Running> {
    const password = readFileSync(join(data, 'postgres-password'), 'utf8')
    const [, , , port] = readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')
    const compose = readComposeFile(join(repository, 'docker-compose.yml'), { POSTGRES_PASSWORD: password })
    const { environment = {}, healthcheck } = compose.services['server-a'] ?? {}
    const database = new URL(environment['DATABASE_URL'] ?? '')
    database.host = `127.0.0.1:${port}`
    database.pathname = '/postgres'
    const env = { ...environment, DATABASE_URL: database.href, PORT: '0' }
    // Servers of one compose file share the volume, and with it the key that signs the log.
    const replica = await runImage(image, { data, env })
    const [how, ...check] = healthcheck?.test ?? []
    expect(how).toBe('CMD')
    const here = check.map((word) => word.replace(`:${image.env['PORT']}/`, `:${replica.port}/`))
    expect(here).not.toEqual(check)
    expect(replica.exec(here)).toBe(0)
    expect(replica.exec(check.map((word) => word.replace(`:${image.env['PORT']}/`, ':1/')))).toBe(1)
    return replica
  }

  /** The balancer's own check, byte for byte: it removes servers with other responses. */
  async function answerToBalancer({ port }: Running): Promise<string> {
    const check = /http-check send meth (\S+) uri (\S+) ver (\S+)(.*)/.exec(read('deploy/haproxy.cfg')) ?? []
    const [, method, path, version, rest = ''] = check
    const headers = [...rest.matchAll(/ hdr (\S+) (\S+)/g)].map(([, key, value]) => `${key}: ${value}\r\n`)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${method} ${path} ${version}\r\n${headers.join('')}\r\n`)
    return readText(socket)
  }

  async function expectToServe({ url }: Running): Promise<void> {
    const entry = await fetch(`${url}/mcp/${TOOL}`)
    expect(entry.status).toBe(200)
    expect(await entry.text()).toBe(read('packages/std/src/filesystem/read_file.ts'))
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const page = await (await fetch(`${url}/docs`)).text()
    const [, script = ''] = /src="([^"]+)"/.exec(page) ?? []
    expect((await fetch(`${url}${script}`)).status).toBe(200)
  }
})
