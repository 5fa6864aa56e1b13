/**
 * `phonerack-agent join`: checks everything that it can before the token is used, joins, then writes
 * the state folder and the configuration.
 */
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import {
  parseJoinToken,
  plain,
  Progress,
  refutePlainBroker,
  shellWord,
  trustedRoots,
} from '@phonerack/shared'
import { explainFailure, httpRequest } from '../base/http-request.js'
import {
  addressText,
  agentAddresses,
  brokerFor,
  serverUrl,
  type Address,
  type AgentAddresses,
} from '../base/cli/addresses.js'
import type { JoinFlags } from '../base/cli/args.js'
import { readConfigFile, writeConfigFile } from '../base/cli/config-file.js'
import type { Io } from '../base/cli/io.js'
import { UsageError } from '../base/cli/usage-error.js'
import { variables } from './config.js'
import { canRead, ownerOf, takeDataDir } from './data-dir.js'
import { loadIdentity, saveIdentity } from './identity.js'
import { joinOnce, unverifiedAuthority, type Joined } from './join.js'

export const defaultConfigFile = '/etc/phonerack/agent.yaml'
const defaultState = '/var/lib/phonerack-agent'
/** The unit that the Debian package installs, which runs the agent as a separate user. */
const packagedUnit = '/usr/lib/systemd/system/phonerack-agent.service'

/** Milliseconds for the whole join. */
const limit = 60_000

/** The machine did not join, or a step after the join failed. */
class JoinFailed extends Error {
  override readonly name = 'JoinFailed'
}

/** @throws UsageError, JoinFailed, JoinRefused */
export async function runJoin(flags: JoinFlags, config: string | null, io: Io): Promise<void> {
  const progress = Progress.for(limit)
  const server = serverUrl(flags.server, flags.insecure)
  const name = flags.name ?? hostname()
  const { country } = flags
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    throw new UsageError('--country must be two capital letters, such as US')
  if (name !== plain(name) || name.trim() === '' || name.length > 80)
    throw new UsageError('--name must have 1 to 80 characters and no control characters')
  const state = path.resolve(flags.state ?? defaultState)
  const file = path.resolve(config ?? defaultConfigFile)
  const ca = flags.ca === undefined ? null : path.resolve(flags.ca)
  const roots = readRoots(ca)
  if (flags.natsUrl !== undefined && !flags.natsInsecure) {
    const fault = refutePlainBroker(flags.natsUrl)
    if (fault !== null)
      throw new UsageError(
        `--nats-url ${fault}: use a tls: address, or add --nats-insecure if the network is private`,
      )
  }
  const token = await readToken(flags, io)
  const local = await reach(server, roots, progress)
  const addresses = agentAddresses(server, local, flags)
  if (addresses) await checkBind(addresses.listen)
  checkConfigFile(file)
  const unlock = lockState(state)
  try {
    const owner = ownerOf(state)
    if (ca !== null && owner !== null && !canRead(ca, owner))
      throw new UsageError(
        `--ca: ${ca} cannot be read by the user of the agent, ${owner.uid}: run \`chmod a+r ${shellWord(ca)}\`, or put the file into another folder`,
      )
    const identityFile = path.join(state, 'identity.json')
    const known = loadIdentity(identityFile)
    if (known !== null)
      throw new JoinFailed(
        `this machine has already joined as ${known.hostId}: run \`phonerack-agent run\`. To join another control plane, move ${identityFile} away first`,
      )
    if (parseJoinToken(token)?.authority === null) io.err(`Warning: ${unverifiedAuthority}.\n`)
    const joined = await join(
      { controlUrl: server.origin, token, name, roots, ...(country === undefined ? {} : { country }) },
      progress,
    )
    saveIdentity(identityFile, joined.identity, owner)
    const broker = flags.natsUrl ?? brokerFor(server, joined.natsUrl)
    writeConfigFile(
      file,
      {
        PHONERACK_DATA_DIR: state,
        PHONERACK_CONTROL_URL: server.origin,
        PHONERACK_CA_FILE: ca,
        PHONERACK_HOST_NAME: joined.name,
        PHONERACK_COUNTRY: joined.country,
        ...waySettings(addresses),
        NATS_URL: broker,
        PHONERACK_NATS_INSECURE: flags.natsInsecure ? 'true' : null,
      },
      variables,
    )
    io.out(summary(joined, { server, state, file, addresses }))
    if (broker === null) throw new JoinFailed(withoutBroker(joined, file))
    if (refutePlainBroker(broker) !== null && !flags.natsInsecure)
      throw new JoinFailed(plainBroker(broker, file))
  } finally {
    unlock()
  }
}

async function join(request: Parameters<typeof joinOnce>[0], progress: Progress): Promise<Joined> {
  try {
    return await joinOnce(request, progress)
  } catch (error) {
    if (error instanceof Error && error.name === 'JoinRefused') throw error
    throw new JoinFailed(
      `${request.controlUrl} did not answer the join: ${explainFailure(error).why}. The token may be used up: create another token with \`ctl host token\``,
      { cause: error },
    )
  }
}

