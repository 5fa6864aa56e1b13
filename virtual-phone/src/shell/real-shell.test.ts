/** Compares the virtual phone's shell and commands with real mksh and real toybox. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealShell, realShell, runVirtual } from '../testing/real-shell.js'
import { brokenScripts, languageScripts, toolScripts } from '../testing/shell-scripts.js'
import { type Result, testAndroid } from '../testing/test-android.js'
import { quoteWord } from './bytes.js'

const phone = testAndroid()
let real: RealShell
beforeAll(() => {
  real = realShell()
})
afterAll(() => {
  real.close()
  phone.close()
})

/** Owners, times, folder sizes and block counts depend on the machine and are not compared. */
function maskListing(text: string): string {
  return text
    .replace(
      /^([-dl][-rwxsStT]{9}) +\d+ +\S+ +\S+ +(\d+) [\d-]+ [\d:]+/gm,
      (_all, mode: string, size: string) => `${mode} ${mode.startsWith('d') ? '*' : size}`,
    )
    .replace(/^total \d+$/gm, 'total *')
    .replace(/^Filesystem .*$/gm, (line) => line.replace(/ +/g, ' '))
}

/**
 * Debian's mksh is newer than Android 14's mksh: it prints `E:` or `W:` before its name, and `x: open: why`
 * where Android's mksh prints `can't open x: why`.
 */
function maskShell(text: string): string {
  return text
    .replace(/^(?:[EW]: )?\S*\/(?:mksh|sh): /gm, 'sh: ')
    .replace(/^sh: (.*): (open|create): /gm, "sh: can't $2 $1: ")
}

const maskFolder = (text: string) =>
  text.replaceAll(/\/data\/local\/tmp\/work\d+|\/\S*\/virtual-phone-mksh-\w+\/work\d+/g, '<folder>')

const masked = ({ code, out, err }: Result): Result => ({
  code,
  out: maskFolder(maskShell(maskListing(out))),
  err: maskFolder(maskShell(err)),
})

async function both(script: string): Promise<[Result, Result]> {
  const [virtual, genuine] = await Promise.all([runVirtual(phone, script), real.run(script)])
  return [masked(virtual), masked(genuine)]
}

describe('prints the output of real mksh with real toybox', () => {
  it.each(languageScripts)('language: %s', async (script) => {
    const [virtual, genuine] = await both(script)
    expect(virtual).toEqual(genuine)
  })

  it.each(toolScripts)('commands: %s', async (script) => {
    const [virtual, genuine] = await both(script)
    expect(virtual).toEqual(genuine)
  })

  it.each(brokenScripts)('a broken script does nothing: %s', async (script) => {
    const [virtual, genuine] = await both(script)
    expect([virtual.code, virtual.out]).toEqual([genuine.code, genuine.out])
    expect(virtual.out).toBe('')
    expect(virtual.err).toMatch(/^sh: syntax error: /)
  })

  it('prints arbitrary quoted bytes unchanged', async () => {
    const byte = fc.oneof(
      fc.constantFrom(...Array.from('\'"\\$`\n\t *?[]{}()<>|&;!#~=%')),
      fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    )
    const text = fc.array(byte, { maxLength: 40 }).map((bytes) => bytes.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (words) => {
        const script = `printf '%s|' ${words.map(quoteWord).join(' ')}`
        const expected: Result = { code: 0, out: words.map((word) => `${word}|`).join(''), err: '' }
        expect(await runVirtual(phone, script)).toEqual(expected)
        expect(await real.run(script)).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })
})
