/** What a task is. */
import { type PhoneAgent } from './phone-agent.js'
import { type PhoneState } from './phone-state.js'

export interface Task {
  name: string
  /** What an agent would be told. */
  told: string
  /** A script in an agent's place: sees only what `/v1` answers. Begins at home. */
  solve: (agent: PhoneAgent) => Promise<void>
  /** What the phone itself says of what the task is about; may leave any screen in front. */
  state: (phone: PhoneState) => Promise<unknown>
  /** The state of a phone on which the task was done; on no phone before. */
  wanted: unknown
}
