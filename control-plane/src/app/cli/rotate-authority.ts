/** `rotate-authority`: replaces the certificate authority of the hosts while hosts and replicas run. docs/decisions/0249 */
import { X509Certificate } from 'node:crypto'
import { parseArgs } from 'node:util'
import { plain } from '@phonerack/shared'
import { readConfig, type Config } from '../../base/config/config.js'
import {
  beginRotation,
  cancelRotation,
  finishRotation,
  readRotation,
  StepRefused,
  switchRotation,
  type RotatingHost,
  type RotationStatus,
} from '../../base/db/authority-rotation.js'
import { commandActor } from '../../base/db/audit-log.js'
import { openDatabase, type Database } from '../../base/db/database.js'
import { takeStartLock } from '../../base/db/start-lock.js'
import { readBrokerCertificate } from '../../base/pki/broker-handshake.js'
import { UsageError } from './usage-error.js'

export const rotateAuthorityUsage = `       phonerack-control-plane rotate-authority status|begin|switch|finish|cancel [--force]

Replaces the certificate authority of the hosts, in steps, while hosts and replicas run. Run it with
DATABASE_URL, PHONERACK_PKI_DIR (or PHONERACK_SERVICE_KEY_FILE) and NATS_URL of the control plane.

  status                 shows the step, and which hosts and replicas are ready for the next one
  begin                  creates the next authority, which replicas and hosts then trust too
  switch                 lets the next authority sign; hosts then renew their certificates
  finish                 ends the trust in the earlier authority, and deletes its key
  cancel                 drops the next authority, before the switch
  --force                switches or finishes although hosts or replicas are not ready; they are
                         refused from then on, and such hosts must join again
`

type Environment = Readonly<Record<string, string | undefined>>

const steps = ['status', 'begin', 'switch', 'finish', 'cancel'] as const
type Step = (typeof steps)[number]

/** Returns the text to print. @throws UsageError, StartRefusal, StepRefused */
export async function rotateAuthority(args: readonly string[], env: Environment): Promise<string> {
  const { step, force } = parse(args)
  for (const name of ['DATABASE_URL', 'PHONERACK_PKI_DIR'])
    if (!env[name]) throw new UsageError(`${name} must be set as for the control plane`)
  const config = readConfig({ ...env, NATS_URL: env['NATS_URL'] || 'nats://127.0.0.1' })
  // The lock keeps the service key unchanged, and keeps replicas from starting with an authority that is being
  // replaced.
  const lock = step === 'status' ? null : await takeStartLock(config.databaseUrl, true)
  const database = openDatabase(config.databaseUrl, 2)
  try {
    return await run(step, force, database.db, config)
  } finally {
    await database.close()
    await lock?.release()
  }
}

async function run(step: Step, force: boolean, db: Database, config: Config): Promise<string> {
  const { rules } = config
  const by = commandActor(`rotate-authority ${step}${force ? ' --force' : ''}`, new Date())
  switch (step) {
    case 'status':
      return describe(await readRotation(db, rules))
    case 'begin':
      return describe(await beginRotation(db, config, by))
    case 'switch':
      return describe(
        await switchRotation(db, rules, by, (status) => {
          if (!force) refuseSwitch(status)
        }),
      )
    case 'finish': {
      if (!force) await refuseBroker(db, config)
      const after = await finishRotation(db, rules, by, (status) => {
        if (!force) refuseFinish(status)
      })
      return `The earlier authority is no longer trusted, and its key is deleted from the database.\n${describe(after)}`
    }
    case 'cancel':
      return `The next authority is dropped.\n${describe(await cancelRotation(db, rules, by))}`
  }
}

/** @throws StepRefused */
function refuseSwitch({ replicas, hosts }: RotationStatus): void {
  const late = replicas.filter(({ trustsNext }) => !trustsNext)
  if (late.length > 0)
    throw new StepRefused(
      `these replicas do not trust the next authority: ${late.map(({ id }) => plain(id)).join(', ')}. Replicas notice a new authority within 10 s; otherwise read their log, and upgrade replicas of an earlier release. With --force, they cannot call hosts that renew their certificates`,
    )
  const blind = hosts.filter(({ trustsNext }) => !trustsNext)
  if (blind.length > 0)
    throw new StepRefused(
      `these hosts do not trust the next authority:\n${listed(blind)}\nConnect them, upgrade their agents, or retire them. With --force, they refuse every call of the control plane from the switch on, and must join again (ctl host rejoin)`,
    )
}

