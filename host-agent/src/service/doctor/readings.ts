/** The state of this machine as `doctor` reads it; the findings are derived from it. */
import type { AdbServerProcess } from '../../adb/other-servers.js'
import type { AdbProgram } from '../../adb/program.js'

/** A failed reading is different from an empty reading. */
export type Reading<T> = { value: T } | { failed: string }

export interface UsbPhone {
  /** Port in the USB tree, such as `1-2`. */
  port: string
  name: string
  serial: string | null
  /** Mbit/s. */
  speed: number | null
  /** The device file, such as `/dev/bus/usb/001/004`. */
  node: string
  access: 'ok' | 'denied' | 'missing'
}

export interface ListeningPort {
  /** `host:port`. */
  listen: string
  state: 'free' | 'agent' | 'taken' | 'foreign' | 'failed'
  /** Error code. */
  why: string
}

/**
 * Whether the control plane connects to the agent. Null when the control plane was not asked, since the agent does not
 * run or has no identity.
 */
export type WayBack = Reading<{
  /** The address that the control plane knows; null when no heartbeat has arrived. */
  address: string | null
  isConnected: boolean
}> | null

/** The way by which the control plane reaches the agent. */
export type WayToAgent =
  /** The control plane connects to `address`. */
  | { kind: 'listen'; port: ListeningPort; address: string; back: WayBack }
  /** The agent opens tunnels. Null when the agent does not run. */
  | { kind: 'dial'; tunnels: Reading<ReplicaTunnel[]> | null }

/** The tunnel to one replica. */
interface ReplicaTunnel {
  replica: string
  /** `host:port`. */
  address: string
  isOpen: boolean
  /** The reason why the last attempt failed; null when the attempt did not fail. */
  fault: string | null
}

/** The connection attempts of one phone. */
export interface PhoneNetwork {
  serial: string
  /** To addresses of the agent. */
  agent: Try[]
  /** To the ADB ports of other phones. */
  phones: Try[]
}

export interface Try {
  /** `host:port`. */
  place: string
  isReached: Reading<boolean>
}

/** The phones that one adb server of the agent lists. */
export interface ServerReading {
  /** The serial of the phone that the server serves; null for all phones on USB. */
  serial: string | null
  phones: Reading<{ serial: string; state: string }[]>
}

/** The parts that need a valid configuration. */
export interface HostReadings {
  /** Null when this host has not joined. */
  identity: Reading<{ hostId: string; endsAt: Date; mode: number; dirMode: number } | null>
  /** Milliseconds by which this machine's clock is ahead; null when the answer has no date. */
  server: Reading<{ url: string; status: number; aheadMs: number | null }>
  /** Null when the broker was not tried, since the host has not joined. */
  broker: Reading<null> | null
  way: WayToAgent
  disks: { name: string; path: string; free: Reading<number>; needed: number }[]
  /** Null when the agent does not run. */
  servers: ServerReading[] | null
  /** One entry per connected phone; empty when the agent does not run. */
  phoneNetwork: PhoneNetwork[]
}

export interface Readings {
  now: Date
  /** The problem of the configuration; null when the configuration is valid. */
  configuration: string | null
  adb: Reading<AdbProgram>
  /** Other adb servers on this machine. */
  adbServers: Reading<AdbServerProcess[]>
  usb: Reading<UsbPhone[]>
  ffmpeg: Reading<{ missing: string[] }>
  ffprobe: Reading<string>
  host: HostReadings | null
}

export interface Finding {
  id: string
  /** `unknown`: the check was not possible. */
  level: 'ok' | 'warning' | 'error' | 'unknown'
  /** The state, or the problem. */
  about: string
  /** The effect of the problem; empty for `ok`. */
  why: string
  /** The command or step that fixes the problem; empty for `ok`. */
  fix: string
}
