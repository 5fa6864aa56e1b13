/**
 * For tests: a transport to a phone by its serial, which looks up the connection at
 * each call, as the registry does at each list.
 */
import type { Progress } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import { SerialTarget } from '../adb/target.js'
import { createTransport, type Transport } from '../adb/transport.js'

export function transportTo(
  client: AdbClient,
  serial: string,
  onOutcome?: (outcome: 'answered' | 'hung') => void,
): Transport {
  const target = new SerialTarget(serial)
  const inner = createTransport(client, target, onOutcome)
  const led = async (progress: Progress): Promise<Transport> => {
    const found = (await client.devices(progress)).find((device) => device.serial === serial)
    target.set(found?.state === 'device' ? found.transport : null)
    return inner
  }
  const transport: Transport = {
    serial,
    pinned: () => transport,
    shell: async (command, progress) => (await led(progress)).shell(command, progress),
    feed: async (command, input, progress) => (await led(progress)).feed(command, input, progress),
    exec: async (command, progress) => (await led(progress)).exec(command, progress),
    spawn: async (command, progress) => (await led(progress)).spawn(command, progress),
    push: async (path, content, mode, progress) => (await led(progress)).push(path, content, mode, progress),
    stat: async (path, progress) => (await led(progress)).stat(path, progress),
    lstat: async (path, progress) => (await led(progress)).lstat(path, progress),
    list: async (path, progress, visit) => (await led(progress)).list(path, progress, visit),
    pull: async (path, limit, progress) => (await led(progress)).pull(path, limit, progress),
    connectAbstract: async (name, progress) => (await led(progress)).connectAbstract(name, progress),
    connectTcp: async (port, progress) => (await led(progress)).connectTcp(port, progress),
    reboot: async (progress) => (await led(progress)).reboot(progress),
    reconnect: async (progress) => (await led(progress)).reconnect(progress),
  }
  return transport
}
