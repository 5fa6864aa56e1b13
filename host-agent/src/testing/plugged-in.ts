/** For tests: a virtual phone and an adb server that sees it, without an agent around them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import { startAdbServer } from '../adb/server.js'
import { createTransport, type Transport } from '../adb/transport.js'
import { startTestPhone, type TestPhone } from './phone.js'
import { freePort, until } from './ports.js'

export interface PluggedIn {
  phone: TestPhone
  transport: Transport
  /** Of the adb server. */
  client: AdbClient
  stop(): Promise<void>
}

export async function plugIn(): Promise<PluggedIn> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-adb-'))
  const log = createLogger('test')
  log.level = 'silent'
  const phone = await startTestPhone()
  const server = await startAdbServer({ port: await freePort(), bin: 'adb', dataDir, log })
  const progress = Progress.for(20_000)
  await server.client.connect(phone.serial, progress)
  await until(
    async () => (await server.client.ask('host:devices', progress)).includes(`${phone.serial}\tdevice`),
    20_000,
    'the phone',
  )
  return {
    phone,
    transport: createTransport(server.client, phone.serial),
    client: server.client,
    async stop() {
      await server.stop()
      await phone.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
