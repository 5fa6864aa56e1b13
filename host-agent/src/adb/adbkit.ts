/**
 * What the agent uses of `@devicefarmer/adbkit` 3.3.9, whose index exports only a part of it. What it does not use, and
 * why: docs/decisions/0180.
 */
import { createRequire } from 'node:module'
import Bluebird from 'bluebird'

export { Parser } from '@devicefarmer/adbkit'
export {
  HostConnectCommand,
  HostDisconnectCommand,
  HostVersionCommand,
} from '@devicefarmer/adbkit/dist/src/adb/command/host/index.js'
export { Bluebird }

/** Its files are CommonJS with an `exports.default`, which Node and Vitest import in two ways. */
const load = createRequire(import.meta.url)
const source = '@devicefarmer/adbkit/dist/src/adb'

export const Connection = (
  load(`${source}/connection.js`) as typeof import('@devicefarmer/adbkit/dist/src/adb/connection.js')
).default
export const Command = (
  load(`${source}/command.js`) as typeof import('@devicefarmer/adbkit/dist/src/adb/command.js')
).default
export const Protocol = (
  load(`${source}/protocol.js`) as typeof import('@devicefarmer/adbkit/dist/src/adb/protocol.js')
).default
export const LocalCommand = (
  load(
    `${source}/command/host-transport/local.js`,
  ) as typeof import('@devicefarmer/adbkit/dist/src/adb/command/host-transport/local.js')
).default
export const TcpCommand = (
  load(
    `${source}/command/host-transport/tcp.js`,
  ) as typeof import('@devicefarmer/adbkit/dist/src/adb/command/host-transport/tcp.js')
).default

// Its promises wait a turn of the event loop at each step otherwise: six for a shell command.
Bluebird.setScheduler(queueMicrotask)
