/**
 * A device's life cycle at this host, as a pure function: the next state for each
 * event, and the effect of entering it. Run by `runner.ts`. Two rules hold for every
 * sequence of events: healthy only after a successful probe, and no writes to a device
 * that was never enrolled.
 */

export type DeviceState =
  /** adb does not list the phone. */
  | { name: 'absent' }
  /**
   * adb lists the phone, but the phone does not answer. `linked`: adb reports the phone as connected, so a query may
   * succeed. `hostFault`: the host failed, not the phone.
   */
  | { name: 'offline'; linked: boolean; failures: number; reason: string; hostFault?: true }
  /** The phone has not accepted this host's key. */
  | { name: 'unauthorized' }
  /** The agent queries the phone for its identity and whether it has booted. */
  | { name: 'booting'; failures: number }
  /** `reason`: why the phone of an enrolled serial is not used. */
  | { name: 'unenrolled'; reason?: string | null }
  /**
   * `owner` operation: a call works on the phone and reports its end; restarts during the call are expected.
   */
  | { name: 'busy'; work: Work; owner: 'agent' | 'operation'; failures: number }
  /** `misses`: failed probes since the last successful probe. */
  | { name: 'healthy'; misses: number }
  /**
   * After too many consecutive failures, the phone is not contacted for a while. An operator should check it.
   */
  | { name: 'quarantined'; reason: string }

const names: Record<DeviceState['name'], true> = {
  absent: true,
  offline: true,
  unauthorized: true,
  booting: true,
  unenrolled: true,
  busy: true,
  healthy: true,
  quarantined: true,
}
/** The names of all states. */
export const deviceStateNames = Object.keys(names)

export type Work = 'provisioning' | 'wiping' | 'verifying'
export type Link = 'absent' | 'offline' | 'unauthorized' | 'online'

export type DeviceEvent =
  | { type: 'link'; link: Link }
  /** The phone answered; `enrolled`: this phone was enrolled at this host. */
  | { type: 'identified'; booted: boolean; enrolled: boolean; reason?: string | null }
  | { type: 'provisioned' }
  | { type: 'probe_passed' }
  /**
   * The effect of the state failed. `hung`: the phone timed out, and `rescue.ts` handles it. `hostFault`: a
   * fault of this host caused the failure, which never counts against the phone.
   */
  | { type: 'failed'; reason: string; hung?: boolean; hostFault?: boolean }
  /** All recovery steps for a hanging phone failed. */
  | { type: 'gave_up'; reason: string }
  /** A requested restart has begun, or a different phone may be connected. */
  | { type: 'restarts' }
  /** The state exceeded its maximum duration. */
  | { type: 'timed_out' }
  /** A call that may write begins or ends its work. */
  | { type: 'work_begins'; work: 'provisioning' | 'wiping' }
  | { type: 'work_ends'; link: Link; failure: string | null }

/** Consecutive failures that open the circuit. */
const circuit = 5
/** The limit for hangs, whose recovery steps (`rescue.ts`) run first and end in the same state. */
const hungCircuit = 12

const failed = (failures: number, reason: string, hung = false): DeviceState =>
  failures >= (hung ? hungCircuit : circuit)
    ? { name: 'quarantined', reason }
    : { name: 'offline', linked: true, failures, reason }

const ofLink = (link: Link): DeviceState => {
  switch (link) {
    case 'absent':
      return { name: 'absent' }
    case 'offline':
      return { name: 'offline', linked: false, failures: 0, reason: 'adb reports the device as offline' }
    case 'unauthorized':
      return { name: 'unauthorized' }
    case 'online':
      return { name: 'booting', failures: 0 }
  }
}

/** Returns the same object when the event changes nothing. */
export function nextState(state: DeviceState, event: DeviceEvent): DeviceState {
  if (event.type === 'work_begins') {
    return { name: 'busy', work: event.work, owner: 'operation', failures: 0 }
  }
  if (state.name === 'busy' && state.owner === 'operation') {
    if (event.type !== 'work_ends') return state
    if (event.failure !== null) {
      return event.link === 'online'
        ? { name: 'offline', linked: true, failures: 1, reason: event.failure }
        : ofLink(event.link)
    }
    return event.link === 'online'
      ? { name: 'busy', work: 'verifying', owner: 'agent', failures: 0 }
      : ofLink(event.link)
  }
  switch (event.type) {
    case 'link': {
      const answering =
        state.name !== 'absent' &&
        state.name !== 'unauthorized' &&
        !(state.name === 'offline' && !state.linked)
      return event.link === 'online' && answering ? state : sameOr(state, ofLink(event.link))
    }
    case 'identified':
      return identified(state, event)
    case 'provisioned':
      return state.name === 'busy' && state.work === 'provisioning' ? { ...state, work: 'verifying' } : state
    case 'probe_passed':
      return (state.name === 'busy' && state.work === 'verifying') || state.name === 'healthy'
        ? { name: 'healthy', misses: 0 }
        : state
    case 'failed':
      return event.hostFault
        ? afterHostFault(state, event.reason)
        : afterFailure(state, event.reason, event.hung)
    case 'gave_up':
      return state.name === 'absent' || state.name === 'unauthorized'
        ? state
        : { name: 'quarantined', reason: event.reason }
    case 'restarts':
      return state.name === 'healthy' || state.name === 'busy' ? { name: 'booting', failures: 0 } : state
    case 'timed_out':
      return state.name === 'booting'
        ? { name: 'quarantined', reason: 'the phone did not finish booting' }
        : afterFailure(state, `${state.name} took too long`)
    case 'work_ends':
      return state
  }
}

