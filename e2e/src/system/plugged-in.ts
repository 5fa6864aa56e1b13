/** A phone that is connected to the host and not enrolled. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { startPhone } from '@phonerack/virtual-phone'
import { freePort, type System } from './system.js'

export interface PluggedIn {
  /** The phone's adb serial. */
  serial: string
  close(): Promise<unknown>
}

export async function plugIn(system: System): Promise<PluggedIn> {
  const dataDir = path.join(system.dir, 'plugged-in')
  const phone = await startPhone({ port: await freePort(), dataDir, pace: 'instant' })
  const serial = `127.0.0.1:${phone.port}`
  // The agent's own adb server lists the phone, as it lists a phone on a cable.
  const socket = `localfilesystem:${path.join(system.dir, 'host-agent/adb/server.sock')}`
  await promisify(execFile)('adb', ['-L', socket, 'connect', serial], { timeout: 150_000 })
  return { serial, close: () => phone.close() }
}
