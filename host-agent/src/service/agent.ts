/** The whole agent, assembled. Started and stopped by `main.ts` and by tests. */
import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import {
  DeadlineExceeded,
  dialledAddress,
  HostRefused,
  newId,
  systemClock,
  type HostRefusal,
  type Logger,
  type Progress,
} from '@phonerack/shared'
import { startAdbServers } from '../adb/servers.js'
import { ownFaultOf } from '../base/own-fault.js'
import type { AgentTimes } from '../base/times.js'
import type { Config } from './config.js'
import { takeDataDir } from './data-dir.js'
import { serveMetrics } from '@phonerack/shared/metrics'
import { createHandlers } from './grpc/handlers.js'
import { createLiveHandlers } from './grpc/live-handlers.js'
import { watchTimes } from '../media/live/watch.js'
import { createRecordingHandlers } from './grpc/recording-handlers.js'
import { admit, needDisk } from './grpc/admission.js'
import { startGrpcServer } from './grpc/server.js'
import { grpcSocketPath } from './grpc/socket.js'
import { liveAuthorities, natsCreds, type Identity } from './identity.js'
import { runIdentity, type RunningIdentity } from './renewal.js'
import { openPackageCache, type PackageCache } from '../devices/installs/cache.js'
import { createInstalls } from '../devices/installs/installs.js'
import { openInstallRecords } from '../devices/installs/records.js'
import { openJournal, type Journal } from '../custody/journal.js'
import { openRecords, type Records } from '../custody/records.js'
import { Registry } from '../devices/registry.js'
import { createMetrics } from '../base/metrics/metrics.js'
import { deviceStateNames } from '../devices/supervision/state-machine.js'
import { createRecordings } from '../media/recordings/recordings.js'
import { openRecordingStore } from '../media/recordings/store.js'
import { createSnapshotStore } from '../screen/index.js'
import { videoOf } from '../media/recordings/video-of.js'
import { readJar, withoutScrcpyServer } from '../capture/scrcpy/jar.js'
import { openEpoch } from './status/epoch.js'
import { PhoneReports } from './status/phone-reports.js'
import { enoughFree, freeBytesOf, watchFitness } from './status/fitness.js'
import { startHeartbeats, type Heartbeats } from './status/heartbeat.js'
import { writeTunnels, type TunnelsState } from './tunnels/state.js'
import { keepTunnels, type Tunnels } from './tunnels/tunnels.js'
import { version } from '../base/version.js'

export interface Agent {
  grpcPort: number
  /** Null when the agent does not serve metrics. */
  metricsPort: number | null
  registry: Registry
  /**
   * Refuses new calls, reports to the control plane that this host takes no new work, ends live views, and
   * lets the other running calls continue until `within` ends. `stop` must be called afterwards.
   * docs/decisions/0218
   */
  finish(within: Progress): Promise<void>
  stop(): Promise<void>
}

const stoppingNow: HostRefusal = {
  kind: 'stopping',
  reason: 'The agent received SIGTERM, and takes work again after its next start.',
}

