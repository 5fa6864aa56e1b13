#!/usr/bin/env node
/** `phonerack`: the command of the package. */
import process from 'node:process'
import { processIo } from './io.js'
import { run } from './run.js'

const io = processIo()
process.exitCode = await run(process.argv.slice(2), io)
// An open stdin would keep the process alive.
io.stdin.destroy()
