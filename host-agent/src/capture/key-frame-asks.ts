/**
 * Decides when a phone is asked for a key frame. All subscribers share one request. The agent sends at most one request
 * a second, and waits for the answer to the last request before it sends another, since each request restarts the
 * encoder. Used by `hub.ts`.
 */

/** Milliseconds. `answer`: how long an encoder may take to start. */
export const askTimes = { between: 1000, answer: 4000 }
const asksInVain = 3

export interface KeyFrameAsks {
  /** Called when a subscriber waits for a key frame. */
  wanted(): void
  /** Called when a key frame arrives. */
  answered(): void
  /** Called when the video has started. Its first picture is a key frame. */
  begins(): void
  /** Called when the video has ended. No more requests are sent. */
  ends(): void
}

interface AskParts {
  ask: () => void
  /** Called when consecutive requests brought no key frame. */
  giveUp: () => void
  times?: Readonly<typeof askTimes>
}

export function createKeyFrameAsks({ ask, giveUp, times = askTimes }: AskParts): KeyFrameAsks {
  let runs = false
  let isWanted = false
  let inVain = 0
  let askedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function plan(): void {
    clearTimeout(timer)
    if (!runs || !isWanted) return
    const dueIn = askedAt + (inVain > 0 ? times.answer : times.between) - performance.now()
    if (dueIn > 0) timer = setTimeout(plan, Math.ceil(dueIn))
    else if (inVain >= asksInVain) giveUp()
    else {
      inVain += 1
      askedAt = performance.now()
      ask()
      plan()
    }
  }

  return {
    wanted() {
      isWanted = true
      plan()
    },
    answered() {
      isWanted = false
      inVain = 0
      clearTimeout(timer)
    },
    begins() {
      runs = true
      isWanted = true
      inVain = 1
      askedAt = performance.now()
      plan()
    },
    ends() {
      runs = false
      clearTimeout(timer)
    },
  }
}
