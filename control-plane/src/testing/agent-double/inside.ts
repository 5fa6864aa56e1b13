/** The state and checks that a double's calls share. */
import { type Assignment } from '@phonerack/proto'
import { type AgentDouble, type DoubleDevice } from './types.js'

export interface Inside extends AgentDouble {
  /** @throws ApiError phone_unavailable, unless the assignment is the device's newest */
  take(assignment: Assignment | undefined, intent: 'hold' | 'use' | 'erase'): DoubleDevice
  /** Checks the assignment, writes the call to the log and awaits `onCall`. */
  beginCall(name: string, assignment: Assignment | undefined): Promise<void>
}
