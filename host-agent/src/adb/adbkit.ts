/**
 * The parts of `@devicefarmer/adbkit` 3.3.9 that the agent uses. The package's index does not export all of these
 * parts. The README of this folder lists the unused parts with the reasons.
 */
import { createRequire } from 'node:module'
import type connection from '@devicefarmer/adbkit/dist/src/adb/connection.js'
import type protocol from '@devicefarmer/adbkit/dist/src/adb/protocol.js'

/** adbkit's files are CommonJS with an `exports.default`; Node and Vitest import such files differently. */
const require = createRequire(import.meta.url)
const load = (file: string): unknown => require(`@devicefarmer/adbkit/dist/src/adb/${file}.js`)

export const Connection = (load('connection') as typeof connection).default
export const Protocol = (load('protocol') as typeof protocol).default
