/** Runs one command line of `phonerack-agent`, except for the agent itself, which `cli.ts` starts. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { plainLines } from '@phonerack/shared'
import { runAccept } from './accept-command.js'
import { readAcceptConfig, type AcceptConfig } from './accept-config.js'
import { version } from '../base/version.js'
import { parseAgentArgs } from '../base/cli/args.js'
import { keyOf, readConfigFile } from '../base/cli/config-file.js'
import type { Io } from '../base/cli/io.js'
import { usage } from '../base/cli/usage.js'
import { UsageError } from '../base/cli/usage-error.js'
import { readConfig, variables, type Config } from './config.js'
import { runDoctor } from './doctor-command.js'
import { runElements } from './elements-command.js'
import { runHealth } from './health-command.js'
import { defaultConfigFile, runJoin } from './join-command.js'

/** The agent runs with `env`, or the process ends with `exitCode`. */
export type Outcome = { run: NodeJS.ProcessEnv } | { exitCode: number }

export async function runCommand(argv: readonly string[], io: Io): Promise<Outcome> {
  const safe = { ...io, out: (text: string) => io.out(plainLines(text)) }
  try {
    return await execute(argv, safe)
  } catch (error) {
    const isUsage = error instanceof UsageError
    const message = error instanceof Error ? error.message : String(error)
    io.err(plainLines(`phonerack-agent: ${message}\n${isUsage ? 'See phonerack-agent --help\n' : ''}`))
    return { exitCode: isUsage ? 2 : 1 }
  }
}

async function execute(argv: readonly string[], io: Io): Promise<Outcome> {
  const given = parseAgentArgs(argv)
  switch (given.command) {
    case 'help':
      io.out(usage)
      return { exitCode: 0 }
    case 'version':
      io.out(`phonerack-agent ${version}\n`)
      return { exitCode: 0 }
    case 'run':
      return { run: environmentOf(given.config, io.env) }
    case 'doctor':
      return { exitCode: await runDoctor(configOf(given.config, io.env), given.json, io) }
    case 'health':
      return { exitCode: await runHealth(configOf(given.config, io.env), io) }
    case 'elements':
      await runElements(given, io)
      return { exitCode: 0 }
    case 'accept':
      return { exitCode: await runAccept(acceptConfigOf(given.config, io.env), given, io) }
    case 'join':
      await runJoin(given.flags, given.config, io)
      return given.flags.run ? { run: environmentOf(given.config, io.env) } : { exitCode: 0 }
  }
}

/**
 * Returns the settings of the package, of the file, and of the environment. Settings of the environment take precedence
 * over settings of the file.
 * @throws UsageError
 */
function environmentOf(config: string | null, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = config ?? (existsSync(defaultConfigFile) ? defaultConfigFile : null)
  if (file === null) return { ...packagedParts(), ...env }
  const settings = readConfigFile(file, variables)
  const both = { ...packagedParts(), ...settings, ...env }
  checkConfig(both, (variable) => (env[variable] === undefined ? `${keyOf(variable)} in ${file}` : variable))
  return both
}

/** A package has the scrcpy server next to `dist`; a checkout does not. */
const packagedScrcpyServer = fileURLToPath(new URL('../../scrcpy-server.jar', import.meta.url))

const packagedParts = (): NodeJS.ProcessEnv =>
  existsSync(packagedScrcpyServer) ? { PHONERACK_SCRCPY_SERVER: packagedScrcpyServer } : {}

function configOf(config: string | null, env: NodeJS.ProcessEnv): Config | { problem: string } {
  try {
    return readConfig(environmentOf(config, env))
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** @throws UsageError. Unlike an agent, a run of `accept` needs no complete configuration. */
function acceptConfigOf(config: string | null, env: NodeJS.ProcessEnv): AcceptConfig {
  const file = config ?? (existsSync(defaultConfigFile) ? defaultConfigFile : null)
  const settings = file === null ? {} : readConfigFile(file, variables)
  try {
    return readAcceptConfig({ ...packagedParts(), ...settings, ...env })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function checkConfig(env: NodeJS.ProcessEnv, nameOf: (variable: string) => string): void {
  try {
    readConfig(env, nameOf)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
