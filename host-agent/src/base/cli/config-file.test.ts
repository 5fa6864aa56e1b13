import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { variables } from '../../service/config.js'
import { keyOf, readConfigFile, writeConfigFile } from './config-file.js'
import { nearest } from './nearest.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-config-'))
const file = path.join(dir, 'etc', 'agent.yaml')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const read = (text: string) => {
  const made = path.join(dir, 'given.yaml')
  writeFileSync(made, text)
  return readConfigFile(made, variables)
}

describe('the configuration file', () => {
  it('has the settings of the environment, as texts, numbers, switches and lists', () => {
    expect(
      read(`# a comment
nats_url: nats://192.0.2.9:4222
isolated: true
condition_seconds: 60
adb_connect: [192.0.2.20:5555, "192.0.2.21:5555"]
scrcpy_server: null
`),
    ).toEqual({
      NATS_URL: 'nats://192.0.2.9:4222',
      PHONERACK_ISOLATED: 'true',
      PHONERACK_CONDITION_SECONDS: '60',
      PHONERACK_ADB_CONNECT: '192.0.2.20:5555,192.0.2.21:5555',
    })
    expect(read('')).toEqual({})
  })

  it.each([
    ['nats_ulr: x', /`nats_ulr` is not a setting; did you mean `nats_url`\?/],
    ['PHONERACK_GRPC_LISTEN: x', /`PHONERACK_GRPC_LISTEN` is not a setting; did you mean `grpc_listen`\?/],
    ['grpc-listen: x', /did you mean `grpc_listen`\?/],
    ['zzzzzzzzzzzzzz: x', /`zzzzzzzzzzzzzz` is not a setting$/],
    ['__proto__: {a: 1}', /`__proto__` is not a setting/],
    ['join_token: prj_x', /does not belong in the configuration/],
    ['host_name: {a: b}', /`host_name` must be a text/],
    ['- a', /must contain keys with values/],
    ['a: [', /is not valid YAML/],
    ['nats_url: a\nnats_url: b', /is not valid YAML/],
  ])('refuses %j', (text, why) => {
    expect(() => read(text)).toThrow(why)
  })

  it('is written for all users to read, and keeps comments and other keys', () => {
    writeConfigFile(file, { NATS_URL: 'nats://a:1', PHONERACK_CA_FILE: null }, variables)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    writeFileSync(file, `${readFileSync(file, 'utf8')}# phones of the lab\nallow_sims: [A, B]\n`)
    writeConfigFile(file, { NATS_URL: null, PHONERACK_HOST_NAME: 'rack: "1" # no comment' }, variables)
    expect(readFileSync(file, 'utf8')).toContain('# phones of the lab')
    expect(readConfigFile(file, variables)).toEqual({
      PHONERACK_ALLOW_SIMS: 'A,B',
      PHONERACK_HOST_NAME: 'rack: "1" # no comment',
    })
  })

  it('reads back every text that it writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        writeConfigFile(file, { PHONERACK_HOST_NAME: text }, variables)
        expect(readConfigFile(file, variables)['PHONERACK_HOST_NAME']).toBe(text)
      }),
      { numRuns: 20 },
    )
  })

  it('names a file that is missing', () => {
    expect(() => readConfigFile('/does/not/exist.yaml', variables)).toThrow(
      /exist\.yaml cannot be read \(ENOENT\)/,
    )
  })
})

it('finds each known key after one wrong letter', () => {
  const keys = variables.map(keyOf)
  for (const key of keys) expect(keys).toContain(nearest(`${key.slice(0, -1)}#`, keys))
  expect(nearest('nats_urls', keys)).toBe('nats_url')
})