function identified(
  state: DeviceState,
  event: { booted: boolean; enrolled: boolean; reason?: string | null },
): DeviceState {
  const asked =
    state.name === 'booting' ||
    state.name === 'unenrolled' ||
    state.name === 'quarantined' ||
    (state.name === 'offline' && state.linked)
  if (!asked) return state
  const failures = 'failures' in state ? state.failures : 0
  if (!event.booted) return state.name === 'booting' ? state : { name: 'booting', failures }
  if (!event.enrolled) {
    const reason = event.reason ?? null
    const isSame = state.name === 'unenrolled' && (state.reason ?? null) === reason
    return isSame ? state : { name: 'unenrolled', ...(reason === null ? {} : { reason }) }
  }
  return { name: 'busy', work: 'provisioning', owner: 'agent', failures }
}

function afterFailure(state: DeviceState, reason: string, hung = false): DeviceState {
  switch (state.name) {
    case 'booting':
    case 'offline':
      return state.name === 'offline' && !state.linked ? state : failed(state.failures + 1, reason, hung)
    case 'busy':
      return failed(state.failures + 1, reason, hung)
    case 'unenrolled':
      return failed(1, reason, hung)
    case 'healthy':
      return state.misses === 0 ? { name: 'healthy', misses: 1 } : failed(1, reason, hung)
    case 'quarantined':
      return state
    case 'absent':
    case 'unauthorized':
      return state
  }
}

function afterHostFault(state: DeviceState, reason: string): DeviceState {
  switch (state.name) {
    case 'booting':
    case 'busy':
    case 'offline':
      return state.name === 'offline' && !state.linked
        ? state
        : { name: 'offline', linked: true, failures: state.failures, reason, hostFault: true }
    case 'healthy':
      return state.misses === 0
        ? { name: 'healthy', misses: 1 }
        : { name: 'offline', linked: true, failures: 0, reason, hostFault: true }
    case 'unenrolled':
    case 'quarantined':
    case 'absent':
    case 'unauthorized':
      return state
  }
}

const sameOr = (state: DeviceState, next: DeviceState): DeviceState =>
  state.name === next.name && state.name !== 'booting' ? state : next

/** Whether a state continues, with its time limit. A busy state with different work is another state. */
export const isSameState = (a: DeviceState, b: DeviceState): boolean =>
  a.name === b.name && (a.name !== 'busy' || b.name !== 'busy' || (a.work === b.work && a.owner === b.owner))

/** `identify` and `probe` only read; `provision` writes. */
export type Effect = 'identify' | 'provision' | 'probe'

/**
 * The effect of entering a state, which begins after a pause, and the state's maximum duration
 * (milliseconds).
 */
export interface Entry {
  effect: 'none' | Effect
  afterMs: number
  /** Milliseconds that the effect may take. */
  limitMs: number
  /** Maximum milliseconds of the state; null when it has no maximum. */
  lastsMs: number | null
}

/** Milliseconds until the phone is queried again after a fault of the host. */
const hostFaultPauseMs = 3000

const nothing: Entry = { effect: 'none', afterMs: 0, limitMs: 0, lastsMs: null }

/** Milliseconds until a phone that is not enrolled is queried again. */
const unenrolledPauseMs = 8000

/** `jitter` is from 0 to 1. */
export function entryOf(state: DeviceState, jitter: number, unenrolledMs = unenrolledPauseMs): Entry {
  const spread = (ms: number) => ms * (0.75 + jitter / 2)
  switch (state.name) {
    case 'absent':
    case 'unauthorized':
      return nothing
    case 'offline':
      return state.linked
        ? {
            effect: 'identify',
            afterMs: spread(state.hostFault ? hostFaultPauseMs : Math.min(250 * 2 ** state.failures, 30_000)),
            limitMs: 3000,
            lastsMs: null,
          }
        : nothing
    case 'booting':
      return { effect: 'identify', afterMs: 0, limitMs: 3000, lastsMs: 15 * 60_000 }
    case 'unenrolled':
      return { effect: 'identify', afterMs: spread(unenrolledMs), limitMs: 3000, lastsMs: null }
    case 'busy':
      if (state.owner === 'operation') return nothing
      return state.work === 'provisioning'
        ? { effect: 'provision', afterMs: 0, limitMs: 60_000, lastsMs: 90_000 }
        : { effect: 'probe', afterMs: 0, limitMs: 3000, lastsMs: 20_000 }
    case 'healthy':
      return {
        effect: 'probe',
        afterMs: state.misses === 0 ? spread(5000) : 500,
        limitMs: 3000,
        lastsMs: null,
      }
    case 'quarantined':
      return { effect: 'identify', afterMs: spread(5 * 60_000), limitMs: 3000, lastsMs: null }
  }
}
