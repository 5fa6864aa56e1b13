/** The progress output of `up`: one line per step, rewritten in place on a terminal. */

export interface Output {
  write(text: string): void
  /** Whether lines can be rewritten. */
  live: boolean
}

export class Steps {
  /** Titles of the running steps, of which the last is shown. */
  private readonly active: string[] = []

  constructor(private readonly output: Output) {}

  /**
   * Runs a step and prints its result. Several steps can run concurrently. `work` can return a remark for the
   * line.
   */
  async run<T>(title: string, work: (remark: (text: string) => void) => Promise<T>): Promise<T> {
    const since = performance.now()
    let remark = ''
    this.active.push(title)
    this.draw()
    const finish = (mark: string) => {
      this.active.splice(this.active.indexOf(title), 1)
      this.say(`  ${mark} ${title}${remark} (${((performance.now() - since) / 1000).toFixed(1)} s)`)
    }
    try {
      const result = await work((text) => (remark = `: ${text}`))
      finish('✓')
      return result
    } catch (error) {
      finish('✗')
      throw error
    }
  }

  say(text: string): void {
    this.output.write(`${this.output.live ? clearLine : ''}${text}\n`)
    this.draw()
  }

  private draw(): void {
    const title = this.active.at(-1)
    if (this.output.live && title !== undefined) this.output.write(`${clearLine}  … ${title}`)
  }
}

const clearLine = '\r\u001b[2K'
