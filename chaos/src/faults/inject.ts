/** Injects planned faults into a running system, and ends each fault at its time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { rm, writeFile } from 'node:fs/promises'
import type { Topology } from '../parts/topology.js'
import type { Timeline } from '../timeline.js'
import type { PlannedFault } from './schedule.js'

type Undo = () => Promise<void>

const nothing: Undo = () => Promise.resolve()

/**
 * Runs a schedule to its end. When `signal` aborts, active faults are ended and later faults are skipped.
 * Returns the number of injected faults of each kind.
 */
export async function injectAll(
  system: Topology,
  timeline: Timeline,
  planned: readonly PlannedFault[],
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const pause = (ms: number) => sleep(Math.max(ms, 0), undefined, { signal }).catch(() => undefined)
  const began = performance.now()
  await Promise.all(
    planned.map(async (fault) => {
      await pause(began + fault.at - performance.now())
      if (signal.aborted) return
      const end = timeline.begin(nameOf(fault), fault.target)
      try {
        const undo = await inject(system, fault)
        counts[fault.kind] = (counts[fault.kind] ?? 0) + 1
        try {
          await pause(fault.lasts)
        } finally {
          await undo()
        }
      } finally {
        end()
      }
    }),
  )
  return counts
}

const nameOf = ({ kind, amount }: PlannedFault): string => (amount === 0 ? kind : `${kind} ${amount} ms`)

async function inject(system: Topology, { kind, target, amount }: PlannedFault): Promise<Undo> {
  switch (kind) {
    case 'kill':
      partOf(system, target).signal('SIGKILL')
      return nothing
    case 'restart':
      partOf(system, target).signal('SIGTERM')
      return nothing
    case 'pause': {
      const part = partOf(system, target)
      part.signal('SIGSTOP')
      return () => Promise.resolve(void part.signal('SIGCONT'))
    }
    case 'cut':
    case 'hang':
    case 'delay': {
      const cable = system.cables.get(target)
      if (!cable) throw new Error(`there is no cable ${target}`)
      cable.set(kind === 'delay' ? { delayMs: amount } : kind)
      return () => Promise.resolve(cable.set('open'))
    }
    case 'clock': {
      const file = system.clockFile(target)
      await writeFile(file, String(amount))
      return () => rm(file, { force: true })
    }
    case 'full-disk': {
      const { disk } = system
      if (!disk) throw new Error('there is no small disk')
      await disk.fill()
      return () => disk.free()
    }
    case 'unplug': {
      const { rack, port } = phoneOf(system, target)
      const ask = async (name: string) => {
        const answer = await fetch(`http://127.0.0.1:${rack.faultPort}/phones/${port}/faults/${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${rack.faultToken}`, connection: 'close' },
          body: '{}',
          signal: AbortSignal.timeout(10_000),
        })
        await answer.arrayBuffer()
      }
      // The process of the phones may restart, in which case the phone is connected again.
      const tryTo = (name: string) => ask(name).catch(() => undefined)
      await tryTo('unplug')
      return () => tryTo('replug')
    }
  }
}

function partOf(system: Topology, target: string) {
  const part = system.parts.get(target)
  if (!part) throw new Error(`there is no ${target}`)
  return part
}

/** Parses `phone-1-3`: the third phone of the first rack. */
function phoneOf({ racks }: Topology, target: string) {
  const [, rackNumber, phoneNumber] = target.split('-').map(Number)
  const rack = racks[(rackNumber ?? 0) - 1]
  const port = rack?.ports[(phoneNumber ?? 0) - 1]
  if (!rack || port === undefined) throw new Error(`there is no ${target}`)
  return { rack, port }
}
