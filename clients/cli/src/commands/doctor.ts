/** `doctor`: checks the settings and the connection, and advises. */
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { certificateCheck, clockCheck, fetchService, type Check } from '../checks.js'
import { configFile } from '../config/place.js'
import { envelopeOf, exitCodeOf, exitCodes } from '../failure.js'
import type { Color } from '../output.js'
import { dollars } from '../money.js'
import { plain } from '@phonerack/shared/plain'
import { version, type Session } from '../session.js'
import { ExitWith } from '../usage-error.js'

export function addDoctorCommand(program: Command, app: App): void {
  app.on(
    program.command('doctor').description('check settings, connection, certificate, clock, version and key'),
    doctor,
  )
}

async function doctor(run: Run): Promise<void> {
  const checks: Check[] = [
    {
      name: 'program',
      status: 'ok',
      detail: `phonerack ${version}, Node.js ${process.versions.node}`,
      next: null,
    },
  ]
  let exitCode: number = exitCodes.ok
  const step = async <T>(name: string, what: () => Promise<[T, Check[]]>): Promise<T | null> => {
    try {
      const [value, found] = await what()
      checks.push(...found)
      return value
    } catch (error) {
      const { message, next } = envelopeOf(error)
      checks.push({ name, status: 'failed', detail: message, next })
      if (exitCode === exitCodes.ok) exitCode = exitCodeOf(error)
      return null
    }
  }
  const session = await step('settings', () => openSession(run))
  if (session !== null) await step('connection', () => reach(run, session))
  if (session !== null && exitCode === exitCodes.ok) await step('key', () => useKey(run, session))
  const text = checks.map((check) => lineOf(run, check)).join('\n')
  await run.out.answer({ ok: exitCode === exitCodes.ok, checks }, text)
  if (exitCode !== exitCodes.ok) throw new ExitWith(exitCode)
}

async function openSession(run: Run): Promise<[Session, Check[]]> {
  const session = await run.session()
  const { access } = session
  const key = access.keyFrom === 'environment' ? 'PHONERACK_API_KEY' : `context ${access.context ?? ''}`
  return [
    session,
    [{ name: 'settings', status: 'ok', detail: `${configFile(run.io)}; key from ${key}`, next: null }],
  ]
}

async function reach(run: Run, { client }: Session): Promise<[null, Check[]]> {
  const { origin } = client.baseUrl
  const { apiVersion, date, ms } = await fetchService(origin, run.io.signal)
  const certificate = await certificateCheck(origin, run.io.now())
  return [
    null,
    [
      { name: 'connection', status: 'ok', detail: `${origin} answered in ${ms} ms`, next: null },
      certificate,
      { name: 'version', status: 'ok', detail: `API ${plain(apiVersion)}`, next: null },
      clockCheck(date, run.io.now()),
    ],
  ]
}

async function useKey(run: Run, { client }: Session): Promise<[null, Check[]]> {
  const account = await client.account(run.call)
  const detail = `project ${plain(account.project)}, ${dollars(account.balance_usd)} credit`
  const isEmpty = Number(account.balance_usd) <= Number(account.reserved_usd)
  return [
    null,
    [
      isEmpty
        ? {
            name: 'key',
            status: 'warning',
            detail,
            next: 'There is no credit to start phones: ask an operator of the service for some.',
          }
        : { name: 'key', status: 'ok', detail, next: null },
    ],
  ]
}

const colors: Readonly<Record<Check['status'], Color>> = { ok: 'green', warning: 'yellow', failed: 'red' }

function lineOf(run: Run, { name, status, detail, next }: Check): string {
  const line = `${run.out.paint(colors[status], status.padEnd(7))}  ${name.padEnd(11)}  ${plain(detail)}`
  return next === null ? line : `${line}\n${' '.repeat(22)}${plain(next)}`
}