/** @throws StepRefused */
function refuseFinish({ replicas, hosts }: RotationStatus): void {
  const late = replicas.filter(({ signsWithNext }) => !signsWithNext)
  if (late.length > 0)
    throw new StepRefused(
      `these replicas still use the earlier authority: ${late.map(({ id }) => plain(id)).join(', ')}. Replicas notice the switch within 10 s; otherwise read their log. With --force, hosts refuse these replicas`,
    )
  const earlier = hosts.filter(({ hasNext }) => !hasNext)
  if (earlier.length > 0)
    throw new StepRefused(
      `these hosts still have a certificate of the earlier authority:\n${listed(earlier)}\nHosts that are online renew their certificates within minutes. With --force, the control plane refuses these hosts, and they must join again (ctl host rejoin)`,
    )
}

/** @throws StepRefused when clients would refuse the broker */
async function refuseBroker(db: Database, { natsUrl }: Config): Promise<void> {
  if (!natsUrl.startsWith('tls:')) return
  const { otherCaCertificate: earlier } = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  if (earlier === null) return
  const certificate = await readBrokerCertificate(natsUrl).catch((error: unknown) => {
    throw new StepRefused(`the certificate of NATS at ${plain(natsUrl)} cannot be read: ${String(error)}`, {
      cause: error,
    })
  })
  if (certificate.verify(new X509Certificate(earlier).publicKey))
    throw new StepRefused(
      'the certificate of NATS is from the earlier authority: run nats-config --renew, and let nats-server load it. With --force, hosts and replicas lose NATS when they connect again',
    )
}

const phases: Record<RotationStatus['phase'], (status: RotationStatus) => string[]> = {
  closed: ({ signing }) => [`No rotation is open. The authority is ${signing}.`],
  begun: ({ signing, next, begunAt }) => [
    `A rotation began at ${dateOf(begunAt)}. The authority ${signing} signs; ${next ?? ''} is the next one.`,
    'Replicas trust both authorities within 10 s, and hosts that are online soon after. When all replicas and hosts below are ready: rotate-authority switch',
  ],
  switched: ({ signing, switchedAt }) => [
    `The authority ${signing} signs since ${dateOf(switchedAt)}; the earlier authority is still trusted.`,
    'Renew the certificate of NATS now, unless you manage that certificate yourself: nats-config --dir DIR --renew, then nats-server --signal reload.',
    'Hosts that are online renew their certificates within minutes. When all replicas and hosts below are ready: rotate-authority finish',
  ],
}

function describe(status: RotationStatus): string {
  const { phase, replicas, hosts } = status
  const lines = phases[phase](status)
  if (phase === 'closed') return `${lines.join('\n')}\n`
  const isReady = ({ trustsNext, hasNext }: RotatingHost): boolean =>
    phase === 'begun' ? trustsNext : hasNext
  const ready = hosts.filter(isReady).length
  const waiting = hosts.filter((host) => !isReady(host))
  const replicaLines = replicas.map(({ id, trustsNext, signsWithNext }) => {
    const state = signsWithNext
      ? 'signs with the next authority'
      : trustsNext
        ? 'trusts both authorities'
        : 'not ready'
    return `  ${plain(id)}: ${state}`
  })
  return [
    ...lines,
    '',
    'Replicas:',
    ...(replicaLines.length > 0 ? replicaLines : ['  none runs']),
    `Hosts: ${ready} of ${hosts.length} ${phase === 'begun' ? 'trust the next authority' : 'have a certificate of the new authority'}.`,
    ...(waiting.length > 0 ? ['Not ready:', listed(waiting)] : []),
    '',
  ].join('\n')
}

const dateOf = (at: Date | null): string => at?.toISOString() ?? ''

const listed = (hosts: readonly RotatingHost[]): string =>
  hosts
    .map(({ id, name, lastSeenAt, reports, trustsNext }) => {
      const seen = lastSeenAt === null ? 'never heard' : `last heard ${lastSeenAt.toISOString()}`
      const state = !reports
        ? 'its agent does not report its authorities: upgrade it'
        : trustsNext
          ? 'trusts both'
          : 'trusts only the earlier authority'
      return `  ${plain(name)} (${id}): ${state}, ${seen}`
    })
    .join('\n')

function parse(args: readonly string[]): { step: Step; force: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { force: { type: 'boolean' } },
    })
    const step = steps.find((each) => each === positionals[0])
    if (step === undefined || positionals.length !== 1)
      throw new UsageError(`rotate-authority needs one of ${steps.join(', ')}`)
    const force = values.force === true
    if (force && step !== 'switch' && step !== 'finish')
      throw new UsageError('--force is for switch and finish')
    return { step, force }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}
