import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '@pml/server/config'
import { MODULE_LIMIT_BYTES } from '@pml/server/catalog/parse-publication'
import { describe, expect, it } from 'vitest'
import { parseEnvExample, readComposeFile, variablesIn, type Mount } from './container/compose-file.ts'
import { pairsIn, parseDockerfile } from './container/dockerfile.ts'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path: string) => readFileSync(join(repository, path), 'utf8')

const example = parseEnvExample(read('.env.example'))
const compose = readComposeFile(join(repository, 'docker-compose.yml'), { POSTGRES_PASSWORD: 'secret' })
const services = Object.entries(compose.services)
const imageEnv = Object.assign(
  {},
  ...(parseDockerfile(read('Dockerfile')).at(-1)?.instructions ?? [])
    .filter(({ name }) => name === 'ENV')
    .map(({ rest }) => pairsIn(rest)),
) as Readonly<Record<string, string>>

/** The variables of the server: the keys of the schema in its source. */
const settings = [...read('apps/server/src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
  ([, name = '']) => name,
)

describe('.env.example', () => {
  const named = [...Object.keys(example.set), ...Object.keys(example.shown)]

  it('names exactly the variables of the server and of compose', () => {
    expect(settings).toContain('PML_TRUST_PROXY')
    const expected = new Set([...settings, ...variablesIn(read('docker-compose.yml'))])
    expect(named.toSorted()).toEqual([...expected].sort())
  })

  it('has one comment line for each of them', () => {
    const lines = read('.env.example').split('\n')
    const mute = named.filter((name) => {
      const at = lines.findIndex((line) => line.startsWith(`${name}=`) || line.startsWith(`#${name}=`))
      return !/^# \S/.test(lines[at - 1] ?? '')
    })
    expect(mute).toEqual([])
  })

  it('is accepted by the server unchanged, and shows the defaults', () => {
    const defaults = parseConfig({})
    expect(defaults).toHaveProperty('config')
    expect(parseConfig(example.set)).toEqual(defaults)
    expect(parseConfig({ ...example.set, ...example.shown })).toEqual(defaults)
  })

  it('shows the defaults of compose', () => {
    const shown = readComposeFile(join(repository, 'docker-compose.yml'), {
      ...example.shown,
      POSTGRES_PASSWORD: 'secret',
    })
    const placesOf = ({ services }: typeof compose) =>
      Object.values(services).map(({ ports, volumes }) => ({ ports, volumes }))
    expect(placesOf(shown)).toEqual(placesOf(compose))
  })

  it('leaves the password empty, and compose refuses to start without it', () => {
    expect(example.set).toEqual({ POSTGRES_PASSWORD: '' })
    expect(() => readComposeFile(join(repository, 'docker-compose.yml'), example.set)).toThrow(
      'POSTGRES_PASSWORD: set it in .env',
    )
  })
})

describe('docker-compose.yml', () => {
  it('names only existing files and declared volumes', () => {
    const tracked = spawnSync('git', ['ls-files'], { cwd: repository, encoding: 'utf8' }).stdout.split('\n')
    const isTracked = (path: string) => tracked.some((file) => file === path || file.startsWith(`${path}/`))
    const builds = services.flatMap(([, { build }]) => (build === undefined ? [] : [`${build}/Dockerfile`]))
    const binds = mounts().map(({ source }) => source)
    expect(builds.length).toBe(3)
    expect([...builds, ...binds].map(normalize).filter((path) => !isTracked(path))).toEqual([])
    const volumes = services.flatMap(([, { volumes }]) =>
      volumes.flatMap((volume) => (typeof volume === 'string' ? [volume.split(':')[0]] : [])),
    )
    expect([...new Set(volumes)].sort()).toEqual(Object.keys(compose.volumes).sort())
  })

  it('mounts files where the program looks for them, and read-only', () => {
    for (const mount of mounts()) expect(mount).toMatchObject({ type: 'bind', read_only: true })
    expect(new Set(mounts().map(({ target }) => target))).toEqual(
      new Set([imageEnv['PML_CONFIG_DIR'], '/usr/local/etc/haproxy/haproxy.cfg']),
    )
    for (const name of ['server', 'server-a', 'server-b'])
      expect(compose.services[name]?.volumes).toContain(`data:${imageEnv['PML_DATA_DIR']}`)
  })

  it('starts Postgres and one server, or with profile scale two behind a balancer', () => {
    const started = (profile?: string) =>
      services
        .filter(([, { profiles }]) => profiles?.includes(profile ?? '') ?? profile === undefined)
        .map(([name]) => name)
    expect(started()).toEqual(['postgres', 'server'])
    expect(started('scale')).toEqual(['server-a', 'server-b', 'balancer'])
  })

  it('publishes each port once, on this machine only', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports)
    expect(ports).toEqual([`127.0.0.1:3000:${imageEnv['PORT']}`, '127.0.0.1:8080:8080'])
  })

  it('waits until its dependencies are healthy', () => {
    for (const [name, { depends_on = {} }] of services) {
      expect(Object.keys(depends_on).length).toBe({ postgres: 0, balancer: 2 }[name] ?? 1)
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        expect(condition).toBe('service_healthy')
        expect(compose.services[needed]?.healthcheck.test[0]).toBe('CMD')
      }
    }
  })

  it('pins every image that it does not build', () => {
    const images = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image)
    for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+(-[a-z]+)?$/)
  })

  it('passes only known and valid settings to a server, and can set every setting', () => {
    const fixed = ['DATABASE_URL', 'HOST', 'PML_DATA_DIR']
    for (const name of ['server', 'server-a', 'server-b']) {
      const { environment = {} } = compose.services[name] ?? {}
      const unknown = Object.keys(environment).filter((key) => !settings.includes(key))
      expect(unknown).toEqual(['PGPASSWORD'])
      expect(parseConfig({ ...imageEnv, ...environment })).toMatchObject({
        config: { port: 3000, host: '0.0.0.0', trustProxy: name !== 'server' },
      })
    }
    const reachable = [...variablesIn(read('docker-compose.yml')), ...fixed]
    expect(settings.filter((name) => !reachable.includes(name))).toEqual([])
  })

  it('connects servers to the database that it starts', () => {
    const { environment = {} } = compose.services['server'] ?? {}
    const database = compose.services['postgres']?.environment ?? {}
    const { hostname, username, pathname } = new URL(environment['DATABASE_URL'] ?? '')
    expect(hostname).toBe('postgres')
    expect([username, pathname, environment['PGPASSWORD']]).toEqual([
      database['POSTGRES_USER'],
      `/${database['POSTGRES_DB']}`,
      database['POSTGRES_PASSWORD'],
    ])
    const check = compose.services['postgres']?.healthcheck.test ?? []
    expect(check).toContain(`--username=${username}`)
  })

  function mounts(): Mount[] {
    return services.flatMap(([, { volumes }]) => volumes.filter((volume) => typeof volume !== 'string'))
  }
})

