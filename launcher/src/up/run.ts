/** Starts all programs in order and leaves them running under a supervisor. Called by `up`'s main program. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Device, OperatorClient } from '@phonerack/ctl/operator'
import { boundLog } from '../processes/log-file.js'
import { Supervisor, type SupervisorEvent } from '../processes/supervisor.js'
import type { UpOptions } from './args.js'
import { awaitGuard, cleanLeftovers } from './clean.js'
import type { Context } from './context.js'
import { foreignControl, startControl } from './control.js'
import { isDetachedChild } from './detach.js'
import { lockFolder, openFolder, serviceNames, writeJson } from './folder.js'
import { startGuard } from './guard-process.js'
import { preparePrograms, startHostAgent, startPhones, takeIn } from './host.js'
import { allocatePorts } from './ports.js'
import type { Steps } from './progress.js'
import { ensureDemo, operatorToken } from './secrets.js'
import { addSampleApps } from './sample-apps.js'
import { isListening } from './services.js'
import { metricsLines, phoneNotes, stopHint, welcomeText } from './welcome.js'

export interface System {
  welcome: string
  /** Stops all programs in order; returns the errors of services that could not be stopped. */
  stop(): Promise<unknown[]>
}

/** @throws Error that names the failed step, after all programs are stopped */
export async function startSystem(
  root: string,
  options: UpOptions,
  steps: Steps,
  signal: AbortSignal,
): Promise<System> {
  const folder = openFolder(options.data)
  const unlock = lockFolder(folder)
  await awaitGuard(folder)
  const supervisor = new Supervisor((event) => report(steps, event))
  const guard = startGuard(folder)
  const logTimer = setInterval(
    () => [...serviceNames, 'up' as const].forEach((name) => boundLog(folder.log(name))),
    10_000,
  )
  const stop = async () => {
    clearInterval(logTimer)
    const errors = await supervisor.stopAll()
    rmSync(folder.upFile, { force: true })
    await guard.release()
    unlock()
    return errors
  }
  try {
    const ended = await cleanLeftovers(folder)
    if (ended.length > 0)
      steps.say(`  ! an earlier run was killed; stopped its leftover processes: ${ended.join(', ')}`)
    const ports = await allocatePorts(folder, options.port, options.virtualPhones, options.part !== 'host')
    const context = { root, options, folder, ports, supervisor, steps, signal }
    return { welcome: await startParts(context), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(context: Context): Promise<string> {
  const { options, folder, steps, signal } = context
  const host = options.part !== 'control'
  const foreign = options.part === 'host' ? foreignControl(options) : null
  const programs = host ? await preparePrograms(context) : null
  // The phones do not need the control plane. Both are awaited, so that neither starts after the other has
  // failed.
  const [control, phones] = await Promise.allSettled([
    foreign ?? startControl(context),
    programs ? startPhones(context, programs) : undefined,
  ])
  if (control.status === 'rejected') throw control.reason
  if (phones.status === 'rejected') throw phones.reason
  const addresses = control.value
  let quarantined: Device[] = []
  let devices: Device[] = []
  signal.throwIfAborted()
  if (addresses.operator && options.part === 'all' && options.virtualPhones > 0)
    await addSampleApps(context, addresses.operator)
  if (programs) {
    signal.throwIfAborted()
    const before = (await addresses.operator?.devices()) ?? []
    await startHostAgent(context, addresses, programs)
    if (addresses.operator) {
      quarantined = await takeIn(context, addresses.operator, before)
      devices = await addresses.operator.devices()
    }
  }
  signal.throwIfAborted()
  const metrics = metricsUrls(context)
  const notes = {
    metrics: Object.values(metrics),
    dir: folder.dir,
    isDefaultDir: options.data === path.join(context.root, '.phonerack'),
    detached: isDetachedChild(),
    unenrolled: devices.filter((device) => device.state === 'unenrolled'),
    quarantined,
    otherAdb: host && (await isListening(5037)),
  }
  if (options.part === 'host' || !addresses.operator)
    return [
      '',
      `The host agent is connected to ${addresses.baseUrl}`,
      ...metricsLines(notes),
      '',
      stopHint(notes),
      ...phoneNotes(notes),
      '',
    ].join('\n')
  const operator = addresses.operator
  const demo = await steps.run('Demo project and keys', () => ensureDemo(folder, operator, addresses.baseUrl))
  const { consoleUrl, signInUrl } = await consoleLinks(operator)
  writeJson(folder.upFile, {
    base_url: addresses.baseUrl,
    mcp_url: `${addresses.baseUrl}/mcp`,
    operator_url: addresses.operatorUrl,
    metrics_urls: metrics,
    console_url: consoleUrl,
    sign_in_url: signInUrl,
    operator_token: operatorToken(folder),
    project: demo.project,
    keys: demo.keys,
    pid: process.pid,
  })
  return welcomeText({
    ...notes,
    baseUrl: addresses.baseUrl,
    adminKey: demo.keys.admin,
    consoleUrl,
    signInUrl,
    phones: options.virtualPhones,
  })
}

/** The console's address, and a one-time link for the first operator; null: an operator exists already. */
async function consoleLinks(
  operator: OperatorClient,
): Promise<{ consoleUrl: string; signInUrl: string | null }> {
  const { url, has_operator: hasOperator } = await operator.console()
  return { consoleUrl: url, signInUrl: hasOperator ? null : (await operator.inviteOperator()).url }
}

/** Metrics addresses by program, for the programs that run on this machine. */
function metricsUrls({ options, ports }: Context): Record<string, string> {
  const at = (port: number): string => `http://127.0.0.1:${port}/metrics`
  return {
    ...(options.part === 'host' ? {} : { control_plane: at(ports.controlMetrics) }),
    ...(options.part === 'control' ? {} : { host_agent: at(ports.agentMetrics) }),
  }
}

function report(steps: Steps, event: SupervisorEvent): void {
  const seconds = 'retryMs' in event ? (event.retryMs / 1000).toFixed(1) : ''
  if (event.kind === 'died')
    steps.say(
      `  ! ${event.name} stopped (${event.cause}); restarting it in ${seconds} s. See logs/${event.name}.log`,
    )
  else if (event.kind === 'restart-failed')
    steps.say(
      `  ! ${event.name} failed to start (${event.error instanceof Error ? event.error.message : String(event.error)}); next try in ${seconds} s`,
    )
  else steps.say(`  ✓ ${event.name} runs again`)
}
