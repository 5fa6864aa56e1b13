/**
 * For tests: an agent with certificates, a separate adb server and a client with the
 * control plane's identity.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@phonerack/shared'
import { startAgent, type Agent } from '../service/agent.js'
import type { AgentTimes } from '../base/times.js'
import type { Config } from '../service/config.js'
import { controlPlaneIdentity } from '../service/grpc/call.js'
import type { Identity } from '../service/identity.js'
import { createClient, type TestClient } from './client.js'
import { jarPath } from './jar.js'
import { createTestCa, type TestCa } from './pki.js'
import { freePort } from '@phonerack/launcher/ports'

export const hostId = 'hst_abcdefghijkl'
export const serverName = `${hostId}.host.phonerack.internal`

export interface TestHost {
  agent: Agent
  ca: TestCa
  config: Config
  identity: Identity
  control: TestClient
  /** Stops everything and removes the folder. */
  stop(): Promise<void>
}

export async function makeIdentity(ca: TestCa): Promise<Identity> {
  const leaf = await ca.issue({ dns: serverName, uri: `spiffe://phonerack/host/${hostId}` }, 'server')
  return {
    hostId,
    ...leaf,
    caPem: ca.caPem,
    controlPlaneUri: controlPlaneIdentity,
    natsJwt: 'none',
    natsSeed: 'none',
    joinId: null,
    natsCaPem: null,
  }
}

export async function makeConfig(dataDir: string, connect: readonly string[]): Promise<Config> {
  return {
    dataDir,
    controlUrl: 'http://127.0.0.1:9',
    caFile: null,
    joinToken: null,
    hostName: 'test',
    country: 'US',
    grpcListen: '127.0.0.1:0',
    grpcAddress: null,
    metrics: { host: '127.0.0.1', port: 0 },
    adbBin: 'adb',
    adbConnect: connect,
    scrcpyServer: await jarPath(),
    isolated: false,
    withMotion: true,
    shellKinds: ['virtual'],
    packageCleanFreesAll: false,
    allowSims: [],
    conditionEveryMs: 300_000,
    minFreeBytes: 1_000_000,
    packageCacheBytes: 1_000_000_000,
    recordings: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', bytes: 1_000_000_000, minFree: 0 },
    stopWithinMs: 30_000,
    // No broker listens on this port, because the agent must work without one.
    natsUrl: `127.0.0.1:${await freePort()}`,
  }
}

export async function startTestHost(
  connect: readonly string[] = [],
  allowSims: readonly string[] = [],
  times: AgentTimes = {},
  adbBin = 'adb',
  withMotion = true,
): Promise<TestHost> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-agent-'))
  const ca = await createTestCa()
  const identity = await makeIdentity(ca)
  const config = { ...(await makeConfig(dataDir, connect)), allowSims, adbBin, withMotion }
  const log = createLogger('test')
  log.level = process.env['LOG_LEVEL'] ?? 'silent'
  const agent = await startAgent(config, identity, log, times)
  const control = createClient(
    `127.0.0.1:${agent.grpcPort}`,
    ca.caPem,
    await ca.issue({ uri: controlPlaneIdentity }, 'client'),
    serverName,
  )
  const host: TestHost = {
    agent,
    ca,
    config,
    identity,
    control,
    async stop() {
      control.close()
      // A test may have restarted the agent.
      await host.agent.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return host
}
