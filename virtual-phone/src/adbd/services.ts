/** Finds the handler of a stream that the host opens. Source of the names: AOSP `services.cpp` and `SERVICES.TXT`. */
import type { Android } from '../android/android.js'
import { BrokenPipe, type ByteSink, type ByteSource, type Duplex } from '../android/streams.js'
import { ConnectionRefused } from '../android/sockets.js'
import type { Connection, ServiceHandler } from './connection.js'
import { framebufferService } from './framebuffer.js'
import { type ReverseListeners, reverseService } from './reverse-service.js'
import { decode } from '../shell/bytes.js'
import { parseShellService, shellService } from './shell-service.js'
import { syncService } from './sync-service.js'

/** Null refuses the stream, as adbd does for an unknown service. */
export async function openService(
  name: string,
  android: Android,
  reverse: ReverseListeners,
  connection: Connection,
): Promise<ServiceHandler | null> {
  const shell = parseShellService(name)
  if (shell !== null) return (stream) => shellService(stream, shell, android)
  if (name === 'sync:') return (stream) => syncOn(stream, android)
  if (name === 'framebuffer:') return (stream) => framebufferService(stream, android.world)
  if (name.startsWith('reverse:')) {
    return (stream) => reverseService(stream, name.slice('reverse:'.length), reverse)
  }
  if (name.startsWith('reboot:'))
    return (stream) => rebootService(stream, name.slice('reboot:'.length), android)
  if (name === 'root:')
    return (stream) => stream.write(Buffer.from('adbd cannot run as root in production builds\n'))
  if (name === 'unroot:') return (stream) => stream.write(Buffer.from('adbd not running as root\n'))
  if (/^(remount|disable-verity|enable-verity):/.test(name)) {
    // adbd would start a program with that name, which a user build does not contain.
    const command = `/system/bin/${name.replace(':', ' ')}`
    return (stream) => shellService(stream, { command, packets: false, pty: false, term: 'dumb' }, android)
  }
  if (/^(tcpip|usb):/.test(name))
    return (stream) => stream.write(Buffer.from('error: this phone is virtual and cannot change its port\n'))
  if (name === 'reconnect') return (stream) => reconnectService(stream, connection)
  if (/^(localabstract|local|localfilesystem|localreserved|tcp):/.test(name))
    return connectInside(name, android)
  return null
}

/** A push ends when the host disconnects or the phone restarts. */
async function syncOn(stream: Duplex, android: Android): Promise<void> {
  const ended = new AbortController()
  void stream.closed.then(() => ended.abort())
  await syncService(stream, android.fs.until(ended.signal), (path) =>
    android.counters.countIn('pushes', decode(path)),
  )
}

/** `adb reconnect device` gets the answer before the phone disconnects. */
async function reconnectService(stream: Duplex, connection: Connection): Promise<void> {
  await stream.write(Buffer.from('done'))
  connection.endSoon()
}

async function rebootService(stream: Duplex, target: string, android: Android): Promise<void> {
  if (target !== '' && target !== 'userspace') {
    return stream.write(Buffer.from(`reboot: this phone is virtual and has no ${target}\n`))
  }
  android.restart(false)
  await stream.closed
}

/** Connects to a socket of the phone, never to a socket of the machine. */
async function connectInside(name: string, android: Android): Promise<ServiceHandler | null> {
  const address = name.replace(/^local:/, 'localabstract:')
  try {
    const inside = await android.sockets.connect(address)
    return (stream) => join(stream, inside)
  } catch (error) {
    if (error instanceof ConnectionRefused) return null
    throw error
  }
}

/**
 * Copies bytes in both directions. When one side ends, the other side receives the buffered data and then
 * ends too.
 */
async function join(a: Duplex, b: Duplex): Promise<void> {
  await Promise.all([move(a, b, b), move(b, a, a)])
}

async function move(from: ByteSource, to: ByteSink, end: Duplex): Promise<void> {
  try {
    for (let chunk = await from.read(); chunk !== null; chunk = await from.read()) await to.write(chunk)
  } catch (error) {
    if (!(error instanceof BrokenPipe)) throw error
  } finally {
    end.close()
  }
}
