/** The configuration file of the Debian package, which documents every key. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { settingsOf } from '@phonerack/shared/settings'
import { environment, readConfig, variables } from '../../service/config.js'
import { keyOf, readConfigFile, writeConfigFile } from './config-file.js'

const shipped = path.resolve(import.meta.dirname, '../../../../deploy/etc/agent.yaml')
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-shipped-config-'))
const file = path.join(dir, 'agent.yaml')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const setting = /^#([a-z_]+): /gm

it('documents every key except for the join token, and sets none', () => {
  const text = readFileSync(shipped, 'utf8')
  const documented = [...text.matchAll(setting)].map(([, key]) => key)
  const known = variables.filter((variable) => variable !== 'PHONERACK_JOIN_TOKEN').map(keyOf)
  expect(documented.sort()).toEqual(known.sort())
  expect(readConfigFile(shipped, variables)).toEqual({})
})

it('describes every setting', () => {
  expect(settingsOf(environment.shape).map(({ name }) => name)).toEqual(variables)
})

it('has valid examples, and the defaults of the agent', () => {
  writeFileSync(file, readFileSync(shipped, 'utf8').replaceAll(setting, '$1: '))
  const all = readConfig(readConfigFile(file, variables))
  expect(all).toMatchObject({ hostName: 'rack-1', allowSims: ['R58M1234567'], metrics: { port: 9465 } })
  const least = readConfig({
    PHONERACK_DATA_DIR: all.dataDir,
    PHONERACK_CONTROL_URL: all.controlUrl,
    NATS_URL: all.natsUrl,
    PHONERACK_HOST_NAME: all.hostName,
    PHONERACK_GRPC_LISTEN: all.grpcListen ?? '',
  })
  const { packageCacheBytes, conditionEveryMs, isolated, packageCleanFreesAll } = least
  expect(all).toMatchObject({ packageCacheBytes, conditionEveryMs, isolated, packageCleanFreesAll })
  expect(all.recordings).toMatchObject({ bytes: least.recordings.bytes, minFree: least.recordings.minFree })
})

it('limits the time in which a stopping agent refuses calls of phones that are billed', () => {
  writeFileSync(file, readFileSync(shipped, 'utf8').replaceAll(setting, '$1: '))
  const all = readConfigFile(file, variables)
  expect(readConfig({ ...all, PHONERACK_STOP_WITHIN: '120' }).stopWithinMs).toBe(120_000)
  expect(() => readConfig({ ...all, PHONERACK_STOP_WITHIN: '121' })).toThrow(/PHONERACK_STOP_WITHIN/)
})

it('keeps its explanations when a host joins', () => {
  copyFileSync(shipped, file)
  writeConfigFile(file, { PHONERACK_DATA_DIR: '/var/lib/phonerack-agent', NATS_URL: 'tls://nats' }, variables)
  const text = readFileSync(file, 'utf8')
  for (const line of readFileSync(shipped, 'utf8').split('\n')) expect(text).toContain(line)
  expect(readConfigFile(file, variables)).toEqual({
    PHONERACK_DATA_DIR: '/var/lib/phonerack-agent',
    NATS_URL: 'tls://nats',
  })
})
