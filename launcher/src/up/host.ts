/** Starts the host agent, the programs that it needs, and the virtual phones. */
import { hostname } from 'node:os'
import type { Device, OperatorClient } from '@phonerack/ctl/operator'
import { ensureAdbKey } from './adb-key.js'
import { hostPort, nearHost } from './bind.js'
import type { Addresses, Context } from './context.js'
import { awaitHost, enrollAll } from './devices.js'
import { testArguments, testKeys } from './fault-port.js'
import type { Ports } from './ports.js'
import { ensureAdb, ensureFfmpeg } from './programs.js'
import { ensureScrcpyServer } from './scrcpy.js'
import { isListening, nodeService } from './services.js'

/** Milliseconds that the agent needs to end after its running calls. */
const endMs = 8000

export interface Programs {
  adb: string
  scrcpyServer: string | null
}

export async function preparePrograms({ root, steps }: Context): Promise<Programs> {
  const adb = await steps.run('adb', ensureAdb)
  await steps.run('ffmpeg', (remark) => ensureFfmpeg(root, remark))
  return { adb, scrcpyServer: await steps.run('scrcpy server', (remark) => ensureScrcpyServer(root, remark)) }
}

export async function startPhones(
  { root, options, folder, ports, supervisor, steps }: Context,
  { adb }: Programs,
): Promise<void> {
  if (options.virtualPhones === 0) return
  const phonePorts = ports.phones
  const data = folder.of('virtual-phones')
  const keys = [await ensureAdbKey(adb, folder.of('host-agent')), ...testKeys(process.env)].join(',')
  const forTests = testArguments(process.env, data, phonePorts)
  const service = nodeService({
    root,
    folder,
    name: 'virtual-phones',
    script: 'virtual-phone/dist/main.js',
    args: [
      ...['--ports', phonePorts.join(','), '--data', data, '--pace', paceOf(process.env)],
      ...['--keys', keys, ...forTests],
    ],
    env: {},
    readyWithinMs: 60_000,
    ready: async () => (await Promise.all(ports.phones.map((port) => isListening(port)))).every(Boolean),
  })
  await steps.run(`Virtual phones (${options.virtualPhones})`, () => supervisor.start(service))
}

/**
 * The response time of virtual phones: without delays, or like a phone (`virtual-phone/src/pace/pace.ts`).
 */
const paces = ['instant', 'fast', 'real', 'slow']

function paceOf(env: NodeJS.ProcessEnv): string {
  const pace = env['PHONERACK_VIRTUAL_PHONE_PACE'] ?? 'instant'
  if (!paces.includes(pace))
    throw new Error(`PHONERACK_VIRTUAL_PHONE_PACE is "${pace}": it must be one of ${paces.join(', ')}`)
  return pace
}

export async function startHostAgent(
  context: Context,
  addresses: Addresses,
  programs: Programs,
): Promise<void> {
  const { root, options, folder, ports, supervisor, steps, signal } = context
  const name = hostName(ports)
  // A control plane on this machine connects over loopback.
  const listenHost = options.part === 'host' ? options.host : '127.0.0.1'
  const joinToken = addresses.operator
    ? (await addresses.operator.joinToken()).token
    : process.env['PHONERACK_JOIN_TOKEN']
  const isolated = process.env['PHONERACK_ISOLATED']
  const packageClean = process.env['PHONERACK_PACKAGE_CLEAN_FOR_ALL']
  const allowSims = process.env['PHONERACK_ALLOW_SIMS']
  const conditionSeconds = process.env['PHONERACK_CONDITION_SECONDS']
  // The control plane accepts larger values than the host agent.
  const stopWithin = String(Math.min(Number(process.env['PHONERACK_STOP_WITHIN'] ?? '30'), 120))
  const dials = process.env['PHONERACK_DIAL'] === 'true'
  const minFree = process.env['PHONERACK_MIN_FREE_BYTES']
  const service = nodeService({
    root,
    folder,
    name: 'host-agent',
    stopWithinMs: Number(stopWithin) * 1000 + endMs,
    script: 'host-agent/dist/main.js',
    env: {
      PHONERACK_DATA_DIR: folder.of('host-agent'),
      PHONERACK_CONTROL_URL: addresses.baseUrl,
      PHONERACK_HOST_NAME: name,
      PHONERACK_COUNTRY: options.country,
      ...(dials ? {} : { PHONERACK_GRPC_LISTEN: hostPort(listenHost, ports.grpc) }),
      PHONERACK_METRICS_LISTEN: `127.0.0.1:${ports.agentMetrics}`,
      PHONERACK_ADB_BIN: programs.adb,
      PHONERACK_ADB_CONNECT: serials(ports).join(','),
      PHONERACK_STOP_WITHIN: stopWithin,
      NATS_URL: addresses.natsUrl,
      ...(joinToken ? { PHONERACK_JOIN_TOKEN: joinToken } : {}),
      ...(minFree === undefined ? {} : { PHONERACK_MIN_FREE_BYTES: minFree }),
      ...(isolated === undefined ? {} : { PHONERACK_ISOLATED: isolated }),
      ...(packageClean === undefined ? {} : { PHONERACK_PACKAGE_CLEAN_FOR_ALL: packageClean }),
      ...(allowSims === undefined ? {} : { PHONERACK_ALLOW_SIMS: allowSims }),
      ...(conditionSeconds === undefined ? {} : { PHONERACK_CONDITION_SECONDS: conditionSeconds }),
      ...(programs.scrcpyServer ? { PHONERACK_SCRCPY_SERVER: programs.scrcpyServer } : {}),
    },
    readyWithinMs: 60_000,
    ready: () =>
      dials ? isListening(ports.agentMetrics, '127.0.0.1') : isListening(ports.grpc, nearHost(listenHost)),
  })
  await steps.run('Host agent', async () => {
    await supervisor.start(service)
    if (addresses.operator) await awaitHost(addresses.operator, name, 30_000, signal)
  })
}

/** @param before the devices before the host agent was started */
export async function takeIn(
  { ports, steps, signal }: Context,
  operator: OperatorClient,
  before: readonly Device[],
): Promise<Device[]> {
  if (ports.phones.length === 0) return []
  return steps.run('Virtual phones enrolled', () =>
    enrollAll(operator, serials(ports), 120_000, signal, before),
  )
}

/** The adb serials of the virtual phones. */
const serials = (ports: Ports): string[] => ports.phones.map((port) => `127.0.0.1:${port}`)

const hostName = (ports: Ports): string => `${hostname()}-${ports.grpc}`
