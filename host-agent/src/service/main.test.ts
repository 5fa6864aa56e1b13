/** The agent's process: its configuration, and faults that prevent its start. Needs a build. */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@phonerack/launcher/ports'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeConfigFile } from '../base/cli/config-file.js'
import { variables } from './config.js'
import type { Identity } from './identity.js'
import { makeIdentity } from '../testing/agent.js'
import { makeAgentFolder, running, type AgentFolder } from '../testing/agent-process.js'
import { createTestCa, type TestCa } from '../testing/pki.js'

let ca: TestCa
let identity: Identity
let folder: AgentFolder

beforeAll(async () => {
  ca = await createTestCa()
  identity = await makeIdentity(ca)
})
beforeEach(async () => {
  folder = await makeAgentFolder(ca, identity, '')
})
afterEach(() => folder.remove())

const toSettings = (environment: NodeJS.ProcessEnv): Record<string, string | null> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? null]))

describe('agent process', () => {
  it('names missing or invalid variables, and exits with 1', async () => {
    const unconfigured = folder.startMain({ PHONERACK_GRPC_LISTEN: 'nonsense', NATS_URL: '' })
    expect((await unconfigured.ended).code).toBe(1)
    expect(unconfigured.logged()).toMatch(/PHONERACK_GRPC_LISTEN.*NATS_URL/)
    const wrongJar = folder.startMain({ PHONERACK_SCRCPY_SERVER: process.execPath })
    expect((await wrongJar.ended).code).toBe(1)
    expect(wrongJar.logged()).toMatch(/is not scrcpy-server 3\.3\.3/)
    rmSync(join(folder.dataDir, 'identity.json'))
    const tokenless = folder.startMain()
    expect((await tokenless.ended).code).toBe(1)
    expect(tokenless.logged()).toMatch(/PHONERACK_JOIN_TOKEN/)
  })

  it('runs from its configuration file without the scrcpy server, and reports what phones lack', async () => {
    const file = join(folder.dataDir, 'agent.yaml')
    const { PATH, ...settings } = folder.env
    const given = { ...toSettings(settings), PHONERACK_SCRCPY_SERVER: null }
    writeConfigFile(file, { ...given, PHONERACK_GRPC_LISTEN: 'nonsense' }, variables)
    const invalid = folder.startProgram(['dist/cli.js', 'run', '--config', file], { PATH })
    expect((await invalid.ended).code).toBe(2)
    expect(invalid.logged()).toMatch(/grpc_listen in .*agent\.yaml: must be host:port/)
    const listen = { PHONERACK_GRPC_LISTEN: folder.env['PHONERACK_GRPC_LISTEN'] }
    const started = folder.startProgram(['dist/cli.js', '--config', file], { PATH, ...listen })
    await running(started)
    expect(started.logged()).toMatch(/no scrcpy server: .*set PHONERACK_SCRCPY_SERVER/)
  })

  it('exits with 1 when its port is in use, and leaves no adb server', async () => {
    const port = Number(folder.env['PHONERACK_GRPC_LISTEN']?.split(':')[1])
    const stranger = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => stranger.once('listening', resolve))
    const started = folder.startMain()
    expect((await started.ended).code).toBe(1)
    expect(folder.adbServers()).toEqual([])
    stranger.close()
  })

  it('does not share its folder with another agent', async () => {
    const first = folder.startMain()
    await running(first)
    const second = folder.startMain({ PHONERACK_GRPC_LISTEN: `127.0.0.1:${await freePort()}` })
    expect((await second.ended).code).toBe(1)
    expect(second.logged()).toMatch(/another agent/)
    expect(first.child.exitCode).toBeNull()
  })
})
