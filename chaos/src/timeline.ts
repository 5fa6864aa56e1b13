/** The time line of a run: faults, ends and starts of processes, phases. It explains each violation. */
import { appendFileSync } from 'node:fs'

export interface Moment {
  /** Milliseconds since the epoch. */
  at: number
  text: string
}

export interface Fault {
  /** Groups of faults after which an answer may be missing or unknown. */
  kind: string
  target: string
  from: number
  /** When the fault ended; null: it lasts. */
  to: number | null
}

/** Milliseconds that parts need after a fault to connect to each other again. */
const afterMs = 20_000

export class Timeline {
  private readonly moments: Moment[] = []
  private readonly faults: Fault[] = []

  constructor(
    private readonly file: string,
    private readonly say: (text: string) => void,
  ) {}

  note(text: string): void {
    const at = Date.now()
    this.moments.push({ at, text })
    appendFileSync(this.file, `${stamp(at)} ${text}\n`)
    this.say(text)
  }

  /** Records the beginning of a fault. Returns a function that records its end. */
  begin(kind: string, target: string): () => void {
    const fault: Fault = { kind, target, from: Date.now(), to: null }
    this.faults.push(fault)
    this.note(`fault begins: ${kind} ${target}`)
    return () => {
      fault.to = Date.now()
      this.note(`fault ends: ${kind} ${target}`)
    }
  }

  /** The faults that may have affected a request in this time. */
  felt(from: number, to: number): Fault[] {
    return this.faults.filter((fault) => fault.from <= to && (fault.to ?? Infinity) + afterMs >= from)
  }

  /** Returns the lines around a moment, as text. */
  around(at: number, ms = 15_000): string[] {
    return this.moments
      .filter((moment) => Math.abs(moment.at - at) <= ms)
      .map((moment) => `${stamp(moment.at)} ${moment.text}`)
  }
}

export const stamp = (at: number): string => new Date(at).toISOString().slice(11, 23)
