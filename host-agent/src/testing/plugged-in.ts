/** For tests: a virtual phone and an adb server connected to it, without an agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import type { Part } from '@phonerack/virtual-phone'
import { startAdbServer } from '../adb/server.js'
import type { Transport } from '../adb/transport.js'
import { startTestPhone, type TestPhone } from './phone.js'
import { until } from './until.js'
import { transportTo } from './transport.js'

export interface PluggedIn {
  phone: TestPhone
  transport: Transport
  /** A client of the adb server. */
  client: AdbClient
  /** Called after the connection was cut and restored. */
  reconnect(): Promise<void>
  stop(): Promise<void>
}

/** `without`: parts that the phone lacks. */
export async function plugIn(without: Iterable<Part> = []): Promise<PluggedIn> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-adb-'))
  const log = createLogger('test')
  log.level = 'silent'
  const phone = await startTestPhone(without)
  const server = await startAdbServer({ bin: 'adb', dataDir, log })
  const connect = async () => {
    const progress = Progress.for(20_000)
    const listed = async () =>
      (await server.client.ask('host:devices', progress)).includes(`${phone.serial}\tdevice`)
    await until(
      async () => {
        if (await listed()) return true
        await server.client.disconnect(phone.serial, progress)
        await server.client.connect(phone.serial, progress)
        return listed()
      },
      20_000,
      'the phone',
    )
  }
  await connect()
  return {
    phone,
    transport: transportTo(server.client, phone.serial),
    client: server.client,
    reconnect: connect,
    async stop() {
      await server.stop()
      await phone.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
