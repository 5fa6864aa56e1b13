/** For tests: a virtual phone and an adb server connected to it, without an agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import { command } from '../adb/quote.js'
import type { Form, Part } from '@phonerack/virtual-phone'
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

/** `without`: parts that the phone lacks. `form`: the maker whose forms of outputs the phone prints. */
export async function plugIn(without: Iterable<Part> = [], form: Form | null = null): Promise<PluggedIn> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-adb-'))
  const log = createLogger('test')
  log.level = 'silent'
  const phone = await startTestPhone(without, false, form)
  const server = await startAdbServer({ bin: 'adb', dataDir, log })
  const transport = transportTo(server.client, phone.serial)
  const answers = () =>
    transport.shell(command('true'), Progress.for(5000)).then(
      () => true,
      () => false,
    )
  const connect = async () => {
    const progress = Progress.for(20_000)
    const listed = async () =>
      (await server.client.ask('host:devices', progress)).includes(`${phone.serial}\tdevice`)
    await until(
      async () => {
        // adb may list a new connection, and report it as offline for a moment after that.
        if (await listed()) return answers()
        await server.client.disconnect(phone.serial, progress)
        await server.client.connect(phone.serial, progress)
        return (await listed()) && answers()
      },
      20_000,
      'the phone',
    )
  }
  await connect()
  return {
    phone,
    transport,
    client: server.client,
    reconnect: connect,
    async stop() {
      await server.stop()
      await phone.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
