/**
 * Names the device of a call by one connection of the adb server, its transport id. A serial may be an address and can
 * lead to one phone and then to another; a transport id never does.
 */

/** A connection of the adb server to a device. */
export interface TransportId {
  /** Counted by the server from its start. */
  readonly id: number
  /** The start of the server that counted it. */
  readonly serverRun: number
}

/** The destination of calls to the phone of a serial. */
export interface Target {
  readonly serial: string
  /** Null while adb does not reach it. */
  readonly current: TransportId | null
}

/** The target of a serial. The reader of the device list updates it. */
export class SerialTarget implements Target {
  current: TransportId | null = null

  constructor(readonly serial: string) {}

  /** Takes the connection of the newest list, null while the device is not online. Returns whether it changed. */
  lead(to: TransportId | null): boolean {
    const { current } = this
    if (current?.id === to?.id && current?.serverRun === to?.serverRun) return false
    this.current = to
    return true
  }
}

/** The phone that `target` leads to now, for steps that belong together. Becomes null once the target has led elsewhere. */
export function pin(target: Target): Target {
  const pinned = target.current
  return {
    serial: target.serial,
    get current() {
      // Compared by identity: a connection that broke and was reopened can have its old id.
      return target.current === pinned ? pinned : null
    },
  }
}
