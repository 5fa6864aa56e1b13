/**
 * Refuses calls of the control plane that this host cannot carry out now, before they reach a phone, and
 * counts the running calls. Wraps the handlers of all services; `agent.ts` decides by the state of the
 * machine.
 */
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { HostServiceService, LiveServiceService, RecordingServiceService } from '@phonerack/proto'
import type { HostRefused } from '@phonerack/shared'
import { isControlPlane } from './call.js'
import { toServiceError } from './errors.js'
import type { Handlers } from './server.js'

/** Calls that write to the disk of this host before they can end. Parks and calls into running phones continue. */
export const needDisk: readonly string[] = [
  ...['startPhone', 'wipeDevice', 'enrollDevice', 'adoptDevice'],
  ...['beginInstall', 'putPackageFile', 'startRecording'],
]

interface Admission {
  /** The handlers, each with the check before it. */
  readonly handlers: Handlers
  readonly running: number
  /** Resolves when no call runs. */
  idle(): Promise<void>
}

/** @param refuse returns the reason to refuse a call, by the call's name; null when the call runs */
export function admit(handlers: Handlers, refuse: (call: string) => HostRefused | null): Admission {
  let running = 0
  const waiters = new Set<() => void>()
  /** @returns a function that ends the call; another call of the function has no effect */
  function begin(): () => void {
    running += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      running -= 1
      if (running > 0) return
      for (const wake of waiters) wake()
      waiters.clear()
    }
  }
  const wrap = <S extends UntypedServiceImplementation>(service: S, definition: ServiceDefinition): S => {
    const calls = Object.entries(definition).map(([name]) => [name, guarded(name, service[name])])
    return Object.fromEntries(calls) as S
  }
  function guarded(name: string, handle: UntypedServiceImplementation[string] | undefined): unknown {
    if (handle === undefined) throw new Error(`no handler of ${name}`)
    const run = handle as (call: AnyCall, callback?: Callback) => void
    return (call: AnyCall, callback?: Callback) => {
      // Any other client is refused by the handler itself.
      const refused = isControlPlane(call) ? refuse(name) : null
      if (refused !== null) {
        const error = toServiceError(refused)
        if (callback) callback(error)
        else call.emit('error', error)
        return
      }
      const end = begin()
      if (callback)
        return run(call, (...answer) => {
          end()
          callback(...answer)
        })
      for (const event of ['finish', 'error', 'cancelled']) call.once(event, end)
      run(call)
    }
  }
  return {
    handlers: {
      host: wrap(handlers.host, HostServiceService),
      live: wrap(handlers.live, LiveServiceService),
      recordings: wrap(handlers.recordings, RecordingServiceService),
    },
    get running() {
      return running
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiters.add(resolve))),
  }
}

type Callback = (...answer: unknown[]) => void
type AnyCall = Parameters<typeof isControlPlane>[0] & {
  once(event: string, listener: () => void): unknown
  emit(event: 'error', error: Error): boolean
}