function readRoots(ca: string | null): string[] {
  try {
    return trustedRoots(ca)
  } catch (error) {
    throw new UsageError(`--ca: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function readToken(flags: JoinFlags, { env, stdin }: Io): Promise<string> {
  const { token, tokenFile } = flags
  if (token !== undefined && tokenFile !== undefined)
    throw new UsageError('--token and --token-file exclude each other')
  const given =
    tokenFile === undefined ? (token ?? env['PHONERACK_JOIN_TOKEN'] ?? '') : await firstLine(tokenFile, stdin)
  if (given.trim() === '')
    throw new UsageError('the join token is missing: give --token-file FILE, or - for standard input')
  if (parseJoinToken(given.trim()) === null)
    throw new UsageError(
      'the join token is not complete: copy it as `ctl host token` prints it, with prj_, 43 characters, a dot, and another 43 characters',
    )
  return given.trim()
}

async function firstLine(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  try {
    if (file !== '-') return readFileSync(file, 'utf8').split('\n', 1)[0] ?? ''
    for await (const line of createInterface({ input: stdin })) return line
    return ''
  } catch (error) {
    throw new UsageError(`--token-file ${file} cannot be read`, { cause: error })
  }
}

/** Connects before the token is used, and returns this machine's address on the connection. @throws JoinFailed */
async function reach(server: URL, roots: readonly string[], progress: Progress): Promise<string> {
  try {
    const { signal } = progress.within(10_000)
    const answer = await httpRequest(new URL('/livez', server), { method: 'GET', roots, signal })
    if (answer.status !== 200)
      throw new JoinFailed(
        `${server.origin} answers ${answer.status} for /livez: check that --server names a Phonerack control plane`,
      )
    return answer.localAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
  } catch (error) {
    if (error instanceof JoinFailed) throw error
    const { why, isTrust } = explainFailure(error)
    const advice = isTrust
      ? '. If the server has a private authority, pass its certificate with --ca FILE'
      : ''
    throw new JoinFailed(`${server.origin} cannot be reached: ${why}${advice}. The token was not used`, {
      cause: error,
    })
  }
}

/** @throws JoinFailed when the agent could not listen there */
async function checkBind({ host, port }: Address): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, resolve)
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const why =
      code === 'EADDRNOTAVAIL'
        ? `${host} is not an address of this machine`
        : code === 'EADDRINUSE'
          ? `another program uses port ${port}`
          : code
    throw new JoinFailed(
      `the agent cannot listen on ${addressText({ host, port })}: ${why}; choose another address or port with --listen. The token was not used`,
      { cause: error },
    )
  } finally {
    server.close()
  }
}

/** @throws JoinFailed, UsageError when the configuration could not be written */
function checkConfigFile(file: string): void {
  if (existsSync(file)) readConfigFile(file, variables)
  const folder = path.dirname(file)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new JoinFailed(
      `${folder} cannot be written: run this command as root, or choose another file with --config`,
      { cause: error },
    )
  }
}

function lockState(state: string): () => void {
  try {
    return takeDataDir(state)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isDenied =
      error instanceof Error && 'code' in error && ['EACCES', 'EROFS'].includes(String(error.code))
    throw new JoinFailed(
      isDenied
        ? `${state} cannot be written: run this command as root, or choose another folder with --state`
        : why,
      { cause: error },
    )
  }
}

interface Facts {
  server: URL
  state: string
  file: string
  addresses: AgentAddresses
}

function summary({ identity, name, country }: Joined, { server, state, file, addresses }: Facts): string {
  const option = file === defaultConfigFile ? '' : ` --config ${shellWord(file)}`
  const isPackaged = option === '' && state === defaultState && existsSync(packagedUnit)
  const run = isPackaged ? 'systemctl start phonerack-agent' : `phonerack-agent run${option}`
  return [
    `This machine is host ${identity.hostId} of ${server.origin}.`,
    `Name: ${plain(name)}. Country: ${plain(country ?? 'unknown')}. To change the name or country: ctl host set ${identity.hostId} --name NAME --country CC`,
    `State: ${state}. Configuration: ${file}.`,
    wayText(addresses),
    '',
    `Run the agent:       ${run}`,
    `Check this machine:  phonerack-agent doctor${option}`,
    '',
  ].join('\n')
}

const waySettings = (addresses: AgentAddresses): Record<string, string | null> => ({
  PHONERACK_GRPC_LISTEN: addresses && addressText(addresses.listen),
  PHONERACK_GRPC_ADDRESS: addresses?.advertise ? addressText(addresses.advertise) : null,
  PHONERACK_DIAL: addresses ? null : 'true',
})

const wayText = (addresses: AgentAddresses): string =>
  addresses
    ? `The control plane connects to ${addressText(addresses.advertise ?? addresses.listen)}: allow these connections in the firewall.`
    : 'The agent opens tunnels to the control plane, and needs no open port.'

const withoutBroker = ({ natsUrl }: Joined, file: string): string =>
  natsUrl === null
    ? `the control plane does not name a NATS server: add \`nats_url: …\` to ${file} before you run the agent`
    : `the control plane names the NATS server ${plain(natsUrl)}, which this machine cannot reach: set PHONERACK_HOST_NATS_URL of the control plane, and add \`nats_url: …\` to ${file} before you run the agent`

const plainBroker = (broker: string, file: string): string =>
  `the NATS server ${plain(broker)} ${refutePlainBroker(broker) ?? ''}. The agent refuses this server: give NATS a certificate (\`phonerack-control-plane nats-config\`) and put its tls: address into ${file} as \`nats_url\`, or add \`nats_insecure: true\` if the network is private`
