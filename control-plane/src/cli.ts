#!/usr/bin/env node
/** `phonerack-control-plane`: serves without arguments; otherwise runs one command and ends. */
import { runCommand } from './app/cli/commands.js'

const words = process.argv.slice(2)
if (words.length === 0) await import('./main.js')
else process.exitCode = await runCommand(words, process.stdout, process.stderr, process.env)
