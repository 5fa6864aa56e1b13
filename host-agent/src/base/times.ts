/** Times of the agent that tests shorten. Given to `startAgent`. */

/** Milliseconds; a time that is left out is the product's. */
export interface AgentTimes {
  /** How long a video continues that nobody watches. */
  videoLinger?: number
  /** How long the motion video continues after the last batch. */
  motionLinger?: number
  /** Between two checks of a live view for a window that forbids pictures. */
  secureWindow?: number
  /** Between two looks at a phone that is not enrolled. */
  unenrolled?: number
  /** The longest pause before adb connects again to a network phone. */
  reconnect?: number
}
