// Sockets of hosts with tunnels, and tunnels on connections that have ended.
import { rmSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { eventually } from '../../testing/world.js'
import { HostSockets } from './sockets.js'
import { startTunnel } from './tunnel.js'

let sockets: HostSockets | undefined
afterEach(() => sockets?.close())

it('makes its folder again when a cleaner of temporary files removed it', async () => {
  const connected: string[] = []
  sockets = new HostSockets((hostId, socket) => {
    connected.push(hostId)
    socket.destroy()
  })
  const folder = path.dirname(sockets.pathOf('hst_first'))
  rmSync(folder, { recursive: true })
  const client = connect(sockets.pathOf('hst_second'))
  await once(client, 'close')
  await eventually(() => Promise.resolve(connected.includes('hst_second')))
})

it('does not end the process when a socket cannot be made, and tries again', async () => {
  const connected: string[] = []
  sockets = new HostSockets((hostId, socket) => {
    connected.push(hostId)
    socket.destroy()
  })
  // Longer than the address of a socket may be.
  const long = 'x'.repeat(200)
  sockets.pathOf(long)
  await new Promise(setImmediate)
  sockets.pathOf(long)
  const client = connect(sockets.pathOf('hst_first'))
  await once(client, 'close')
  await eventually(() => Promise.resolve(connected.includes('hst_first')))
})

it('starts no tunnel on a connection that has ended', async () => {
  const socket = new TLSSocket(new Socket())
  socket.destroy()
  expect(await startTunnel(socket)).toBeNull()
})
