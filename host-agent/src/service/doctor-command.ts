/** `phonerack-agent doctor`: reads the state of this machine and prints the findings. Changes nothing. */
import { X509Certificate } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { Progress, trustedRoots } from '@phonerack/shared'
import type { ListedDevice } from '../adb/device-list.js'
import { isPhoneOf, serversOf, type ServerToAsk } from '../adb/plan.js'
import { runningAgent } from '../adb/process-identity.js'
import { adbSocketDir } from '../adb/sockets.js'
import type { Io } from '../base/cli/io.js'
import type { Config } from './config.js'
import { hostFindings } from './doctor/host.js'
import { machineFindings } from './doctor/machine.js'
import { readBroker, readPort, readServer, readWayBack } from './doctor/network.js'
import { readPhoneNetwork, tryMs, type ConnectedPhone } from './doctor/phone-network.js'
import { attempt, readAdb, readAdbServers, readFfmpeg, readFfprobe } from './doctor/programs.js'
import type {
  Finding,
  HostReadings,
  Reading,
  Readings,
  UsbPhone,
  WayBack,
  WayToAgent,
} from './doctor/readings.js'
import { isHealthy, reportJson, reportText } from './doctor/report.js'
import { readUsb } from './doctor/usb.js'
import { readTunnels } from './tunnels/state.js'
import { brokerAuthorities, loadIdentity, natsCreds } from './identity.js'

/** Folders of the system. Tests replace them. */
export interface SystemFolders {
  proc: string
  usb: string
  usbNodes: string
}

const systemFolders: SystemFolders = { proc: '/proc', usb: '/sys/bus/usb/devices', usbNodes: '/dev/bus/usb' }

/** @param config the valid configuration, or its problem @returns the exit code */
export async function runDoctor(
  config: Config | { problem: string },
  json: boolean,
  io: Io,
  folders = systemFolders,
): Promise<number> {
  const findings = await findingsOf(config, folders)
  io.out(json ? reportJson(findings) : reportText(findings))
  return isHealthy(findings) ? 0 : 1
}

/** @param limitMs milliseconds for each connection that a phone tries */
export async function findingsOf(
  config: Config | { problem: string },
  folders: SystemFolders,
  limitMs = tryMs,
): Promise<Finding[]> {
  const readings = await readAll(config, folders, limitMs)
  return [...hostFindings(readings), ...machineFindings(readings)]
}

async function readAll(
  given: Config | { problem: string },
  folders: SystemFolders,
  limitMs: number,
): Promise<Readings> {
  const config = 'problem' in given ? null : given
  const ownDir = config === null ? null : adbSocketDir(config.dataDir)
  const [adb, usb] = await Promise.all([
    readAdb(config?.adbBin ?? 'adb'),
    readUsb(folders.usb, folders.usbNodes),
  ])
  const ports = 'value' in usb ? usb.value : []
  const [adbServers, ffmpeg, ffprobe, host] = await Promise.all([
    readAdbServers(folders.proc, ownDir),
    readFfmpeg(config?.recordings.ffmpeg ?? 'ffmpeg'),
    readFfprobe(config?.recordings.ffprobe ?? 'ffprobe'),
    config === null ? null : readHost(config, ports, limitMs),
  ])
  const configuration = 'problem' in given ? given.problem : null
  return { now: new Date(), configuration, adb, adbServers, usb, ffmpeg, ffprobe, host }
}

/** @param ports the USB ports with phones */
async function readHost(config: Config, ports: readonly UsbPhone[], limitMs: number): Promise<HostReadings> {
  const { dataDir, controlUrl, natsUrl, caFile } = config
  const identityFile = path.join(dataDir, 'identity.json')
  const loaded = await attempt(() => loadIdentity(identityFile))
  const isRunning = runningAgent(dataDir) !== null
  const identity = await attempt(() => {
    if ('failed' in loaded) throw new Error(loaded.failed)
    if (loaded.value === null) return null
    const { hostId, certificatePem } = loaded.value
    const endsAt = new Date(new X509Certificate(certificatePem).validTo)
    return { hostId, endsAt, mode: statSync(identityFile).mode, dirMode: statSync(dataDir).mode }
  })
  const roots = await attempt(() => trustedRoots(caFile))
  const joined = 'value' in loaded ? loaded.value : null
  const access = await attempt(() =>
    joined === null
      ? null
      : { url: natsUrl, creds: natsCreds(joined), authorities: brokerAuthorities(joined, config) },
  )
  const back = async (): Promise<WayBack> => {
    if (!isRunning || joined === null) return null
    return 'failed' in roots ? roots : readWayBack(controlUrl, roots.value, joined)
  }
  const [server, broker, way, asked, state, recordings] = await Promise.all([
    'failed' in roots ? { failed: roots.failed } : readServer(controlUrl, roots.value),
    'failed' in access ? access : access.value === null ? null : readBroker(access.value),
    readWay(config, isRunning, back),
    isRunning
      ? Promise.all(serversOf(dataDir, config.adbConnect, ports).map((each) => ask(each, config)))
      : null,
    freeSpace('state folder', dataDir, config.minFreeBytes),
    freeSpace('recordings', path.join(dataDir, 'recordings'), config.recordings.minFree),
  ])
  const connected = (asked ?? []).flatMap(({ client, phones }): ConnectedPhone[] =>
    'failed' in phones
      ? []
      : phones.value.filter(({ state }) => state === 'device').map((device) => ({ client, device })),
  )
  const phoneNetwork = await readPhoneNetwork(connected, {
    listen: config.grpcListen,
    networkPhones: config.adbConnect,
    tryMs: limitMs,
  })
  const servers = asked?.map(({ serial, phones }) => ({ serial, phones })) ?? null
  return { identity, server, broker, way, disks: [state, recordings], servers, phoneNetwork }
}

/** Returns the phones of one adb server. */
async function ask(
  server: ServerToAsk,
  { adbConnect }: Config,
): Promise<ServerToAsk & { phones: Reading<ListedDevice[]> }> {
  const network = new Set(adbConnect)
  const phones = await attempt(async () => {
    const listed = await server.client.devices(Progress.for(5000))
    return listed.filter(({ serial }) => isPhoneOf(server.serial, serial, network))
  })
  return { ...server, phones }
}

async function readWay(
  config: Config,
  isRunning: boolean,
  back: () => Promise<WayBack>,
): Promise<WayToAgent> {
  const { grpcListen, grpcAddress, dataDir } = config
  if (grpcListen === null)
    return { kind: 'dial', tunnels: isRunning ? await attempt(() => readTunnels(dataDir)) : null }
  const [port, wayBack] = await Promise.all([readPort(grpcListen, isRunning), back()])
  return { kind: 'listen', port, address: grpcAddress ?? grpcListen, back: wayBack }
}

/** Returns the free space of the folder's disk. For a missing folder, its first existing parent counts. */
async function freeSpace(
  name: string,
  folder: string,
  needed: number,
): Promise<HostReadings['disks'][number]> {
  let existing = folder
  while (!existsSync(existing) && existing !== path.dirname(existing)) existing = path.dirname(existing)
  const free = await attempt(async () => {
    const { bavail, bsize } = await statfs(existing)
    return bavail * bsize
  })
  return { name, path: existing, free, needed }
}
