/** Mutates a host's responses. The random numbers are seeded, so that a run can be repeated. */
import { type ServiceDefinition } from '@grpc/grpc-js'
import { HostServiceService, LiveServiceService, RecordingServiceService } from '@phonerack/proto'

const services: ServiceDefinition = {
  ...HostServiceService,
  ...LiveServiceService,
  ...RecordingServiceService,
}

/** Mulberry32: small, and the same on every machine. */
export class Chance {
  constructor(private state: number) {}

  /** A number from 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  pick<T>(list: readonly T[]): T {
    // `undefined` may be an element.
    return list[this.below(list.length)] as T
  }

  is(probability: number): boolean {
    return this.next() < probability
  }

  bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(most) }, () => this.below(256)))
  }
}

const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) as unknown

/** Replacements for a field's value. */
const nasty: readonly unknown[] = [
  ...[null, undefined, true, false, 0, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 53, 1e300],
  ...[0n, -1n, 2n ** 63n, 2n ** 64n - 1n],
  ...['', '\0', 'a\0b', '\ud800', '\r\nset-cookie: a=b', '__proto__', 'x'.repeat(100_000), '💥'.repeat(100)],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', 'not a date', '-1', '1e400'],
  ...[new Date(NaN), new Date(-1e14), new Date(8.64e15)],
  ...[[], {}, [[]], { $case: 'nothing' }, JSON.parse('{"__proto__":{"polluted":true}}') as unknown, deep],
]

/** A copy with one nested value changed, removed or repeated. */
export function mutate(chance: Chance, value: unknown): unknown {
  if (chance.is(0.15)) return chance.pick(nasty)
  if (Buffer.isBuffer(value)) return mutateBytes(chance, value)
  if (value instanceof Date || typeof value !== 'object' || value === null) return chance.pick(nasty)
  if (Array.isArray(value)) {
    if (value.length === 0 || chance.is(0.2)) return [...(value as unknown[]), chance.pick(nasty)]
    if (chance.is(0.1)) return Array.from({ length: 2000 }, () => (value as unknown[])[0])
    const at = chance.below(value.length)
    return value.map((each: unknown, index) => (index === at ? mutate(chance, each) : each))
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return { [chance.pick(['a', '\0', '__proto__'])]: chance.pick(nasty) }
  const at = chance.below(entries.length)
  if (chance.is(0.15)) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(
    entries.map(([key, each], index) => [key, index === at ? mutate(chance, each) : each]),
  )
}

/** Mutates bytes. JSON mostly stays valid JSON. */
function mutateBytes(chance: Chance, bytes: Buffer): Buffer {
  if (chance.is(0.3)) return chance.bytes(200)
  if (chance.is(0.3)) return flip(chance, bytes)
  try {
    const changed = mutate(chance, JSON.parse(bytes.toString('utf8')))
    return Buffer.from(JSON.stringify(changed ?? null))
  } catch {
    return flip(chance, bytes)
  }
}

function flip(chance: Chance, bytes: Buffer): Buffer {
  const changed = Buffer.from(
    bytes.subarray(0, chance.is(0.3) ? chance.below(bytes.length + 1) : bytes.length),
  )
  for (let count = 1 + chance.below(5); count > 0 && changed.length > 0; count -= 1)
    changed[chance.below(changed.length)] = chance.below(256)
  return changed
}

/** Mutates a valid response of the call. */
export function mangle(chance: Chance, call: string, bytes: Buffer): Buffer {
  if (chance.is(0.002)) return Buffer.alloc(9_000_000, 'x')
  if (chance.is(0.1)) return chance.bytes(200)
  if (chance.is(0.2)) return flip(chance, bytes)
  const codec = services[call]
  if (!codec) throw new Error(`there is no call ${call}`)
  try {
    const value: unknown = codec.responseDeserialize(bytes)
    return codec.responseSerialize(mutate(chance, value))
  } catch {
    // Some values cannot be encoded.
    return flip(chance, bytes)
  }
}

const codes = [
  'provider_error',
  'phone_unavailable',
  'rate_limited',
  'invalid_api_key',
  'insufficient_credits',
]

/** Returns bytes for an error's trailer. */
export function mangleTrailer(chance: Chance): Buffer {
  const error = {
    code: chance.pick([...codes, 'internal_error', 'action_outcome_unknown', 'no_such_code']),
    message: 'm',
    retryable: chance.is(0.5),
    next: null,
    details: { retry_after_seconds: chance.pick([1, -1, 1e300]) },
  }
  const json = Buffer.from(JSON.stringify(error))
  // The limit, since the gRPC server itself refuses to send a larger trailer.
  return (chance.is(0.3) ? json : mutateBytes(chance, json)).subarray(0, 6000)
}
