/** The form of a task. */
import { type PhoneAgent } from './phone-agent.js'
import { type PhoneState } from './phone-state.js'

export interface Task {
  name: string
  /** The prompt that an agent would get. */
  prompt: string
  /** A script that acts as the agent: uses only what its way to the phone returns. Starts on the home screen. */
  solve: (agent: PhoneAgent) => Promise<void>
  /** The phone's own state for the task; can leave any screen in front. */
  state: (phone: PhoneState) => Promise<unknown>
  /** The phone's state after the task; no phone has it before. */
  wanted: unknown
}
