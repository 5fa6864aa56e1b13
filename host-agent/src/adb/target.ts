/**
 * Addresses the device of a call by transport ID, which identifies one connection of the adb server. A serial
 * can be a network address, which different phones can use in turn.
 */

/** A connection of the adb server to a device. */
export interface TransportId {
  /** The ID that the server assigned, counting from its start. */
  readonly id: number
  /** The run of the server that assigned the ID. */
  readonly serverRun: number
}

/** The destination of calls to the phone of a serial. */
export interface Target {
  readonly serial: string
  /** Null while adb is not connected to the phone. */
  readonly current: TransportId | null
}

/** The target of a serial. The reader of the device list updates it. */
export class SerialTarget implements Target {
  current: TransportId | null = null

  constructor(readonly serial: string) {}

  /**
   * Sets the transport from the latest list; null while the device is not online. Returns whether the transport
   * changed.
   */
  set(to: TransportId | null): boolean {
    const { current } = this
    if (current?.id === to?.id && current?.serverRun === to?.serverRun) return false
    this.current = to
    return true
  }
}

/** Returns the phone that `target` addresses now, for related steps. `current` is null once the target has changed. */
export function pin(target: Target): Target {
  const pinned = target.current
  return {
    serial: target.serial,
    get current() {
      // The objects are compared by identity, because a reopened connection can have the same ID.
      return target.current === pinned ? pinned : null
    },
  }
}
