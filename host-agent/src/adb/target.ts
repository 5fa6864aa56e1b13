/**
 * Which device a call is for: one connection of the adb server, by its transport id. A serial, which may be an address,
 * can lead to one phone and then to another; a transport id never does.
 */

/** A connection of the adb server to a device. */
export interface TransportId {
  /** Counted by the server from its start. */
  readonly id: number
  /** Which start of the server counted it. */
  readonly serverRun: number
}

/** Where calls to the phone of a serial go. */
export interface Target {
  readonly serial: string
  /** Null while adb does not reach it. */
  readonly current: TransportId | null
}

/** The target of a serial, kept by whoever reads the list of devices. */
export class SerialTarget implements Target {
  current: TransportId | null = null

  constructor(readonly serial: string) {}

  /** What the list says now; null while the device is not online. Returns false for the connection that it already has. */
  lead(to: TransportId | null): boolean {
    const { current } = this
    if (current?.id === to?.id && current?.serverRun === to?.serverRun) return false
    this.current = to
    return true
  }
}

/** The phone that `target` leads to now, for steps that belong together: null once the target has led anywhere else. */
export function pin(target: Target): Target {
  const pinned = target.current
  return {
    serial: target.serial,
    get current() {
      // By identity: a connection that broke and came again may have its old id.
      return target.current === pinned ? pinned : null
    },
  }
}