describe('deploy/haproxy.cfg', () => {
  const lines = read('deploy/haproxy.cfg').split('\n')
  const wordsAfter = (start: string) =>
    lines.flatMap((line) => (line.trim().startsWith(`${start} `) ? [line.trim().split(/\s+/).slice(1)] : []))

  it('sends requests to the two replicas, where they listen', () => {
    const replicas = services.filter(([, { build, profiles }]) => build && profiles?.includes('scale'))
    expect(wordsAfter('server')).toEqual(replicas.map(([name]) => [name, `${name}:${imageEnv['PORT']}`]))
    expect(Object.keys(compose.services['balancer']?.depends_on ?? {})).toEqual(
      replicas.map(([name]) => name),
    )
  })

  it('listens on the port that compose publishes and checks', () => {
    const { ports = [], healthcheck } = compose.services['balancer'] ?? {}
    const port = ports[0]?.split(':').at(-1)
    expect(wordsAfter('bind')).toEqual([[`:${port}`]])
    expect(healthcheck?.test.at(-1)).toBe(`http://127.0.0.1:${port}/healthz`)
  })

  it('uses only sections that exist', () => {
    const sections = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(' '))
    expect(sections.map(([kind]) => kind)).toEqual(['global', 'defaults', 'resolvers', 'frontend', 'backend'])
    expect(wordsAfter('default_backend')).toEqual([[sections.at(-1)?.[1]]])
  })

  it('takes bodies a little larger than a server does', () => {
    const [, limit] = /req\.hdr_val\(content-length\) gt (\d+)/.exec(lines.join('\n')) ?? []
    expect(Number(limit)).toBeGreaterThan(MODULE_LIMIT_BYTES)
    expect(Number(limit)).toBeLessThan(MODULE_LIMIT_BYTES * 1.25)
  })
})

describe('docs/self-hosting.md', () => {
  const text = read('docs/self-hosting.md')

  it('has a row with the default for every variable', () => {
    for (const [name, value] of Object.entries({ ...example.set, ...example.shown }))
      expect(text).toContain(`| \`${name}\` | ${value === '' ? '' : `\`${value}\` `}|`)
  })

  it('names services and files that exist', () => {
    const named = [...text.matchAll(/docker compose (?:exec(?: -T)?|stop|start) ([a-z-]+)/g)].map(
      ([, name = '']) => name,
    )
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter((name) => !compose.services[name])).toEqual([])
    const paths = [...text.matchAll(/\b(?:scripts|deploy|config)\/[\w./-]*\w/g)].map(([path]) => path)
    expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([])
  })
})
