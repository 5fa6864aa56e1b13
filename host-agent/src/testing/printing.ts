/**
 * A transport to a phone that prints given texts, for outputs of makers that no virtual phone prints. The transport
 * answers shell commands only.
 */
import type { ShellResult } from '../adb/shell-protocol.js'
import type { Transport } from '../adb/transport.js'

/** @param answer gets a command line, and returns its output; a Buffer for binary output */
export function printing(answer: (line: string) => string | Buffer): Transport {
  const none = (): never => {
    throw new Error('this phone answers shell commands only')
  }
  const result = (line: string): ShellResult => ({
    stdout: Buffer.from(answer(line)),
    stderr: Buffer.alloc(0),
    exitCode: 0,
  })
  const transport: Transport = {
    serial: 'printing',
    pinned: () => transport,
    shell: (line) => Promise.resolve(result(line)),
    exec: (line) => Promise.resolve(result(line).stdout),
    feed: none,
    spawn: none,
    push: none,
    stat: none,
    lstat: none,
    list: none,
    pull: none,
    connectAbstract: none,
    connectTcp: none,
    reboot: none,
    reconnect: none,
  }
  return transport
}
