/** Runs a batch on a simulated phone, for tests of actions. */
import { actionBatchSchema, Progress, systemClock, type ActionResult } from '@phonerack/shared'
import { runBatch, type BatchOutcome, type BatchRequest } from '../actions/run-batch.js'
import { Looks } from '../screen/looks.js'
import { createSnapshotStore } from '../screen/snapshots.js'
import type { SimulatedPhone } from './simulated-phone.js'

const owner = { phoneId: 'ph_a', fencingNumber: 1n }

/** `streamed`: the index of each action when it starts, and its result when it ends. */
export async function run(
  phone: SimulatedPhone,
  actions: object[],
  observe: BatchRequest['observe'] = 'none',
  more: Partial<BatchRequest> = {},
): Promise<BatchOutcome & { streamed: (number | ActionResult)[] }> {
  const streamed: (number | ActionResult)[] = []
  const outcome = await runBatch({
    device: phone.device,
    snapshots: createSnapshotStore(systemClock).of(owner),
    looks: new Looks(),
    ...actionBatchSchema.parse({ actions, observe }),
    progress: Progress.for(15_000),
    clock: systemClock,
    onStarted: (index) => streamed.push(index),
    onFinished: (result) => streamed.push(result),
    ...more,
  })
  return { ...outcome, streamed }
}
