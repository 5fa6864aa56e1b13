/** Plans the faults as a pure function of the seed, the duration and the shape of the system. */
import { randomOf, type Random } from '../random.js'

/** The number of each part of the system. */
export interface Shape {
  controls: number
  agents: number
  /** The number of virtual phones of each agent. */
  phones: number
  brokers: number
  /** Whether the last agent has a disk that a fault can fill. */
  hasSmallDisk: boolean
}

export type FaultKind =
  | 'kill'
  | 'restart'
  | 'pause'
  | 'cut'
  | 'hang'
  | 'delay'
  | 'clock'
  | 'full-disk'
  | 'unplug'

export interface PlannedFault {
  /** Milliseconds since the start of the load. */
  at: number
  /** How many milliseconds the fault lasts; 0: the fault is momentary. */
  lasts: number
  kind: FaultKind
  /** The target: a part (`control-1`), a cable (`control-1>postgres`) or a phone (`phone-1-3`). */
  target: string
  /** `delay` and `clock`: milliseconds. */
  amount: number
}

interface Kind {
  kind: FaultKind
  weight: number
  targets: readonly string[]
  lasts: readonly [number, number]
  amount?: (random: Random) => number
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`)

/** The cables of a system, named by the parts at their ends. */
export const cablesOf = ({ controls, agents, brokers }: Shape): string[] => [
  ...numbered('clients>control', controls),
  ...numbered('control', controls).map((control) => `${control}>postgres`),
  ...numbered('control>agent', agents),
  ...numbered('parts>broker', brokers),
  ...(brokers > 1 ? numbered('brokers>broker', brokers) : []),
]

const second = 1000

function kindsOf(shape: Shape): Kind[] {
  const controls = numbered('control', shape.controls)
  const agents = numbered('agent', shape.agents)
  const brokers = numbered('broker', shape.brokers)
  const phones = agents.flatMap((_, at) => numbered(`phone-${at + 1}`, shape.phones))
  const cables = cablesOf(shape)
  const sign = (random: Random): number => (random.chance(0.5) ? 1 : -1)
  const kinds: Kind[] = [
    // Postgres is one of many targets of this kind, because its end affects all requests.
    { kind: 'kill', weight: 5, targets: [...controls, ...agents, ...brokers, 'postgres'], lasts: [0, 0] },
    {
      kind: 'restart',
      weight: 2,
      targets: [...controls, ...agents, ...numbered('phones', shape.agents)],
      lasts: [0, 0],
    },
    {
      kind: 'pause',
      weight: 3,
      targets: [...controls, ...agents, ...brokers],
      lasts: [1 * second, 15 * second],
    },
    { kind: 'cut', weight: 3, targets: cables, lasts: [200, 12 * second] },
    { kind: 'hang', weight: 3, targets: cables, lasts: [500, 12 * second] },
    {
      kind: 'delay',
      weight: 2,
      targets: cables,
      lasts: [3 * second, 20 * second],
      amount: (random) => random.between(20, 600),
    },
    {
      kind: 'clock',
      weight: 2,
      targets: [...controls, ...agents],
      lasts: [3 * second, 25 * second],
      amount: (random) => sign(random) * random.pick([2, 20, 300, 3600]) * second,
    },
    { kind: 'unplug', weight: 2, targets: phones, lasts: [500, 8 * second] },
    {
      kind: 'full-disk',
      weight: 1,
      lasts: [4 * second, 15 * second],
      targets: shape.hasSmallDisk ? [`agent-${shape.agents}`] : [],
    },
  ]
  return kinds.filter(({ targets }) => targets.length > 0)
}

/** The intervals of faults, in milliseconds. */
export interface Tempo {
  /** The load begins without faults. */
  first: number
  /** From the start of a fault to the start of the next. */
  gap: readonly [number, number]
  /** Between two faults of one target. */
  rest: number
  /** The longest duration of a fault. */
  longest: number
}
export const tempos = {
  usual: { first: 3 * second, gap: [500, 6 * second], rest: 5 * second, longest: 25 * second },
  /** Intervals with which every kind of fault occurs within half a minute. */
  dense: { first: second, gap: [700, 2200], rest: 3 * second, longest: 3 * second },
} as const satisfies Record<string, Tempo>

/** The number of faults that last at the same time. */
export const most = 3

/**
 * Plans faults, each of which ends within `durationMs`. Every kind occurs once before any kind occurs twice.
 */
export function scheduleOf(
  seed: number,
  durationMs: number,
  shape: Shape,
  tempo: Tempo = tempos.usual,
): PlannedFault[] {
  const random = randomOf(seed, 'faults')
  const kinds = kindsOf(shape)
  const planned: PlannedFault[] = []
  let untried = shuffled(kinds, random)
  for (let at = tempo.first; at < durationMs; at += random.between(...tempo.gap)) {
    const kind = untried.shift() ?? weighted(kinds, random)
    const target = random.pick(kind.targets)
    const lasts = Math.min(random.between(...kind.lasts), tempo.longest)
    const amount = kind.amount?.(random) ?? 0
    const lasting = planned.filter((fault) => fault.at + fault.lasts > at)
    const isBusy = planned.some(
      (fault) => partOf(fault.target) === partOf(target) && fault.at + fault.lasts + tempo.rest > at,
    )
    if (at + lasts >= durationMs || isBusy || lasting.length >= most) {
      if (planned.every((fault) => fault.kind !== kind.kind)) untried = [...untried, kind]
      continue
    }
    planned.push({ at, lasts, kind: kind.kind, target, amount })
  }
  return planned
}

/** Faults of one part, and faults of its cables, must not overlap. */
export const partOf = (target: string): string => target.split('>').at(-1) ?? target

function weighted(kinds: readonly Kind[], random: Random): Kind {
  return random.pick(kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind)))
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((each) => ({ each, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each)
}
