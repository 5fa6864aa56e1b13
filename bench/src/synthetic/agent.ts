/**
 * An agent without phones. It joins, has a certificate and broker rights, serves gRPC over mutual TLS and
 * sends heartbeats with the real agent's code, and answers for phones that exist only in this process. A
 * process can run hundreds of these agents. Used by tests and benches of many hosts.
 */
import path from 'node:path'
import {
  joinOnce,
  liveAuthorities,
  natsCreds,
  openEpoch,
  runIdentity,
  startGrpcServer,
  startHeartbeats,
} from '@phonerack/host-agent/wire'
import { Progress, type Logger } from '@phonerack/shared'
import { createSyntheticHandlers } from './handlers.js'
import { SyntheticPhone, type PhoneCall, type PhoneTimes } from './phone.js'

export interface SyntheticAgentOptions {
  /** Address of the control plane's public API. */
  controlUrl: string
  /** A join token: `POST /operator/v1/hosts/join-tokens`. */
  token: string
  /** The host's name for the operator. */
  name: string
  /** The host's country, in two letters. Default: `US`. */
  country?: string
  /** The agent's data folder, which is created when absent. */
  dir: string
  /** The serials of the agent's phones. */
  serials: readonly string[]
  times?: Partial<PhoneTimes>
  /** Whether the phones were enrolled and wiped before. Default: an operator has to enrol them. */
  isEnrolled?: boolean
  /** Called for each accepted lifecycle call. */
  onCall?: (call: PhoneCall) => void
  log: Logger
}

export interface SyntheticAgent {
  hostId: string
  phones: ReadonlyMap<string, SyntheticPhone>
  stop(): Promise<void>
}

/** Milliseconds for the join. */
const joinMs = 30_000
/** Milliseconds that running calls get when the agent stops. */
const graceMs = 500
const noTimes: PhoneTimes = { startMs: 0, parkMs: 0, wipeMs: 0 }

/** @throws JoinRefused; Error when the control plane does not answer */
export async function startSyntheticAgent(options: SyntheticAgentOptions): Promise<SyntheticAgent> {
  const { dir, log, name, controlUrl, token, country = 'US' } = options
  const request = { controlUrl, token, name, country, roots: [] }
  const { identity, natsUrl } = await joinOnce(request, Progress.for(joinMs))
  if (natsUrl === null) throw new Error('the control plane named no broker')
  const running = runIdentity(dir, identity, log)
  let changed = (): void => undefined
  const phones = new Map(
    options.serials.map((serial) => {
      const parts = {
        serial,
        times: { ...noTimes, ...options.times },
        isEnrolled: options.isEnrolled ?? false,
        onCall: options.onCall ?? (() => undefined),
        onChange: () => changed(),
      }
      return [serial, new SyntheticPhone(parts)] as const
    }),
  )
  const grpc = await startGrpcServer('127.0.0.1:0', identity, createSyntheticHandlers(phones, running, log))
  running.onRenewed((renewed) => grpc.useCertificate(renewed))
  const heartbeats = startHeartbeats({
    hostId: identity.hostId,
    joinId: identity.joinId,
    version: 'synthetic',
    address: `127.0.0.1:${grpc.port}`,
    certificate: () => running.fingerprint,
    trust: () => running.trusted,
    natsUrl,
    authorities: liveAuthorities(() => running.current, { natsUrl, caFile: null }),
    creds: natsCreds(identity),
    devices: () => {
      const now = Date.now()
      return [...phones.values()].map((phone) => phone.status(now))
    },
    problem: null,
    refuses: () => null,
    epoch: openEpoch(path.join(dir, 'epoch.json')),
    log,
  })
  changed = () => heartbeats.changed()
  running.onRenewed(changed)
  return {
    hostId: identity.hostId,
    phones,
    async stop() {
      await Promise.all([heartbeats.stop(), grpc.stop(graceMs)])
    },
  }
}
