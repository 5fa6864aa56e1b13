/** The data of the file: a session, its screens by snapshot, and its steps, oldest first. */

export interface Element {
  ref: number
  type: string
  text: string | null
  desc: string | null
  id: string | null
  bounds: [number, number, number, number]
  center: [number, number]
  state: string[]
}

export interface Screen {
  snapshot_id: string
  app: { package: string; activity: string | null }
  screen: { width: number; height: number; on?: false }
  elements: Element[]
  text: string
}

export interface Action {
  type: string
  [field: string]: unknown
}

export interface Result {
  index: number
  type: string
  ok: boolean
  ms: number
  /** Whether anything was drawn after it; null or missing: unknown. */
  changed?: boolean | null
  /** How often the same action was done with nothing drawn in between. */
  repeated?: number
  resolved?: { center: [number, number]; ref?: number }
  stdout?: string
  stderr?: string
  exit_code?: number | null
  error?: { code: string; message: string; next: string | null }
}

export interface Picture {
  format: string
  /** Base64. */
  data?: string
}

export interface Step {
  id: string
  request_id: string
  status: string
  started_at: string
  duration_ms: number | null
  by: { via: string; client: string | null; key_id: string; key_name: string | null }
  actions: Action[]
  results: Result[]
  error: { code: string; message: string } | null
  text_kept: boolean
  /** The IDs of the snapshots before and after the step. */
  before: string | null
  after: string | null
  picture: Picture | null
}

interface Replay {
  phone: string
  session: string
  steps: Step[]
  screens: Map<string, Screen>
  isCut: boolean
}

/** A view of the player: the screen before a step with the step's touches, or the screen after the step. */
export interface Frame {
  step: Step
  /** From 0. */
  number: number
  part: 'before' | 'after'
  screen: Screen | null
  picture: Picture | null
}

export function readReplay(): Replay {
  const replay: Replay = { phone: '', session: '', steps: [], screens: new Map(), isCut: false }
  for (const block of document.querySelectorAll<HTMLScriptElement>('script[type="application/json"]')) {
    const value: unknown = JSON.parse(block.textContent)
    switch (block.dataset['kind']) {
      case 'session':
        Object.assign(replay, value)
        break
      case 'screen': {
        const screen = value as Screen
        replay.screens.set(screen.snapshot_id, screen)
        break
      }
      case 'step':
        replay.steps.push(value as Step)
        break
      case 'end':
        replay.isCut = (value as { is_cut: boolean }).is_cut
        break
    }
  }
  return replay
}

/** Returns two frames per step, or one when the screen after the step is unknown. */
export function framesOf({ steps, screens }: Replay): Frame[] {
  return steps.flatMap((step, number) => {
    const screen = (id: string | null): Screen | null => (id === null ? null : (screens.get(id) ?? null))
    // The screen before a step can be the screen after the earlier step, which may have a picture.
    const earlier = steps[number - 1]
    const isSame = earlier !== undefined && earlier.after !== null && earlier.after === step.before
    const before: Frame = {
      step,
      number,
      part: 'before',
      screen: screen(step.before),
      picture: isSame ? earlier.picture : null,
    }
    const after: Frame = { step, number, part: 'after', screen: screen(step.after), picture: step.picture }
    return after.screen || after.picture ? [before, after] : [before]
  })
}