export async function startAgent(
  config: Config,
  identity: Identity,
  log: Logger,
  times: AgentTimes = {},
): Promise<Agent> {
  const { dataDir } = config
  /** Cleanup functions, newest last. */
  const undo: (() => void | Promise<void>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    undo.push(takeDataDir(dataDir))
    const jar = config.scrcpyServer === null ? null : await readJar(config.scrcpyServer)
    if (jar === null) log.warn(withoutScrcpyServer)
    const records = openRecords(joinPath(dataDir, 'devices'))
    const journal = openJournal(joinPath(dataDir, 'journal.jsonl'), () => systemClock.now())
    undo.push(() => journal.close())
    reportLeftOpen(journal, records, log)
    const adb = await startAdbServers({
      bin: config.adbBin,
      connect: config.adbConnect,
      reconnectMs: times.reconnect,
      dataDir,
      log,
    })
    undo.push(() => adb.stop())
    let heartbeats: Heartbeats | null = null
    let cache: PackageCache | null = null
    const fitness = await watchFitness({
      dataDir,
      minFree: config.minFreeBytes,
      adbTrouble: () => adb.trouble,
      onFull() {
        cache?.makeRoom().catch((err: unknown) => log.error({ err }, 'package files cannot be evicted'))
      },
      onChange: () => heartbeats?.changed(),
      log,
    })
    undo.push(() => fitness.stop())
    const reports = new PhoneReports(log, () => heartbeats?.changed())
    let metricsPort: number | null = null
    const registry = new Registry({
      servers: adb,
      connect: config.adbConnect,
      jar,
      isolated: config.isolated,
      withMotion: config.withMotion,
      shellKinds: config.shellKinds,
      allowSims: config.allowSims,
      conditionEveryMs: config.conditionEveryMs,
      times,
      isHostFault(error, serial) {
        const isOwn = ownFaultOf(error) !== null || adb.troubleOf(serial) !== null
        if (isOwn) fitness.suspect()
        return isOwn
      },
      records,
      flags: { packageCleanFreesAll: config.packageCleanFreesAll },
      journal,
      newId: () => newId('request'),
      log,
      onObservation: (phone, observation) => reports.add(phone, observation),
      onChange: () => heartbeats?.changed(),
    })
    undo.push(() => registry.stop())
    cache = await openPackageCache(joinPath(dataDir, 'packages'), config.packageCacheBytes, {
      keep: enoughFree(config.minFreeBytes),
      free: () => freeBytesOf(dataDir),
    })
    const installs = createInstalls({
      gateOf: (serial) => registry.gate(serial),
      cache,
      records: openInstallRecords(joinPath(dataDir, 'installs.json'), leftInstalls(journal)),
      log,
    })
    undo.push(() => installs.stop())
    const { ffmpeg, ffprobe, ...recordingLimits } = config.recordings
    const recordings = createRecordings({
      videoOf: (who, progress) => videoOf(registry, who, progress),
      store: openRecordingStore(joinPath(dataDir, 'recordings')),
      programs: { ffmpeg, ffprobe },
      limits: recordingLimits,
      log,
    })
    undo.push(() => recordings.close())
    const snapshots = createSnapshotStore(systemClock)
    const running = runIdentity(dataDir, identity, log)
    const leaving = new AbortController()
    const refuse = (call: string): HostRefused | null => {
      if (leaving.signal.aborted) return new HostRefused('stopping')
      return fitness.refusal !== null && needDisk.includes(call)
        ? new HostRefused(fitness.refusal.kind)
        : null
    }
    const handlers = {
      host: createHandlers({ registry, installs, snapshots, renewal: running, hostId: identity.hostId, log }),
      live: createLiveHandlers(registry, leaving.signal, log, {
        ...watchTimes,
        secureWindow: times.secureWindow ?? watchTimes.secureWindow,
      }),
      recordings: createRecordingHandlers(recordings, log),
    }
    const calls = admit(handlers, refuse)
    const socket = grpcSocketPath(dataDir)
    const tunnels = config.grpcListen === null ? openWay(dataDir, socket, running, log) : null
    // The tunnels end after the gRPC server, whose running calls use them.
    if (tunnels) undo.push(() => tunnels.stop())
    const grpc = await startGrpcServer(config.grpcListen ?? `unix:${socket}`, identity, calls.handlers)
    running.onRenewed((renewed) => grpc.useCertificate(renewed))
    undo.push(() => grpc.stop(1500))
    const address = addressOf(config, grpc.port)
    const beating = startHeartbeats({
      hostId: identity.hostId,
      joinId: identity.joinId,
      version,
      address,
      certificate: () => running.fingerprint,
      trust: () => running.trusted,
      natsUrl: config.natsUrl,
      authorities: liveAuthorities(() => running.current, config),
      creds: natsCreds(identity),
      devices: () => registry.statuses(),
      problem: jar === null ? withoutScrcpyServer : null,
      refuses: () => (leaving.signal.aborted ? stoppingNow : fitness.refusal),
      epoch: openEpoch(joinPath(dataDir, 'epoch.json')),
      reports,
      onTunnel: (offer) => tunnels?.offer(offer),
      log,
    })
    heartbeats = beating
    running.onRenewed(() => beating.changed())
    undo.push(() => beating.stop())
    if (config.metrics) {
      const render = createMetrics({
        devices: () => registry.countByState(),
        deviceStates: deviceStateNames,
        folders: {
          data: dataDir,
          packages: joinPath(dataDir, 'packages'),
          recordings: joinPath(dataDir, 'recordings'),
        },
        certificateEnds: () => new Date(new X509Certificate(running.current.certificatePem).validTo),
      })
      const scraped = await serveMetrics(config.metrics, render, log)
      undo.push(() => scraped.close())
      metricsPort = scraped.port
    }
    log.info({ hostId: identity.hostId, address, version }, 'the host agent runs')
    const finish = async (within: Progress): Promise<void> => {
      leaving.abort()
      beating.changed()
      if (calls.running > 0) log.info({ calls: calls.running }, 'the stop waits for running calls')
      try {
        await within.race('the end of the running calls', () => calls.idle())
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
        log.warn({ calls: calls.running }, 'calls that still run are ended')
      }
    }
    return { grpcPort: grpc.port, metricsPort, registry, finish, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Tunnels to the agent's gRPC server at `socket`. */
function openWay(dataDir: string, socket: string, running: RunningIdentity, log: Logger): Tunnels {
  // A killed agent leaves its socket.
  rmSync(socket, { force: true })
  const onChange = (state: TunnelsState) => writeTunnels(dataDir, state, log)
  return keepTunnels({ identity: () => running.current, target: socket, onChange, log })
}

/** Returns the address for heartbeats. */
function addressOf({ grpcListen: listen, grpcAddress }: Config, port: number): string {
  if (listen === null) return dialledAddress
  return grpcAddress ?? `${listen.slice(0, listen.lastIndexOf(':'))}:${port}`
}

/**
 * Writes that were running when the agent was killed. They are logged and kept in the device's record, and
 * never repeated.
 */
function reportLeftOpen(journal: Journal, records: Records, log: Logger): void {
  for (const open of journal.leftOpen) {
    log.error({ operation: open }, 'the agent stopped during this write: its outcome is unknown')
    records.update(open.serial, { unknownOutcome: { operation: open.kind, at: open.at } })
  }
}

const leftInstalls = (journal: Journal) =>
  journal.leftOpen
    .filter(({ kind }) => kind === 'install')
    .map(({ begin, serial, phoneId }) => ({ id: begin, serial, phoneId }))
