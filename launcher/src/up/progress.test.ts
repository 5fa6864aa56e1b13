import { describe, expect, it } from 'vitest'
import { Steps } from './progress.js'

function recorder(live: boolean) {
  let text = ''
  return { output: { live, write: (more: string) => void (text += more) }, text: () => text }
}
const seconds = (text: string) => text.replace(/\(\d+\.\d s\)/g, '(T)')

describe('Steps', () => {
  it('writes one whole line per step into a pipe', async () => {
    const { output, text } = recorder(false)
    const steps = new Steps(output)
    await steps.run('one', () => Promise.resolve())
    await steps.run('two', (remark) => Promise.resolve(remark('installed')))
    await expect(steps.run('three', () => Promise.reject(new Error('x')))).rejects.toThrow('x')
    expect(seconds(text())).toBe('  ✓ one (T)\n  ✓ two: installed (T)\n  ✗ three (T)\n')
  })

  it('rewrites the line of the running steps on a terminal, and keeps it last', async () => {
    const { output, text } = recorder(true)
    const steps = new Steps(output)
    let endSlow: () => void = () => undefined
    const slow = steps.run('slow', () => new Promise<void>((resolve) => (endSlow = resolve)))
    await steps.run('quick', () => Promise.resolve())
    endSlow()
    await slow
    const clear = '\r\u001b[2K'
    expect(seconds(text())).toBe(
      `${clear}  … slow${clear}  … quick${clear}  ✓ quick (T)\n${clear}  … slow${clear}  ✓ slow (T)\n`,
    )
  })
})
