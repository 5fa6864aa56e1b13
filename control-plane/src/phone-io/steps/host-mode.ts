/** Chooses the observation that a host makes for the modes `changes` and `auto`, and completes the answers of older hosts. Pure. */
import { waitsOnly, type Action, type ObserveMode } from '@phonerack/shared'

interface Batch {
  actions: readonly Action[]
  observe: ObserveMode
  since?: string | undefined
}

/** The modes of hosts. */
export type HostMode = Exclude<ObserveMode, 'changes' | 'auto'>

/** The host adds changes to the whole screen, which the batch's step keeps. */
export function hostMode({ actions, observe }: Batch): HostMode {
  if (observe === 'auto' && actions.every(waitsOnly)) return 'none'
  return observe === 'auto' || observe === 'changes' ? 'ui' : observe
}

/** The snapshot for the host: empty if the client has none, undefined if it wants no changes. */
export const sinceOf = ({ observe, since }: Batch): string | undefined =>
  observe === 'auto' || observe === 'changes' ? (since ?? '') : undefined

const mark = Buffer.from('"whole":true')

/** Marks an observation of a host that does not know changes as whole. @param json of an object that is not empty */
export function markedWhole(json: Uint8Array, since: string | null): Uint8Array {
  const bytes = Buffer.from(json)
  if (bytes.includes(mark)) return json
  return Buffer.concat([
    Buffer.from(`{"since":${JSON.stringify(since)},`),
    mark,
    Buffer.from(','),
    bytes.subarray(1),
  ])
}
