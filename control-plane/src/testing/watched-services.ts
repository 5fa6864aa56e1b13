/**
 * The real services with a log of calls, for tests that compare the arguments that a route passes on. A test
 * can inject failures, for conditions that it cannot cause from outside. Used by `api.ts`.
 */
import { type Services } from '../api/routes/services.js'

/** A call of a service, such as `phones.create`. */
export interface ServiceCall {
  name: string
  args: unknown[]
}

export interface WatchedServices {
  services: Services
  calls: ServiceCall[]
  /** Counts the calls of functions that this service returned, such as the function that ends a hold. */
  ended: (name: string) => number
  /** Errors by the name of a call. The next call of that name is rejected, once. */
  failures: Map<string, Error>
}

export function watchServices(real: Services): WatchedServices {
  const calls: ServiceCall[] = []
  const failures = new Map<string, Error>()
  const endings: string[] = []
  const watchService = ([group, service]: [string, object]) => {
    const get = (target: object, method: string): unknown => {
      const found: unknown = Reflect.get(target, method)
      if (typeof found !== 'function') return found
      return (...args: unknown[]): unknown => {
        const name = `${group}.${method}`
        calls.push({ name, args })
        const failure = failures.get(name)
        failures.delete(name)
        if (failure !== undefined) return Promise.reject(failure)
        const result: unknown = Reflect.apply(found, target, args)
        if (typeof result !== 'function') return result
        return () => {
          endings.push(name)
          Reflect.apply(result, undefined, [])
        }
      }
    }
    return [group, new Proxy(service, { get: (target, method) => get(target, String(method)) })] as const
  }
  const services = Object.fromEntries(Object.entries(real).map(watchService)) as unknown as Services
  const ended = (name: string): number => endings.filter((each) => each === name).length
  return { services, calls, failures, ended }
}
