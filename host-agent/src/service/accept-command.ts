/** `phonerack-agent accept SERIAL --erase`: the acceptance run for a model of phone. docs/operations.md */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger, type Logger } from '@phonerack/shared'
import { allChecks } from './accept/checks/index.js'
import type { Check } from './accept/check.js'
import { holderOf } from './accept/holder.js'
import { startPhoneUnderTest, type PhoneUnderTest } from './accept/phone.js'
import { writeReport } from './accept/report-files.js'
import { resultLine, totals, type Report } from './accept/report.js'
import { allPassed, runChecks } from './accept/run.js'
import { version } from '../base/version.js'
import type { Io } from '../base/cli/io.js'
import type { AcceptConfig } from './accept-config.js'
import { readJar } from '../capture/scrcpy/jar.js'

interface AcceptOptions {
  serial: string
  /** Folder of the report. */
  report: string
}

/** @returns the exit code: 0 only if every check passed. @throws Error when the phone cannot be taken */
export async function runAccept(
  config: AcceptConfig,
  { serial, report }: AcceptOptions,
  io: Pick<Io, 'out'>,
  checks: readonly Check[] = allChecks,
): Promise<number> {
  const holder = await holderOf(serial, config.agentDir)
  if (holder !== null) throw new Error(holder)
  mkdirSync(report, { recursive: true })
  const interrupted = new AbortController()
  const interrupt = () => {
    io.out('Interrupted: waiting for the phone.\n')
    interrupted.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, interrupt)
  // A closed terminal takes no output. This failure must not end the process before the phone is released.
  const outputs = [process.stdout, process.stderr]
  const ignore = () => undefined
  for (const output of outputs) output.on('error', ignore)
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-accept-'))
  try {
    copyKeys(config.agentDir, dir)
    const phone = await startPhone(config, serial, dir)
    try {
      const made = await check(phone, checks, interrupted.signal, io)
      for (const file of writeReport(made, report)) io.out(`Report: ${file}\n`)
      io.out(`${totals(made.results)}\n`)
      return allPassed(made.results) ? 0 : 1
    } finally {
      await phone.stop()
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
    for (const signal of signals) process.removeListener(signal, interrupt)
    for (const output of outputs) output.removeListener('error', ignore)
  }
}

async function check(
  phone: PhoneUnderTest,
  checks: readonly Check[],
  interrupted: AbortSignal,
  io: Pick<Io, 'out'>,
): Promise<Report> {
  const startedAt = new Date()
  const results = await runChecks({
    phone,
    checks,
    interrupted,
    onBegin: ({ name }) => io.out(`        ${name} …\n`),
    onEnd: (result) => io.out(resultLine(result)),
  })
  const { maker = null, model = null, sdk = null } = phone.status() ?? {}
  const about = { serial: phone.serial, maker, model, sdk }
  return { phone: about, version, startedAt, endedAt: new Date(), results }
}

async function startPhone(config: AcceptConfig, serial: string, dir: string): Promise<PhoneUnderTest> {
  return startPhoneUnderTest({
    serial,
    dir,
    adbBin: config.adbBin,
    isolated: config.isolated,
    programs: config.programs,
    jar: config.scrcpyServer === null ? null : await readJar(config.scrcpyServer),
    simAllowed: config.allowSims.includes(serial),
    log: quietLogger(),
  })
}

/** Logs only with `LOG_LEVEL`, because the output of the command is the result lines. */
function quietLogger(): Logger {
  const log = createLogger('accept')
  log.level = process.env['LOG_LEVEL'] ?? 'silent'
  return log
}

/** Copies the key of this machine's agent, which the phone may know already. */
function copyKeys(agentDir: string | null, dir: string): void {
  const to = path.join(dir, 'adb', '.android')
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of ['adbkey', 'adbkey.pub']) {
    const from = agentDir === null ? null : path.join(agentDir, 'adb', '.android', name)
    if (from !== null && existsSync(from)) copyFileSync(from, path.join(to, name))
  }
}
