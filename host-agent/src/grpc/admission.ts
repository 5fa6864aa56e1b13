/**
 * Refuses calls of the control plane that this host cannot carry out now, before they reach a phone. Wraps the handlers of all
 * services; `agent.ts` decides by the state of the machine.
 */
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { HostServiceService, LiveServiceService, RecordingServiceService } from '@phonerack/proto'
import type { HostRefused } from '@phonerack/shared'
import { isControlPlane } from './call.js'
import { toServiceError } from './errors.js'
import type { Handlers } from './server.js'

/** Calls that write to the disk of this host before they can end. Parks and calls into running phones continue. */
export const needDisk: readonly string[] = [
  ...['startPhone', 'wipeDevice', 'enrollDevice'],
  ...['beginInstall', 'putPackageFile', 'startRecording'],
]

/** @param refuse the reason to refuse a call, by its name; null: it runs */
export function admitted(handlers: Handlers, refuse: (call: string) => HostRefused | null): Handlers {
  const wrap = <S extends UntypedServiceImplementation>(service: S, definition: ServiceDefinition): S => {
    const calls = Object.entries(definition).map(([name]) => [name, guarded(name, service[name])])
    return Object.fromEntries(calls) as S
  }
  function guarded(name: string, handle: UntypedServiceImplementation[string] | undefined): unknown {
    if (handle === undefined) throw new Error(`no handler of ${name}`)
    const run = handle as (call: AnyCall, callback?: (error: Error) => void) => void
    return (call: AnyCall, callback?: (error: Error) => void) => {
      // Any other client is refused by the handler itself.
      const refused = isControlPlane(call) ? refuse(name) : null
      if (refused === null) return run(call, callback)
      const error = toServiceError(refused)
      if (callback) callback(error)
      else call.emit('error', error)
    }
  }
  return {
    host: wrap(handlers.host, HostServiceService),
    live: wrap(handlers.live, LiveServiceService),
    recordings: wrap(handlers.recordings, RecordingServiceService),
  }
}

type AnyCall = Parameters<typeof isControlPlane>[0] & { emit(event: 'error', error: Error): boolean }
