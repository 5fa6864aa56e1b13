/** What `up` says while it works: one line a step, rewritten in place on a terminal. */

export interface Output {
  write(text: string): void
  /** Whether a line may be rewritten. */
  live: boolean
}

export class Steps {
  constructor(private readonly output: Output) {}

  /** Runs a step and says how it went. `work` may return a remark for the line. */
  async run<T>(title: string, work: (remark: (text: string) => void) => Promise<T>): Promise<T> {
    const since = performance.now()
    let remark = ''
    if (this.output.live) this.output.write(`  … ${title}`)
    const finish = (mark: string) => {
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      this.output.write(
        `${this.output.live ? '\r\u001b[2K' : ''}  ${mark} ${title}${remark} (${seconds} s)\n`,
      )
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
    this.output.write(`${text}\n`)
  }
}
