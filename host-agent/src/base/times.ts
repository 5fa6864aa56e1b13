/** Times of the agent that tests shorten. Passed to `startAgent`. */

/** Milliseconds. The product's value applies to an omitted time. */
export interface AgentTimes {
  /** The time for which a video continues without viewers. */
  videoLinger?: number
  /** The time for which the motion video continues after the last batch. */
  motionLinger?: number
  /** The interval between a live view's checks for a window that forbids pictures. */
  secureWindow?: number
  /** The interval between checks of a phone that is not enrolled. */
  unenrolled?: number
  /** The longest pause before adb connects again to a network phone. */
  reconnect?: number
}
