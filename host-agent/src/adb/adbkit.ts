/**
 * The parts of `@devicefarmer/adbkit` 3.3.9 that the agent uses; the package's index exports only some of them.
 * The README of this folder lists the unused parts with the reasons.
 */
import { createRequire } from 'node:module'
import type * as hostCommands from '@devicefarmer/adbkit/dist/src/adb/command/host/index.js'
import type localCommand from '@devicefarmer/adbkit/dist/src/adb/command/host-transport/local.js'
import type tcpCommand from '@devicefarmer/adbkit/dist/src/adb/command/host-transport/tcp.js'
import type command from '@devicefarmer/adbkit/dist/src/adb/command.js'
import type connection from '@devicefarmer/adbkit/dist/src/adb/connection.js'
import type parser from '@devicefarmer/adbkit/dist/src/adb/parser.js'
import type protocol from '@devicefarmer/adbkit/dist/src/adb/protocol.js'
import Bluebird from 'bluebird'

export { Bluebird }

/** adbkit's files are CommonJS with an `exports.default`; Node and Vitest import such files differently. */
const require = createRequire(import.meta.url)
const load = (file: string): unknown => require(`@devicefarmer/adbkit/dist/src/adb/${file}.js`)

export const Connection = (load('connection') as typeof connection).default
export const Parser = (load('parser') as typeof parser).default
export const Protocol = (load('protocol') as typeof protocol).default
export const Command = (load('command') as typeof command).default
export const LocalCommand = (load('command/host-transport/local') as typeof localCommand).default
export const TcpCommand = (load('command/host-transport/tcp') as typeof tcpCommand).default
export const { HostConnectCommand, HostDisconnectCommand, HostVersionCommand } = load(
  'command/host/index',
) as typeof hostCommands
