/** The type of a task. */
import { type PhoneAgent } from './phone-agent.js'
import { type PhoneState } from './phone-state.js'

export interface Task {
  name: string
  /** The prompt for an agent. */
  prompt: string
  /**
   * A script that replaces the agent. It uses only the results of its way to the phone, and starts on the
   * home screen.
   */
  solve: (agent: PhoneAgent) => Promise<void>
  /** Reads the phone's own state for the task. It can leave any screen in front. */
  state: (phone: PhoneState) => Promise<unknown>
  /** The phone's state after the task. No phone has this state before the task. */
  wanted: unknown
}
